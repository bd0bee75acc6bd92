//! The endpoint reference for people: one page a group in Markdown, and a front page that leads to them.
//!
//! Every endpoint with a path has its params, its fields and a program to copy; the client's doctests compile those.

mod example;
mod tables;

use super::docs::{self, prose};
use super::render::MARKER;
use super::{File, Package, ordered};
use crate::model::{Api, Body, Endpoint, Evidence, Group, Record, RecordRef};
pub(super) use tables::{row, table};

/// The front page and the pages of the groups.
pub(super) fn files(api: &Api, package: &Package) -> Vec<File> {
    let pages = api.groups.iter().map(|group| File { path: path(group), text: page(api, package, group) });
    std::iter::once(front(api)).chain(pages).collect()
}

/// Where a group's page stands below `docs/`.
pub(super) fn path(group: &Group) -> String {
    format!("reference/{}.md", group.ident)
}

/// The first line of every page.
pub(super) fn mark(from: &str) -> String {
    format!("<!-- {MARKER} from spec/{from}. Do not edit. -->\n\n")
}

fn front(api: &Api) -> File {
    let service = &api.service;
    let mut text = mark("");
    text += &format!("# {} {}\n\n{}\n\n", prose(&service.title), prose(&service.version), prose(&service.summary));
    text += "| group | endpoints | |\n|---|---|---|\n";
    for group in &api.groups {
        let (title, summary) = (tables::cell(&prose(&group.title)), tables::cell(&prose(&group.summary)));
        text += &format!("| [{title}]({}) | {} | {summary} |\n", path(group), group.endpoints.len());
    }
    text += "\n[What is known how well](coverage.md), and what is not.\n";
    text += "The same for other tools: [openapi.json](openapi.json).\n";
    if !service.limits.is_empty() {
        text += "\n## Limits\n\n";
        text += &tables::limits(&service.limits);
    }
    if !service.errors.is_empty() {
        text += "\n## Failures\n\n";
        text += &tables::statuses(&service.errors);
    }
    if !api.types.is_empty() {
        text += "\n## Types\n";
        for ty in &api.types {
            text += &format!("\n### {}\n\n{} {}\n", ty.ident, prose(&ty.summary), known(ty.evidence));
            text += &tables::values(ty);
        }
    }
    File { path: "README.md".to_owned(), text }
}

fn page(api: &Api, package: &Package, group: &Group) -> String {
    let mut text = mark(&group.file);
    text += &format!("# {}\n\n{}\n", prose(&group.title), prose(&group.summary));
    if !group.aliases.is_empty() {
        text += &format!("{}\n", docs::aliases(&group.aliases));
    }
    text += &format!("In the client: `client.{}()`.\n", group.ident);
    for endpoint in group.endpoints.iter().filter(|endpoint| endpoint.path.is_some()) {
        text += &section(api, package, group, endpoint);
    }
    let unknown: Vec<_> = group.endpoints.iter().filter(|endpoint| endpoint.path.is_none()).collect();
    if !unknown.is_empty() {
        text += "\n## Known by name only\n\nNobody has told their paths yet.\n\n";
        for endpoint in unknown {
            text += &format!("- {}: {}\n", prose(&endpoint.name), prose(&endpoint.summary));
        }
    }
    text
}

fn section(api: &Api, package: &Package, group: &Group, endpoint: &Endpoint) -> String {
    let path = endpoint.path.as_deref().unwrap_or_default();
    let mut paragraphs = vec![
        format!("## {}", prose(&endpoint.name)),
        prose(&endpoint.summary),
        docs::aliases(&endpoint.aliases),
        endpoint.deprecated.as_ref().map(|how| format!("Deprecated: {}", prose(how))).unwrap_or_default(),
        prose(&endpoint.notes),
        format!("{}. {}", docs::code(&format!("GET {path}")), known(endpoint.evidence)),
        format!("```rust,no_run\n{}```", example::program(api, package, group, endpoint)),
        params(endpoint),
    ];
    paragraphs.extend(body(api, endpoint));
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    format!("\n{}\n", paragraphs.join("\n\n"))
}

fn params(endpoint: &Endpoint) -> String {
    match endpoint.params.as_deref() {
        None => "Its params are unknown.".to_owned(),
        Some([]) => "It takes no params.".to_owned(),
        Some(params) => tables::params(params.iter().map(|param| &param.param)).trim_end().to_owned(),
    }
}

/// What comes back: a sentence, then a table for each record that is in it.
fn body(api: &Api, endpoint: &Endpoint) -> Vec<String> {
    let (sentence, record) = match &endpoint.body {
        Body::Unknown => return vec!["Nothing is known of the body.".to_owned()],
        Body::Series { record: None, .. } => {
            return vec!["The body is a series of records whose fields are unknown.".to_owned()];
        }
        Body::Series { record: Some(record), time, .. } => {
            let time = time.as_ref().map(|time| format!(", each with its time in {}", docs::code(time)));
            (format!("The body is a series of `{}`{}:", record.ident, time.unwrap_or_default()), record)
        }
        Body::Object { record, .. } => (format!("The body is one `{}`:", record.ident), record),
    };
    let mut texts = vec![sentence];
    let mut records = vec![record];
    let mut next = 0;
    while let Some(record) = records.get(next).and_then(|reference| find(api, reference)) {
        if next > 0 {
            texts.push(format!("`{}`: {}", record.ident, prose(&record.summary)));
        }
        texts.push(tables::fields(&record.fields).trim_end().to_owned());
        for reference in record.fields.iter().filter_map(|field| tables::record_of(&field.ty)) {
            if !records.contains(&reference) {
                records.push(reference);
            }
        }
        next += 1;
    }
    texts
}

fn find<'a>(api: &'a Api, reference: &RecordRef) -> Option<&'a Record> {
    let records = match &reference.module {
        Some(module) => &api.groups.iter().find(|group| group.ident == *module)?.records,
        None => &api.records,
    };
    records.iter().find(|record| record.ident == reference.ident)
}

/// How a fact is known, as a sentence.
fn known(evidence: Evidence) -> String {
    docs::sentence(evidence.told())
}

/// A number as a person would write it.
fn written(number: f64) -> String {
    serde_json::to_string(&ordered::number(number)).unwrap_or_default()
}
