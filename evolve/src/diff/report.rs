//! Formats the changes as text: by verdict for a terminal, and under headings for a changelog.

use std::fmt;

use super::change_list::{Change, Changes, Heading};
use super::verdict::Verdict;

/// The maximum number of entries in the list of a change's locations. If there are more locations, the last entry is
/// the number of the remaining locations.
const MAX_LISTED: usize = 5;

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (verdict, meaning) in [
            (Verdict::Major, "major (breaks existing programs)"),
            (Verdict::Minor, "minor (adds public items)"),
            (Verdict::Patch, "patch (corrections and rewording)"),
        ] {
            let mut of_this = self.list.iter().filter(|change| change.verdict == verdict).peekable();
            if of_this.peek().is_some() {
                writeln!(f, "{meaning}:")?;
            }
            for change in of_this {
                writeln!(f, "  - {change}")?;
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
        use Heading::{Added, Changed, Deprecated, Fixed, Removed};
        let headings = [Added, Changed, Deprecated, Removed, Fixed];
        let sections: Vec<String> = headings.into_iter().filter_map(|heading| self.section(heading)).collect();
        if sections.is_empty() { String::new() } else { format!("## [Unreleased]\n\n{}", sections.join("\n")) }
    }

    fn section(&self, heading: Heading) -> Option<String> {
        let mut entries = String::new();
        for change in self.list.iter().filter(|change| change.heading == Some(heading)) {
            let breaking = if change.verdict == Verdict::Major { "**Breaking:** " } else { "" };
            // The text of an addition ends with a summary, which already ends with a full stop.
            let end = if change.text.ends_with('.') { "" } else { "." };
            entries += &format!("- {breaking}{change}{end}\n");
        }
        (!entries.is_empty()).then(|| format!("### {heading:?}\n\n{entries}"))
    }
}
