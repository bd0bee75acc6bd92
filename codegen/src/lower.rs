//! A [`Checked`] catalogue in, the [`Api`] to emit out: names made, references followed, defaults filled in.
//!
//! It cannot fail: whatever could be wrong was found by `check`. Order is that of the catalogue, and groups
//! are sorted by name, so the output does not depend on how a folder is listed.

mod types;

use std::collections::{BTreeMap, HashSet};

use crate::check::Checked;
use crate::model::{
    Api, ApiKey, Body, ClientCredentials, Endpoint, EndpointParam, Envelope, ErrorBody, Evidence, Field, Group, Limit,
    Param, ParamSet, Range, Record, RecordRef, Service, Setter, SharedParam, Status, UNKNOWN_MEANING,
};
use crate::names::{self, Case};
use crate::spec::{self, Fields, Known, ParamEntry};
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

fn lower_service(scope: Scope<'_>) -> Service {
    let service = scope.service;
    Service {
        title: service.title.clone(),
        version: service.version.clone(),
        summary: prose(&service.summary),
        env_prefix: service.env_prefix.clone(),
        base_url_suffix: service.base_url.as_ref().map(|base_url| base_url.suffix.clone()).unwrap_or_default(),
        base_url_evidence: service.base_url.as_ref().map(|base_url| base_url.evidence),
        milliseconds: service.time.unit == spec::TimeUnit::Milliseconds,
        time_evidence: service.time.evidence,
        api_key: service
            .credentials
            .api_key
            .as_ref()
            .map(|key| ApiKey { header: key.header.to_ascii_lowercase(), evidence: key.evidence }),
        client_credentials: service.credentials.client_credentials.as_ref().map(|flow| ClientCredentials {
            path: flow.path.clone(),
            label: flow.label.clone(),
            evidence: flow.evidence,
            reply: fields(scope, &flow.reply, flow.evidence),
            errors: flow.errors.iter().map(status).collect(),
        }),
        errors: service.errors.iter().map(status).collect(),
        error_body: ErrorBody {
            message: service.error_body.message.clone(),
            code: service.error_body.code.clone(),
            evidence: service.error_body.evidence,
        },
        limits: service.limits.iter().map(limit).collect(),
        envelope: service.envelope.as_ref().map(|envelope| Envelope {
            data: envelope.data.clone(),
            metadata: envelope.metadata.as_ref().map(|metadata| metadata.name.clone()),
            unsupported: envelope.metadata.as_ref().and_then(unsupported),
            time: envelope_time(scope),
            evidence: envelope.evidence,
        }),
    }
}

/// The field that every record of a series has, unless its endpoint says otherwise.
fn envelope_time(scope: Scope<'_>) -> Option<Field> {
    let envelope = scope.service.envelope.as_ref()?;
    let time = lower_field(scope, envelope.time.as_ref()?, envelope.evidence);
    Some(Field { is_envelope_time: true, ..time })
}

fn status(status: &spec::Status) -> Status {
    Status {
        status: u16::try_from(status.status).unwrap_or_default(),
        label: status.label.known().cloned(),
        summary: prose(&status.summary),
        advice: prose(&status.advice),
        notes: prose(&status.notes),
        evidence: status.evidence,
    }
}

fn limit(limit: &spec::Limit) -> Limit {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Limit {
        name: limit.name.clone(),
        constant: names::ident(&names::limit(&limit.name), Case::Shouty).unwrap_or_default(),
        requests: number(limit.requests),
        seconds: number(limit.seconds),
        concurrent: number(limit.concurrent),
        applies_to: limit.applies_to.known().map(|text| prose(text)),
        evidence: limit.evidence,
    }
}

/// Text as one paragraph: how the YAML was folded does not matter.
fn prose(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unsupported(metadata: &spec::Metadata) -> Option<String> {
    let field = metadata.fields.iter().find(|field| Some(&field.name) == metadata.unsupported.as_ref())?;
    Some(snake(&field.name, field.ident.as_ref()))
}

/// What something means, or that nobody knows.
fn meaning(summary: &str) -> String {
    if summary.trim() == "unknown" { UNKNOWN_MEANING.to_owned() } else { prose(summary) }
}

fn snake(name: &str, ident: Option<&String>) -> String {
    ident.cloned().or_else(|| names::ident(name, Case::Snake).ok()).unwrap_or_default()
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
        ty: scope.type_of(&field.ty),
        // Only what the interface document itself says is relied on.
        is_envelope_time: false,
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
        ty: scope.type_of(&param.ty),
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
            Body::Series { record, time: time.filter(|time| time != "none"), evidence }
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

/// One setter a method name; shared params speak first when it comes to its docs.
fn setters(shared: &[SharedParam], groups: &[Group]) -> Vec<Setter> {
    let endpoints = groups.iter().flat_map(|group| &group.endpoints).filter(|endpoint| endpoint.path.is_some());
    let taken = endpoints.flat_map(|endpoint| endpoint.params.iter().flatten()).map(|param| &param.param);
    let taken: Vec<_> = taken.filter(|param| !param.is_argument()).collect();
    // A shared param that no endpoint with a path takes needs no setter.
    let idents: HashSet<_> = taken.iter().flat_map(|param| setter_idents(param)).map(|(ident, _)| ident).collect();
    let mut setters: BTreeMap<&str, Setter> = BTreeMap::new();
    for param in shared.iter().map(|shared| &shared.param).chain(taken.iter().copied()) {
        for (ident, several) in setter_idents(param).filter(|(ident, _)| idents.contains(ident)) {
            setters.entry(ident).or_insert_with(|| setter(ident, param, several));
        }
    }
    for param in &taken {
        for (ident, _) in setter_idents(param) {
            setters.entry(ident).and_modify(|setter| hold_for(setter, param));
        }
    }
    setters.into_values().collect()
}

/// Takes back what a setter says and one of those who have it does not.
fn hold_for(setter: &mut Setter, param: &Param) {
    if setter.ty.as_ref() != Some(&param.ty) {
        setter.ty = None;
    }
    if setter.default != param.default {
        setter.default = None;
    }
    if setter.served != param.served {
        setter.served.clear();
    }
    if setter.unit != param.unit {
        setter.unit.clear();
    }
    if setter.range != param.range {
        setter.range = Range::default();
    }
    if setter.evidence != Some(param.evidence) {
        setter.evidence = None;
    }
}

/// The setters of a param, and whether each takes several values.
fn setter_idents(param: &Param) -> impl Iterator<Item = (&str, bool)> {
    std::iter::once((param.ident.as_str(), false)).chain(param.list.iter().map(|list| (list.as_str(), true)))
}

fn setter(ident: &str, param: &Param, several: bool) -> Setter {
    Setter {
        ident: ident.to_owned(),
        takes: names::takes(ident),
        type_ident: names::ident(ident, Case::Pascal).unwrap_or_default(),
        wire_name: param.wire_name.clone(),
        summary: param.summary.clone(),
        unit: param.unit.clone(),
        range: param.range,
        default: param.default.clone(),
        served: param.served.clone(),
        evidence: Some(param.evidence),
        notes: param.notes.clone(),
        ty: Some(param.ty.clone()),
        several,
    }
}
