//! Converts a draft to a catalogue. If only one body uses a record, the body lists the fields of the record. Types and
//! records keep their numbers until the result is merged into an existing catalogue.

use std::collections::{BTreeMap, BTreeSet};

use codegen::spec::ENDPOINT;

use super::draft::{Draft, Named};
use crate::draft_types::{TIMESTAMP, is_time_of_record, record_in, record_name};
use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::merge::{self, Source};
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// Converts a draft to a catalogue. `editor` contains the envelope of the series.
pub(super) fn convert(editor: Editor, draft: Draft, evidence: &str) -> merge::Draft {
    let envelope_time = YamlPath::envelope().key("time").tree(&editor).text("name").map(str::to_owned);
    let mut converter =
        Converter { envelope_time, inline: inline(&draft), evidence: evidence.to_owned(), editor, draft };
    converter.write_service();
    converter.write_groups();
    let Converter { editor, draft, .. } = converter;
    let parts = draft.types.into_iter().chain(draft.records);
    let names = parts.map(|part| (part.tree.text("name").unwrap_or_default().to_owned(), part.wanted)).collect();
    merge::Draft { editor, names, lists: BTreeMap::new(), source: Source::Description }
}

/// Returns the records that only one body uses. The body lists their fields, so they need no name.
fn inline(draft: &Draft) -> BTreeSet<usize> {
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    let bodies = draft.endpoints.iter().filter_map(|(_, endpoint)| record_of(endpoint.get("body")?));
    for (_, record) in bodies {
        *uses.entry(record).or_default() += 1;
    }
    let single_use = uses.into_iter().filter(|(record, bodies)| bodies + draft.records[*record].uses == 1);
    single_use.map(|(record, _)| record).collect()
}

/// Sorts types or records so that components are first, and thus get the names that they have in the description.
fn components_first(mut all: Vec<&Named>) -> Vec<Tree> {
    all.sort_by_key(|named| named.wanted.owner != named.wanted.name);
    all.into_iter().map(|named| named.tree.clone()).collect()
}

/// The state of the conversion.
struct Converter {
    editor: Editor,
    draft: Draft,
    envelope_time: Option<String>,
    evidence: String,
    inline: BTreeSet<usize>,
}

impl Converter {
    fn write_service(&mut self) {
        let types = self.draft.types.iter().collect();
        let records = self.draft.records.iter().enumerate().filter(|(index, _)| !self.inline.contains(index));
        let records = records.map(|(_, record)| record).collect();
        let [types, records] = [types, records].map(components_first);
        for (key, entries) in [("types", types), ("params", self.draft.shared.clone()), ("records", records)] {
            self.editor.extend(&YamlPath::service().key(key), entries);
        }
        self.write_metadata();
    }

    /// Writes the metadata of the envelope.
    fn write_metadata(&mut self) {
        let Some(envelope) = self.editor.tree(SERVICE).get("envelope") else { return };
        let own = Some(self.evidence.as_str()).filter(|own| envelope.text("evidence") != Some(*own));
        let mut seen = BTreeSet::new();
        let all = self.draft.metadata.iter().flat_map(|metadata| self.draft.records[*metadata].tree.entries("fields"));
        let new = all.filter(|field| seen.insert(field.text("name").map(str::to_owned)));
        let fields = new.map(|field| field.clone().with_some("evidence", own)).collect();
        self.editor.extend(&YamlPath::envelope().key("metadata").key("fields"), fields);
    }

    fn write_groups(&mut self) {
        let mut groups: BTreeMap<String, Vec<Tree>> = BTreeMap::new();
        for (group, mut endpoint) in std::mem::take(&mut self.draft.endpoints) {
            let body = endpoint.get("body").map(|body| self.body(body));
            endpoint.set(&ENDPOINT, "body", body);
            groups.entry(group).or_default().push(endpoint);
        }
        for (module, head) in std::mem::take(&mut self.draft.groups) {
            let endpoints = groups.remove(&module).unwrap_or_default();
            self.editor.create(&format!("{module}.yaml"), head.with("endpoints", endpoints));
        }
    }

    /// Returns a body in the format of the catalogue. A record that only this body uses is replaced by its fields.
    fn body(&self, body: &Tree) -> Tree {
        let Some((kind, record)) = record_of(body).filter(|(kind, _)| *kind != "type") else { return body.clone() };
        let is_inline = self.inline.contains(&record);
        let positional = is_inline && self.draft.records[record].tree.get("positional").is_some();
        let time = if kind == "series" { self.time(record) } else { None };
        let fields = self.draft.records[record].tree.get("fields").cloned().filter(|_| is_inline);
        let new = Tree::map().with_some("time", time).with_some("positional", positional.then_some(true));
        new.with(kind, fields.unwrap_or_else(|| record_name(record).into()))
    }

    /// Returns the value of the key `time` for a series that does not use the envelope's time field: the name of the
    /// time field, or the string `none` if no field is certain to be the time. Returns `None` if the series needs no
    /// key `time`.
    fn time(&self, record: usize) -> Option<String> {
        let is_inline = self.inline.contains(&record);
        let record = &self.draft.records[record];
        let is_timestamp = |field: &&Tree| field.text("type") == Some(TIMESTAMP);
        let has_timestamp = |name: &str| record.field(name).as_ref().is_some_and(is_timestamp);
        let shared = self.envelope_time.as_deref();
        if let Some(shared) = shared.filter(|shared| record.field(shared).is_some()) {
            return (!is_inline && !has_timestamp(shared)).then(|| "none".to_owned());
        }
        let timestamps: Vec<&Tree> = record.tree.entries("fields").iter().filter(is_timestamp).collect();
        match (timestamps.as_slice(), shared) {
            ([one], _) if is_time_of_record(one) => one.text("name").map(str::to_owned),
            (_, Some(_)) => Some("none".to_owned()),
            _ => None,
        }
    }
}

/// Returns the kind of a body, and the record that it contains.
fn record_of(body: &Tree) -> Option<(&'static str, usize)> {
    ["series", "object", "type"].into_iter().find_map(|kind| Some((kind, record_in(body.text(kind)?)?)))
}
