//! A catalogue into another one: what was unknown is filled in, lists are joined by the key of their items, and what
//! contradicts is reported and stays.
//!
//! `policy.rs` has what is done with each key. Nothing here knows where the new catalogue comes from.

mod absent;
mod additions;
mod compare;
mod known_endpoints;
mod known_fields;
mod known_params;
mod matching;
mod new_params;
mod places;
mod policy;
mod report;
mod required;
mod setters;
mod types;
mod values;

use std::collections::BTreeMap;

use crate::change::Desk;
use crate::keys::SERVICE;
use crate::naming::{NamesInUse, root_types};
use crate::place::Place;
use crate::tree::Tree;
pub(crate) use additions::join_values;
use compare::Edit;
use matching::Matches;
use report::Report;
use setters::Setters;
pub(crate) use values::holds;

/// A new catalogue, and what it does not say itself of where it comes from.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub(crate) desk: Desk,
    /// What the paths of the known catalogue begin with, and its base URL ends in here.
    pub(crate) prefix: String,
    /// Whether it comes of a catalogue, so that every word in it is meant.
    pub(crate) is_ours: bool,
    /// By endpoint.
    pub(crate) hints: BTreeMap<Place, Hint>,
    /// What its types and records are to be called; they have other names in it, each of its own.
    pub(crate) names: BTreeMap<String, WantedName>,
}

/// A name for a type or record.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedName {
    pub(crate) name: String,
    /// What it stands in, to be put before a name that is taken.
    pub(crate) owner: String,
    /// Whether it belongs to all groups, whichever have it.
    pub(crate) is_shared: bool,
}

/// What a description says of an endpoint beside what becomes of it.
#[derive(Debug)]
pub(crate) struct Hint {
    /// Whether it says itself in which group it is, and what it is called.
    pub(crate) is_tagged: bool,
    pub(crate) is_named: bool,
    /// Names of all params that it lists, taken over or not.
    pub(crate) told: Vec<String>,
    /// The time of its records, if the envelope has it.
    pub(crate) time: Option<Tree>,
}

/// Merges a catalogue into the one on the desk; `service` is what is said of the service, and `evidence` how all of it
/// is known.
pub(crate) fn merge(desk: &mut Desk, new: &Fresh, service: &Tree, evidence: &str) {
    let matches = Matches::of(desk, new);
    let mut merger = Merger {
        root: root_types(desk.tree(SERVICE)),
        setters: Setters::of(desk),
        old_params: desk.tree(SERVICE).entries("params").len(),
        desk,
        new,
        evidence,
        matches,
        groups: BTreeMap::new(),
        types: BTreeMap::new(),
        records: BTreeMap::new(),
        idents: BTreeMap::new(),
        new_shared: BTreeMap::new(),
        new_records: BTreeMap::new(),
        new_endpoints: BTreeMap::new(),
        retyped: Vec::new(),
        edits: Vec::new(),
        report: Report::default(),
    };
    merger.name_endpoints();
    merger.name_types();
    merger.name_records();
    merger.match_shared();
    merger.compare_all(service);
    merger.write();
}

/// Two catalogues on their way into one.
struct Merger<'a> {
    desk: &'a mut Desk,
    new: &'a Fresh,
    evidence: &'a str,
    matches: Matches,
    /// Names of types at the root, and of those in the modules of groups by their files.
    root: NamesInUse,
    groups: BTreeMap<String, NamesInUse>,
    /// What new types and records are called.
    types: BTreeMap<String, String>,
    records: BTreeMap<Place, String>,
    /// The `ident`s that new endpoints need, if their names do not make them.
    idents: BTreeMap<Place, Option<String>>,
    /// How many of the shared params were there before the first new one.
    old_params: usize,
    /// What new shared params are referred to by.
    new_shared: BTreeMap<Place, String>,
    /// What is still to be written, by file.
    new_records: BTreeMap<String, Vec<Tree>>,
    new_endpoints: BTreeMap<String, Vec<Tree>>,
    setters: Setters,
    /// Params that have the type of other endpoints: a line, how often and where first.
    retyped: Vec<(String, usize, String)>,
    edits: Vec<Edit>,
    report: Report,
}

impl Merger<'_> {
    fn compare_all(&mut self, service: &Tree) {
        self.service(service);
        self.groups();
        for (new, known) in self.matches.endpoints.clone() {
            if let Some(known) = known {
                self.endpoint(&known, &new);
            }
        }
        for matched in self.matches.params.clone() {
            self.param(&matched);
        }
        for (known, new) in self.matches.fields.clone() {
            self.fields(&known, &new);
        }
        self.time_of_series();
        self.named_types();
        self.absent();
    }

    /// The time of all series, which the envelope has and none of them repeats.
    fn time_of_series(&mut self) {
        let Some(time) = places::envelope_time(self.desk).cloned() else { return };
        for (endpoint, hint) in &self.new.hints {
            let Some(said) = &hint.time else { continue };
            if let Some(differing) = self.differing(&time, &endpoint.file, said) {
                let label = places::label(endpoint.tree(&self.new.desk));
                self.report.differ(&format!("`{}`", time.text("name").unwrap_or_default()), &label, differing);
            }
        }
    }

    fn write(&mut self) {
        self.add_values();
        self.write_shared();
        self.write_records();
        self.add_endpoints();
        for (known, new) in self.matches.fields.clone() {
            self.add_fields(&known, &new);
        }
        for (line, times, first) in std::mem::take(&mut self.retyped) {
            let places = if times == 1 { format!("at {first}") } else { format!("{times} places, first at {first}") };
            self.desk.say(format!("{line} ({places})"));
        }
        for line in self.setters.said().into_iter().chain(self.report.lines()) {
            self.desk.say(line);
        }
        for edit in std::mem::take(&mut self.edits) {
            match edit {
                Edit::Set(at, key, value) => self.desk.set(&at, key, value),
                Edit::Extend(list, items) => self.desk.extend(&list, items),
                Edit::Replace(at, value) => self.desk.replace(&at, value),
            }
        }
    }
}
