//! The state of a series in a target: ranges that need not be requested again, its rows, its first and last record.
//!
//! The state of a single file is in the metadata of the file, so that both are replaced together. In a data set it is a
//! hidden file in the folder of the series, written after the rows: rows that are not in the state are requested again,
//! which changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use runtime::{Timestamp, Value};
use serde_json::{from_value, json};

use crate::series::SeriesRequest;
use crate::time_ranges::TimeRanges;

/// Metadata key of the state in a single file.
pub(crate) const KEY: &str = "backfill";

/// Name of the hidden file with the state in the folder of a series.
pub(crate) const FILE: &str = ".backfill.json";

const VERSION: u64 = 2;

/// Numbers of rows by partition.
pub(crate) type Rows = BTreeMap<String, u64>;

/// The state of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeriesState {
    pub(crate) path: String,
    /// The time column.
    pub(crate) time: String,
    pub(crate) step: Duration,
    /// Ranges that need no further request: when they were fetched, they were older than the refetch time, counted back
    /// from the newest record.
    pub(crate) settled: TimeRanges,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// Rows by partition; the partition of a single file has an empty name.
    pub(crate) rows: Rows,
    /// Number of rows that the last run replaced because the service had revised them.
    pub(crate) revised: u64,
    /// Checksums of the dropped records that were reported.
    pub(crate) dropped: BTreeSet<u32>,
}

impl SeriesState {
    pub(crate) fn new(series: &SeriesRequest) -> Self {
        let (path, time) = (series.path().to_owned(), series.time().name.to_owned());
        Self { path, time, step: series.step(), ..Self::default() }
    }

    pub(crate) fn all_rows(&self) -> u64 {
        self.rows.values().sum()
    }

    /// The range between the first and the last record.
    pub(crate) fn known(&self) -> Known {
        Some(self.first?..self.last?)
    }

    /// Returns the number of missing intervals between the first and the last record.
    pub(crate) fn holes(&self) -> u64 {
        let (Some(first), Some(last)) = (self.first, self.last) else { return 0 };
        let steps = (last - first).as_nanos() / self.step.as_nanos().max(1) + 1;
        u64::try_from(steps).unwrap_or(u64::MAX).saturating_sub(self.all_rows())
    }

    /// Extends the range of records by these times.
    pub(crate) fn extend(&mut self, first: Timestamp, last: Timestamp) {
        self.first = Some(self.first.map_or(first, |known| known.min(first)));
        self.last = Some(self.last.map_or(last, |known| known.max(last)));
    }

    pub(crate) fn to_json(&self) -> Value {
        let time = |time: Option<Timestamp>| time.map(Timestamp::unix_seconds);
        let settled = self.settled.ranges().iter();
        let settled: Vec<_> = settled.map(|range| [range.start, range.end].map(Timestamp::unix_seconds)).collect();
        json!({
            "path": self.path, "time": self.time, "step": self.step.as_secs(), "settled": settled,
            "first": time(self.first), "last": time(self.last), "rows": self.rows, "revised": self.revised,
            "dropped": self.dropped,
        })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let field = |name: &str| value.get(name).cloned().unwrap_or_default();
        let time = |name: &str| from_value::<Option<i64>>(field(name)).ok();
        let settled: Vec<(i64, i64)> = from_value(field("settled")).ok()?;
        Some(Self {
            path: from_value(field("path")).ok()?,
            time: from_value(field("time")).ok()?,
            step: Duration::from_secs(from_value(field("step")).ok()?),
            settled: settled.into_iter().map(|(start, end)| start.into()..end.into()).collect(),
            first: time("first")?.map(Timestamp::from),
            last: time("last")?.map(Timestamp::from),
            rows: from_value(field("rows")).ok()?,
            revised: from_value(field("revised")).ok()?,
            dropped: from_value(field("dropped")).ok()?,
        })
    }
}

/// The metadata of a single file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) origin: String,
    /// The series in the order of their rows.
    pub(crate) series: Vec<SeriesState>,
}

impl FileState {
    pub(crate) fn written(&self) -> String {
        let series: Vec<_> = self.series.iter().map(SeriesState::to_json).collect();
        json!({"version": VERSION, "origin": self.origin, "series": series}).to_string()
    }

    /// Parses the metadata; `None` if its format version is not supported.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let field = |name: &str| value.get(name).cloned().unwrap_or_default();
        if field("version") != VERSION {
            return None;
        }
        let series = value.get("series")?.as_array()?.iter().map(SeriesState::from_json).collect::<Option<_>>()?;
        Some(Self { origin: from_value(field("origin")).ok()?, series })
    }

    /// Returns a series, and the number of rows before its own.
    pub(crate) fn series(&self, path: &str) -> Option<(usize, &SeriesState)> {
        let index = self.series.iter().position(|series| series.path == path)?;
        let before = self.series.iter().take(index).map(SeriesState::all_rows).sum::<u64>();
        Some((usize::try_from(before).ok()?, self.series.get(index)?))
    }
}

/// The range between the first and the last record that existed when a run began.
pub(crate) type Known = Option<Range<Timestamp>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_round_trips() {
        let time = Timestamp::from;
        let series = SeriesState {
            path: "e/coin=B".to_owned(),
            time: "at".to_owned(),
            step: Duration::from_secs(60),
            settled: [time(0)..60.into(), time(120)..180.into()].into_iter().collect(),
            first: Some(0.into()),
            last: Some(300.into()),
            rows: BTreeMap::from([("month=1970-01".to_owned(), 4)]),
            revised: 2,
            dropped: BTreeSet::from([7]),
        };
        assert_eq!((series.holes(), series.all_rows()), (2, 4));
        let state = FileState { origin: "lab".to_owned(), series: vec![series.clone()] };
        assert_eq!(FileState::read(&state.written()), Some(state.clone()));
        assert_eq!(state.series("e/coin=B"), Some((0, &series)));
        for other in ["", "{}", r#"{"version":1,"series":[]}"#, r#"{"version":2,"series":[{}]}"#] {
            assert_eq!(FileState::read(other), None, "{other}");
        }
    }
}
