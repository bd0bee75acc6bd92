//! The list of changes. One change may apply to several items.

use super::Verdict;

/// All changes that affect users of the client, the most severe first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub(super) list: Vec<Change>,
}

/// One change, described with the names of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The version bump that the change requires.
    pub verdict: Verdict,
    /// The heading in a changelog; `None` if the change does not affect users.
    pub heading: Option<Heading>,
    /// The description of the change; the report appends `locations` to it.
    pub text: String,
    /// The items or files in which the change occurs.
    pub locations: Vec<String>,
}

/// A heading of a changelog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// New items.
    Added,
    /// Items that differ from before.
    Changed,
    /// Items that are going to be removed.
    Deprecated,
    /// Items that no longer exist.
    Removed,
    /// Items that were corrected.
    Fixed,
}

impl Changes {
    /// Returns `true` if there are no changes, which means that the emitted files are identical.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the most severe verdict of all changes; `None` if there are no changes.
    pub fn verdict(&self) -> Option<Verdict> {
        self.list.iter().map(|change| change.verdict).max()
    }

    /// Adds a change. If an equal change is already listed, only the new locations are added to the listed change.
    pub(super) fn add(&mut self, change: Change) {
        let essence = |change: &Change| (change.verdict, change.heading, change.text.clone());
        match self.list.iter_mut().find(|known| !known.locations.is_empty() && essence(known) == essence(&change)) {
            Some(known) => {
                let new = change.locations.into_iter().filter(|location| !known.locations.contains(location));
                known.locations.extend(new.collect::<Vec<_>>());
            }
            None => self.list.push(change),
        }
    }

    /// Sorts the changes by severity. Equally severe changes stay in the order of the catalogue.
    pub(super) fn sorted(mut self) -> Self {
        self.list.sort_by_key(|change| std::cmp::Reverse(change.verdict));
        self
    }
}

impl Change {
    pub(super) fn new(verdict: Verdict, heading: Heading, text: impl Into<String>) -> Self {
        Self { verdict, heading: Some(heading), text: text.into(), locations: Vec::new() }
    }

    pub(super) fn on(mut self, location: impl Into<String>) -> Self {
        self.locations.push(location.into());
        self
    }
}
