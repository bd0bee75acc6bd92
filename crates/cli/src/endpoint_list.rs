//! Lists of endpoints, which are grouped, and the search for words.

use runtime::registry::{EndpointInfo, GroupInfo};

use crate::endpoint_names::{self, Endpoint};
use crate::failure::Failure;
use crate::program::program;
use crate::record_columns::fields;
use crate::sections::section;

/// An endpoint with its group.
pub(crate) type Found = (&'static GroupInfo, Endpoint);

/// The endpoints that have all words, optionally only those with a history for files. Endpoints without a path
/// are last.
pub(crate) fn found(words: &[String], only_with_history: bool) -> Vec<Found> {
    let mut found = Vec::new();
    for (group, endpoint) in endpoint_names::all() {
        if (endpoint_names::history(endpoint).is_some() || !only_with_history) && has_words(group, endpoint, words) {
            found.push((group, endpoint));
        }
    }
    found.sort_by_key(|(_, endpoint)| endpoint.path.is_none());
    found
}

fn has_words(group: &GroupInfo, endpoint: &EndpointInfo, words: &[String]) -> bool {
    let text = searched(group, endpoint);
    words.iter().all(|word| {
        let word = word.to_lowercase();
        text.contains(singular(&word)) || text.contains(&wording::normalized(&word))
    })
}

/// A word without the ending of the plural, so that it is also a part of the plural.
fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(rest) if rest.len() > 2 && !rest.ends_with('s') => rest,
        _ => word,
    }
}

/// Creates the error for words that no endpoint has, with the most similar name of an endpoint or a group.
pub(crate) fn nothing_found(words: &[String]) -> Failure {
    let mut known: Vec<String> = Vec::new();
    for (_, endpoint) in endpoint_names::all() {
        known.push(endpoint_names::name(endpoint));
    }
    for group in program().registry.groups {
        known.push(group.ident.to_owned());
    }
    let help = words.iter().find_map(|word| wording::did_you_mean(word, known.iter().map(String::as_str)));
    Failure::usage(format!("no endpoint matches `{}`", words.join(" "))).help_if(help)
}

/// All text that is searched, in lower case.
fn searched(group: &GroupInfo, endpoint: &EndpointInfo) -> String {
    let mut texts = vec![group.ident, group.title, endpoint.ident, endpoint.name, endpoint.summary, endpoint.notes];
    texts.extend(endpoint.params().map(|param| param.wire_name));
    texts.extend(fields(endpoint).map(|field| field.wire_name));
    texts.extend(endpoint.path);
    texts.extend(endpoint.aliases);
    let unknown = unknown_facts(endpoint);
    if !unknown.is_empty() {
        // The label of these facts in `describe`.
        texts.push("undocumented");
    }
    texts.extend(unknown);
    texts.join("\n").to_lowercase()
}

/// The undocumented facts of an endpoint, its params and its fields.
fn unknown_facts(endpoint: &EndpointInfo) -> Vec<&'static str> {
    let mut unknown = endpoint.unknown.to_vec();
    unknown.extend(endpoint.params().flat_map(|param| param.unknown.iter().copied()));
    unknown.extend(fields(endpoint).flat_map(|field| field.unknown.iter().copied()));
    unknown
}

/// Formats endpoints in sections with the titles of their groups.
pub(crate) fn by_group(found: &[Found], width: usize) -> String {
    let mut name_width = 0;
    for (_, endpoint) in found {
        name_width = name_width.max(endpoint_names::name(endpoint).len());
    }
    let mut out = String::new();
    for group in found.chunk_by(|one, other| title(one) == title(other)) {
        let mut rows = Vec::with_capacity(group.len());
        for (_, endpoint) in group {
            let summary = endpoint.summary.trim_end_matches('.').to_owned();
            rows.push([endpoint_names::name(endpoint), summary]);
        }
        section(&mut out, title(&group[0]), &rows, name_width, width);
    }
    out
}

fn title((group, endpoint): &Found) -> &'static str {
    if endpoint.path.is_some() { group.title } else { "Known by name only, without a path" }
}
