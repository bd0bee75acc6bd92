//! The state of a file or a data set, read without any request.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use runtime::{Interval, Timestamp};

use crate::error::{Error, quoted};
use crate::field_marks::FieldReports;
use crate::lock::RunOwner;
use crate::lost_rows::{self, LostRows};
use crate::missing_fields::MissingField;
use crate::partition::ALWAYS;
use crate::revisions;
use crate::row_facts::RowFacts;
use crate::series::{endpoint_of, read_param};
use crate::series_state::SeriesState;
use crate::stored_tables::{StoredTable, StoredTables};
use crate::table::{StateWithJournal, Table};
use crate::target::Target;
use crate::text_file::TextState;
use crate::time_ranges::TimeRanges;
use crate::unsent_fields::UnsentField;

/// The state of a target, returned by [`status`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// The states of all series, by path.
    pub series: Vec<SeriesStatus>,
    /// Damaged, changed and missing files. Each message names the file, the damage and the repair.
    pub damaged: Vec<String>,
    /// The number of these files that are missing.
    pub missing_files: u64,
    /// Parquet files among the data files that are not part of the data set, each with a message. They are not read.
    pub strays: Vec<String>,
    /// Tables whose state is missing, each with the start of the names of its files. [`adopt`](crate::adopt()) rebuilds
    /// the states.
    pub without_state: Vec<String>,
    /// Fields that the service no longer sends, and that no user has [acknowledged](crate::acknowledge).
    pub missing_fields: Vec<MissingField>,
    /// Fields of the catalogue that no record has ever had, although the records have unknown fields, and that no user has
    /// [acknowledged](crate::acknowledge).
    pub unsent_fields: Vec<UnsentField>,
    /// Lost rows of damaged and missing files that no user has [acknowledged](crate::acknowledge).
    pub lost_rows: Vec<LostRows>,
    /// Number of records that a run has fetched but not written to the files yet. Either the run is still in progress,
    /// or it was stopped and the next run writes them.
    pub pending: u64,
    /// The time at which the first of these records were fetched.
    pub pending_since: Option<Timestamp>,
    /// The process of a run that is in progress; `None` in object storage. The run may have other series.
    pub running: Option<RunOwner>,
}

/// The state of one series in a target.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a separate fact.
pub struct SeriesStatus {
    /// The endpoint and its params, such as `weather.levels/site=dover/interval=1h`.
    pub path: String,
    /// The intervals of the records; [`Interval::EVENTS`] if they have no regular step. The ends of such a series are
    /// judged, its gaps are not, because nobody knows when a record is due.
    pub interval: Interval,
    /// The files with rows of the series.
    pub files: Vec<String>,
    /// Number of rows.
    pub rows: u64,
    /// The time of the first record.
    pub first: Option<Timestamp>,
    /// The time of the last record, also if it is not in the files yet, unless a file is damaged.
    pub last: Option<Timestamp>,
    /// The end of the interval of the last record; without a regular step, its time.
    pub end: Option<Timestamp>,
    /// Requested ranges without records between the first and the last record, and those of received records without a
    /// readable time; adjacent intervals form one range.
    pub gaps: Vec<Range<Timestamp>>,
    /// Ranges between the first and the last record that no run has requested.
    pub unrequested: Vec<Range<Timestamp>>,
    /// Ranges before the first record that a search for it has skipped, and that no run has requested. The service may have
    /// records in them.
    pub skipped: Vec<Range<Timestamp>>,
    /// Ranges without records that a run has planned to fetch, but no run has fetched.
    pub unfetched: Vec<Range<Timestamp>>,
    /// The maximum number of records that are missing in gaps and unfetched ranges; without a regular step, the number of
    /// unfetched ranges.
    pub missing: u64,
    /// The range that all runs have requested, from its first start to its last end, at most until now.
    pub asked: Option<Range<Timestamp>>,
    /// Ranges in which the service had no record when they were requested.
    pub empty: Vec<Range<Timestamp>>,
    /// The labels of records, such as contracts, that have stopped: the time of the last record of each, which is at least
    /// two intervals before the last record of the series. They are no gaps. Without a regular step, there are none.
    pub last_seen: BTreeMap<String, Timestamp>,
    /// The number of intervals between the first record and the request that has returned it, although that request or
    /// an earlier one has asked for earlier records; `None` if no run has asked for earlier records.
    pub first_age: Option<u64>,
    /// `true` if two runs have seen the first record move with the clock: the service has only its newest records.
    pub first_moves: bool,
    /// The number of intervals from one record to the next, as most records have it; `None` if their spacing varies, or if
    /// there are few records.
    pub spacing: Option<u64>,
    /// The account of the last run with requests for the series, by the names of its
    /// [figures](runtime::history::Account::figures); empty if there was no such run.
    pub account: BTreeMap<String, u64>,
    /// Number of rows with a value that did not fit its column.
    pub invalid: u64,
    /// Number of rows with a value outside of the range in the catalogue.
    pub out_of_range: u64,
    /// Number of rows that the last run replaced because the service had revised them.
    pub revised: u64,
    /// `true` if a user has [retired](crate::retire()) the series, or if the last run of the
    /// [named job](crate::Backfill::name) with this series has left it out.
    pub is_retired: bool,
    /// The error with which the service has rejected the series in the last run.
    pub rejected: Option<String>,
    /// The values of its params that the endpoint does not support, as the last responses with records have reported
    /// them: the records were computed without them.
    pub unsupported: BTreeSet<String>,
    /// `true` if runs request the series, it has at least ten records over a day, and no field of any of them has ever had a
    /// valid value.
    pub has_no_value: bool,
    /// `true` if runs request the series, and the service seems to ignore the requested range; see
    /// [`SeriesReport::ignores_range`](crate::SeriesReport::ignores_range).
    pub ignores_range: bool,
    /// `true` if a run that is in progress is writing the files of the series; always `false` in object storage.
    pub is_running: bool,
    job: Option<(String, Timestamp)>,
    /// The ranges that runs have requested or planned, those that a search has skipped, and those of rows.
    known: TimeRanges,
}

impl SeriesStatus {
    /// Returns the endpoint: its group and its method.
    pub fn endpoint(&self) -> &str {
        endpoint_of(&self.path)
    }

    /// Returns the names and the values of the params that are set.
    pub fn params(&self) -> impl Iterator<Item = (String, String)> {
        self.path.split('/').skip(1).filter_map(read_param)
    }

    /// Returns the number of intervals that have closed since the last record; `None` without a record, or without a
    /// regular step.
    pub fn behind(&self, now: Timestamp) -> Option<u64> {
        let end = self.end.filter(|_| self.interval.has_steps())?;
        Some(self.interval.passed(&(end..now)))
    }

    /// Returns `true` if the last run with this series was one of the job with this [name](crate::Backfill::name).
    pub fn is_of_job(&self, name: &str) -> bool {
        self.job.as_ref().is_some_and(|(own, _)| own == name)
    }

    /// Returns the parts of a range, up to now, that no run has requested, each at least as long as an interval. A range
    /// with an open start or end has no part before the first request or after the last one.
    pub fn unrequested_within(&self, range: &Range<Timestamp>) -> Vec<Range<Timestamp>> {
        let Some(bounds) = self.known.bounds() else { return Vec::new() };
        let start = if range.start <= ALWAYS.start { bounds.start } else { range.start };
        let end = if range.end >= ALWAYS.end { bounds.end } else { range.end };
        let mut parts = Vec::new();
        for part in self.known.uncovered(start..end.min(Timestamp::now())).ranges() {
            if self.interval.passed(&part) > 0 {
                parts.push(part);
            }
        }
        parts
    }

    /// `all` also has the facts of the records that are not in the files yet.
    fn new(path: String, state: SeriesState, all: &RowFacts, files: Vec<String>) -> Self {
        let row_facts = &state.row_facts;
        let interval = row_facts.interval;
        let gaps = state.gaps();
        let unfetched = state.unfetched();
        let mut missing = gaps.clone();
        missing.extend(&unfetched);
        let mut known = state.requested.clone();
        known.extend(&unfetched);
        known.extend(&state.skipped());
        if interval.has_steps() {
            known.extend(&all.present);
        }
        let last_seen = match all.last {
            Some(last) if interval.has_steps() => all.last_seen.before(interval.moved(last, -1)),
            _ => BTreeMap::new(),
        };
        Self {
            path,
            interval,
            files,
            rows: state.row_count(),
            first: row_facts.first,
            last: all.last,
            end: all.end(),
            missing: missing.steps(interval),
            gaps: gaps.ranges().collect(),
            unrequested: state.unrequested().ranges().collect(),
            skipped: state.skipped().ranges().collect(),
            unfetched: unfetched.ranges().collect(),
            invalid: row_facts.invalid.steps(interval),
            out_of_range: row_facts.out_of_range.steps(interval),
            revised: state.revised,
            is_retired: state.retired.is_some(),
            // The clock of an earlier run may have been ahead.
            asked: state.requested.until(Timestamp::now()).bounds(),
            empty: state.empty.ranges(),
            last_seen,
            first_age: state.first_seen.age(row_facts.interval),
            first_moves: state.first_seen.has_moved(row_facts.interval),
            spacing: row_facts.usual_spacing(),
            account: state.account.0,
            rejected: state.rejected,
            unsupported: state.unsupported,
            has_no_value: state.has_no_value && state.retired.is_none(),
            ignores_range: state.ignores_range && state.retired.is_none(),
            is_running: false,
            job: state.job,
            known,
        }
    }
}

/// Reads the state of a target from its states and, for files that were replaced, from their metadata. Finds missing
/// and truncated files; [`verify`] also compares the content of all files with their checksums.
pub async fn status(target: &Target) -> Result<Status, Error> {
    StoredTables::open(target).await?.status()
}

/// Reads the state of a target as [`status`] does, and every row of its files.
pub async fn verify(target: &Target) -> Result<Status, Error> {
    let tables = StoredTables::open(target).await?;
    let mut status = tables.status()?;
    for StoredTable { table, .. } in &tables.tables {
        for path in table.state.files.keys() {
            if let Err(damage) = table.verify(path).await {
                status.damaged.push(damage.to_string());
            }
        }
        if let Err(damage) = revisions::read(&table.place.storage, &table.place.revisions()).await {
            status.damaged.push(damage.to_string());
        }
    }
    status.damaged.sort();
    status.damaged.dedup();
    Ok(status)
}

impl StoredTables {
    /// Returns the state of the target.
    pub fn status(&self) -> Result<Status, Error> {
        let mut status = Status { damaged: self.damaged.clone(), ..Status::default() };
        let mut missing_fields = FieldReports::default();
        let mut unsent_fields = FieldReports::default();
        for StoredTable { table, running } in &self.tables {
            let known = status.series.len();
            status.add(table, running.is_some())?;
            missing_fields.add(&table.state.marks.missing, &BTreeSet::new());
            unsent_fields.add(&table.state.marks.unsent, &BTreeSet::new());
            for series in status.series.iter_mut().skip(known) {
                series.is_running = running.is_some();
            }
            if status.running.is_none() {
                status.running.clone_from(running);
            }
        }
        status.missing_fields = MissingField::all(missing_fields);
        status.unsent_fields = UnsentField::all(unsent_fields);
        status.damaged.sort();
        status.damaged.dedup();
        status.series.sort_by(|one, other| one.path.cmp(&other.path));
        status.note_retired();
        Ok(status)
    }
}

impl Status {
    /// Retires the series that the last run of their named job has left out.
    fn note_retired(&mut self) {
        let mut last: BTreeMap<String, Timestamp> = BTreeMap::new();
        for series in &self.series {
            if let Some((name, time)) = &series.job {
                let latest = last.entry(name.clone()).or_insert(*time);
                *latest = (*latest).max(*time);
            }
        }
        for series in &mut self.series {
            if let Some((name, time)) = &series.job {
                series.is_retired |= last.get(name) > Some(time);
            }
        }
    }

    fn add(&mut self, table: &Table, is_running: bool) -> Result<(), Error> {
        for damage in &table.damaged {
            self.damaged.push(damage.error().to_string());
        }
        table.add_stray_messages(&mut self.strays);
        if table.is_without_state() {
            self.without_state.push(table.place.name(&table.place.data));
        }
        self.lost_rows.extend(lost_rows::unacknowledged(&table.state));
        self.add_text(table, is_running)?;
        for file in &table.journal {
            let rows = file.state.rows();
            if rows > 0 {
                self.pending += rows;
                let written = file.state.run.as_ref().map(|run| run.written);
                self.pending_since = self.pending_since.into_iter().chain(written).min();
            }
        }
        for (path, known) in table.states_with_journal() {
            let StateWithJournal { state, all_row_facts } = known;
            let files = files_of(table, &state.row_facts);
            // The journal is not merged into damaged files.
            let all = if table.damaged.is_empty() { all_row_facts } else { state.row_facts.clone() };
            self.series.push(SeriesStatus::new(path, state, &all, files));
        }
        Ok(())
    }

    /// Adds what is wrong with the text file of a table, and with its missing files.
    fn add_text(&mut self, table: &Table, is_running: bool) -> Result<(), Error> {
        if let Err(lost) = table.check_text() {
            // Without the folder of its rows, nothing shows that a backfill has written the file.
            if !table.folder_of_rows().is_dir() {
                return Err(lost);
            }
            self.damaged.push(lost.to_string());
            return Ok(());
        }
        if let Some(missing) = table.missing_revisions() {
            self.missing_files += 1;
            self.damaged.push(missing);
        }
        for (path, vanished) in &table.vanished {
            self.missing_files += u64::from(vanished.is_missing);
            self.damaged.push(vanished.message(&table.place.name(path)));
        }
        let state = table.text_state()?;
        let why = match state {
            TextState::Current => return Ok(()),
            TextState::Missing => "missing; the next run writes it again",
            TextState::Changed => "changed since a backfill wrote it; the next run writes it again",
            // The run that has fetched the records of the journal, or the next one, writes it.
            TextState::Outdated if is_running || !table.journal.is_empty() => return Ok(()),
            TextState::Outdated => "outdated, because a run was stopped; the next run writes it again",
        };
        self.missing_files += u64::from(state == TextState::Missing);
        self.damaged.push(format!("{}: {why}", quoted(table.text_path().unwrap_or_default())));
        Ok(())
    }
}

/// The files of a table with rows of a series.
fn files_of(table: &Table, row_facts: &RowFacts) -> Vec<String> {
    let mut files = Vec::new();
    for path in table.state.files.keys() {
        let Some((_, period)) = table.place.period_of(path) else { continue };
        if row_facts.present.within(&period).is_empty() {
            continue;
        }
        files.push(match table.text_path() {
            Some(text) => text.display().to_string(),
            None => table.place.name(path),
        });
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_behind_after_its_end() {
        let seconds = Timestamp::from_unix_seconds;
        // The last interval ends at 7200 seconds; its record has the time of its end, or of its start.
        for (time_is_end, last) in [(true, 7200), (false, 3600)] {
            let interval = std::time::Duration::from_secs(3600).into();
            let row_facts = RowFacts { interval, time_is_end, last: Some(seconds(last)), ..RowFacts::default() };
            let series = SeriesStatus::new(
                "e".to_owned(),
                SeriesState { row_facts: row_facts.clone(), ..SeriesState::default() },
                &row_facts,
                Vec::new(),
            );
            let behind = [7200, 10_799, 10_800, 14_400].map(|now| series.behind(seconds(now)));
            assert_eq!(behind, [Some(0), Some(0), Some(1), Some(2)], "{time_is_end}");
        }
    }
}
