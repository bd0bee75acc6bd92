//! Emits the endpoint reference for users: a front page with an index of all endpoints, and a page for each group.
//!
//! The pages are templates in `codegen/templates/reference`, which the compiler checks against the model. Every endpoint
//! with a path has a section with its call in each language, its params and its fields.

mod columns;

use askama::Template;

use super::File;
use super::markdown::{self, code, prose};
use super::render::{self, MARKER};
use super::sentences;
use super::snippets::Snippets;
use catalogue::model::{
    Api, Body, Endpoint, Field, Group, History, KeyCarrier, Known, Param, Record, RecordLayout, RecordTime, Service,
    UnknownFact,
};
use catalogue::url_path;

#[derive(Template)]
#[template(path = "reference/front.md")]
struct Front<'a> {
    service: &'a Service,
    sections: &'a str,
}

/// The sections of the front page. A section without content is omitted.
#[derive(Template)]
#[template(path = "reference/sections.md")]
struct Sections<'a> {
    api: &'a Api,
    service: &'a Service,
}

/// The page of a group.
#[derive(Template)]
#[template(path = "reference/group.md")]
struct Page<'a> {
    api: &'a Api,
    snippets: &'a Snippets<'a>,
    group: &'a Group,
}

/// Emits the front page and the pages of the groups.
pub(super) fn files(api: &Api, snippets: &Snippets<'_>) -> Vec<File> {
    let service = &api.service;
    let sections = render::page(&Sections { api, service });
    let front = render::page(&Front { service, sections: &sections });
    let mut files = vec![File::new("README.md", front)];
    for group in &api.groups {
        files.push(File::new(path(group), render::page(&Page { api, snippets, group })));
    }
    files
}

/// The path of a group's page below `docs/`.
pub(super) fn path(group: &Group) -> String {
    format!("reference/{}.md", group.ident)
}

/// The link to the section of an endpoint, relative to `docs/`.
pub(super) fn link(group: &Group, endpoint: &Endpoint) -> String {
    format!("{}#{}", path(group), slug(&endpoint.declared.name))
}

/// Links to the sections of a page.
fn links(sections: &str) -> String {
    let mut links = Vec::new();
    for line in sections.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            links.push(format!("[{title}](#{})", slug(title)));
        }
    }
    links.join(" · ")
}

/// The anchor that Markdown viewers derive from a heading.
fn slug(heading: &str) -> String {
    let mut slug = heading.to_lowercase();
    slug.retain(|character| character.is_alphanumeric() || " -_".contains(character));
    slug.replace(' ', "-")
}

/// Describes in the index how much is known about the response.
fn known_part(endpoint: &Endpoint) -> &'static str {
    match &endpoint.body {
        _ if endpoint.params.is_none() => "params unknown",
        Body::Series { record: Some(_), .. } | Body::Object { .. } => "typed",
        Body::Series { record: None, .. } => "series of JSON",
        Body::Unknown => "JSON",
    }
}

/// Describes the response of an endpoint.
fn returns(api: &Api, endpoint: &Endpoint) -> String {
    match &endpoint.body {
        Body::Unknown => "JSON; its form is unknown".to_owned(),
        Body::Series { record, format, time, .. } => {
            let mut records = match record {
                Some(record) => format!("series of `{}`", record.ident),
                None => "series of JSON records".to_owned(),
            };
            records += &sentences::sent_as(*format);
            match time {
                Some(time) => format!("{records}, time in {}", code(time)),
                None => records,
            }
        }
        Body::Object { record, .. } => match api.whole(record) {
            Some(whole) => format!("{}, as `{}` of `{}`", columns::name(&whole.ty), whole.ident, record.ident),
            None => format!("one `{}`", record.ident),
        },
    }
}

/// The fields of the metadata of a series.
fn metadata(api: &Api) -> &[Field] {
    match api.records.iter().find(|record| record.ident == "Metadata") {
        Some(metadata) => &metadata.fields,
        None => &[],
    }
}

/// `true` if it is unknown to which keys a rate limit applies.
fn is_scope_unknown(service: &Service) -> bool {
    service.declared.limits.iter().any(|limit| limit.scope.known().is_none())
}

/// The shared params that at least one method uses without overrides.
fn shared_params(api: &Api) -> Vec<(&Param, bool)> {
    api.unchanged_params().into_iter().map(|shared| (&*shared.param, false)).collect()
}

/// The params of an endpoint, each with `true` if it is an unchanged shared param.
fn params(endpoint: &Endpoint) -> Vec<(&Param, bool)> {
    endpoint.params.iter().flatten().map(|param| (&*param.param, param.is_unchanged())).collect()
}

/// The params of an endpoint that its page describes, because they are not unchanged shared params.
fn own_params(endpoint: &Endpoint) -> Vec<&Param> {
    let mut own = Vec::new();
    for (param, is_unchanged) in params(endpoint) {
        if !is_unchanged {
            own.push(param);
        }
    }
    own
}

/// The params of endpoints for which accepted or rejected values are known, each with the path.
fn tried_values(api: &Api) -> Vec<(&str, &Param)> {
    let mut tried = Vec::new();
    for endpoint in api.methods() {
        let path = endpoint.path.as_deref().unwrap_or_default();
        for param in own_params(endpoint) {
            let declared = &param.declared;
            let values = [&declared.allowed_values, &declared.tested_values, &declared.rejected_values];
            if values.iter().any(|values| !values.is_empty()) {
                tried.push((path, param));
            }
        }
    }
    tried
}

/// Describes the params that select the time range of a history.
fn history_params(history: &History) -> String {
    let mut range: Vec<_> = [&history.from, &history.to].into_iter().flatten().map(|name| code(name)).collect();
    // One param can set both ends.
    range.dedup();
    let mut text = format!("{} (range)", range.join(" and "));
    if let Some(limit) = &history.limit {
        text += &format!(", {} (page size)", code(limit));
    }
    if let Some(step) = &history.step {
        text += &format!(", {} (step)", code(step));
    }
    if let Some((param, oldest_first)) = history.order() {
        text += &format!(", {} (order; {} means ascending time)", code(param), code(oldest_first));
    }
    if let Some(every) = &history.every {
        text += &format!("; one record every {every}");
    }
    if let Some(anchor) = &history.anchor {
        text += &format!("; an interval begins at {anchor}");
    }
    if let Some(oldest) = &history.oldest {
        text += &format!("; no records older than {oldest}");
    }
    if history.time_is == RecordTime::End {
        text += "; the time of a record is the end of its interval";
    }
    if history.includes_start {
        text += "; the start is included";
    }
    text
}

/// The record of the body, followed by all records nested in it, each once.
fn records<'a>(api: &'a Api, endpoint: &'a Endpoint) -> Vec<&'a Record> {
    let mut references: Vec<_> = endpoint.body.record().into_iter().collect();
    let mut records = Vec::new();
    while let Some(reference) = references.get(records.len()) {
        let Some(record) = api.record(reference) else { break };
        for field in &record.fields {
            if let Some(nested) = field.ty.record()
                && !references.contains(&nested)
            {
                references.push(nested);
            }
        }
        records.push(record);
    }
    records
}

/// The notes on the endpoint, its own params and its fields, and a line with all unknown facts.
fn caveats(api: &Api, endpoint: &Endpoint) -> Vec<String> {
    let mut caveats = Caveats::default();
    if !endpoint.declared.notes.is_empty() {
        caveats.notes.push(prose(&endpoint.declared.notes));
    }
    for fact in sentences::unknown_of(endpoint) {
        caveats.unknown.push(prose(fact));
    }
    for param in own_params(endpoint) {
        let declared = &param.declared;
        // The front page contains the notes of shared params, so only other notes are listed here.
        let is_on_front_page = api.shared_params.iter().any(|shared| shared.param.declared.notes == declared.notes);
        if !is_on_front_page {
            caveats.add(&declared.name, &declared.notes, &declared.unknown);
        }
    }
    for record in records(api, endpoint) {
        for field in &record.fields {
            caveats.add(&field.wire_name, &field.notes, &field.unknown);
        }
    }
    if !caveats.unknown.is_empty() {
        caveats.notes.push(format!("**Undocumented:** {}.", caveats.unknown.join("; ")));
    }
    caveats.notes
}

#[derive(Default)]
struct Caveats {
    notes: Vec<String>,
    unknown: Vec<String>,
}

impl Caveats {
    /// Adds what is to be said about a param or a field.
    fn add(&mut self, name: &str, notes: &str, unknown: &[UnknownFact]) {
        if !notes.is_empty() {
            self.notes.push(format!("{}: {}", code(name), prose(notes)));
        }
        for fact in unknown {
            self.unknown.push(format!("{}: {}", code(name), prose(fact.text())));
        }
    }
}
