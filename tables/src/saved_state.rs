//! The state of a series in a target: the ranges that need not be requested again, the number of rows, and the first
//! and the last record.
//!
//! The state of a single file is in the metadata of the file, so that both are replaced together. In a data set, the
//! state is a hidden file in the folder of the series, which is written after the rows. If a run is killed in between,
//! the rows are requested again, which changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::series::SeriesRequest;
use crate::time_ranges::TimeRanges;

/// Metadata key of the state in a single file.
pub(crate) const KEY: &str = "backfill";

/// Name of the hidden file with the state in the folder of a series.
pub(crate) const FILE: &str = ".backfill.json";

/// The format version of single files and of data sets.
pub(crate) const VERSION: u64 = 2;

/// Numbers of rows by partition.
pub(crate) type Rows = BTreeMap<String, u64>;

/// The state of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeriesState {
    pub(crate) path: String,
    /// The time column.
    pub(crate) time: String,
    /// The interval between records, in seconds.
    pub(crate) step: u64,
    /// Ranges that need not be requested again. When they were fetched, they were older than the newest record by at
    /// least the refetch time.
    pub(crate) settled: TimeRanges,
    /// Ranges that a run planned to request, and that no run has fetched.
    #[serde(default)]
    pub(crate) unfetched: TimeRanges,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// Numbers of rows by partition; the partition of a single file has an empty name.
    pub(crate) rows: Rows,
    /// Number of rows that the last run replaced because the service had revised them.
    pub(crate) revised: u64,
    /// Checksums of the dropped records that were reported.
    pub(crate) dropped: BTreeSet<u32>,
}

impl SeriesState {
    pub(crate) fn new(series: &SeriesRequest) -> Self {
        let (path, time) = (series.path().to_owned(), series.time().to_owned());
        Self { path, time, step: series.step().as_secs(), ..Self::default() }
    }

    pub(crate) fn step(&self) -> Duration {
        Duration::from_secs(self.step)
    }

    pub(crate) fn all_rows(&self) -> u64 {
        self.rows.values().sum()
    }

    /// Returns the range between the first and the last record.
    pub(crate) fn known(&self) -> Known {
        Some(self.first?..self.last?)
    }

    /// Returns the number of missing records between the first and the last record.
    pub(crate) fn missing(&self) -> u64 {
        let (Some(first), Some(last)) = (self.first, self.last) else { return 0 };
        let steps = (last - first).as_nanos() / self.step().as_nanos().max(1) + 1;
        u64::try_from(steps).unwrap_or(u64::MAX).saturating_sub(self.all_rows())
    }

    /// Returns the unfetched ranges up to now that are before the first record or after the last record. Between these
    /// two records, missing records are visible as gaps.
    pub(crate) fn unfetched(&self) -> TimeRanges {
        let mut ranges = self.unfetched.until(Timestamp::now());
        self.known().iter().for_each(|known| ranges.remove(&(known.start..known.end + self.step())));
        ranges
    }

    /// Extends the range of records so that it includes these times.
    pub(crate) fn extend(&mut self, first: Timestamp, last: Timestamp) {
        self.first = Some(self.first.map_or(first, |known| known.min(first)));
        self.last = Some(self.last.map_or(last, |known| known.max(last)));
    }
}

/// The metadata of a single file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    pub(crate) version: u64,
    pub(crate) origin: String,
    /// The series, in the order in which their rows are in the file.
    pub(crate) series: Vec<SeriesState>,
}

/// Parses the state of a file or a data set, or returns the reason why this version cannot use it.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    #[derive(Deserialize)]
    struct Format {
        version: u64,
    }
    // The version is parsed first, because other versions have other fields.
    let Format { version } =
        serde_json::from_slice(text).map_err(|error| format!("its state is not readable: {error}"))?;
    if version != VERSION {
        let age = if version < VERSION { "an older" } else { "a newer" };
        return Err(format!("{age} version wrote it, in format {version}; this version reads format {VERSION}"));
    }
    serde_json::from_slice(text).map_err(|error| format!("its state is not readable: {error}"))
}

/// Writes a state as JSON.
pub(crate) fn to_json(state: &impl Serialize) -> String {
    serde_json::to_string(state).unwrap_or_default()
}

impl FileState {
    /// Returns the state of a series, and the number of rows in the file before the rows of the series.
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
        let time = Timestamp::from_unix_seconds;
        let series = SeriesState {
            path: "e/coin=B".to_owned(),
            time: "at".to_owned(),
            step: 60,
            settled: [time(0)..Timestamp::from_unix_seconds(60), time(120)..Timestamp::from_unix_seconds(180)]
                .into_iter()
                .collect(),
            unfetched: [time(240)..Timestamp::from_unix_seconds(300)].into_iter().collect(),
            first: Some(Timestamp::from_unix_seconds(0)),
            last: Some(Timestamp::from_unix_seconds(300)),
            rows: BTreeMap::from([("month=1970-01".to_owned(), 4)]),
            revised: 2,
            dropped: BTreeSet::from([7]),
        };
        assert_eq!((series.missing(), series.all_rows()), (2, 4));
        let state = FileState { version: VERSION, origin: "lab".to_owned(), series: vec![series.clone()] };
        let text = to_json(&state);
        assert_eq!(parse(text.as_bytes()), Ok(state.clone()));
        let expected = r#"{"version":2,"origin":"lab","series":[{"path":"e/coin=B","time":"at","step":60,"settled":[[0,60],[120,180]],"unfetched":[[240,300]],"first":0,"last":300,"rows":{"month=1970-01":4},"revised":2,"dropped":[7]}]}"#;
        assert_eq!(text, expected);
        assert_eq!(state.series("e/coin=B"), Some((0, &series)));
        for (other, expected) in [
            ("", "its state is not readable"),
            ("{}", "its state is not readable: missing field `version`"),
            (r#"{"version":1,"series":[]}"#, "an older version wrote it, in format 1; this version reads format 2"),
            (r#"{"version":3}"#, "a newer version wrote it, in format 3; this version reads format 2"),
            (r#"{"version":2,"origin":"lab","series":[{}]}"#, "its state is not readable: missing field `path`"),
        ] {
            let error = parse::<FileState>(other.as_bytes()).unwrap_err();
            assert!(error.starts_with(expected), "{other}: {error}");
        }
    }
}
