//! The endpoint reference for people: one page a group in Markdown, and a front page that leads to them.
//!
//! Every endpoint with a path has its params, its fields and a program to copy; the client's doctests compile those.

mod access;
mod example;
mod history;
mod service;
mod tables;

use super::docs::{self, prose};
use super::render::MARKER;
use super::{File, Package};
use crate::model::{Api, Body, Endpoint, EndpointParam, Evidence, Field, Group, Param, RecordForm};
pub(super) use example::request;
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
    text += &service::evidence();
    text += &access::base_url(service);
    text += &access::credentials(service);
    text += &access::environment(service);
    text += &service::time(service);
    text += &service::envelope(api);
    text += &service::params(api);
    text += &history::of_service(api);
    text += &service::values(api);
    text += &service::rate_limits(service);
    if !service.errors.is_empty() {
        text += "\n## Failures\n\n";
        text += &tables::statuses(&service.errors);
        text += &service::error_body(&service.error_body);
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
    text += "How each fact is known stands beside it, in [four words](../README.md#evidence).\n";
    if !group.notes.is_empty() {
        text += &format!("\n{}\n", prose(&group.notes));
    }
    for endpoint in group.methods() {
        text += &section(api, package, group, endpoint);
    }
    let unknown: Vec<_> = group.known_by_name().collect();
    if !unknown.is_empty() {
        text += "\n## Known by name only\n\nUnknown: their paths, params and bodies.\n\n";
        for endpoint in unknown {
            let known = [prose(&endpoint.summary), prose(&endpoint.notes)].join(" ");
            text += &format!("- {}: {}\n", prose(&endpoint.name), known.trim_end());
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
        prose(docs::unknown(&endpoint.notes).0),
        format!("{}. {}", docs::code(&format!("GET {path}")), known(endpoint.evidence)),
    ];
    paragraphs.extend(body(api, endpoint));
    paragraphs.extend(params(api, endpoint));
    paragraphs.push(history::of_endpoint(endpoint));
    paragraphs.push(docs::weight(endpoint));
    paragraphs.push(format!("```rust,no_run\n{}```", example::program(api, package, group, endpoint)));
    paragraphs.push(docs::unknowns(&docs::unknown_of(endpoint)));
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    format!("\n{}\n", paragraphs.join("\n\n"))
}

/// What it takes: those that many take by name, and a table of what is its own.
fn params(api: &Api, endpoint: &Endpoint) -> Vec<String> {
    let Some(params) = endpoint.params.as_deref() else { return Vec::new() };
    let (shared, own): (Vec<_>, Vec<_>) = params.iter().partition(|param| param.shared.is_some_and(|(_, anew)| !anew));
    let mut texts = Vec::new();
    if params.is_empty() {
        texts.push("It takes no params.".to_owned());
    }
    if !shared.is_empty() {
        let names: Vec<_> = shared.iter().map(|param| taken(&param.param)).collect();
        let rest = if own.is_empty() { "" } else { ", and" };
        let end = if own.is_empty() { "." } else { ":" };
        texts.push(format!("It takes {}, as [many endpoints do](../README.md#params){rest}{end}", names.join(", ")));
    }
    if !own.is_empty() {
        let own: Vec<_> = own.iter().map(|param| own_words(api, param)).collect();
        texts.push(tables::params(own.iter()).trim_end().to_owned());
    }
    texts
}

/// A param without the notes that the front page has of it already.
fn own_words(api: &Api, param: &EndpointParam) -> Param {
    let shared = param.shared.and_then(|(index, _)| api.shared_params.get(index));
    let is_told = shared.is_some_and(|shared| shared.param.notes == param.param.notes);
    Param { notes: if is_told { String::new() } else { param.param.notes.clone() }, ..param.param.clone() }
}

/// A param by name, with notes that matter where it is set.
fn taken(param: &Param) -> String {
    let minded =
        [param.required.map(|known| format!("required: {}", known.told())), param.single.map(|_| "one".into())];
    let minded: Vec<String> = minded.into_iter().flatten().collect();
    let minded = if minded.is_empty() { String::new() } else { format!(" ({})", minded.join(", ")) };
    docs::code(&param.wire_name) + &minded
}

/// Where the records of a series have their time, and what it marks.
fn timed(name: Option<&str>, field: Option<&Field>) -> String {
    let Some(name) = name else { return String::new() };
    let marks = field.filter(|field| field.wire_name == name).map(|field| prose(&field.summary));
    let marks = marks.filter(|marks| !marks.is_empty());
    let marks = marks.map(|marks| format!(", {}", docs::lower_first(marks.trim_end_matches('.')))).unwrap_or_default();
    format!(", each with its time in {}{marks}", docs::code(name))
}

/// What comes back: a sentence, then a table for each record that is in it.
fn body(api: &Api, endpoint: &Endpoint) -> Vec<String> {
    let (sentence, record, time) = match &endpoint.body {
        Body::Unknown => return Vec::new(),
        Body::Series { record: None, time, .. } => {
            let envelope = api.service.envelope.as_ref().and_then(|envelope| envelope.time.as_ref());
            return vec![format!("The body is a series of records{}.", timed(time.as_deref(), envelope))];
        }
        Body::Series { record: Some(record), time, .. } => {
            let fields = api.record(record).map(|record| record.fields.as_slice()).unwrap_or_default();
            let field = fields.iter().find(|field| Some(&field.wire_name) == time.as_ref());
            let sentence = format!("The body is a series of `{}`{}:", record.ident, timed(time.as_deref(), field));
            (sentence, record, time.as_deref())
        }
        Body::Object { record, .. } => match api.whole(record) {
            Some(whole) => {
                let ty = tables::name(&whole.ty);
                (format!("The body is a {ty}, which `{}` has as its `{}`:", record.ident, whole.ident), record, None)
            }
            None => (format!("The body is one `{}`:", record.ident), record, None),
        },
    };
    let mut texts = vec![sentence];
    let mut records = vec![record];
    let mut next = 0;
    while let Some(record) = records.get(next).and_then(|reference| api.record(reference)) {
        if next > 0 {
            texts.push(format!("`{}`: {}", record.ident, prose(&record.summary)));
        }
        let is_positional = record.form == RecordForm::Positional;
        if is_positional {
            texts.push("It is written as a list, with these in their order and without their names:".to_owned());
        }
        // The page has described the time of all records already; here it is listed only if it has a position.
        let is_told = |field: &&Field| time == Some(field.wire_name.as_str()) && !is_positional;
        let fields = record.fields.iter().filter(|field| !is_told(field));
        texts.push(tables::fields(fields).trim_end().to_owned());
        for reference in record.fields.iter().filter_map(|field| tables::record_of(&field.ty)) {
            if !records.contains(&reference) {
                records.push(reference);
            }
        }
        next += 1;
    }
    texts
}

/// How a fact is known, as a sentence.
fn known(evidence: Evidence) -> String {
    docs::sentence(evidence.told())
}
