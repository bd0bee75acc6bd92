//! Adds an endpoint for each path in a recording that no endpoint has, and for each function on such a path.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::spec::{Endpoint, Evidence, Group, Known, Param, ParamEntry, ParamLocation};
use catalogue::{Catalogue, names, url_path};
use heck::ToTitleCase;
use indexmap::IndexMap;

use super::RecordedEntries;
use super::endpoint_path::EndpointPath;
use super::entry::Entry;
use super::functions::FunctionParam;
use super::new_paths::{NewPath, QualifiedSegments, naming_segments};
use super::service_location::ServiceLocation;
use crate::catalogue_change::CatalogueChange;
use crate::content::{Content, new_service};
use crate::draft::{Draft, Source};
use crate::editor::Editor;
use crate::learn::{learn_key, param_of};
use crate::merge::merge;
use crate::observed_query::{ObservedQuery, QueryParam, ValueKind, is_secret};
use crate::refusal::Refusal;
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
    let mut editor = match catalogue {
        Some(catalogue) => Editor::open(catalogue)?,
        None => new_catalogue(&recorded.title),
    };
    let recording = RecordedEntries::read(&recorded.files)?;
    for why in recording.skipped {
        editor.note(format!("skipped: {why}"));
    }
    let mut entries = recording.usable;
    let host = service_host(&entries, recorded.host.as_deref())?;
    note_other_hosts(&mut editor, &entries, &host);
    entries.retain(|entry| entry.host == host);
    let paths = EndpointPath::all(&editor.content);
    let location = ServiceLocation::choose(&editor.content, &paths, &entries, Some(&host));
    entries.retain(|entry| location.endpoint(&paths, entry).is_err());
    editor.note(format!("the endpoints are those of `{host}`; set the base URL to it"));
    editor.note("`cargo xtask learn --har` adds the fields of their responses");
    let mut draft = Draft::new(Source::Description);
    let found = NewEndpoint::all(&entries);
    for endpoint in &found {
        let is_item = found.iter().any(|list| endpoint.is_item_of(list));
        endpoint.add(&mut editor, &mut draft, recorded.evidence, is_item);
    }
    if draft.content.groups.is_empty() {
        return Err(format!("every recorded path of `{host}` is in the catalogue already").into());
    }
    merge(&mut editor, &draft);
    editor.close()
}

fn new_catalogue(title: &str) -> Editor {
    let service = new_service(title.to_title_case());
    Editor::new(Content { service, ..Content::default() })
}

/// The host of the service: the chosen one, or the one with the most responses.
fn service_host(entries: &[Entry], chosen: Option<&str>) -> Result<String, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(&entry.host).or_default() += 1;
    }
    let Some((most_frequent, _)) = counts.iter().max_by_key(|(_, count)| **count) else {
        return Err("no entry has a response in JSON".to_owned());
    };
    let Some(chosen) = chosen else { return Ok((*most_frequent).to_owned()) };
    let chosen = chosen.to_ascii_lowercase();
    if counts.contains_key(chosen.as_str()) {
        return Ok(chosen);
    }
    let hosts: Vec<String> = counts.keys().map(|host| format!("`{host}`")).collect();
    Err(format!("no entry with a response in JSON has the host `{chosen}`; pass one of these: {}", hosts.join(", ")))
}

/// Notes each other host once, with the number of its responses, because websites call many hosts.
fn note_other_hosts(editor: &mut Editor, entries: &[Entry], host: &str) {
    let mut others: IndexMap<&str, Vec<String>> = IndexMap::new();
    for entry in entries {
        if entry.host != host {
            others.entry(&entry.host).or_default().push(entry.shown_path());
        }
    }
    for (other, paths) in others {
        let first = &paths[0];
        editor.note(match paths.len() {
            1 => format!("skipped: `{other}{first}`: another host than `{host}`"),
            count => format!("skipped: {count} responses of another host than `{host}`, first `{other}{first}`"),
        });
    }
}

/// The requests of one endpoint that the catalogue does not have.
#[derive(Debug)]
struct NewEndpoint {
    /// The path with params. The functions follow as a fragment.
    path: String,
    functions: Vec<FunctionParam>,
    /// The names of the params among them that a request sends several times.
    repeated: BTreeSet<String>,
    query: ObservedQuery,
    /// The params of the path.
    path_params: ObservedQuery,
}

impl NewEndpoint {
    fn new(path: String, functions: Vec<FunctionParam>) -> Self {
        Self {
            path,
            functions,
            repeated: BTreeSet::new(),
            query: ObservedQuery::default(),
            path_params: ObservedQuery::default(),
        }
    }

    /// The endpoints of entries. Entries whose paths differ only in data and that select the same functions have one
    /// endpoint.
    fn all(entries: &[Entry]) -> Vec<Self> {
        let qualified = QualifiedSegments::of(entries);
        let mut found = IndexMap::new();
        for entry in entries {
            let functions = entry.functions();
            let NewPath { text: mut path, values } = NewPath::of(entry, &qualified);
            if !functions.is_empty() {
                let names: Vec<&str> = functions.iter().map(|param| param.function.as_str()).collect();
                path += &format!("#{}", names.join("."));
            }
            let template = url_path::template(&path);
            let known: &mut Self = found.entry(template).or_insert_with(|| Self::new(path, functions));
            known.add_request(entry, values);
        }
        let mut endpoints: Vec<Self> = found.into_values().collect();
        for endpoint in &mut endpoints {
            endpoint.rename_path_params();
        }
        endpoints
    }

    /// Adds a request to the endpoint, with the values in its path.
    fn add_request(&mut self, entry: &Entry, mut values: Vec<QueryParam>) {
        // Responses can repeat a param in different members, or not at all, so the first path names it.
        for (value, name) in values.iter_mut().zip(url_path::params(&self.path)) {
            name.clone_into(&mut value.name);
        }
        for param in &self.functions {
            if entry.sends_several(&param.name) {
                self.repeated.insert(param.name.clone());
            }
        }
        self.query.add(&entry.query);
        self.path_params.add(&ObservedQuery::of(&values));
    }

    /// Gives the params of the path other names than those of the query have.
    fn rename_path_params(&mut self) {
        let mut renamed = ObservedQuery::default();
        for (name, kind) in self.path_params.params() {
            let mut free = name.to_owned();
            while self.query.has(&free) || free != name && self.path_params.has(&free) {
                free = format!("path_{free}");
            }
            self.path = self.path.replace(&format!("{{{name}}}"), &format!("{{{free}}}"));
            renamed.merge(&free, kind);
        }
        self.path_params = renamed;
    }

    /// `true` if the path of this endpoint is that of a list, followed by one param.
    fn is_item_of(&self, list: &Self) -> bool {
        let Some(rest) = self.path.strip_prefix(list.path.trim_end_matches('/')) else { return false };
        let param = rest.trim_matches('/');
        param.starts_with('{') && param.ends_with('}') && !param.contains('/')
    }

    /// Adds the endpoint to a draft; `is_item` names it in the singular, because a list has the plural.
    fn add(&self, editor: &mut Editor, draft: &mut Draft, evidence: Evidence, is_item: bool) {
        let segments = naming_segments(url_path::without_fragment(&self.path));
        let module = module_name(segments.first().unwrap_or(&"general"));
        let params = self.params(editor, evidence);
        for name in &self.repeated {
            let what = format!("the requests send `{name}` several times; only the first value is sent by the client");
            editor.note(format!("`{}`: {what}", self.path));
        }
        let name = self.name(&segments);
        let endpoint = Endpoint {
            name: if is_item { singular(&name) } else { name }.into(),
            path: Known::Known(self.path.as_str().into()),
            evidence,
            params: Known::Known(params),
            ..Endpoint::default()
        };
        let new = Group { title: module.to_title_case().into(), ..Group::default() };
        let group = draft.content.groups.entry(module).or_insert(new);
        group.endpoints.push(endpoint);
    }

    /// The name of the endpoint: the segments after the one that names the group, and the functions.
    fn name(&self, segments: &[&str]) -> String {
        let mut words: Vec<&str> = Vec::new();
        words.extend(segments.iter().skip(1));
        for param in &self.functions {
            words.push(&param.function);
        }
        if words.is_empty() {
            words.extend(segments);
        }
        let name = words.join(" ");
        if names::ident(&name, names::Case::Snake).is_err() {
            return "Root".to_owned();
        }
        name.to_title_case()
    }

    fn params(&self, editor: &mut Editor, evidence: Evidence) -> Vec<ParamEntry> {
        let mut params = Vec::new();
        for (name, kind) in self.path_params.params() {
            // A number in a path is often an id.
            let kind = if kind.time_form().is_some() { kind } else { ValueKind::Text };
            params.push(Param { location: ParamLocation::Path, ..param_of(editor, name, kind) });
        }
        for FunctionParam { name, function } in &self.functions {
            let const_value = Some(function.as_str().into());
            params.push(Param { const_value, ..param_of(editor, name, ValueKind::Text) });
        }
        for (name, kind) in self.query.params() {
            if self.functions.iter().any(|param| param.name == name) {
                continue;
            }
            if is_secret(name) {
                learn_key(editor, evidence, name);
            } else if catalogue::is_line(name) {
                params.push(param_of(editor, name, kind));
            }
        }
        params.into_iter().map(|param| ParamEntry::Own(Box::new(param))).collect()
    }
}
