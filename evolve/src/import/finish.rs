//! A draft becomes a catalogue in the form of the description: fields of one body are listed there, and inherited
//! evidence is left out. Types and records keep their numbers until they are merged into another catalogue.

mod bodies;

use std::collections::{BTreeMap, BTreeSet};

use codegen::spec::ENDPOINT;

use super::draft::{Draft, Named};
use crate::change::Desk;
use crate::keys::SERVICE;
use crate::merge::{Fresh, Hint, WantedName};
use crate::place::Place;
use crate::tree::Tree;

/// Makes a catalogue of a draft; `desk` has the envelope of the series in it.
pub(super) fn finish(desk: Desk, draft: Draft) -> Fresh {
    let time = desk.tree(SERVICE).get("envelope").and_then(|envelope| envelope.get("time")?.text("name"));
    let envelope_time = time.map(str::to_owned);
    let mut finisher = Finisher { envelope_time, inline: inline(&draft), desk, draft };
    finisher.write_service();
    let hints = finisher.write_groups();
    let Finisher { desk, draft, .. } = finisher;
    let named = draft.types.into_iter().chain(draft.records.into_iter().map(|record| record.named));
    Fresh { desk, prefix: draft.prefix, is_ours: draft.is_ours, hints, names: named.map(name_and_wish).collect() }
}

/// The records of one body alone, which lists their fields, so that they need no name.
fn inline(draft: &Draft) -> BTreeSet<usize> {
    let bodies: Vec<usize> = draft.endpoints.iter().filter_map(|endpoint| endpoint.reply.body.record()).collect();
    let uses = |record: usize| draft.records[record].uses + bodies.iter().filter(|body| **body == record).count();
    let is_alone = |record: &usize| uses(*record) == 1 && !draft.records[*record].named.wanted.is_shared;
    bodies.iter().copied().filter(is_alone).collect()
}

fn name_and_wish(named: Named) -> (String, WantedName) {
    (named.tree.text("name").unwrap_or_default().to_owned(), named.wanted)
}

/// A draft that becomes a catalogue.
struct Finisher {
    desk: Desk,
    draft: Draft,
    envelope_time: Option<String>,
    inline: BTreeSet<usize>,
}

impl Finisher {
    fn write_service(&mut self) {
        let named = |named: &Named| (named.rank, named.tree.clone());
        let types = self.draft.types.iter().map(named).collect();
        let records = self.draft.records.iter().enumerate().filter(|(index, _)| !self.inline.contains(index));
        let records = records.map(|(_, record)| {
            let (rank, mut tree) = named(&record.named);
            let evidence = tree.text("evidence").unwrap_or_default().to_owned();
            tree.each("fields", |field| field.inherit(&evidence));
            (rank, tree)
        });
        let lists = [("types", types), ("params", self.draft.shared.clone()), ("records", records.collect())];
        for (key, mut ranked) in lists {
            ranked.sort_by_key(|(rank, _): &(usize, Tree)| *rank);
            self.desk.extend(&Place::service().key(key), ranked.into_iter().map(|(_, tree)| tree).collect());
        }
        self.write_metadata();
    }

    /// The metadata of an envelope.
    fn write_metadata(&mut self) {
        let Some(envelope) = self.desk.tree(SERVICE).get("envelope") else { return };
        let evidence = envelope.text("evidence").unwrap_or_default().to_owned();
        let mut seen = BTreeSet::new();
        let all = self.draft.metadata.iter().flat_map(|metadata| self.listed(*metadata, &evidence, None));
        let fields = all.filter(|field| seen.insert(field.text("name").map(str::to_owned))).collect();
        self.desk.extend(&Place::service().key("envelope").key("metadata").key("fields"), fields);
    }

    /// The fields of a record without inherited evidence, and without the field that the envelope has.
    fn listed(&self, record: usize, evidence: &str, but: Option<&str>) -> Vec<Tree> {
        let all = self.draft.records[record].named.tree.entries("fields").iter();
        let mut fields: Vec<Tree> = all.filter(|field| field.text("name") != but).cloned().collect();
        for field in &mut fields {
            field.inherit(evidence);
        }
        fields
    }

    fn write_groups(&mut self) -> BTreeMap<Place, Hint> {
        let mut hints = BTreeMap::new();
        let mut groups: BTreeMap<String, Vec<Tree>> = BTreeMap::new();
        for mut endpoint in std::mem::take(&mut self.draft.endpoints) {
            let group = groups.entry(endpoint.group.clone()).or_default();
            endpoint.hint.time = self.said_time(&endpoint.reply);
            let place = Place::file(&format!("{}.yaml", endpoint.group)).key("endpoints").item(group.len());
            hints.insert(place, endpoint.hint);
            let mut tree = endpoint.tree;
            let evidence = tree.text("evidence").unwrap_or_default().to_owned();
            tree.each("params", |param| param.inherit(&evidence));
            let body = self.body(&endpoint.reply, &evidence);
            tree.set(&ENDPOINT, "body", Some(body));
            group.push(tree);
        }
        for (module, head) in std::mem::take(&mut self.draft.groups) {
            let file = format!("{module}.yaml");
            // Several tags can make one module; the first has its title.
            if *self.desk.tree(&file) == Tree::Null {
                self.desk.create(&file, head.with("endpoints", groups.remove(&module).unwrap_or_default()));
            }
        }
        hints
    }
}
