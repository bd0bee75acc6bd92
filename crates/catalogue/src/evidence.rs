//! The sources of facts, with their words in the catalogue and their labels in the docs.

use crate::catalogue_format::words;

words! {
    /// The source of a fact. The most reliable source is the first.
    Evidence {
        /// The API document.
        Documented = "documented",
        /// The provider's public documentation of this version.
        Published = "published",
        /// Several public clients of the live API, which agree with each other.
        Reported = "reported",
        /// The provider's documentation of the previous API version.
        PreviousVersion = "previous_version",
    }
}

impl Evidence {
    /// Returns `true` if the client enforces facts of this source. Other facts appear only in the docs.
    pub fn is_enforced(self) -> bool {
        matches!(self, Self::Documented | Self::Published)
    }

    /// Returns the label in the docs, which also fits into a sentence such as "the path is documented".
    pub fn label(self) -> &'static str {
        match self {
            Self::PreviousVersion => "previous version",
            other => other.word(),
        }
    }
}
