//! The items that a follower delivers.

use std::time::Duration;

use super::page::Page;
use crate::error::Error;
use crate::values::Timestamp;

/// The next item of a [`Follow`](super::Follow).
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // Nearly all updates are pages.
pub enum Update<T> {
    /// Records in order of time, and gaps that are final. The page can also have no records, but only gaps or bad
    /// records.
    Records(Page<T>),
    /// Records that were published after a later record was delivered.
    Late(Page<T>),
    /// All requests have failed for at least the time that [`Follow::outage_after`](super::Follow::outage_after) sets:
    /// those of this follower, or those of other followers of the client while this one waits. The follower continues. If
    /// the error is a [long pause](Error::is_long_pause), this update is returned at once, and the follower continues after
    /// the pause.
    #[non_exhaustive]
    Outage {
        /// The time since the first failed request was sent, or since the last response if the response arrived later.
        elapsed: Duration,
        /// The last error.
        error: Error,
    },
    /// The service responds again after an outage that was returned as [`Update::Outage`]. Records may not be due yet.
    #[non_exhaustive]
    Recovered {
        /// The duration of the outage.
        elapsed: Duration,
    },
    /// The series has had no new records for the number of intervals that
    /// [`Follow::allowed_lateness`](super::Follow::allowed_lateness) sets. The follower continues.
    #[non_exhaustive]
    Silent {
        /// The end of the last interval with a record.
        since: Timestamp,
    },
}

impl<T> Update<T> {
    /// Returns the page of on-time or late records, if any.
    pub fn page(&self) -> Option<&Page<T>> {
        match self {
            Self::Records(page) | Self::Late(page) => Some(page),
            Self::Outage { .. } | Self::Recovered { .. } | Self::Silent { .. } => None,
        }
    }

    /// Returns the records, whether on time or late.
    pub fn records(&self) -> &[T] {
        match self.page() {
            Some(page) => &page.records,
            None => &[],
        }
    }
}
