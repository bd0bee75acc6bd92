//! Sentences about facts of the model, as Markdown. Every kind of documentation uses the same ones.

use catalogue::model::{
    Body, BodyFormat, Endpoint, Evidence, Field, Known, Limit, ListFormat, NextPage, Param, Text, TimeForm, TimeFormat,
    UnknownFact,
};
use wording::Facts;

use super::markdown::{code, codes, lower_first, prose};

/// A sentence about the format of timestamps.
pub(super) fn timestamps(form: TimeForm) -> String {
    match form {
        TimeForm::Counted(unit) => format!("Timestamps are Unix time in {}.", unit.word()),
        TimeForm::Written(TimeFormat::Iso8601) | TimeForm::Local(_) => "Timestamps are ISO 8601, UTC.".to_owned(),
        TimeForm::Written(TimeFormat::Date) => "Timestamps are ISO 8601 dates, UTC.".to_owned(),
        TimeForm::Written(format) => format!("Timestamps are periods in UTC such as `{}`.", format.example()),
    }
}

/// Describes a set of rate limits: its requests, the paths whose requests count, and the keys to which it applies.
pub(super) fn limit(limit: &Limit) -> [String; 3] {
    let Limit { name, requests, seconds, endpoints, .. } = limit;
    let mut windows = format!("Limit set {}: {requests} requests within {seconds} s", prose(name));
    if let Some(concurrent) = limit.concurrent.known() {
        windows += &format!(", {concurrent} in flight");
    }
    windows.push('.');
    let counted =
        if endpoints.is_empty() { String::new() } else { format!("It counts only requests to {}.", codes(endpoints)) };
    let keys = match limit.scope.known() {
        Some(scope) => format!("It applies to {}.", lower_first(prose(scope).trim_end_matches('.'))),
        None => "It is unknown to which keys it applies.".to_owned(),
    };
    [windows, counted, keys]
}

/// A sentence with the other names of an endpoint in the API document; empty if there are no other names.
pub(super) fn aliases(aliases: &[String]) -> String {
    if aliases.is_empty() {
        return String::new();
    }
    let names: Vec<_> = aliases.iter().map(|alias| format!("\u{201c}{}\u{201d}", prose(alias))).collect();
    format!("Also named {} in the API document.", names.join(", "))
}

/// The facts of a param that are the same in every kind of documentation.
pub(super) fn param_facts(param: &Param) -> Facts<'_> {
    let declared = &param.declared;
    Facts {
        unit: &param.unit,
        range: [param.range.min, param.range.max],
        source: param.evidence.label(),
        single_value: declared.single_value.map(Evidence::label),
        allowed_values: texts(&declared.allowed_values),
        tested_values: texts(&declared.tested_values),
        rejected_values: texts(&declared.rejected_values),
        earlier_names: texts(&declared.also_named),
        ..Facts::default()
    }
}

/// The facts of a field that are the same in every kind of documentation.
pub(super) fn field_facts(field: &Field) -> Facts<'_> {
    let range = [field.range.min, field.range.max];
    let also_named = field.also_named.iter().map(String::as_str).collect();
    let zone = field.ty.time_form().and_then(TimeForm::zone);
    Facts { unit: &field.unit, range, zone, source: field.evidence.label(), also_named, ..Facts::default() }
}

/// Converts texts of the model to those of [`Facts`].
pub(super) fn texts(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(|text| text.as_str()).collect()
}

/// The sentences about facts as Markdown.
pub(super) fn stated(facts: &Facts<'_>) -> String {
    facts.sentences(code, prose)
}

/// A sentence with the source of a fact; empty if it is the API document.
pub(super) fn source(evidence: Evidence) -> String {
    stated(&Facts { source: evidence.label(), ..Facts::default() })
}

/// A sentence about the format of several values; `None` is a format that differs between endpoints.
pub(super) fn several(wire_name: &str, list_as: Option<ListFormat>) -> String {
    let name = code(wire_name);
    match list_as {
        Some(ListFormat::Commas) => format!("Several values are sent in {name}, separated by commas."),
        Some(ListFormat::Repeated) => format!("Several values are sent by repeating {name}."),
        Some(ListFormat::Spaces) => format!("Several values are sent in {name}, separated by spaces."),
        Some(ListFormat::Pipes) => format!("Several values are sent in {name}, separated by vertical bars."),
        Some(ListFormat::Colons) => format!("Several values are sent in {name}, separated by colons."),
        Some(ListFormat::Semicolons) => format!("Several values are sent in {name}, separated by semicolons."),
        Some(ListFormat::Json) => format!("Several values are sent in {name} as a JSON list."),
        None => format!("Several values are sent in {name}."),
    }
}

/// The summary as Markdown, or a sentence that the meaning is unknown.
pub(super) fn meaning(summary: &str) -> String {
    if summary.is_empty() { "Its meaning is undocumented.".to_owned() } else { prose(summary) }
}

/// A sentence that lists unknown facts; empty if there are none.
pub(super) fn unknown(facts: &[UnknownFact]) -> String {
    stated(&Facts { unknown: unknown_texts(facts), ..Facts::default() })
}

pub(super) fn unknown_texts(facts: &[UnknownFact]) -> Vec<&str> {
    facts.iter().map(UnknownFact::text).collect()
}

/// The format of a body that is not JSON, as the end of a sentence.
pub(super) fn sent_as(format: Option<BodyFormat>) -> String {
    match format {
        None => String::new(),
        Some(format) => format!(", sent as {}", format.in_registry().name()),
    }
}

/// The unknown facts about an endpoint: parts with the value `unknown` in the catalogue, and the facts that it lists as
/// unknown.
pub(super) fn unknown_of(endpoint: &Endpoint) -> Vec<&str> {
    let mut unknown = Vec::new();
    if endpoint.path.is_none() {
        unknown.push("the path, the params and the response");
    } else {
        if endpoint.params.is_none() {
            unknown.push("the params");
        }
        match endpoint.body {
            Body::Unknown => unknown.push("the form of the response"),
            Body::Series { record: None, .. } => unknown.push("the fields of the records"),
            Body::Series { .. } | Body::Object { .. } => {}
        }
        if endpoint.declared.history == Some(Known::Unknown) {
            unknown.push("the params that select a time range");
        }
    }
    unknown.extend(unknown_texts(&endpoint.declared.unknown));
    unknown
}

/// Describes the way from each page of records to the next page; `None` if a response has all records.
pub(super) fn pages(endpoint: &Endpoint) -> Option<String> {
    let pages = endpoint.pages.as_ref()?;
    let next = match &pages.next {
        NextPage::Cursor { path, param } => format!("{} of a response is sent as {}", code(path), code(param)),
        NextPage::Link { path } => format!("{} of a response is the URL of the next page", code(path)),
        NextPage::Offset { param, .. } => format!("{} is the number of records before a page", code(param)),
        NextPage::Number { param, .. } => format!("{} is the number of a page", code(param)),
    };
    match &pages.size {
        Some(size) => Some(format!("{next}; {} is the number of records on a page", code(size))),
        None => Some(next),
    }
}

/// Describes the number of requests that rate limits count for a request; `None` if it is 1.
pub(super) fn weight(endpoint: &Endpoint) -> Option<String> {
    let mut exceptions = String::new();
    if let Some(by) = &endpoint.declared.weight_by {
        for step in &by.steps {
            exceptions += &format!("; as {} if {} is at most {}", step.weight, code(&by.param), step.max);
        }
    }
    if endpoint.weight == 1 && exceptions.is_empty() {
        return None;
    }
    Some(format!("counts as {} requests for the rate limit{exceptions}", endpoint.weight))
}
