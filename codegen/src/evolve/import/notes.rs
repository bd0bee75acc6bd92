//! What could not be carried over: each thing once, with how often and where first.

/// A list in the order in which things were met.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

#[derive(Debug)]
struct Note {
    what: String,
    times: usize,
    first: String,
}

impl Notes {
    /// Notes something at a place.
    pub(super) fn add(&mut self, what: impl Into<String>, place: &str) {
        let what = what.into();
        match self.0.iter_mut().find(|note| note.what == what) {
            Some(note) => note.times += 1,
            None => self.0.push(Note { what, times: 1, first: place.to_owned() }),
        }
    }

    /// One line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|Note { what, times, first }| match times {
            1 => format!("{what} (at {first})"),
            _ => format!("{what} ({times} places, first at {first})"),
        })
    }
}
