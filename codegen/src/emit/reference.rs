//! Emits the endpoint reference for users: a front page with an index of all endpoints, and a page for each group.
//!
//! Every endpoint with a path has a section with its params, its fields and an example program. The doctests of the
//! client compile these programs.

mod authentication;
mod endpoint;
mod example;
mod history;
mod service;
mod tables;

use super::docs::{self, code, prose};
use super::render::MARKER;
use super::{File, Package};
use crate::model::{Api, Body, Endpoint, Evidence, Group};
pub(super) use tables::{row, table};

/// Emits the front page and the pages of the groups.
pub(super) fn files(api: &Api, package: &Package) -> Vec<File> {
    let pages = api.groups.iter().map(|group| File { path: path(group), text: page(api, package, group) });
    std::iter::once(front(api)).chain(pages).collect()
}

/// Returns the path of a group's page below `docs/`.
pub(super) fn path(group: &Group) -> String {
    format!("reference/{}.md", group.ident)
}

/// Returns the first line of every page, which marks the page as generated.
pub(super) fn mark(from: &str) -> String {
    format!("<!-- {MARKER} from spec/{from}. Do not edit. -->\n\n")
}

fn front(api: &Api) -> File {
    let service = &api.service;
    let sections = [
        ("Endpoints", endpoints(api)),
        ("Sources", service::SOURCES.to_owned()),
        ("Base URL", authentication::base_url(service)),
        ("Credentials", authentication::credentials(service)),
        ("Environment variables", authentication::environment(service)),
        ("Timestamps", service::time(service)),
        ("Response envelope", service::envelope(api)),
        ("Shared params", service::params(api)),
        ("Histories", history::of_service(api)),
        ("Values by endpoint", service::values(api)),
        ("Rate limits", service::rate_limits(service)),
        ("Errors", service::errors(service)),
        ("Types", service::types(api)),
    ];
    let sections: Vec<_> = sections.iter().filter(|(_, text)| !text.is_empty()).collect();
    let links: Vec<_> = sections.iter().map(|(title, _)| format!("[{title}](#{})", slug(title))).collect();
    let mut text = mark("");
    text += &format!("# {} {}\n\n{}\n\n", prose(&service.title), prose(&service.version), prose(&service.summary));
    text += &format!("On this page: {}.\n", links.join(" · "));
    text += "The same facts as [OpenAPI](openapi.json), with the source of each as `x-evidence`.\n";
    for (title, section) in sections {
        text += &format!("\n## {title}\n\n{}\n", section.trim_end());
    }
    File { path: "README.md".to_owned(), text }
}

/// Returns the index of the front page: one row per endpoint.
fn endpoints(api: &Api) -> String {
    let rows =
        api.groups.iter().flat_map(|group| group.endpoints.iter().map(move |endpoint| index_row(group, endpoint)));
    table(["group", "endpoint", "measures", "method", "path", "response"], rows)
}

fn index_row(group: &Group, endpoint: &Endpoint) -> String {
    let page = path(group);
    let (method, path) = match &endpoint.path {
        Some(path) => (code(&format!("client.{}().{}()", group.ident, endpoint.ident)), code(path)),
        None => (String::new(), "unknown".to_owned()),
    };
    let response = match (&endpoint.path, &endpoint.body) {
        (None, _) => "",
        _ if endpoint.params.is_none() => "params unknown",
        (_, Body::Series { record: Some(_), .. } | Body::Object { .. }) => "typed",
        (_, Body::Series { record: None, .. }) => "series of JSON",
        (_, Body::Unknown) => "JSON",
    };
    row([
        format!("[{}]({page})", prose(&group.title)),
        format!("[{}]({page}#{})", prose(&endpoint.name), slug(&endpoint.name)),
        // The summary is the third column, before the wide column of methods, because only three columns are visible on
        // a phone.
        prose(&endpoint.summary),
        method,
        path,
        response.to_owned(),
    ])
}

fn page(api: &Api, package: &Package, group: &Group) -> String {
    let mut text = mark(&group.file);
    text += &format!("# {}\n\n{}\n", prose(&group.title), docs::meaning(&group.summary));
    if !group.aliases.is_empty() {
        text += &format!("{}\n", docs::aliases(&group.aliases));
    }
    text += &format!("Rust: `client.{0}()`; its types are in the module `{0}`.\n", group.ident);
    if !group.notes.is_empty() {
        text += &format!("\n{}\n", prose(&group.notes));
    }
    text += &contents(group);
    for endpoint in &group.endpoints {
        text += &endpoint::section(api, package, group, endpoint);
    }
    text
}

/// Returns links to the endpoints of a page.
fn contents(group: &Group) -> String {
    let links =
        group.endpoints.iter().map(|endpoint| format!("- [{}](#{})\n", prose(&endpoint.name), slug(&endpoint.name)));
    format!("\n{}", links.collect::<String>())
}

/// Returns the anchor that Markdown viewers derive from a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Returns a sentence with the source of a fact.
fn source(evidence: Evidence) -> String {
    format!("Source: {}.", evidence.label())
}
