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
    /// The catalogue's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
        }
    }
}
