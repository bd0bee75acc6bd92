//! Adds an endpoint for each path in a recording that no endpoint has. Segments of paths that look like data become params.

use std::collections::BTreeMap;

use catalogue::spec::{Endpoint, Evidence, Group, Known, Param, ParamEntry, ParamLocation};
use catalogue::{Catalogue, names, url_path};
use heck::ToTitleCase;
use indexmap::IndexMap;

use super::entries_of;
use super::entry::Entry;
use super::find_endpoint::{Candidate, Service};
use crate::content::{Content, new_service};
use crate::draft::{Draft, Source};
use crate::editor::{CatalogueChange, Editor, Refusal};
use crate::learn::{learn_key, param_of};
use crate::merge::merge;
use crate::observed_query::{ObservedQuery, ValueKind, is_secret};
use crate::rust_names::{module_name, singular};

/// A recording of a service.
#[derive(Clone, Debug)]
pub struct RecordedService {
    /// The HAR files, each with its name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The host of the service; without it, the host with the most responses in JSON.
    pub host: Option<String>,
    /// The title of the service, if its catalogue is new.
    pub title: String,
    /// The evidence of the endpoints.
    pub evidence: Evidence,
}

/// Returns the change that adds the endpoints of a recording to a catalogue, or that starts a catalogue with them.
pub fn endpoints_of(catalogue: Option<Catalogue>, recorded: &RecordedService) -> Result<CatalogueChange, Refusal> {
    let started =
        || Editor::new(Content { service: new_service(recorded.title.to_title_case()), ..Content::default() });
    let mut editor = catalogue.map_or_else(|| Ok(started()), Editor::open)?;
    let mut entries = Vec::new();
    for (file, bytes) in &recorded.files {
        for read in entries_of(file, bytes)? {
            match read {
                Ok(entry) => entries.push(entry),
                Err(why) => editor.note(format!("skipped: {why}")),
            }
        }
    }
    let Some(host) = recorded.host.clone().or_else(|| most_frequent_host(&entries)) else {
        return Err("no entry has a response in JSON".into());
    };
    for other in entries.iter().filter(|entry| entry.host != host) {
        editor.note(format!("skipped: `{}{}`: another host than `{host}`", other.host, other.shown_path()));
    }
    entries.retain(|entry| entry.host == host);
    let candidates = Candidate::all(&editor);
    let service = Service::choose(&editor, &candidates, &entries, Some(&host));
    entries.retain(|entry| service.endpoint(&candidates, entry).is_err());
    editor.note(format!("the endpoints are those of `{host}`; set the base URL to it"));
    let mut draft = Draft::new(Source::Description);
    for (path, query) in queries(entries) {
        add_endpoint(&mut editor, &mut draft, recorded.evidence, &path, &query);
    }
    if draft.content.groups.is_empty() {
        return Err(format!("every recorded path of `{host}` is in the catalogue already").into());
    }
    merge(&mut editor, &draft);
    editor.close()
}

fn most_frequent_host(entries: &[Entry]) -> Option<String> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.host.as_str()).or_insert(0) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(host, _)| host.to_owned())
}

/// The paths of entries with params instead of data, each with the params of all queries to it.
fn queries(entries: Vec<Entry>) -> IndexMap<String, ObservedQuery> {
    let mut queries: IndexMap<String, (String, ObservedQuery)> = IndexMap::new();
    for entry in entries {
        let path = with_params(&entry);
        let known = queries.entry(url_path::template(&path)).or_insert_with(|| (path, ObservedQuery::default()));
        known.1.add(&entry.query);
    }
    queries.into_values().collect()
}

/// The path of an entry, in which segments that look like data are params named after the segment before.
fn with_params(entry: &Entry) -> String {
    let mut path = String::new();
    let mut before = "";
    let mut used: Vec<String> = Vec::new();
    for segment in &entry.segments {
        path.push('/');
        if is_data(segment) {
            let base = names::ident(&singular(before), names::Case::Snake).unwrap_or_else(|_| "id".to_owned());
            let numbered = (2..).map(|number: usize| format!("{base}_{number}"));
            let mut all = std::iter::once(base.clone()).chain(numbered);
            let name = all.find(|name| !used.contains(name)).unwrap_or_default();
            path += &format!("{{{name}}}");
            used.push(name);
        } else {
            path += segment;
            before = segment;
        }
    }
    let is_root = path.is_empty();
    path + if is_root || entry.has_slash { "/" } else { "" }
}

/// `true` if a segment of a path looks like data: a number, an id, or the name of a coin or market. A version such as
/// `v2` does not.
fn is_data(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let is_upper =
        segment.bytes().any(|byte| byte.is_ascii_uppercase()) && !segment.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_long_id = segment.len() >= 16 && digits >= 4;
    let is_number = digits > 0 && segment.bytes().all(|byte| byte.is_ascii_digit() || b"-.:".contains(&byte));
    let is_legal = url_path::check(&format!("/{segment}"), false).is_ok();
    !is_legal || is_number || is_upper || is_long_id
}

fn add_endpoint(editor: &mut Editor, draft: &mut Draft, evidence: Evidence, path: &str, query: &ObservedQuery) {
    let mut params: Vec<ParamEntry> = Vec::new();
    for name in url_path::params(path) {
        let param = Param { location: ParamLocation::Path, ..param_of(editor, name, ValueKind::Text) };
        params.push(ParamEntry::Own(Box::new(param)));
    }
    for (name, kind) in query.params() {
        if is_secret(name) {
            learn_key(editor, evidence, name);
        } else if catalogue::is_line(name) {
            params.push(ParamEntry::Own(Box::new(param_of(editor, name, kind))));
        }
    }
    let words: Vec<&str> = path.split('/').filter(|word| !word.is_empty() && !word.starts_with('{')).collect();
    let is_of_base = |word: &&&str| is_base(word);
    let own: Vec<&str> = words.iter().skip_while(is_of_base).copied().collect();
    let wanted = own.first().copied().unwrap_or("general");
    let module = module_name(wanted);
    let name = if own.len() > 1 { own[1..].join(" ") } else { own.concat() };
    let name = if names::ident(&name, names::Case::Snake).is_ok() { name.to_title_case() } else { "Root".to_owned() };
    let endpoint = Endpoint {
        name: name.into(),
        path: Known::Known(path.into()),
        evidence,
        params: Known::Known(params),
        ..Endpoint::default()
    };
    let group = draft
        .content
        .groups
        .entry(module.clone())
        .or_insert_with(|| Group { title: module.to_title_case().into(), ..Group::default() });
    group.endpoints.push(endpoint);
}

/// `true` if a segment belongs to the base path of many services, such as `api` and `v2`.
fn is_base(segment: &str) -> bool {
    let version = segment.strip_prefix(['v', 'V']).unwrap_or_default();
    let is_version = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !version.is_empty();
    is_version || ["api", "public", "rest"].contains(&segment)
}
