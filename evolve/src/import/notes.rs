//! What could not be carried over: each thing once, with how often and where first.

use std::collections::HashSet;

/// A list in the order in which things were met.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

#[derive(Debug)]
struct Note {
    what: String,
    first: String,
    places: HashSet<String>,
}

impl Notes {
    /// Notes something at a place.
    pub(super) fn add(&mut self, what: impl Into<String>, place: &str) {
        let what = what.into();
        match self.0.iter_mut().find(|note| note.what == what) {
            Some(note) => {
                note.places.insert(place.to_owned());
            }
            None => self.0.push(Note { what, first: place.to_owned(), places: HashSet::from([place.to_owned()]) }),
        }
    }

    /// One line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|Note { what, first, places }| match places.len() {
            1 => format!("{what} (at {first})"),
            times => format!("{what} ({times} places, first at {first})"),
        })
    }
}
