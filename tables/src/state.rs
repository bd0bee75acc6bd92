//! The state of a series in a target: ranges that need not be requested again, its rows, its first and last record.
//!
//! The state of a single file is in the metadata of the file, so that both are replaced as one. In a data set it is a
//! hidden file in the folder of the series, written after the rows: rows that are not in the state are requested again,
//! which changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use runtime::{Timestamp, Value};
use serde_json::json;

use crate::coverage::Coverage;
use crate::series::SeriesRequest;

/// The metadata key of a single file.
pub(crate) const KEY: &str = "backfill";

/// The hidden file in the folder of a series.
pub(crate) const FILE: &str = ".backfill.json";

const VERSION: u64 = 2;

/// The state of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeriesState {
    pub(crate) path: String,
    /// The time column.
    pub(crate) time: String,
    pub(crate) step: Duration,
    /// Ranges that were requested when they were older than the refetch time, counted back from the newest record.
    pub(crate) settled: Coverage,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// Rows by partition; the partition of a single file has an empty name.
    pub(crate) rows: BTreeMap<String, u64>,
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

    /// Missing intervals between the first and the last record.
    pub(crate) fn holes(&self) -> u64 {
        let (Some(first), Some(last)) = (self.first, self.last) else { return 0 };
        let steps = (last - first).as_nanos() / self.step.as_nanos().max(1) + 1;
        u64::try_from(steps).unwrap_or(u64::MAX).saturating_sub(self.all_rows())
    }

    /// Adds rows with these times.
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

    /// Reads that; the first version had one count of rows, and no first and last record.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
        let range = |range: &Value| {
            let time = |index: usize| range.get(index)?.as_i64().map(Timestamp::from_unix_seconds);
            Some(time(0)?..time(1)?)
        };
        let ranges = value.get("settled").or(value.get("covered"))?.as_array()?;
        let rows = match value.get("rows")? {
            Value::Object(rows) => rows.iter().map(|(name, rows)| Some((name.clone(), rows.as_u64()?))).collect(),
            rows => Some(BTreeMap::from([(String::new(), rows.as_u64()?)])),
        };
        let time = |name: &str| value.get(name)?.as_i64().map(Timestamp::from_unix_seconds);
        let dropped = value.get("dropped").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            path: text("path")?,
            time: text("time")?,
            step: Duration::from_secs(value.get("step").and_then(Value::as_u64).unwrap_or_default()),
            settled: ranges.iter().map(range).collect::<Option<_>>()?,
            first: time("first"),
            last: time("last"),
            rows: rows?,
            revised: value.get("revised").and_then(Value::as_u64).unwrap_or_default(),
            dropped: dropped.filter_map(|sum| u32::try_from(sum.as_u64()?).ok()).collect(),
        })
    }
}

/// The metadata of a single file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) origin: Option<String>,
    /// The columns that identify the series of a row.
    pub(crate) names: Vec<String>,
    /// In the order of their rows.
    pub(crate) series: Vec<SeriesState>,
}

impl FileState {
    pub(crate) fn written(&self) -> String {
        let series: Vec<_> = self.series.iter().map(SeriesState::to_json).collect();
        json!({"version": VERSION, "origin": self.origin, "names": self.names, "series": series}).to_string()
    }

    /// Reads that text; `None` if an unknown version wrote it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        if !(1..=VERSION).contains(&value.get("version")?.as_u64()?) {
            return None;
        }
        let series = value.get("series")?.as_array()?.iter().map(SeriesState::from_json).collect::<Option<_>>()?;
        let names = value.get("names").and_then(Value::as_array).into_iter().flatten();
        let names = names.map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        let origin = value.get("origin").and_then(Value::as_str).map(str::to_owned);
        Some(Self { origin, names, series })
    }

    /// A series, and the number of rows before its own.
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
    fn a_state_is_read_as_it_was_written() {
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
        let state =
            FileState { origin: Some("lab".to_owned()), names: vec!["coin".to_owned()], series: vec![series.clone()] };
        assert_eq!(FileState::read(&state.written()), Some(state.clone()));
        assert_eq!(state.series("e/coin=B"), Some((0, &series)));
        for other in ["", "{}", r#"{"version":3,"names":[],"series":[]}"#, r#"{"version":1,"series":[{}]}"#] {
            assert_eq!(FileState::read(other), None, "{other}");
        }
    }

    #[test]
    fn the_first_version_is_read() {
        let text = r#"{"version":1,"series":[{"path":"e/coin=B","time":"at","rows":7,"covered":[[0,60]]}]}"#;
        let state = FileState::read(text).unwrap();
        let (_, series) = state.series("e/coin=B").unwrap();
        assert_eq!((series.all_rows(), series.last, state.origin.as_deref()), (7, None, None));
        assert_eq!(series.settled.ranges(), [Timestamp::from(0)..60.into()]);
    }
}
