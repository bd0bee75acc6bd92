//! The unit that a point in time is counted in.

use serde::Deserialize;

/// The unit that a point in time is counted in, since 1970 began.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TimeUnit {
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    /// The unit by the catalogue's word.
    pub(crate) fn by_word(word: &str) -> Option<Self> {
        [Self::Seconds, Self::Milliseconds].into_iter().find(|unit| unit.word() == word)
    }

    /// The catalogue's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
        }
    }
}
