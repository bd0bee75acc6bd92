//! The state of a series: the ranges that need not be requested again, and the facts of its rows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use runtime::Timestamp;
use runtime::history::{Account, FirstRecordSearch};
use serde::{Deserialize, Serialize};

use crate::empty_ranges::EmptyRanges;
use crate::first_seen::FirstSeen;
use crate::row_facts::RowFacts;
use crate::time_ranges::TimeRanges;

/// The state of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeriesState {
    #[serde(flatten)]
    pub(crate) row_facts: RowFacts,
    /// Ranges that need not be requested again. When they were fetched, they were older than the newest record by at
    /// least the refetch time.
    pub(crate) settled: TimeRanges,
    /// Ranges that a run planned to request.
    pub(crate) requested: TimeRanges,
    /// Ranges that a run planned to request, and that no run has fetched.
    pub(crate) unfetched: TimeRanges,
    /// Ranges in which the service had no record.
    #[serde(default)]
    pub(crate) empty: EmptyRanges,
    /// Ranges that a search for the first record has skipped, and that no run has requested.
    #[serde(default, skip_serializing_if = "TimeRanges::is_empty")]
    pub(crate) skipped: TimeRanges,
    /// What became of the records of the last run, and of the steps that it has requested.
    #[serde(default)]
    pub(crate) account: SavedAccount,
    /// The number of rows of each file, by the start of its period; `None` if a version that did not count them has
    /// written the state.
    #[serde(default)]
    pub(crate) counts: Option<BTreeMap<Timestamp, u64>>,
    /// Number of rows that the last run replaced because the service had revised them.
    pub(crate) revised: u64,
    /// Intervals at the ends of responses without a readable record, for which records without a readable time were
    /// received. Between two records, they are gaps anyway.
    #[serde(default)]
    pub(crate) without_time: TimeRanges,
    /// Checksums of the records without a readable time that were reported.
    #[serde(rename = "dropped")]
    pub(crate) unreadable: BTreeSet<u32>,
    /// The last job file with this series, and the time of its last run with the series.
    pub(crate) job: Option<(String, Timestamp)>,
    /// The error with which the service has rejected the series in the last run.
    pub(crate) rejected: Option<String>,
    /// The values of its params that the endpoint does not support, as the last responses have reported them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) unsupported: BTreeSet<String>,
    /// Whether no field of any of its records has ever had a valid value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_no_value: bool,
    /// Whether a run has seen that the service ignores the requested range; until a range without records has some, or
    /// until a user acknowledges it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) ignores_range: bool,
    /// The time at which a user has retired the series, which no run requests any more.
    #[serde(default)]
    pub(crate) retired: Option<Timestamp>,
    /// The columns that have had a value, and the unknown fields of some records.
    #[serde(default, rename = "seen")]
    pub(crate) sent: BTreeSet<String>,
    /// The intervals of the rows that the last run replaced because the service had revised them.
    #[serde(default)]
    pub(crate) revised_times: TimeRanges,
    /// The first record, as runs have seen it that asked for earlier ones.
    #[serde(default)]
    pub(crate) first_seen: FirstSeen,
    /// The ranges that each run, by its start, has fetched. A merge in the middle of a run deletes the journal, which
    /// lists them, before newer records of the run settle them.
    #[serde(skip)]
    pub(crate) fetched_by_run: BTreeMap<Option<Timestamp>, TimeRanges>,
}

impl SeriesState {
    /// `true` if a range was not fetched that begins before the first record.
    pub(crate) fn lacks_first(&self) -> bool {
        let Some(unfetched) = self.unfetched().bounds() else { return false };
        match self.row_facts.first {
            Some(first) => unfetched.start < first,
            None => true,
        }
    }

    /// Creates the state of a series without rows, with the time column and the interval of these facts.
    pub(crate) fn new(row_facts: &RowFacts) -> Self {
        Self { row_facts: row_facts.emptied(), ..Self::default() }
    }

    pub(crate) fn row_count(&self) -> u64 {
        let Some(counts) = &self.counts else { return self.row_facts.present.steps(self.row_facts.interval) };
        let mut rows = 0_u64;
        for count in counts.values() {
            rows = rows.saturating_add(*count);
        }
        rows
    }

    /// The requested ranges without a record between the first and the last record, and those of records without
    /// a readable time.
    pub(crate) fn gaps(&self) -> TimeRanges {
        let mut gaps = self.row_facts.gaps().without(&self.unrequested());
        gaps.extend(&self.without_time.without(&self.row_facts.present));
        gaps
    }

    /// The ranges between the first and the last record that no run has requested.
    pub(crate) fn unrequested(&self) -> TimeRanges {
        let between = match self.row_facts.extent() {
            // Without a regular step, it is unknown where records are missing.
            Some(extent) if !self.row_facts.interval.has_steps() => TimeRanges::from(extent),
            _ => self.row_facts.gaps(),
        };
        between.without(&self.requested)
    }

    /// The ranges before the first record that a search for it has skipped, and that no run has requested.
    pub(crate) fn skipped(&self) -> TimeRanges {
        match self.row_facts.first {
            Some(first) => self.skipped.until(first),
            None => self.skipped.clone(),
        }
    }

    /// Notes which times a page has requested, and which its search for the first record has skipped.
    pub(crate) fn note_requested(&mut self, range: &Range<Timestamp>, searches: &[FirstRecordSearch]) {
        self.skipped = self.skipped.without(&range.clone().into());
        self.skipped.extend(&skipped_by(searches));
    }

    /// The unfetched ranges up to now that have no record. Without a regular step, a range can lack records also
    /// between two of them.
    pub(crate) fn unfetched(&self) -> TimeRanges {
        let unfetched = self.unfetched.until(Timestamp::now());
        if self.row_facts.interval.has_steps() { unfetched.without(&self.row_facts.present) } else { unfetched }
    }
}

/// The figures of an account, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedAccount(pub(crate) BTreeMap<String, u64>);

impl SavedAccount {
    pub(crate) fn new(account: &Account) -> Self {
        Self(account.figures().into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect())
    }
}

/// The parts of the searched ranges that the searches have not requested.
pub(crate) fn skipped_by(searches: &[FirstRecordSearch]) -> TimeRanges {
    let mut skipped = TimeRanges::default();
    for search in searches {
        let requested: TimeRanges = search.requested.iter().cloned().collect();
        skipped.extend(&requested.uncovered(search.range.clone()));
    }
    skipped
}

/// A series for the tests of states.
#[cfg(test)]
pub(crate) mod sample {
    use super::*;

    pub(crate) fn seconds(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    pub(crate) fn ranges(ranges: &[(i64, i64)]) -> TimeRanges {
        ranges.iter().map(|(from, to)| seconds(*from)..seconds(*to)).collect()
    }

    pub(crate) fn series() -> SeriesState {
        let row_facts = RowFacts {
            time: "at".to_owned(),
            interval: std::time::Duration::from_secs(60).into(),
            time_is_end: false,
            first: Some(seconds(0)),
            last: Some(seconds(300)),
            present: ranges(&[(0, 120), (240, 360)]),
            invalid: ranges(&[(60, 120)]),
            ..RowFacts::default()
        };
        SeriesState {
            row_facts,
            settled: ranges(&[(0, 200)]),
            unfetched: ranges(&[(400, 500)]),
            ..SeriesState::default()
        }
    }
}
