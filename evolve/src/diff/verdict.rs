//! Version bumps: patch, minor or major.

use std::fmt;

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
        f.write_str(match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}
