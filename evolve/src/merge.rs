//! Merges a catalogue into another one: unknown facts are filled in, lists are joined by the key of their items, and
//! contradictions are reported and stay.
//!
//! `policy.rs` states how each key is merged. Where the new catalogue comes from is not known here.

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

/// A new catalogue, with facts that it does not state itself.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub(crate) desk: Desk,
    /// The prefix of the known catalogue's paths, which is the new one's base URL suffix.
    pub(crate) prefix: String,
    /// Whether it was made from a catalogue, so that every text in it is deliberate.
    pub(crate) is_ours: bool,
    /// By endpoint.
    pub(crate) hints: BTreeMap<Place, Hint>,
    /// The names that its types and records should get; until then each has a number for a name.
    pub(crate) names: BTreeMap<String, WantedName>,
}

/// A name for a type or record.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedName {
    pub(crate) name: String,
    /// The name of the field or endpoint around it, which is put before a name that is taken.
    pub(crate) owner: String,
    /// Whether it belongs to all groups.
    pub(crate) is_shared: bool,
}

/// Facts of a description about an endpoint that the new catalogue does not hold.
#[derive(Debug)]
pub(crate) struct Hint {
    /// Whether it states its group and its name.
    pub(crate) is_tagged: bool,
    pub(crate) is_named: bool,
    /// Names of all its params, imported or not.
    pub(crate) told: Vec<String>,
    /// The time of its records, if the envelope has it.
    pub(crate) time: Option<Tree>,
}

/// Merges a catalogue into the one on the desk; `service` has the facts about the service, and `evidence` is that of
/// all facts.
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

/// The state of a merge.
struct Merger<'a> {
    desk: &'a mut Desk,
    new: &'a Fresh,
    evidence: &'a str,
    matches: Matches,
    /// Names of types at the root, and of those in the modules of groups by their files.
    root: NamesInUse,
    groups: BTreeMap<String, NamesInUse>,
    /// The names of new types and records.
    types: BTreeMap<String, String>,
    records: BTreeMap<Place, String>,
    /// The `ident`s that new endpoints need, if their names do not make them.
    idents: BTreeMap<Place, Option<String>>,
    /// How many shared params there were before the merge.
    old_params: usize,
    /// The names of new shared params, by place.
    new_shared: BTreeMap<Place, String>,
    /// Records that are not yet written, by file.
    new_records: BTreeMap<String, Vec<Tree>>,
    new_endpoints: BTreeMap<String, Vec<Tree>>,
    setters: Setters,
    /// Params that take the type of other endpoints: a line, how often and where first.
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

    /// Fills in the time of all series, which the envelope has and bodies do not repeat.
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
