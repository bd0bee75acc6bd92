//! Emits the endpoint reference for users: a front page with an index of all endpoints, and a page for each group.
//!
//! The pages are templates in `codegen/templates/reference`, which the compiler checks against the model. Every endpoint
//! with a path has a section with its params, its fields and an example program. The doctests of the client compile
//! these programs.

mod columns;
mod example;

use askama::Template;

use super::docs::{self, code, prose};
use super::render::{self, MARKER};
use super::{File, Package};
use catalogue::model::{
    Api, Body, Endpoint, Field, Group, History, KeyCarrier, Known, Param, Record, RecordLayout, RecordTime, Service,
    Text, UnknownFact,
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
    package: &'a Package,
    group: &'a Group,
}

/// Emits the front page and the pages of the groups.
pub(super) fn files(api: &Api, package: &Package) -> Vec<File> {
    let sections = render::page(&Sections { api, service: &api.service });
    let front = render::page(&Front { service: &api.service, sections: &sections });
    let pages =
        api.groups.iter().map(|group| File { path: path(group), text: render::page(&Page { api, package, group }) });
    std::iter::once(File { path: "README.md".to_owned(), text: front }).chain(pages).collect()
}

/// Returns the path of a group's page below `docs/`.
pub(super) fn path(group: &Group) -> String {
    format!("reference/{}.md", group.ident)
}

/// Returns links to the sections of a page.
fn links(sections: &str) -> String {
    let titles = sections.lines().filter_map(|line| line.strip_prefix("## "));
    titles.map(|title| format!("[{title}](#{})", slug(title))).collect::<Vec<_>>().join(" · ")
}

/// Returns the anchor that Markdown viewers derive from a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Describes in the index how much is known about the response.
fn form(endpoint: &Endpoint) -> &'static str {
    match &endpoint.body {
        _ if endpoint.params.is_none() => "params unknown",
        Body::Series { record: Some(_), .. } | Body::Object { .. } => "typed",
        Body::Series { record: None, .. } => "series of JSON",
        Body::Unknown => "JSON",
    }
}

/// Describes the response of an endpoint.
fn returns(api: &Api, endpoint: &Endpoint) -> String {
    let timed =
        |time: &Option<String>| time.as_ref().map(|time| format!(", time in {}", code(time))).unwrap_or_default();
    match &endpoint.body {
        Body::Unknown => "JSON; its form is unknown".to_owned(),
        Body::Series { record: None, time, .. } => format!("series of JSON records{}", timed(time)),
        Body::Series { record: Some(record), time, .. } => format!("series of `{}`{}", record.ident, timed(time)),
        Body::Object { record, .. } => match api.whole(record) {
            Some(whole) => format!("{}, as `{}` of `{}`", columns::name(&whole.ty), whole.ident, record.ident),
            None => format!("one `{}`", record.ident),
        },
    }
}

/// Returns the fields of the metadata of a series.
fn metadata(api: &Api) -> &[Field] {
    api.records.iter().find(|record| record.ident == "Metadata").map_or(&[], |record| &record.fields)
}

/// Returns `true` if the keys to which a rate limit applies are unknown.
fn is_scope_unknown(service: &Service) -> bool {
    service.limits.iter().any(|limit| limit.scope.known().is_none())
}

/// Returns the shared params that at least one method uses without overrides.
fn shared_params(api: &Api) -> Vec<(&Param, bool)> {
    api.unchanged_params().into_iter().map(|shared| (&shared.param, false)).collect()
}

/// Returns the params of an endpoint, each with `true` if it is an unchanged shared param.
fn params(endpoint: &Endpoint) -> Vec<(&Param, bool)> {
    endpoint.params.iter().flatten().map(|param| (&param.param, param.is_unchanged())).collect()
}

/// Returns the params of endpoints for which accepted or rejected values are known, each with the path.
fn tried_values(api: &Api) -> Vec<(&str, &Param)> {
    let params = api.methods().flat_map(|endpoint| {
        let params = endpoint.params.iter().flatten().filter(|param| !param.is_unchanged());
        params.map(|param| (endpoint.path.as_deref().unwrap_or_default(), &param.param))
    });
    let is_tried = |param: &Param| {
        [&param.allowed_values, &param.tested_values, &param.rejected_values].iter().any(|values| !values.is_empty())
    };
    params.filter(|(_, param)| is_tried(param)).collect()
}

/// Describes the params that select the time range of a history.
fn history_params(history: &History) -> String {
    let History { from, to, limit, step, .. } = history;
    let sort = history
        .order()
        .map(|(param, first)| format!(", {} (order; {} means ascending time)", code(param), code(first)))
        .unwrap_or_default();
    let range: Vec<_> = [from, to].into_iter().flatten().map(|name| code(name)).collect();
    let named = |name: &Option<Text>, role| name.as_ref().map(|name| format!(", {} ({role})", code(name)));
    let [limit, step] = [named(limit, "page size"), named(step, "step")].map(Option::unwrap_or_default);
    let times = [("; one record every", &history.every), ("; no records older than", &history.oldest)];
    let times: String = times.iter().filter_map(|(text, time)| Some(format!("{text} {}", time.as_ref()?))).collect();
    let end = if history.time_is == RecordTime::End { "; the time of a record is the end of its interval" } else { "" };
    format!("{} (range){limit}{step}{sort}{times}{end}", range.join(" and "))
}

/// Returns the record of the body, followed by all records nested in it, each once.
fn records<'a>(api: &'a Api, endpoint: &'a Endpoint) -> Vec<&'a Record> {
    let mut references: Vec<_> = endpoint.body.record().into_iter().collect();
    let mut records = Vec::new();
    while let Some(record) = references.get(records.len()).and_then(|reference| api.record(reference)) {
        for reference in record.fields.iter().filter_map(|field| field.ty.record()) {
            if !references.contains(&reference) {
                references.push(reference);
            }
        }
        records.push(record);
    }
    records
}

/// Returns the notes on the endpoint, its own params and its fields, and a line with all unknown facts.
fn caveats(api: &Api, endpoint: &Endpoint) -> Vec<String> {
    let params = endpoint.params.iter().flatten().filter(|param| !param.is_unchanged()).map(|param| &param.param);
    // The front page contains the notes of shared params, so only other notes are listed here.
    let is_shared = |notes: &str| api.shared_params.iter().any(|shared| shared.param.notes == notes);
    let params = params.filter(|param| !is_shared(&param.notes));
    let params = params.map(|param| (param.name.as_str(), &param.notes, &param.unknown));
    let fields = records(api, endpoint).into_iter().flat_map(|record| &record.fields);
    let fields = fields.map(|field| (field.wire_name.as_str(), &field.notes, &field.unknown));
    let mut caveats = vec![prose(&endpoint.notes)];
    let mut unknown: Vec<String> = docs::unknown_of(endpoint).into_iter().map(prose).collect();
    for (name, notes, facts) in params.chain(fields) {
        if !notes.is_empty() {
            caveats.push(format!("{}: {}", code(name), prose(notes)));
        }
        unknown.extend(facts.iter().map(|fact| format!("{}: {}", code(name), prose(fact.text()))));
    }
    if !unknown.is_empty() {
        caveats.push(format!("**Undocumented:** {}.", unknown.join("; ")));
    }
    caveats.retain(|caveat| !caveat.is_empty());
    caveats
}
