//! The entries of groups, endpoints and params.

use super::leaked::{leak, list, optional_text, text, texts};
use super::pages::pages_info;
use super::service::history_info;
use super::type_entries::{TypeEntries, evidence, range};
use crate::model::{self, Body, Endpoint, Group, Known, Param};
use runtime::registry::{
    BodyFormat, BodyInfo, EndpointInfo, GroupInfo, HistorySource, ListFormat, ParamInfo, ParamLocation,
};

pub(super) fn group_info<'a>(group: &'a Group, types: &mut TypeEntries<'a>) -> GroupInfo {
    GroupInfo {
        ident: text(&group.ident),
        title: text(&group.title),
        summary: text(&group.summary),
        aliases: texts(&group.aliases),
        notes: text(&group.notes),
        endpoints: list(&group.endpoints, |endpoint| leak(endpoint_info(group, endpoint, types))),
    }
}

fn endpoint_info<'a>(group: &Group, endpoint: &'a Endpoint, types: &mut TypeEntries<'a>) -> EndpointInfo {
    let declared = &endpoint.declared;
    let mut info = EndpointInfo::new(text(&group.ident), text(&endpoint.ident), text(&declared.name));
    info.aliases = texts(&declared.aliases);
    info.summary = text(&declared.summary);
    info.path = optional_text(endpoint.path.as_deref());
    info.evidence = evidence(declared.evidence);
    if let Some(params) = &endpoint.params {
        let all = list(params, |param| param_info(&param.param, types));
        info.param_lists = Some(leak([all]));
    }
    set_body(&mut info, &endpoint.body, types);
    info.history_source = match &declared.history {
        None => HistorySource::Service,
        Some(Known::Known(history)) => HistorySource::Endpoint(leak(history_info(history))),
        Some(Known::Unknown) => HistorySource::Unknown,
    };
    info.pages = endpoint.pages.as_ref().map(pages_info);
    info.is_example = declared.is_example;
    info.weight = endpoint.weight;
    if let Some(by) = &declared.weight_by {
        info.weight_by = Some((text(&by.param), list(&by.steps, |step| (step.max, step.weight))));
    }
    info.notes = text(&declared.notes);
    info.unknown = list(&declared.unknown, |fact| text(fact.text()));
    info.deprecated = optional_text(declared.deprecated.as_deref());
    info
}

fn set_body(info: &mut EndpointInfo, body: &Body, types: &mut TypeEntries<'_>) {
    match body {
        Body::Series { record, format, data, is_optional, time, key, evidence: source } => {
            info.format = format.map_or(BodyFormat::Json, model::BodyFormat::in_registry);
            info.data = optional_text(data.as_deref());
            info.key = texts(key);
            info.data_optional = *is_optional;
            info.body = BodyInfo::Series {
                record: record.as_ref().and_then(|record| types.record(record)),
                time: optional_text(time.as_ref()),
                evidence: evidence(*source),
            };
        }
        Body::Object { record, evidence: source } => {
            if let Some(record) = types.record(record) {
                info.body = BodyInfo::Object { record, evidence: evidence(*source) };
            }
        }
        Body::Unknown => {}
    }
}

impl model::BodyFormat {
    /// The format as the registry states it.
    pub fn in_registry(self) -> BodyFormat {
        match self {
            Self::Csv => BodyFormat::Csv,
            Self::CsvSemicolons => BodyFormat::CsvSemicolons,
            Self::CsvPipes => BodyFormat::CsvPipes,
            Self::Tsv => BodyFormat::Tsv,
            Self::Ndjson => BodyFormat::Ndjson,
        }
    }
}

pub(super) fn param_info<'a>(param: &'a Param, types: &mut TypeEntries<'a>) -> ParamInfo {
    let declared = &param.declared;
    let ty = types.value_type(&param.ty);
    let mut info = ParamInfo::new(text(&param.ident), text(&declared.name), ty, evidence(param.evidence));
    if param.in_path() {
        info.location = ParamLocation::Path;
    }
    info.also_named = texts(&declared.also_named);
    info.list_setter = optional_text(declared.list_setter.as_ref());
    info.list_as = match declared.list_as {
        model::ListFormat::Commas => ListFormat::Commas,
        model::ListFormat::Repeated => ListFormat::Repeated,
        model::ListFormat::Json => ListFormat::Json,
        model::ListFormat::Spaces => ListFormat::Spaces,
        model::ListFormat::Pipes => ListFormat::Pipes,
        model::ListFormat::Colons => ListFormat::Colons,
        model::ListFormat::Semicolons => ListFormat::Semicolons,
    };
    info.const_value = optional_text(declared.const_value.as_ref());
    info.required = declared.required.map(evidence);
    info.default = optional_text(param.default_value());
    info.allowed_values = texts(&declared.allowed_values);
    info.tested_values = texts(&declared.tested_values);
    info.rejected_values = texts(&declared.rejected_values);
    info.example = optional_text(param.example());
    info.in_examples = declared.in_examples;
    info.single_value = declared.single_value.map(evidence);
    info.range = range(param.range);
    info.unit = text(&param.unit);
    info.summary = text(&declared.summary);
    info.notes = text(&declared.notes);
    info.unknown = list(&declared.unknown, |fact| text(fact.text()));
    info
}
