//! A [`Checked`] catalogue in, the [`Api`] to emit out: names made, references followed, defaults filled in.
//!
//! It cannot fail: whatever could be wrong was found by `check`. Order is that of the catalogue, and groups
//! are sorted by name, so the output does not depend on how a folder is listed.

mod service;
mod setters;
mod types;

use crate::check::Checked;
use crate::model::{
    Api, Body, Endpoint, EndpointParam, Evidence, Field, Group, Param, ParamSet, Range, Record, RecordRef, SharedParam,
    UNKNOWN_MEANING,
};
use crate::names::{self, Case};
use crate::spec::{self, Fields, Known, ParamEntry};
use service::{envelope_time, lower_service};
use setters::setters;
use types::Scope;

/// Lowers a whole catalogue.
pub fn lower(checked: &Checked) -> Api {
    let service = &checked.service;
    let scope = Scope { service, group: None };
    let shared_params: Vec<_> = service.params.iter().map(|param| shared_param(scope, param)).collect();
    let groups: Vec<_> =
        checked.groups.iter().map(|(stem, group)| lower_group(service, stem, group, &shared_params)).collect();
    Api {
        types: service.types.iter().map(types::named_type).collect(),
        records: shared_records(scope),
        param_sets: service.param_sets.iter().map(|set| param_set(service, set)).collect(),
        setters: setters(&shared_params, &groups),
        service: lower_service(scope),
        shared_params,
        groups,
    }
}

/// Text as one paragraph: how the YAML was folded does not matter.
fn prose(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What something means, or that nobody knows.
fn meaning(summary: &str) -> String {
    known_meaning(summary).unwrap_or_else(|| UNKNOWN_MEANING.to_owned())
}

/// What something means, if anybody knows.
fn known_meaning(summary: &str) -> Option<String> {
    (summary.trim() != "unknown").then(|| prose(summary))
}

fn snake(name: &str, ident: Option<&String>) -> String {
    names::chosen(ident, name, Case::Snake).unwrap_or_default()
}

/// `Metadata` first: every client has it, if only to keep what it does not know.
fn shared_records(scope: Scope<'_>) -> Vec<Record> {
    let envelope = scope.service.envelope.as_ref();
    let metadata = envelope.and_then(|envelope| Some((envelope.metadata.as_ref()?, envelope.evidence)));
    let metadata = Record {
        ident: "Metadata".to_owned(),
        summary: "What the service says about a reply beside its data.".to_owned(),
        evidence: metadata.map_or(Evidence::Document, |(_, known)| known),
        fields: metadata.map(|(metadata, known)| fields(scope, &metadata.fields, known)).unwrap_or_default(),
    };
    std::iter::once(metadata).chain(scope.service.records.iter().map(|record| named_record(scope, record))).collect()
}

fn named_record(scope: Scope<'_>, record: &spec::Record) -> Record {
    Record {
        ident: record.name.clone(),
        summary: meaning(&record.summary),
        evidence: record.evidence,
        fields: fields(scope, &record.fields, record.evidence),
    }
}

fn fields(scope: Scope<'_>, fields: &[spec::Field], inherited: spec::Evidence) -> Vec<Field> {
    fields.iter().map(|field| lower_field(scope, field, inherited)).collect()
}

fn lower_field(scope: Scope<'_>, field: &spec::Field, inherited: spec::Evidence) -> Field {
    let known = field.evidence.unwrap_or(inherited);
    Field {
        ident: snake(&field.name, field.ident.as_ref()),
        wire_name: field.name.clone(),
        ty: scope.type_of(&field.ty, &field.unit),
        is_envelope_time: false,
        // Only what the interface document itself says is relied on.
        optional: field.optional || known != spec::Evidence::Document,
        range: range(field.range),
        unit: field.unit.clone(),
        summary: meaning(&field.summary),
        notes: prose(&field.notes),
        evidence: known,
    }
}

fn range(range: Option<spec::Range>) -> Range {
    range.map_or_else(Range::default, |range| Range { min: range.min, max: range.max })
}

fn shared_param(scope: Scope<'_>, param: &spec::Param) -> SharedParam {
    SharedParam {
        constant: names::ident(param.id(), Case::Shouty).unwrap_or_default(),
        param: lower_param(scope, param, spec::Evidence::Reported),
    }
}

fn lower_param(scope: Scope<'_>, param: &spec::Param, inherited: spec::Evidence) -> Param {
    Param {
        ident: snake(&param.name, param.ident.as_ref()),
        wire_name: param.name.clone(),
        ty: scope.type_of(&param.ty, &param.unit),
        list: param.list.clone(),
        in_path: param.location == spec::ParamLocation::Path,
        required: param.required,
        default: param.default.clone(),
        range: range(param.range),
        served: param.served.clone(),
        unit: param.unit.clone(),
        summary: meaning(&param.summary),
        notes: prose(&param.notes),
        evidence: param.evidence.unwrap_or(inherited),
    }
}

fn lower_group(service: &spec::Service, stem: &str, group: &spec::Group, shared: &[SharedParam]) -> Group {
    let scope = Scope { service, group: Some((stem, group)) };
    let mut records: Vec<_> = group.records.iter().map(|record| named_record(scope, record)).collect();
    let endpoints =
        group.endpoints.iter().map(|endpoint| lower_endpoint(scope, stem, endpoint, shared, &mut records)).collect();
    Group {
        file: format!("{stem}.yaml"),
        ident: stem.to_owned(),
        handle: names::handle(stem),
        title: group.title.clone(),
        summary: meaning(&group.summary),
        aliases: group.aliases.clone(),
        records,
        endpoints,
    }
}

/// Lowers an endpoint; a record that its body lists is added to the group's.
fn lower_endpoint(
    scope: Scope<'_>,
    module: &str,
    endpoint: &spec::Endpoint,
    shared: &[SharedParam],
    records: &mut Vec<Record>,
) -> Endpoint {
    let ident = snake(&endpoint.name, endpoint.ident.as_ref());
    let type_ident = names::ident(&ident, Case::Pascal).unwrap_or_default();
    let (body, record) = lower_body(scope, module, endpoint, &type_ident);
    records.extend(record);
    Endpoint {
        name: endpoint.name.clone(),
        ident,
        type_ident,
        aliases: endpoint.aliases.clone(),
        path: endpoint.path.known().cloned(),
        evidence: endpoint.evidence,
        summary: meaning(&endpoint.summary),
        notes: prose(&endpoint.notes),
        deprecated: endpoint.deprecated.as_deref().map(prose),
        param_set: endpoint.params.known().and_then(|entries| first_set(scope.service, entries)),
        params: endpoint.params.known().map(|entries| endpoint_params(scope, entries, endpoint.evidence, shared)),
        body,
    }
}

fn lower_body(scope: Scope<'_>, module: &str, endpoint: &spec::Endpoint, type_ident: &str) -> (Body, Option<Record>) {
    let Known::Known(body) = &endpoint.body else {
        return (Body::Unknown, None);
    };
    let evidence = body.evidence.unwrap_or(endpoint.evidence);
    let listed = body.series.as_ref().or(body.object.as_ref()).and_then(Known::known);
    let (reference, record) = match listed {
        None => (None, None),
        Some(Fields::Record(name)) => (scope.record(name), None),
        Some(Fields::Inline(listed)) => {
            let is_own = |time: &Field| body.time.as_ref().is_some_and(|own| *own != time.wire_name);
            let time = envelope_time(scope).filter(|time| body.series.is_some() && !is_own(time));
            let time = time.map(|time| time.counted_in(body.unit));
            let ident = names::record(type_ident);
            let record = Record {
                ident: ident.clone(),
                summary: format!("One record of {}.", endpoint.name),
                evidence,
                fields: time.into_iter().chain(fields(scope, listed, evidence)).collect(),
            };
            (Some(RecordRef { module: Some(module.to_owned()), ident }), Some(record))
        }
    };
    let body = match (reference, body.series.is_some()) {
        (record, true) => {
            let time = body.time.clone().or_else(|| envelope_time(scope).map(|time| time.wire_name));
            let time_unit = body.unit.filter(|_| record.is_none());
            Body::Series { record, time: time.filter(|time| time != "none"), time_unit, evidence }
        }
        (Some(record), false) => Body::Object { record, evidence },
        (None, false) => Body::Unknown,
    };
    (body, record)
}

fn endpoint_params(
    scope: Scope<'_>,
    entries: &[ParamEntry],
    inherited: spec::Evidence,
    shared: &[SharedParam],
) -> Vec<EndpointParam> {
    let service = scope.service;
    let index_of = |id: &str| service.params.iter().position(|param| param.id() == id);
    let as_defined = |index: usize| EndpointParam { param: shared[index].param.clone(), shared: Some((index, false)) };
    let mut params = Vec::new();
    for entry in entries {
        match entry {
            ParamEntry::Own(param) => {
                params.push(EndpointParam { param: lower_param(scope, param, inherited), shared: None });
            }
            ParamEntry::Use(entry) => params.extend(index_of(&entry.param).map(|index| {
                let mut used = as_defined(index);
                used.shared = Some((index, true));
                used.param.required = entry.required.or(used.param.required);
                used.param.evidence = entry.evidence.unwrap_or(used.param.evidence);
                used.param.notes = entry.notes.as_deref().map_or(used.param.notes, prose);
                used
            })),
            ParamEntry::Name(name) => match service.param_sets.iter().find(|set| set.name == *name) {
                Some(set) => params.extend(set.params.iter().filter_map(|id| index_of(id)).map(as_defined)),
                None => params.extend(index_of(name).map(as_defined)),
            },
        }
    }
    params
}

fn param_set(service: &spec::Service, set: &spec::ParamSet) -> ParamSet {
    let index_of = |id: &String| service.params.iter().position(|param| param.id() == id);
    ParamSet {
        constant: names::ident(&set.name, Case::Shouty).unwrap_or_default(),
        params: set.params.iter().filter_map(index_of).collect(),
    }
}

/// The param set that comes first, if one does.
fn first_set(service: &spec::Service, entries: &[ParamEntry]) -> Option<usize> {
    let ParamEntry::Name(name) = entries.first()? else { return None };
    service.param_sets.iter().position(|set| set.name == *name)
}
