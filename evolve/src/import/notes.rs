//! What could not be carried over: each thing once, the weightiest first, with how often and where.

use std::collections::{BTreeSet, HashMap};

/// How much is lost, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Something is not there at all, or unknown.
    Missing,
    /// Something is there without its type.
    Untyped,
    /// A fact about something.
    Fact,
    /// A text, or what concerns no request.
    Aside,
}

/// Everything that was left out.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// In the order in which they were met.
    list: Vec<Note>,
    /// Indices by what is noted.
    known: HashMap<String, usize>,
}

#[derive(Debug)]
struct Note {
    weight: Weight,
    what: String,
    places: Vec<String>,
    seen: BTreeSet<String>,
}

/// Keys that say nothing of a request or a reply.
const ASIDE: &str = "\
    contact deprecated description example examples externalDocs license summary tags termsOfService title";

impl Notes {
    /// Notes something of which nothing is taken over.
    pub(super) fn missing(&mut self, what: impl Into<String>, place: &str) {
        self.note(Weight::Missing, what.into(), place);
    }

    /// Notes something whose type is not taken over.
    pub(super) fn untyped(&mut self, what: impl Into<String>, place: &str) {
        self.note(Weight::Untyped, what.into(), place);
    }

    /// Notes a fact that is not taken over.
    pub(super) fn add(&mut self, what: impl Into<String>, place: &str) {
        self.note(Weight::Fact, what.into(), place);
    }

    /// Notes a text that is not taken over, or what users decide.
    pub(super) fn aside(&mut self, what: impl Into<String>, place: &str) {
        self.note(Weight::Aside, what.into(), place);
    }

    /// Notes a key that nobody here understands.
    pub(super) fn key(&mut self, key: &str, place: &str) {
        let is_aside = key.starts_with("x-") || ASIDE.split(' ').any(|aside| aside == key);
        self.note(if is_aside { Weight::Aside } else { Weight::Fact }, format!("`{key}`"), place);
    }

    fn note(&mut self, weight: Weight, what: String, place: &str) {
        let index = *self.known.entry(what.clone()).or_insert(self.list.len());
        if index == self.list.len() {
            self.list.push(Note { weight, what, places: Vec::new(), seen: BTreeSet::new() });
        }
        let note = &mut self.list[index];
        if note.seen.insert(place.to_owned()) {
            note.places.push(place.to_owned());
        }
    }

    /// One line each; with all places below it, or only the first.
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
