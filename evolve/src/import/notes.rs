//! Losses of an import: each once, the weightiest first, with how often and where.

use std::collections::{BTreeSet, HashMap, HashSet};

/// How much is lost, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Something is not there at all, or unknown.
    Missing,
    /// Something is there without its type.
    Untyped,
    /// A fact about something.
    Fact,
    /// A text, or something that does not affect a request.
    Aside,
}

/// Everything that was left out.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// In the order in which they were met.
    list: Vec<Note>,
    /// Indices by text.
    known: HashMap<String, usize>,
    /// Places for which the import has noted why they are left out.
    explained: HashSet<String>,
}

#[derive(Debug)]
struct Note {
    weight: Weight,
    what: String,
    places: Vec<String>,
    seen: BTreeSet<String>,
}

impl Notes {
    /// Notes why a place is not imported; no other loss is then noted there.
    pub(super) fn explain(&mut self, weight: Weight, why: impl Into<String>, place: &str) {
        self.explained.insert(place.to_owned());
        self.add(weight, why.into(), place);
    }

    /// Whether a place has such a note.
    pub(super) fn is_explained(&self, place: &str) -> bool {
        self.explained.contains(place)
    }

    pub(super) fn add(&mut self, weight: Weight, what: String, place: &str) {
        let index = *self.known.entry(what.clone()).or_insert(self.list.len());
        if index == self.list.len() {
            self.list.push(Note { weight, what, places: Vec::new(), seen: BTreeSet::new() });
        }
        let note = &mut self.list[index];
        if note.seen.insert(place.to_owned()) {
            note.places.push(place.to_owned());
        }
    }

    /// One line each, with all places below it or only the first.
    pub(super) fn lines(&self, all: bool) -> Vec<String> {
        let mut sorted: Vec<&Note> = self.list.iter().collect();
        sorted.sort_by_key(|note| note.weight);
        let lines = sorted.into_iter().map(|Note { what, places, .. }| match places.as_slice() {
            [place] => format!("{what} (at {place})"),
            places if all => format!("{what} ({} places)\n  {}", places.len(), places.join("\n  ")),
            [first, ..] => format!("{what} ({} places, first at {first})", places.len()),
            [] => what.clone(),
        });
        lines.collect()
    }
}
