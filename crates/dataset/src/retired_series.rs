//! The series that a user has retired, as the metadata of a data file lists them, so that a state that is rebuilt from
//! the files has them too.

use std::collections::BTreeMap;

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::row_facts::RowFacts;

/// The retired series of a table at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RetiredSeries {
    /// The time at which the file was written.
    pub(crate) at: Option<Timestamp>,
    pub(crate) series: BTreeMap<String, RetiredOne>,
}

/// A retired series, which may have no rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RetiredOne {
    pub(crate) since: Option<Timestamp>,
    #[serde(flatten)]
    pub(crate) row_facts: RowFacts,
}

impl RetiredSeries {
    /// The list that was written last.
    pub(crate) fn max_by_time(self, other: Self) -> Self {
        if self.at > other.at { self } else { other }
    }
}
