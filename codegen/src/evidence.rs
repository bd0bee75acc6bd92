//! How a fact is known: the catalogue's word for it, and that of a sentence.

use crate::format::words;

words! {
    /// How a fact is known, best first.
    Evidence {
        /// The interface document says so.
        Document = "document",
        /// The provider's public documentation says so.
        Published = "published",
        /// Public clients agree.
        Reported = "reported",
        /// The provider's description of the former version of the interface does.
        Former = "former",
    }
}

impl Evidence {
    /// Whether the client holds its users to it: what is reported or former it leaves to the service.
    pub fn is_enforced(self) -> bool {
        matches!(self, Self::Document | Self::Published)
    }

    /// In a sentence: "the path is documented".
    pub fn told(self) -> &'static str {
        match self {
            Self::Document => "documented",
            other => other.word(),
        }
    }
}
