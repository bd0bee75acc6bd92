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
    /// Returns the most severe verdict of all changes; `None` if there are no changes.
    pub fn verdict(&self) -> Option<Verdict> {
        self.list.iter().map(|change| change.verdict).max()
    }

    /// Adds a change. If a change with the same text is already listed, only the location is added to it.
    pub(super) fn add(
        &mut self,
        verdict: Verdict,
        heading: impl Into<Option<Heading>>,
        text: String,
        location: Option<&str>,
    ) {
        let location = location.map(|location| format!("`{location}`"));
        if let Some(known) = self.list.iter_mut().find(|known| known.text == text && !known.locations.is_empty()) {
            let new = location.filter(|location| !known.locations.contains(location));
            known.locations.extend(new);
        } else {
            let (heading, locations) = (heading.into(), location.into_iter().collect());
            self.list.push(Change { verdict, heading, text, locations });
        }
    }
}
