//! What a state knows about the file with the earlier values of rows.

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

/// What a state knows about the file with the earlier values of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptRevisions {
    /// `true` if there must be such a file.
    pub(crate) has_file: bool,
    /// The time from which on all values that were replaced, and all rows that were lost, are known; `None` if they always
    /// were.
    pub(crate) since: Option<Timestamp>,
}
