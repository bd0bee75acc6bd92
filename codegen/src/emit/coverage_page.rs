//! `coverage.md`: the endpoints with unknown facts.
//!
//! The page contains no counts. If two branches each added an endpoint, both would change a count to the same number.
//! Git would merge them without a conflict, and the count would be wrong. `cargo xtask status` prints the counts.

use super::File;
use super::docs::prose;
use super::reference::{mark, path};
use crate::model::{Api, Body, Endpoint, Group};

pub(super) fn file(api: &Api) -> File {
    let mut text = mark("");
    text += "# Coverage\n\n";
    text += "Unknown facts are never guessed: they are `unknown` in the catalogue, and untyped JSON in the client.\n";
    text += "`cargo xtask status` counts the known facts by source, and lists the most useful unknown facts.\n";
    for (title, is_so) in UNKNOWN {
        text += &unknown(api, title, *is_so);
    }
    File { path: "coverage.md".to_owned(), text }
}

/// A function that returns `true` if a fact about an endpoint is unknown.
type IsUnknown = fn(&Endpoint) -> bool;

/// The facts that can be unknown, each with the title of its section.
const UNKNOWN: &[(&str, IsUnknown)] = &[
    ("Known by name only", |endpoint| endpoint.path.is_none()),
    ("Series whose record fields are unknown", |endpoint| {
        endpoint.path.is_some() && matches!(endpoint.body, Body::Series { record: None, .. })
    }),
    ("Unknown responses", |endpoint| endpoint.path.is_some() && matches!(endpoint.body, Body::Unknown)),
    ("Unknown params", |endpoint| endpoint.path.is_some() && endpoint.params.is_none()),
];

/// Returns the list of the endpoints for which a fact is unknown, one line per group.
fn unknown(api: &Api, title: &str, is_so: IsUnknown) -> String {
    let line = |group: &Group| {
        let endpoints = group.endpoints.iter().filter(|endpoint| is_so(endpoint));
        let names = endpoints.map(|endpoint| prose(&endpoint.name)).collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("- [{}]({}): {names}\n", prose(&group.title), path(group)))
    };
    let lines: String = api.groups.iter().filter_map(line).collect();
    if lines.is_empty() { String::new() } else { format!("\n## {title}\n\n{lines}") }
}
