//! How a fact is known: the catalogue's word for it, and that of a sentence.

use serde::Deserialize;

/// How a fact is known, best first.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The interface document says so.
    Document,
    /// The provider's public documentation says so.
    Published,
    /// Public clients agree.
    Reported,
}

impl Evidence {
    /// The catalogue's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Published => "published",
            Self::Reported => "reported",
        }
    }

    /// What a word of the catalogue stands for.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Document, Self::Published, Self::Reported].into_iter().find(|evidence| evidence.word() == word)
    }

    /// Whether the client holds its users to it: what is only reported it leaves to the service.
    pub fn is_enforced(self) -> bool {
        self != Self::Reported
    }

    /// In a sentence: "the path is documented".
    pub fn told(self) -> &'static str {
        match self {
            Self::Document => "documented",
            other => other.word(),
        }
    }
}
