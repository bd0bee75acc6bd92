//! The reason why an edit of a catalogue was rejected.

use std::fmt;

use catalogue::Diagnostics;

/// The reason why an edit was rejected.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The catalogue has errors before or after the edit.
    Catalogue(Diagnostics),
    /// Any other reason, as a message without a full stop.
    Message(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(diagnostics) => diagnostics.fmt(f),
            Self::Message(text) => f.write_str(text),
        }
    }
}

/// Converts a message without a full stop.
impl<T: Into<String>> From<T> for Refusal {
    fn from(text: T) -> Self {
        Self::Message(text.into())
    }
}
