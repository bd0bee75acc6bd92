//! The list of changes, where one change may name several places.

use super::Verdict;

/// Everything that downstream can notice, the weightiest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    list: Vec<Change>,
}

/// One change, in the names of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it asks of the next version.
    pub verdict: Verdict,
    /// The heading in a changelog; `None` if users need not read of it.
    pub heading: Option<Heading>,
    /// What changes, as the beginning of a sentence if places follow.
    pub text: String,
    /// Where it happens.
    pub places: Vec<String>,
    /// What downstream can do about it.
    pub remedy: Option<String>,
}

/// A heading of a changelog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// New.
    Added,
    /// Different from before.
    Changed,
    /// What is going to be removed.
    Deprecated,
    /// Gone.
    Removed,
    /// Corrected.
    Fixed,
}

impl Changes {
    /// All of them.
    pub fn as_slice(&self) -> &[Change] {
        &self.list
    }

    /// Whether downstream gets the same bytes as before.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What they ask of the next version together; `None` if there is none.
    pub fn verdict(&self) -> Option<Verdict> {
        self.list.iter().map(|change| change.verdict).max()
    }

    pub(super) fn add(&mut self, change: Change) {
        let same = |other: &&mut Change| {
            let key = |change: &Change| (change.verdict, change.heading);
            key(other) == key(&change) && other.text == change.text && other.remedy == change.remedy
        };
        match self.list.iter_mut().find(same) {
            Some(known) => {
                let new = change.places.into_iter().filter(|place| !known.places.contains(place));
                known.places.extend(new.collect::<Vec<_>>());
            }
            None => self.list.push(change),
        }
    }

    /// Only the docs or the registry differ.
    pub(super) fn docs(&mut self, place: String) {
        let text = "the docs or the registry say something else of".to_owned();
        self.add(Change { verdict: Verdict::Patch, heading: None, text, places: vec![place], remedy: None });
    }

    /// Only the order differs, or how the emitted constants are divided.
    pub(super) fn rearranged(&mut self) {
        let text = "the registry lists the same things in another order or form".to_owned();
        self.add(Change { verdict: Verdict::Patch, heading: None, text, places: Vec::new(), remedy: None });
    }

    /// Sorted by weight, otherwise in the order of the catalogue.
    pub(super) fn sorted(mut self) -> Self {
        self.list.sort_by_key(|change| std::cmp::Reverse(change.verdict));
        self
    }
}

impl Change {
    pub(super) fn major(heading: Heading, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Major, heading: Some(heading), text: text.into(), places: Vec::new(), remedy: None }
    }

    pub(super) fn minor(heading: Heading, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Minor, ..Self::major(heading, text) }
    }

    pub(super) fn patch(heading: Heading, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Patch, ..Self::major(heading, text) }
    }

    pub(super) fn on(mut self, place: impl Into<String>) -> Self {
        self.places.push(place.into());
        self
    }

    pub(super) fn instead(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}
