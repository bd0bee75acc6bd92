//! Version bumps (patch, minor or major), and the resulting versions.

use std::fmt;
use std::str::FromStr;

/// The version bump that a change requires, the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Existing programs work as before, and there are no new items.
    Patch,
    /// New items; existing programs work as before.
    Minor,
    /// A working program no longer compiles, no longer starts, or gets a new error.
    Major,
}

/// The next version that follows from a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The version number.
    pub next: String,
    /// The reason for the bump, if the verdict alone does not explain it.
    pub reason: Option<&'static str>,
}

impl Verdict {
    /// The label in reports and test cases: `patch`, `minor` or `major`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// The version after `version`, by Cargo's rules; `None` if `version` is invalid.
    ///
    /// Below 1.0.0, the first number that is not zero counts as the major version.
    pub fn after(self, version: &str) -> Option<Reading> {
        let release = version.split(['-', '+']).next()?;
        let numbers: Vec<u64> = release.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [major, minor, patch] = numbers[..] else { return None };
        let below_one =
            "below 1.0.0, a breaking change raises the minor version and any other change the patch version";
        let below_a_tenth = "below 0.1.0 every version may break";
        let (next, reason) = match (major, minor, self) {
            (0, 0, _) => ((0, 0, patch + 1), Some(below_a_tenth)),
            (0, _, Self::Major) => ((0, minor + 1, 0), Some(below_one)),
            (0, _, _) => ((0, minor, patch + 1), Some(below_one)),
            (_, _, Self::Major) => ((major + 1, 0, 0), None),
            (_, _, Self::Minor) => ((major, minor + 1, 0), None),
            (_, _, Self::Patch) => ((major, minor, patch + 1), None),
        };
        Some(Reading { next: format!("{}.{}.{}", next.0, next.1, next.2), reason })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Verdict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Patch, Self::Minor, Self::Major];
        let found = all.into_iter().find(|verdict| verdict.word() == text);
        found.ok_or_else(|| "a verdict is `patch`, `minor` or `major`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{self, Major, Minor, Patch};

    #[test]
    fn next_version_follows_cargo_semver() {
        for (version, verdict, expected) in [
            ("1.2.3", Patch, "1.2.4"),
            ("1.2.3", Minor, "1.3.0"),
            ("1.2.3", Major, "2.0.0"),
            ("0.1.0", Patch, "0.1.1"),
            ("0.1.5", Minor, "0.1.6"),
            ("0.1.5", Major, "0.2.0"),
            ("0.0.3", Minor, "0.0.4"),
            ("0.0.3", Major, "0.0.4"),
            ("1.0.0-rc.1", Minor, "1.1.0"),
        ] {
            let next = verdict.after(version).map(|reading| reading.next);
            assert_eq!(next.as_deref(), Some(expected), "{version} and a {verdict} change");
        }
    }

    #[test]
    fn invalid_version_has_no_next_version() {
        for text in ["", "1.0", "one.two.three", "1.2.3.4"] {
            assert_eq!(Patch.after(text), None, "{text}");
        }
    }

    #[test]
    fn verdict_round_trips() {
        for verdict in [Patch, Minor, Major] {
            assert_eq!(verdict.word().parse(), Ok(verdict));
        }
        assert!("breaking".parse::<Verdict>().is_err());
    }
}
