//! `coverage.md`: how well each endpoint is known, and a list of everything that is unknown.

use super::File;
use super::docs::prose;
use super::reference::{mark, path, row, table};
use crate::coverage::Coverage;
use crate::model::{Api, Body, Endpoint, Group};
use crate::summary::GroupSummary;

pub(super) fn file(api: &Api) -> File {
    let coverage = Coverage::of(api);
    let mut text = mark("");
    text += "# Coverage\n\n";
    text += "Unknown facts are `unknown` in the catalogue and untyped JSON in the client, never a guess.\n\n";
    text += &groups(api, &coverage);
    text += "\n## Facts by source\n\n";
    text += &table(
        ["facts", "documented", "published", "reported", "former", "unknown"],
        coverage.facts.iter().map(|tally| {
            let numbers = [tally.document, tally.published, tally.reported, tally.former, tally.unknown];
            let [document, published, reported, former, unknown] = numbers.map(|number| number.to_string());
            row([tally.what.clone(), document, published, reported, former, unknown])
        }),
    );
    text += "\n## Most useful missing facts\n\nThe number is the count of endpoints that would benefit.\n\n";
    text += &table(
        ["endpoints", "fact", ""],
        coverage
            .wanted
            .iter()
            .map(|wanted| row([wanted.endpoints.to_string(), prose(&wanted.what), prose(&wanted.help)])),
    );
    for (title, is_so) in UNKNOWN {
        text += &unknown(api, title, *is_so);
    }
    File { path: "coverage.md".to_owned(), text }
}

fn groups(api: &Api, coverage: &Coverage) -> String {
    let total = coverage.summary.total();
    let named = api.groups.iter().map(|group| format!("[{}]({})", prose(&group.title), path(group)));
    let rows = named.chain(["all".to_owned()]).zip(coverage.summary.groups.iter().chain([&total]));
    let rows = rows.map(|(name, group)| {
        let GroupSummary { endpoints, with_path, typed, untyped_series, unknown_body, by_name_only, .. } = group;
        let numbers = [endpoints, with_path, typed, untyped_series, unknown_body, by_name_only];
        let numbers = numbers.map(|number| format!("| {number} ")).concat();
        format!("| {name} {numbers}|\n")
    });
    table(["group", "endpoints", "with path", "typed", "untyped series", "body unknown", "by name only"], rows)
}

/// Whether something is unknown of an endpoint.
type IsUnknown = fn(&Endpoint) -> bool;

/// What can be unknown.
const UNKNOWN: &[(&str, IsUnknown)] = &[
    ("Known by name only", |endpoint| endpoint.path.is_none()),
    ("Series of unknown records", |endpoint| {
        endpoint.path.is_some() && matches!(endpoint.body, Body::Series { record: None, .. })
    }),
    ("Unknown responses", |endpoint| endpoint.path.is_some() && matches!(endpoint.body, Body::Unknown)),
    ("Unknown params", |endpoint| endpoint.path.is_some() && endpoint.params.is_none()),
];

/// A list of the endpoints that something is unknown of, one line a group.
fn unknown(api: &Api, title: &str, is_so: IsUnknown) -> String {
    let line = |group: &Group| {
        let endpoints = group.endpoints.iter().filter(|endpoint| is_so(endpoint));
        let names = endpoints.map(|endpoint| prose(&endpoint.name)).collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("- [{}]({}): {names}\n", prose(&group.title), path(group)))
    };
    let lines: String = api.groups.iter().filter_map(line).collect();
    if lines.is_empty() { String::new() } else { format!("\n## {title}\n\n{lines}") }
}
