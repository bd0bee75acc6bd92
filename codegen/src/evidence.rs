//! How a fact is known: the catalogue's word for it, and that of a sentence.

use serde::Deserialize;

/// How a fact is known, best first.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Evidence {
    /// The interface document says so.
    Document,
    /// The provider's public documentation says so.
    Published,
    /// Public clients agree.
    Reported,
    /// The provider's description of the former version of the interface says so.
    Former,
}

impl Evidence {
    /// The catalogue's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Published => "published",
            Self::Reported => "reported",
            Self::Former => "former",
        }
    }

    /// What a word of the catalogue stands for.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let all = [Self::Document, Self::Published, Self::Reported, Self::Former];
        all.into_iter().find(|evidence| evidence.word() == word)
    }

    /// Whether the client holds its users to it: what is only reported, or known of the former version, it leaves
    /// to the service.
    pub(crate) fn is_enforced(self) -> bool {
        self < Self::Reported
    }

    /// In a sentence: "the path is documented", "the fields are from the former version".
    pub(crate) fn told(self) -> &'static str {
        match self {
            Self::Document => "documented",
            Self::Former => "from the former version",
            other => other.word(),
        }
    }
}
