//! Emits the section on one endpoint: summary, call, example program, params, fields and caveats.

use super::{example, history, tables};
use crate::emit::Package;
use crate::emit::docs::{self, code, prose};
use crate::model::{Api, Body, Endpoint, Field, Group, RecordLayout, RecordRef, UnknownFact};
use crate::url_path;

pub(super) fn section(api: &Api, package: &Package, group: &Group, endpoint: &Endpoint) -> String {
    let mut paragraphs = vec![
        format!("## {}", prose(&endpoint.name)),
        docs::meaning(&endpoint.summary),
        docs::aliases(&endpoint.aliases),
        endpoint.deprecated.as_ref().map(|how| format!("Deprecated: {}", prose(how))).unwrap_or_default(),
    ];
    if endpoint.path.is_some() {
        paragraphs.push(call(api, group, endpoint));
        paragraphs.push(format!("```rust,no_run\n{}```", example::program(api, package, group, endpoint)));
        paragraphs.push(params(api, endpoint));
        paragraphs.extend(fields(api, endpoint));
    }
    paragraphs.push(caveats(api, endpoint));
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    format!("\n{}\n", paragraphs.join("\n\n"))
}

/// Returns a table with the request, the method call, the return type, the history and the weight.
fn call(api: &Api, group: &Group, endpoint: &Endpoint) -> String {
    let path = url_path::without_fragment(endpoint.path.as_deref().unwrap_or_default());
    let source = format!("(source: [{}](../README.md#sources))", endpoint.evidence.label());
    let mut rows = vec![
        ["Request".to_owned(), format!("{} {source}", code(&format!("GET {path}")))],
        ["Rust".to_owned(), code(&format!("client.{}().{}()", group.ident, endpoint.ident))],
        ["Returns".to_owned(), returns(api, endpoint)],
    ];
    let history = history::of_endpoint(endpoint);
    if !history.is_empty() {
        rows.push(["History".to_owned(), history]);
    }
    rows.extend(docs::weight(endpoint).map(|weight| ["Weight".to_owned(), weight]));
    let rows: String = rows.into_iter().map(tables::row).collect();
    format!("| | |\n|---|---|\n{}", rows.trim_end())
}

fn returns(api: &Api, endpoint: &Endpoint) -> String {
    let timed =
        |time: &Option<String>| time.as_ref().map(|time| format!(", time in {}", code(time))).unwrap_or_default();
    match &endpoint.body {
        Body::Unknown => "JSON; its form is unknown".to_owned(),
        Body::Series { record: None, time, .. } => format!("series of JSON records{}", timed(time)),
        Body::Series { record: Some(record), time, .. } => format!("series of `{}`{}", record.ident, timed(time)),
        Body::Object { record, .. } => match api.whole(record) {
            Some(whole) => format!("{}, as `{}` of `{}`", tables::name(&whole.ty), whole.ident, record.ident),
            None => format!("one `{}`", record.ident),
        },
    }
}

fn params(api: &Api, endpoint: &Endpoint) -> String {
    let Some(params) = endpoint.params.as_deref() else { return String::new() };
    if params.is_empty() {
        return "This endpoint has no params.".to_owned();
    }
    let rows = params.iter().map(|param| tables::param(api, &param.param, param.is_unchanged()));
    format!("### Parameters\n\n{}", tables::params(rows).trim_end())
}

/// Returns one table for each record that the response contains.
fn fields(api: &Api, endpoint: &Endpoint) -> Vec<String> {
    let unit_is_unknown = endpoint.unknown.contains(&UnknownFact::Unit);
    let mut texts = Vec::new();
    for (index, record) in records(api, endpoint).into_iter().enumerate() {
        let Some(record) = api.record(record) else { continue };
        match index {
            0 => texts.push("### Response fields".to_owned()),
            _ => texts.push(format!("`{}`: {}", record.ident, docs::meaning(&record.summary))),
        }
        if record.form == RecordLayout::Positional {
            texts.push("A record is a list of these values in this order, without names:".to_owned());
        }
        texts.push(tables::fields(record.fields.iter(), unit_is_unknown).trim_end().to_owned());
    }
    texts
}

/// Returns the record of the body, followed by all records nested in it, each once.
fn records<'a>(api: &'a Api, endpoint: &'a Endpoint) -> Vec<&'a RecordRef> {
    let mut records: Vec<_> = endpoint.body.record().into_iter().collect();
    let mut next = 0;
    while let Some(record) = records.get(next).and_then(|reference| api.record(reference)) {
        for reference in record.fields.iter().filter_map(|field| field.ty.record()) {
            if !records.contains(&reference) {
                records.push(reference);
            }
        }
        next += 1;
    }
    records
}

/// Returns the section with the notes on the endpoint, its own params and its fields, and with all unknown facts.
fn caveats(api: &Api, endpoint: &Endpoint) -> String {
    let fields: Vec<&Field> =
        records(api, endpoint).into_iter().filter_map(|record| api.record(record)).flat_map(|r| &r.fields).collect();
    let params = endpoint.params.iter().flatten().filter(|param| !param.is_unchanged()).map(|param| &param.param);
    // The front page contains the notes of shared params, so only other notes are listed here.
    let shared = |notes: &str| api.shared_params.iter().any(|shared| shared.param.notes == notes);
    let params =
        params.map(|param| (param.name.as_str(), &param.notes, &param.unknown)).filter(|(_, notes, _)| !shared(notes));
    let fields = fields.iter().map(|field| (field.wire_name.as_str(), &field.notes, &field.unknown));
    let mut lines: Vec<String> = vec![prose(&endpoint.notes)];
    let mut unknown: Vec<String> = docs::unknown_of(endpoint).into_iter().map(prose).collect();
    for (name, notes, facts) in params.chain(fields) {
        if !notes.is_empty() {
            lines.push(format!("{}: {}", code(name), prose(notes)));
        }
        unknown.extend(facts.iter().map(|fact| format!("{}: {}", code(name), prose(fact.text()))));
    }
    if !unknown.is_empty() {
        lines.push(format!("**Undocumented:** {}.", unknown.join("; ")));
    }
    lines.retain(|line| !line.is_empty());
    if lines.is_empty() { String::new() } else { format!("### Caveats\n\n- {}", lines.join("\n- ")) }
}
