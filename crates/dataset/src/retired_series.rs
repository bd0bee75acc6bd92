//! The series that a user has retired, as the metadata of a data file lists them, so that a state that is rebuilt from
//! the files has them too.

use std::collections::BTreeMap;

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::saved_state::{FileState, RowFacts, SeriesState, TableState};

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
    pub(crate) rows: RowFacts,
}

impl RetiredSeries {
    /// Returns the list that was written last.
    pub(crate) fn max_by_time(self, other: Self) -> Self {
        if self.at > other.at { self } else { other }
    }
}

impl TableState {
    /// Returns the facts of this table for the metadata of a data file.
    pub(crate) fn of_file(&self) -> FileState {
        let mut series = BTreeMap::new();
        for (path, state) in self.series.iter().filter(|(_, state)| state.retired.is_some()) {
            let rows = state.rows.emptied();
            series.insert(path.clone(), RetiredOne { since: state.retired, rows });
        }
        let retired = RetiredSeries { at: Some(Timestamp::now()), series };
        FileState { origin: self.origin.clone(), retired: Some(retired), ..FileState::default() }
    }

    /// Retires the series of a list.
    pub(crate) fn retire(&mut self, listed: RetiredSeries) {
        for (path, one) in listed.series {
            self.series.entry(path).or_insert_with(|| SeriesState::new(&one.rows)).retired = one.since;
        }
    }
}
