//! The sources of facts: their words in the catalogue, and their labels in the docs.

use crate::catalogue_format::words;

words! {
    /// Source of a fact, the most reliable first.
    Evidence {
        /// The API document.
        Documented = "documented",
        /// The provider's public documentation of this version.
        Published = "published",
        /// Public clients of the live API that agree.
        Reported = "reported",
        /// The provider's documentation of the previous API version.
        PreviousVersion = "previous_version",
    }
}

impl Evidence {
    /// Returns whether the client enforces the fact; other facts are documented only.
    pub fn is_enforced(self) -> bool {
        matches!(self, Self::Documented | Self::Published)
    }

    /// The label in the docs, also usable in a sentence such as "the path is documented".
    pub fn label(self) -> &'static str {
        match self {
            Self::PreviousVersion => "previous version",
            other => other.word(),
        }
    }
}
