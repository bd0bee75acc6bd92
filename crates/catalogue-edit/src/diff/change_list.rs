//! The list of changes, and its text: by verdict for a terminal, and under headings for a changelog. One change may apply
//! to several items.

use std::fmt;

/// The maximum number of entries in the list of a change's locations. If there are more locations, the last entry is
/// the number of the remaining locations.
const MAX_LISTED: usize = 5;

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

    /// Returns the changes, the most severe first.
    pub fn as_slice(&self) -> &[Change] {
        &self.list
    }

    /// Adds a change. If a change with the same text is already listed, only the location is added to it.
    pub(super) fn add(&mut self, verdict: Verdict, heading: Option<Heading>, text: String, location: Option<&str>) {
        let location = location.map(|location| format!("`{location}`"));
        if let Some(known) = self.list.iter_mut().find(|known| known.text == text && !known.locations.is_empty()) {
            if let Some(location) = location
                && !known.locations.contains(&location)
            {
                known.locations.push(location);
            }
        } else {
            self.list.push(Change { verdict, heading, text, locations: location.into_iter().collect() });
        }
    }
}

/// The version bump that a change requires. The variants are in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Existing programs work as before, and there are no new items.
    Patch,
    /// There are new items. Existing programs work as before.
    Minor,
    /// A working program no longer compiles, no longer starts, or gets a new error.
    Major,
}

/// Writes the label in reports and test cases: `patch`, `minor` or `major`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (verdict, meaning) in [
            (Verdict::Major, "major (breaks existing programs)"),
            (Verdict::Minor, "minor (adds public items)"),
            (Verdict::Patch, "patch (corrections and rewording)"),
        ] {
            if self.list.iter().any(|change| change.verdict == verdict) {
                writeln!(f, "{meaning}:")?;
            }
            for change in &self.list {
                if change.verdict == verdict {
                    writeln!(f, "  - {change}")?;
                }
            }
        }
        match self.verdict() {
            None => writeln!(f, "no changes: the emitted files are equal"),
            Some(verdict) => writeln!(f, "\nverdict: {verdict}"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.locations.as_slice() {
            [] => Ok(()),
            [location] => write!(f, " in {location}"),
            [locations @ .., last] if locations.len() < MAX_LISTED => {
                write!(f, " in {} and {last}", locations.join(", "))
            }
            locations => {
                let (named, others) = locations.split_at(MAX_LISTED - 1);
                write!(f, " in {} and {} others", named.join(", "), others.len())
            }
        }
    }
}

impl Changes {
    /// Returns a changelog entry in Markdown, with the headings of keepachangelog.com. The entry is empty if no change
    /// affects users.
    pub fn changelog(&self) -> String {
        let mut sections = Vec::new();
        for heading in [Heading::Added, Heading::Changed, Heading::Deprecated, Heading::Removed, Heading::Fixed] {
            sections.extend(self.section(heading));
        }
        if sections.is_empty() { String::new() } else { format!("## [Unreleased]\n\n{}", sections.join("\n")) }
    }

    fn section(&self, heading: Heading) -> Option<String> {
        let mut entries = String::new();
        for change in &self.list {
            if change.heading != Some(heading) {
                continue;
            }
            let breaking = if change.verdict == Verdict::Major { "**Breaking:** " } else { "" };
            // The text of an addition ends with a summary, which already ends with a full stop.
            let end = if change.text.ends_with('.') { "" } else { "." };
            entries += &format!("- {breaking}{change}{end}\n");
        }
        if entries.is_empty() { None } else { Some(format!("### {heading:?}\n\n{entries}")) }
    }
}
