//! The sources of facts.

use std::fmt;

/// Source of a fact about the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// Described in the interface document.
    Documented,
    /// Described in the provider's public documentation of this version.
    Published,
    /// Used in the same way by several public clients that ran against the live service.
    Reported,
    /// Described by the provider for the previous version of the interface.
    PreviousVersion,
}

impl Evidence {
    /// Returns the label that the generated reference documentation uses. The label can be part of a sentence such as
    /// "the path is documented".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Published => "published",
            Self::Reported => "reported",
            Self::PreviousVersion => "previous version",
        }
    }

    /// Returns whether the client enforces a fact with this source. Other facts are only documentation: the client
    /// sends the request, and the service decides.
    pub const fn is_enforced(self) -> bool {
        matches!(self, Self::Documented | Self::Published)
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
