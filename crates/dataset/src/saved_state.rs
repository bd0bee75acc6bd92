//! The state of a table: for each series, the ranges that need not be requested again, and the facts of its rows.
//!
//! A data file lists the series in it with the facts of their rows, so the state of a table can be adapted to files
//! that were replaced or removed. A file of the journal also lists the ranges that were fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use runtime::Timestamp;
use runtime::history::{Account, interval_start};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::empty_ranges::EmptyRanges;
use crate::error::Error;
use crate::marks::{Marks, endpoint_of};
use crate::merge_rows::{Changes, invalid};
use crate::partition::Partition;
use crate::retired_series::RetiredSeries;
use crate::series::SeriesRequest;
use crate::time_ranges::TimeRanges;
use crate::timestamps::{microseconds, times, timestamp};
use crate::value_ranges::out_of_range;

/// The format version of files and states.
pub(crate) const VERSION: u64 = 6;

/// The oldest format that this version continues. Its files have no time at which a row was fetched.
pub(crate) const OLDEST: u64 = 5;

/// The facts of the rows of a series, in one file or in all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowFacts {
    /// The time column.
    pub(crate) time: String,
    /// The interval between records, in seconds.
    pub(crate) step: u64,
    /// Whether the time of a record is the end of its interval; otherwise, it is the start.
    pub(crate) time_is_end: bool,
    /// The columns that identify a row in addition to its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) key: Vec<String>,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// The intervals with a row.
    pub(crate) present: TimeRanges,
    /// The intervals with a row that has an invalid value.
    pub(crate) invalid: TimeRanges,
    /// The intervals with a row that has a value outside of the range in the catalogue. Files of format 5 list none.
    #[serde(default)]
    pub(crate) out_of_range: TimeRanges,
}

impl RowFacts {
    pub(crate) fn new(series: &SeriesRequest) -> Self {
        Self {
            time: series.time().to_owned(),
            step: series.step().as_secs(),
            time_is_end: series.time_is_end,
            key: series.key(),
            ..Self::default()
        }
    }

    /// Returns the facts of no rows, with the same time column, interval and key.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            time: self.time.clone(),
            step: self.step,
            time_is_end: self.time_is_end,
            key: self.key.clone(),
            ..Self::default()
        }
    }

    pub(crate) fn step(&self) -> Duration {
        Duration::from_secs(self.step)
    }

    /// Returns the end of the interval of the last record.
    pub(crate) fn end(&self) -> Option<Timestamp> {
        self.last.map(|last| if self.time_is_end { last } else { last + self.step() })
    }

    /// Adds the facts of rows; `schema` has all columns of the file.
    pub(crate) fn add(&mut self, rows: &RecordBatch, schema: &Schema) -> Result<(), Error> {
        let step = self.step();
        let all = times(rows, &self.time)?;
        self.present.extend(&intervals(all, self.step));
        for (time, is_invalid) in all.iter().zip(invalid(rows, schema)) {
            if is_invalid {
                let start = interval_start(timestamp(*time), step);
                self.invalid.add(start..start + step);
            }
        }
        let first = all.iter().min().map(|time| timestamp(*time));
        let last = all.iter().max().map(|time| timestamp(*time));
        self.extend(first, last);
        for row in out_of_range(rows) {
            if let Some(time) = all.get(row) {
                let start = interval_start(timestamp(*time), step);
                self.out_of_range.add(start..start + step);
            }
        }
        Ok(())
    }

    /// Adds the facts of other rows.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.present.extend(&other.present);
        self.invalid.extend(&other.invalid);
        self.out_of_range.extend(&other.out_of_range);
        self.extend(other.first, other.last);
    }

    fn extend(&mut self, first: Option<Timestamp>, last: Option<Timestamp>) {
        self.first = self.first.into_iter().chain(first).min();
        self.last = self.last.max(last);
    }

    /// Removes the facts of the rows in a range.
    pub(crate) fn remove(&mut self, range: &Range<Timestamp>) {
        let removed = range.clone().into();
        self.present = self.present.without(&removed);
        self.invalid = self.invalid.without(&removed);
        self.out_of_range = self.out_of_range.without(&removed);
        let (left, step) = (self.present.bounds(), self.step());
        let is_left = |time: &Timestamp| !range.contains(time);
        self.first = self.first.filter(is_left).or(left.as_ref().map(|left| left.start));
        self.last = self.last.filter(is_left).or(left.map(|left| left.end - step));
    }

    /// Returns the range between the first and the last record.
    pub(crate) fn known(&self) -> Known {
        Some(self.first?..self.last?)
    }

    /// Returns the ranges without a record between the first and the last record.
    pub(crate) fn gaps(&self) -> TimeRanges {
        self.present.bounds().map(|bounds| self.present.uncovered(bounds)).unwrap_or_default()
    }
}

/// Returns the intervals that contain times in microseconds. `step` is the length of an interval in seconds.
///
/// Intervals that follow each other are joined before they are added to the ranges, because most rows of a page do, and
/// adding a range for each row takes longer than writing the row.
fn intervals(times: &[i64], step: u64) -> TimeRanges {
    let step = i64::try_from(step).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    let mut all = TimeRanges::default();
    if step == 0 {
        return all;
    }
    // The intervals of weeks do not begin at a multiple of their length.
    let length = Duration::from_micros(step.unsigned_abs());
    let offset = microseconds(interval_start(timestamp(step), length)).unwrap_or_default().rem_euclid(step);
    let mut current: Option<Range<i64>> = None;
    for time in times {
        let start = (time - offset).div_euclid(step).saturating_mul(step) + offset;
        let end = start.saturating_add(step);
        match &mut current {
            Some(run) if (run.start..=run.end).contains(&start) => run.end = run.end.max(end),
            _ => {
                add_run(&mut all, current.replace(start..end));
            }
        }
    }
    add_run(&mut all, current);
    all
}

/// Adds a range in microseconds, if there is one.
fn add_run(all: &mut TimeRanges, run: Option<Range<i64>>) {
    if let Some(run) = run {
        all.add(timestamp(run.start)..timestamp(run.end));
    }
}

/// The range between the first and the last record that existed when a run began.
pub(crate) type Known = Option<Range<Timestamp>>;

/// The state of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeriesState {
    #[serde(flatten)]
    pub(crate) rows: RowFacts,
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
    /// What became of the records of the last run, and of the steps that it has requested.
    #[serde(default)]
    pub(crate) account: SavedAccount,
    /// The number of rows of each file, by the start of its period; `None` if a version that did not count them has
    /// written the state.
    #[serde(default)]
    pub(crate) counts: Option<BTreeMap<Timestamp, u64>>,
    /// Number of rows that the last run replaced because the service had revised them.
    pub(crate) revised: u64,
    /// Checksums of the records without a readable time that were reported.
    #[serde(rename = "dropped")]
    pub(crate) unreadable: BTreeSet<u32>,
    /// The last job file with this series, and the time of its last run with the series.
    pub(crate) job: Option<(String, Timestamp)>,
    /// The error with which the service has rejected the series in the last run.
    pub(crate) rejected: Option<String>,
    /// The time at which a user has retired the series, which no run requests any more.
    #[serde(default)]
    pub(crate) retired: Option<Timestamp>,
    /// The columns that have had a value, and the unknown fields of some records.
    #[serde(default)]
    pub(crate) seen: BTreeSet<String>,
    /// The intervals of the rows that the last run replaced because the service had revised them.
    #[serde(default)]
    pub(crate) revised_times: TimeRanges,
    /// The ranges that each run, by its start, has fetched. A merge in the middle of a run deletes the journal, which
    /// lists them, before newer records of the run settle them.
    #[serde(skip)]
    pub(crate) fetched_by_run: BTreeMap<Option<Timestamp>, TimeRanges>,
}

impl SeriesState {
    /// Creates the state of a series without rows, with the time column and the interval of these facts.
    pub(crate) fn new(rows: &RowFacts) -> Self {
        Self { rows: rows.emptied(), ..Self::default() }
    }

    /// Returns the number of rows.
    pub(crate) fn row_count(&self) -> u64 {
        let intervals = self.rows.present.steps(self.rows.step());
        self.counts.as_ref().map_or(intervals, |counts| counts.values().sum())
    }

    /// Returns the requested ranges without a record between the first and the last record.
    pub(crate) fn gaps(&self) -> TimeRanges {
        self.rows.gaps().without(&self.unrequested())
    }

    /// Returns the ranges between the first and the last record that no run has requested.
    pub(crate) fn unrequested(&self) -> TimeRanges {
        self.rows.gaps().without(&self.requested)
    }

    /// Returns the unfetched ranges up to now that have no record.
    pub(crate) fn unfetched(&self) -> TimeRanges {
        self.unfetched.until(Timestamp::now()).without(&self.rows.present)
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

/// Rows of a series in a row group. The rows of all sections of a file are one after the other. A series with rows in
/// several row groups has a section in each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Section {
    pub(crate) path: String,
    /// The row group.
    pub(crate) group: usize,
    /// Number of rows before it in the row group.
    pub(crate) skip: usize,
    /// Number of rows.
    pub(crate) count: usize,
    #[serde(flatten)]
    pub(crate) rows: RowFacts,
    /// The ranges that a run has fetched; only in the journal.
    pub(crate) fetched: TimeRanges,
    /// What the merge that has written the file has changed, if the series had new rows; in its last section.
    #[serde(skip)]
    pub(crate) changes: Option<Changes>,
}

impl Section {
    /// Returns the endpoint of the series.
    pub(crate) fn endpoint(&self) -> String {
        endpoint_of(&self.path)
    }

    /// Returns a section without rows of the same series.
    pub(crate) fn emptied(&self) -> Self {
        Self { path: self.path.clone(), rows: self.rows.emptied(), ..Self::default() }
    }
}

/// The metadata of a file: its sections, and the state of its table if there is no other file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    pub(crate) version: u64,
    pub(crate) origin: String,
    /// The run that has fetched the rows; only in the journal.
    pub(crate) run: Option<RunFacts>,
    /// The columns; `None` in files of format 5.
    #[serde(default)]
    pub(crate) columns: Option<SchemaRef>,
    /// The checksum of each row group.
    pub(crate) checksums: Vec<String>,
    pub(crate) sections: Vec<Section>,
    /// The retired series of the table; `None` in the journal, and in files of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retired: Option<RetiredSeries>,
    pub(crate) table: Option<TableState>,
}

impl FileState {
    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.sections.iter().map(|section| section.count as u64).sum()
    }
}

/// The facts of a file of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunFacts {
    /// The start of the run that has fetched the rows, and its refetch time.
    pub(crate) started: Timestamp,
    pub(crate) refetch: Duration,
    /// The time at which the file was written.
    pub(crate) written: Timestamp,
    /// The period of a data file of the table. Each section of the journal has rows of one period.
    pub(crate) partition: Option<Partition>,
    /// The time that the service had reached when the run began: what ends earlier than this by the refetch time is
    /// settled. `None` if it is unknown.
    #[serde(default)]
    pub(crate) reached: Option<Timestamp>,
}

/// The state of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableState {
    pub(crate) version: u64,
    pub(crate) origin: String,
    /// The period of a file; `None` if there is only one file.
    pub(crate) partition: Option<Partition>,
    /// The columns of the files; `None` before the first file.
    pub(crate) columns: Option<SchemaRef>,
    /// The version of each file, by path. After a merge has found damage in a file, its version is empty.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) series: BTreeMap<String, SeriesState>,
    /// The checksum of the text file that is written from the table.
    pub(crate) text: Option<String>,
    /// The mean duration of a request in the last run.
    pub(crate) latency: Option<Duration>,
    /// What a user should know until the user acknowledges it.
    #[serde(default)]
    pub(crate) marks: Marks,
}

impl TableState {
    /// Replaces the facts of the rows in a range by those of a file's sections, and counts the revised rows. Rows that
    /// are no longer present need to be requested again.
    pub(crate) fn replace(&mut self, range: &Range<Timestamp>, sections: &[Section]) {
        let known: Vec<_> =
            self.series.iter().map(|(path, series)| (path.clone(), series.rows.present.clone())).collect();
        self.series.values_mut().for_each(|series| series.rows.remove(range));
        for Section { path, rows, changes, .. } in sections {
            let series = self.series.entry(path.clone()).or_insert_with(|| SeriesState::new(rows));
            series.rows.add_all(rows);
            let Some(changes) = changes else { continue };
            series.revised += changes.revised;
            series.revised_times.extend(&changes.revised_times);
            series.seen.extend(changes.sent());
        }
        for (path, series) in &mut self.series {
            let of_series = sections.iter().filter(|section| section.path == *path);
            let count = of_series.map(|section| section.count as u64).sum();
            // The rows of a state without counts are counted when all files are written again.
            let is_new = series.rows.present.within(range) == series.rows.present;
            if is_new {
                series.counts.get_or_insert_default();
            }
            if let Some(counts) = &mut series.counts {
                counts.insert(range.start, count);
            }
        }
        for (path, known) in known {
            let Some(series) = self.series.get_mut(&path) else { continue };
            series.settled = series.settled.without(&known.without(&series.rows.present));
        }
        self.marks.note_present(&self.series);
    }
}

/// The reason why this version cannot use a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// The text is not a state.
    Unreadable(String),
    /// Another version has written the state.
    Version(String),
}

/// Parses a state.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Unusable> {
    #[derive(Deserialize)]
    struct Format {
        version: u64,
    }
    let unreadable = |error: serde_json::Error| Unusable::Unreadable(format!("its state is not readable: {error}"));
    // The version is parsed first, because other versions have other fields.
    let Format { version } = serde_json::from_str(text).map_err(unreadable)?;
    if !(OLDEST..=VERSION).contains(&version) {
        let age = if version < OLDEST { "an older" } else { "a newer" };
        let formats =
            format!("{age} version wrote it, in format {version}; this version reads the formats {OLDEST} and");
        return Err(Unusable::Version(format!("{formats} {VERSION}")));
    }
    serde_json::from_str(text).map_err(unreadable)
}

/// Parses a file with a state. Its second line is the checksum of the first line, except in format 5.
pub(crate) fn parse_file(text: &str) -> Result<TableState, Unusable> {
    let (json, sum) = text.split_once('\n').unwrap_or((text, ""));
    // Another version may have another checksum.
    let state = match parse::<TableState>(json) {
        Err(other @ Unusable::Version(_)) => return Err(other),
        state => state,
    };
    if !sum.is_empty() && sum.trim_end() != checksum(json) {
        return Err(Unusable::Unreadable("its state does not match its checksum".to_owned()));
    }
    let state = state?;
    if state.version > OLDEST && sum.is_empty() {
        return Err(Unusable::Unreadable("the checksum of its state is missing".to_owned()));
    }
    Ok(state)
}

/// Writes a state as a file.
pub(crate) fn to_file(state: &TableState) -> String {
    let json = to_json(state);
    format!("{json}\n{}\n", checksum(&json))
}

/// Returns the checksum of a state as a JSON string, so that the file is a sequence of JSON values.
fn checksum(json: &str) -> String {
    format!("\"crc32:{:08x}\"", crc32fast::hash(json.as_bytes()))
}

/// Writes a state as JSON.
pub(crate) fn to_json(state: &impl Serialize) -> String {
    serde_json::to_string(state).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field};

    use super::*;
    use crate::series_columns::identifying;

    fn seconds(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn ranges(ranges: &[(i64, i64)]) -> TimeRanges {
        ranges.iter().map(|(from, to)| seconds(*from)..seconds(*to)).collect()
    }

    fn series() -> SeriesState {
        let (first, last) = (Some(seconds(0)), Some(seconds(300)));
        let present = ranges(&[(0, 120), (240, 360)]);
        let invalid = ranges(&[(60, 120)]);
        let rows = RowFacts {
            time: "at".to_owned(),
            step: 60,
            time_is_end: false,
            first,
            last,
            present,
            invalid,
            ..RowFacts::default()
        };
        SeriesState { rows, settled: ranges(&[(0, 200)]), unfetched: ranges(&[(400, 500)]), ..SeriesState::default() }
    }

    #[test]
    fn state_round_trips() {
        let mut state = TableState { version: VERSION, origin: "lab".to_owned(), ..TableState::default() };
        state.series.insert("e/site=B".to_owned(), series());
        let time = DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, Some("UTC".into()));
        let fields = [time, DataType::Int64, DataType::Float64, DataType::Utf8, DataType::Boolean];
        let fields = fields.into_iter().map(|ty| Field::new(ty.to_string(), ty, true));
        state.columns = Some(Schema::new(fields.chain([identifying("site")]).collect::<Vec<_>>()).into());
        let text = to_json(&state);
        assert_eq!(parse(&text), Ok(state));
        let expected = r#""series":{"e/site=B":{"time":"at","step":60,"time_is_end":false,"first":0,"last":300,"present":[[0,120],[240,360]],"invalid":[[60,120]],"out_of_range":[],"settled":[[0,200]],"requested":[],"unfetched":[[400,500]],"#;
        assert!(text.contains(expected), "{text}");
        for (other, expected) in [
            ("", "its state is not readable"),
            ("{}", "its state is not readable: missing field `version`"),
            (
                r#"{"version":4,"series":[]}"#,
                "an older version wrote it, in format 4; this version reads the formats 5 and 6",
            ),
            (r#"{"version":7}"#, "a newer version wrote it, in format 7; this version reads the formats 5 and 6"),
            (r#"{"version":5,"origin":"lab"}"#, "its state is not readable: missing field `files`"),
        ] {
            let (Unusable::Unreadable(error) | Unusable::Version(error)) = parse::<TableState>(other).unwrap_err();
            assert!(error.starts_with(expected), "{other}: {error}");
        }
    }

    #[test]
    fn rows_that_are_no_longer_in_a_file_are_not_settled() {
        let path = "e/site=B".to_owned();
        let mut state = TableState::default();
        state.series.insert(path.clone(), series());
        let rows = RowFacts { last: Some(seconds(0)), present: ranges(&[(0, 60)]), ..series().rows };
        let section = Section { path: path.clone(), rows, ..Section::default() };
        state.replace(&(seconds(0)..seconds(120)), &[section]);
        let found = &state.series[&path];
        assert_eq!(
            (found.rows.present.clone(), found.settled.clone()),
            (ranges(&[(0, 60), (240, 360)]), ranges(&[(0, 60), (120, 200)]))
        );
        state.replace(&(seconds(240)..seconds(400)), &[]);
        let found = &state.series[&path].rows;
        assert_eq!((found.known(), found.gaps()), (Some(seconds(0)..seconds(0)), TimeRanges::default()));
    }
}
