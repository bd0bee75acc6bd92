//! Converts a draft to a catalogue. Fields of a record with only one body are listed in that body. Types and records
//! keep their numbers until the result is merged into a catalogue.

mod bodies;

use std::collections::{BTreeMap, BTreeSet};

use codegen::spec::ENDPOINT;

use super::draft::{Draft, Named};
use crate::change::Editor;
use crate::fill::{self, Source, WantedName};
use crate::format_maps::SERVICE;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// Converts a draft to a catalogue; `editor` contains the envelope of the series.
pub(super) fn finish(editor: Editor, draft: Draft, evidence: &str) -> fill::Draft {
    let time = editor.tree(SERVICE).get("envelope").and_then(|envelope| envelope.get("time")?.text("name"));
    let envelope_time = time.map(str::to_owned);
    let mut finisher = Finisher { envelope_time, inline: inline(&draft), evidence: evidence.to_owned(), editor, draft };
    finisher.write_service();
    finisher.write_groups();
    let Finisher { editor, draft, .. } = finisher;
    let parts = draft.types.into_iter().chain(draft.records.into_iter().map(|record| record.named));
    let names = parts.map(name_and_wish).collect();
    fill::Draft { editor, names, lists: BTreeMap::new(), source: Source::Description }
}

/// The records of only one body. The body lists their fields, so they need no name.
fn inline(draft: &Draft) -> BTreeSet<usize> {
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    let bodies = draft.endpoints.iter().filter_map(|(_, endpoint)| bodies::record_of(endpoint.get("body")?));
    for (_, record) in bodies {
        *uses.entry(record).or_default() += 1;
    }
    let alone = uses.into_iter().filter(|(record, bodies)| bodies + draft.records[*record].uses == 1);
    alone.map(|(record, _)| record).collect()
}

fn name_and_wish(named: Named) -> (String, WantedName) {
    (named.tree.text("name").unwrap_or_default().to_owned(), named.wanted)
}

/// The state of the conversion.
struct Finisher {
    editor: Editor,
    draft: Draft,
    envelope_time: Option<String>,
    evidence: String,
    inline: BTreeSet<usize>,
}

impl Finisher {
    fn write_service(&mut self) {
        let named = |named: &Named| (named.rank, named.tree.clone());
        let types = self.draft.types.iter().map(named).collect();
        let records = self.draft.records.iter().enumerate().filter(|(index, _)| !self.inline.contains(index));
        let records = records.map(|(_, record)| named(&record.named)).collect();
        let lists = [("types", types), ("params", self.draft.shared.clone()), ("records", records)];
        for (key, mut ranked) in lists {
            ranked.sort_by_key(|(rank, _): &(usize, Tree)| *rank);
            self.editor.extend(&YamlPath::service().key(key), ranked.into_iter().map(|(_, tree)| tree).collect());
        }
        self.write_metadata();
    }

    /// Writes the metadata of the envelope.
    fn write_metadata(&mut self) {
        let Some(envelope) = self.editor.tree(SERVICE).get("envelope") else { return };
        let own = Some(self.evidence.as_str()).filter(|own| envelope.text("evidence") != Some(*own));
        let mut seen = BTreeSet::new();
        let all = self.draft.metadata.iter().flat_map(|metadata| self.listed(*metadata, None));
        let new = all.filter(|field| seen.insert(field.text("name").map(str::to_owned)));
        let fields = new.map(|field| field.with_some("evidence", own)).collect();
        self.editor.extend(&YamlPath::service().key("envelope").key("metadata").key("fields"), fields);
    }

    /// The fields of a record without the envelope's time field.
    fn listed(&self, record: usize, but: Option<&str>) -> Vec<Tree> {
        let all = self.draft.records[record].named.tree.entries("fields").iter();
        all.filter(|field| but.is_none() || field.text("name") != but).cloned().collect()
    }

    fn write_groups(&mut self) {
        let mut groups: BTreeMap<String, Vec<Tree>> = BTreeMap::new();
        for (group, mut endpoint) in std::mem::take(&mut self.draft.endpoints) {
            let body = endpoint.get("body").map(|body| self.body(body));
            endpoint.set(&ENDPOINT, "body", body);
            groups.entry(group).or_default().push(endpoint);
        }
        for (module, head) in std::mem::take(&mut self.draft.groups) {
            let file = format!("{module}.yaml");
            // Several tags can yield the same module, which gets the title of the first.
            if *self.editor.tree(&file) == Tree::Null {
                self.editor.create(&file, head.with("endpoints", groups.remove(&module).unwrap_or_default()));
            }
        }
    }
}
