//! Emits the sections of the front page that apply to all requests and responses.

use super::{source, tables};
use crate::emit::docs::{self, code, prose};
use crate::emit::reference::tables::{row, table};
use crate::model::{Api, Endpoint, ErrorBody, NamedType, Service, Text};

/// The section on the labels of sources.
pub(super) const SOURCES: &str = include_str!("sources.md");

/// Returns the section on the shared params that at least one method uses without overrides.
pub(super) fn params(api: &Api) -> String {
    let shared: Vec<_> = api.unchanged_params().into_iter().map(|shared| &shared.param).collect();
    if shared.is_empty() {
        return String::new();
    }
    let caveats = shared.iter().filter(|param| !param.notes.is_empty() || !param.unknown.is_empty());
    let caveats = caveats.map(|param| {
        let setters: Vec<_> = param.setters().map(|(setter, _)| code(setter)).collect();
        let required = if param.required.is_some() { ", required" } else { "" };
        format!(
            "- {}{required}: {}\n",
            setters.join(", "),
            docs::joined([prose(&param.notes), docs::unknown(&param.unknown)])
        )
    });
    let caveats = caveats.collect::<Vec<_>>().concat();
    let caveats = if caveats.is_empty() { caveats } else { format!("\n{caveats}") };
    let rows = shared.into_iter().map(|param| tables::param(api, param, false));
    // The links in the tables contain the file name of the front page, as a group's page needs it. This table is on the
    // front page itself, so the file name is removed.
    format!("{}{caveats}", tables::params(rows)).replace("](../README.md#", "](#")
}

/// Returns the section on the format of timestamps.
pub(super) fn time(service: &Service) -> String {
    let form = docs::timestamps(service.time_form());
    format!("{form} {} If the format of a field or param differs, it is listed there.\n", source(service.time.evidence))
}

/// Returns the section on the envelope, the object around the records of a series.
pub(super) fn envelope(api: &Api) -> String {
    let Some(envelope) = &api.service.envelope else { return String::new() };
    let metadata = envelope.metadata.as_ref().map(|metadata| &metadata.name);
    let more = metadata.map(|key| format!(" and metadata in {}", code(key))).unwrap_or_default();
    let mut text = format!(
        "A series is one object with its records in {}{more}. {}\n",
        code(&envelope.data),
        source(envelope.evidence)
    );
    if let Some(time) = &api.service.time_field {
        let meaning = docs::lower_first(docs::meaning(&time.summary).trim_end_matches('.'));
        let (name, source) = (code(&time.wire_name), source(time.evidence));
        text += &format!(
            "The time of a record is in {name}: {meaning}, unless its endpoint declares another field. {source}\n"
        );
    }
    let fields = api.records.iter().find(|record| record.ident == "Metadata").map(|record| record.fields.as_slice());
    if let (Some(key), Some(fields @ [_, ..])) = (metadata, fields) {
        text += &format!("\nFields of {}:\n\n{}", code(key), tables::fields(fields.iter(), false));
    }
    text.replace("](../README.md#", "](#")
}

/// Returns the section on the rate limits and their enforcement by the client.
pub(super) fn rate_limits(service: &Service) -> String {
    if service.limits.is_empty() {
        return String::new();
    }
    let is_unknown = service.limits.iter().any(|limit| limit.scope.known().is_none());
    let why = if is_unknown { " It is unknown which keys some of them apply to, so the client" } else { " The client" };
    format!(
        "A rate limit is a maximum number of requests in a rolling window, and of requests in flight.{why} enforces all \
         of them, unless you set another limit with `rate_limit`.\n\n{}",
        tables::limits(&service.limits)
    )
}

/// Returns the section on error statuses and the body of an error.
pub(super) fn errors(service: &Service) -> String {
    if service.errors.is_empty() {
        return String::new();
    }
    tables::statuses(&service.errors) + &error_body(&service.error_body)
}

fn error_body(body: &ErrorBody) -> String {
    let name = body.named().map(|(name, evidence)| {
        format!("The schema of the error body is {} (source: {}).", code(name), evidence.label())
    });
    let message = body.evidence.filter(|_| !body.message.is_empty()).map(|evidence| {
        let fields = body.message.iter().chain(&body.code).map(|field| code(field)).collect::<Vec<_>>().join(", ");
        format!("The message is in the first of these fields that exists: {fields} (source: {}).", evidence.label())
    });
    let parts: Vec<_> = name.into_iter().chain(message).collect();
    if parts.is_empty() { String::new() } else { format!("\n{}\n", parts.join("\n")) }
}

/// Returns the section on named types, with their values.
pub(super) fn types(api: &Api) -> String {
    let section = |ty: &NamedType| {
        let (summary, source) = (docs::meaning(&ty.summary), source(ty.evidence));
        format!("### {}\n\n{summary} {source}\n{}", ty.ident, tables::values(ty))
    };
    api.types.iter().map(section).collect::<Vec<_>>().join("\n")
}

/// Returns the table of tested values. It has one row for each param of an endpoint for which accepted or rejected
/// values are known.
pub(super) fn values(api: &Api) -> String {
    let rows: Vec<_> = api.methods().flat_map(rows).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["path", "param", "only these work", "these work", "these fail", "default"];
    format!("These values were tried with the service by published clients.\n\n{}", table(heads, rows.into_iter()))
}

fn rows(endpoint: &Endpoint) -> impl Iterator<Item = String> {
    let params = endpoint.params.iter().flatten().filter(|param| !param.is_unchanged());
    params.map(|param| &param.param).filter_map(|param| {
        let codes = |values: &[Text]| values.iter().map(|value| code(value)).collect::<Vec<_>>().join(", ");
        let default: Vec<Text> = param.default.iter().flat_map(|default| default.split(',')).map(Into::into).collect();
        let path = code(endpoint.path.as_deref().unwrap_or_default());
        let values =
            [&param.allowed_values, &param.tested_values, &param.rejected_values, &default].map(|values| codes(values));
        let [allowed, tested, rejected, default] = values;
        let is_known = [&allowed, &tested, &rejected].iter().any(|values| !values.is_empty());
        is_known.then(|| row([path, code(&param.name), allowed, tested, rejected, default]))
    })
}
