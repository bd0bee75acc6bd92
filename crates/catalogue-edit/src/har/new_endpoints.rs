//! Adds an endpoint for each path in a recording that no endpoint has, and for each function on such a path.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::spec::{Endpoint, Evidence, Group, Known, Param, ParamEntry, ParamLocation};
use catalogue::{Catalogue, names, url_path};
use heck::ToTitleCase;
use indexmap::{IndexMap, IndexSet};

use super::endpoint_path::EndpointPath;
use super::entry::Entry;
use super::functions::FunctionParam;
use super::new_paths::{NewPath, naming_segments};
use super::path_data::VaryingSegments;
use super::recorded_host::RecordedHost;
use super::{RecordedEntries, skipped_error};
use crate::catalogue_change::CatalogueChange;
use crate::content::{Content, new_service};
use crate::draft::{Draft, DraftOrigin};
use crate::editor::Editor;
use crate::learn::{learn_key, note_unnamed_key, param_in_query, param_of};
use crate::merge::merge;
use crate::observed_query::{ObservedQuery, QueryParam, ValueKind, is_secret};
use crate::refusal::Refusal;
use crate::rust_names::singular;

/// The maximum number of skipped entries that the refusal of a recording lists.
const MAX_CAUSES: usize = 5;

/// A recording of a service.
#[derive(Clone, Debug)]
pub struct RecordedService {
    /// The HAR files, each with its name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The host of the service, then the hosts whose endpoints become groups with a base URL of their own. Without any, the
    /// host with the most responses in JSON.
    pub hosts: Vec<String>,
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
    let mut skipped = recording.skipped;
    skipped.extend(recording.errors.iter().map(skipped_error));
    if recording.usable.is_empty() {
        return Err(no_usable_entry(&recorded.files, &skipped).into());
    }
    for why in skipped {
        editor.note(format!("skipped: {why}"));
    }
    let hosts = service_hosts(&recording.usable, &recorded.hosts)?;
    note_other_hosts(&mut editor, &recording.usable, &hosts);
    let paths = EndpointPath::all(&editor.content);
    let mut draft = Draft::new(DraftOrigin::Description);
    let mut recorded_hosts: Vec<RecordedHost> = Vec::new();
    let mut entries_by_host = by_host(recording.usable);
    for host in &hosts {
        let entries = entries_by_host.remove(host).unwrap_or_default();
        let content = &editor.content;
        let recorded_host = if recorded_hosts.is_empty() {
            RecordedHost::of_service(host, content, &paths, &entries)
        } else {
            RecordedHost::of_groups(host, &recorded_hosts, content, &paths, &entries, recorded.evidence)
        };
        recorded_host.note(&mut editor);
        let found = NewEndpoint::all(&recorded_host.new_entries(&paths, entries));
        for endpoint in &found {
            let is_item = found.iter().any(|list| endpoint.is_item_of(list));
            endpoint.add(&mut editor, &mut draft, &recorded_host, recorded.evidence, is_item);
        }
        recorded_hosts.push(recorded_host);
    }
    if draft.content.groups.is_empty() {
        let hosts = listed(&hosts);
        return Err(format!("every recorded path of {hosts} is in the catalogue already").into());
    }
    editor.note("`cargo xtask learn --har` adds the fields of their responses");
    merge(&mut editor, &draft);
    editor.close()
}

/// The refusal of a recording without a response in JSON, with the first causes and the number of the others.
fn no_usable_entry(files: &[(String, Vec<u8>)], skipped: &IndexSet<String>) -> String {
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut message = format!("{}: no entry has a response in JSON", names.join(", "));
    for why in skipped.iter().take(MAX_CAUSES) {
        message += &format!("\nskipped: {why}");
    }
    if skipped.len() > MAX_CAUSES {
        message += &format!("\nfurther causes: {}", skipped.len() - MAX_CAUSES);
    }
    message
}

fn by_host(entries: Vec<Entry>) -> BTreeMap<String, Vec<Entry>> {
    let mut by_host: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        by_host.entry(entry.host.clone()).or_default().push(entry);
    }
    by_host
}

fn listed(hosts: &[String]) -> String {
    let mut quoted = Vec::new();
    for host in hosts {
        quoted.push(format!("`{host}`"));
    }
    quoted.join(", ")
}

fn new_catalogue(title: &str) -> Editor {
    let service = new_service(title.to_title_case());
    Editor::new(Content { service, ..Content::default() })
}

/// The hosts of the service: the chosen ones, or the one with the most responses.
fn service_hosts(entries: &[Entry], chosen: &[String]) -> Result<Vec<String>, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(&entry.host).or_default() += 1;
    }
    if chosen.is_empty() {
        let most_frequent = counts.iter().max_by_key(|(_, count)| **count);
        return Ok(most_frequent.iter().map(|(host, _)| (**host).to_owned()).collect());
    }
    let mut hosts: Vec<String> = Vec::new();
    for host in chosen {
        let host = host.to_ascii_lowercase();
        if !counts.contains_key(host.as_str()) {
            let known: Vec<String> = counts.keys().map(|host| (*host).to_owned()).collect();
            let known = listed(&known);
            return Err(format!("no entry with a response in JSON has the host `{host}`; pass one of these: {known}"));
        }
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

/// Notes each other host once, with the number of its responses, because websites call many hosts.
fn note_other_hosts(editor: &mut Editor, entries: &[Entry], hosts: &[String]) {
    let own = listed(hosts);
    let mut others: IndexMap<&str, Vec<String>> = IndexMap::new();
    for entry in entries {
        if !hosts.contains(&entry.host) {
            others.entry(&entry.host).or_default().push(entry.shown_path());
        }
    }
    for (other, paths) in &others {
        let first = &paths[0];
        editor.note(match paths.len() {
            1 => format!("skipped: `{other}{first}`: another host than {own}"),
            count => format!("skipped: {count} responses of another host than {own}, first `{other}{first}`"),
        });
    }
    if !others.is_empty() {
        let options: Vec<String> = hosts.iter().map(|host| format!("--host {host}")).collect();
        let options = options.join(" ");
        editor
            .note(format!("if another host belongs to the service, choose all of its hosts: `{options} --host OTHER`"));
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
        let varying = VaryingSegments::of(entries);
        let mut found = IndexMap::new();
        for entry in entries {
            let functions = entry.functions();
            let NewPath { text: mut path, values } = NewPath::of(entry, &varying);
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
    fn add(&self, editor: &mut Editor, draft: &mut Draft, host: &RecordedHost, evidence: Evidence, is_item: bool) {
        let segments = naming_segments(url_path::without_fragment(&self.path));
        let module = host.module(segments.first().unwrap_or(&"general"), &editor.content, &draft.content);
        let params = self.params(editor, evidence);
        for name in &self.repeated {
            let what = format!("the requests send `{name}` several times; only the first value is sent by the client");
            editor.note(format!("`{}`: {what}", self.path));
        }
        let name = self.name(&segments);
        let path = host.distinct_path(&self.path, &editor.content, &draft.content);
        let endpoint = Endpoint {
            name: if is_item { singular(&name) } else { name }.into(),
            path: Known::Known(path.into()),
            evidence,
            params: Known::Known(params),
            ..Endpoint::default()
        };
        let new = Group { title: module.to_title_case().into(), base_url: host.base_url.clone(), ..Group::default() };
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
        note_unnamed_key(editor, &self.query);
        for (name, kind) in self.query.params() {
            if self.functions.iter().any(|param| param.name == name) {
                continue;
            }
            if is_secret(name) {
                learn_key(editor, evidence, name);
            } else if catalogue::is_line(name) {
                params.push(param_in_query(editor, &self.query, name, kind));
            }
        }
        params.into_iter().map(|param| ParamEntry::Own(Box::new(param))).collect()
    }
}
