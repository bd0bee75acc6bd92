//! The events of a backfill, and its summary.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use runtime::history::{Account, Progress, Report, Update};
use runtime::record::AnyRecord;
use runtime::{Error as RequestError, ErrorKind, Interval, Timestamp};

use crate::changes::Changes;
use crate::error::Error;
use crate::lost_rows::LostRows;
use crate::missing_fields::MissingField;
use crate::series_state::SeriesState;
use crate::unsent_fields::UnsentField;

/// An event of a backfill. A series is identified by its index in
/// [`Backfill::series`](super::Backfill::series).
#[derive(Debug)]
#[non_exhaustive]
pub enum BackfillEvent {
    /// The progress of all series, after every page and at least once a second.
    #[non_exhaustive]
    Progress {
        /// The finished and remaining work of this run.
        progress: Progress,
    },
    /// The problems of a page: times without records, invalid records, or the error of a page that failed; or a search
    /// for the first record. The summary contains the problems that remain at the end of the run.
    #[non_exhaustive]
    Report {
        /// The series.
        series: usize,
        /// The problems found in a page.
        report: Report,
    },
    /// The service or the rate limiter has stopped responding, or responds with errors only.
    #[non_exhaustive]
    Trouble {
        /// Time since the first failed request was sent.
        elapsed: Duration,
        /// The status of the last response; `None` if there was no response.
        status: Option<u16>,
        /// The phase in which the last attempt failed; `None` if there was a response.
        kind: Option<ErrorKind>,
    },
    /// The service responds again.
    #[non_exhaustive]
    Recovered {
        /// Duration of the outage.
        elapsed: Duration,
    },
    /// Damaged files were moved aside, before the first request or when the journal was merged.
    #[non_exhaustive]
    Repaired {
        /// A message for each file, as in [`Summary::repairs`].
        repairs: Vec<String>,
    },
}

/// An event of [`Backfill::follow`](super::Backfill::follow). A series is identified by its index in
/// [`Backfill::series`](super::Backfill::series).
#[derive(Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // Events are passed on at once.
pub enum FollowEvent<'e> {
    /// A complete run has ended: the first run, or the run of an hour.
    Run(Summary),
    /// A follower has an update. Its records will be written to the target.
    #[non_exhaustive]
    Update {
        /// The series.
        series: usize,
        /// The update.
        update: &'e Update<AnyRecord>,
    },
    /// The service has rejected the request of a series, which is requested again after a pause.
    #[non_exhaustive]
    Failed {
        /// The series.
        series: usize,
        /// The error.
        error: RequestError,
    },
    /// Delivered records were added to the files.
    #[non_exhaustive]
    Compacted {
        /// Number of delivered records.
        records: u64,
    },
    /// A user has [retired](crate::retire()) the series since the last write, so it is not followed any more.
    #[non_exhaustive]
    Retired {
        /// The series.
        series: usize,
    },
    /// Damaged files were moved aside.
    #[non_exhaustive]
    Repaired {
        /// A message for each file, as in [`Summary::repairs`].
        repairs: Vec<String>,
    },
}

/// The summary of a backfill.
#[derive(Debug, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a separate fact.
pub struct Summary {
    /// `true` if every necessary request had a usable response, no series is empty or has only times (or empty series are
    /// [allowed](super::Backfill::allow_empty)), and the service supports all values of the series and does not
    /// [ignore the range](SeriesReport::ignores_range). Even then, the service may lack records; see
    /// [`SeriesReport::missing`].
    pub is_complete: bool,
    /// `true` if the run was cancelled.
    pub is_cancelled: bool,
    /// `true` if the run ended because neither the service nor the rate limiter responded for two minutes, or if
    /// requests failed and no request of the run got a response.
    pub is_unreachable: bool,
    /// `true` if the run ended because the service requested a [long pause](RequestError::is_long_pause_of_client) of the
    /// client. [`page_error`](Self::page_error) has its length.
    pub is_paused: bool,
    /// Number of records that this run added.
    pub records: u64,
    /// Number of requests that this run has made.
    pub requests: u64,
    /// Duration of the run.
    pub elapsed: Duration,
    /// Number of pages with a usable response.
    pub pages: u64,
    /// `true` if a text file was missing, and was written again.
    pub is_restored: bool,
    /// Files that this run has written.
    pub files: Vec<String>,
    /// Number of pages that could not be fetched. Pages without a response do not count, because they are requested
    /// again until the run ends.
    pub failed_pages: u64,
    /// The error of the last page that could not be fetched; if the run [`is_unreachable`](Self::is_unreachable), of the
    /// last page without a response; if the run [`is_paused`](Self::is_paused), the error that ended the run.
    pub page_error: Option<RequestError>,
    /// The reports of all series, in their order.
    pub series: Vec<SeriesReport>,
    /// Fields that the service no longer sends, and that no user has [acknowledged](crate::acknowledge).
    pub missing_fields: Vec<MissingField>,
    /// Fields of the catalogue that no record has ever had, although the records have unknown fields, and that no user has
    /// [acknowledged](crate::acknowledge).
    pub unsent_fields: Vec<UnsentField>,
    /// Rows of damaged and missing files that no run has fetched again, and that no user has
    /// [acknowledged](crate::acknowledge).
    pub lost_rows: Vec<LostRows>,
    /// A message for each damaged or missing file that this run has found, and for each text file that something else had
    /// changed, which it has moved aside.
    pub repairs: Vec<String>,
    /// Series that could not be fetched completely, each with the reason.
    pub failed: Vec<(usize, Error)>,
}

/// The changes that a run has made to one series, and the state of the series afterwards.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a separate fact.
pub struct SeriesReport {
    /// The path that identifies the series.
    pub path: String,
    /// Number of new records before the first existing record or after the last.
    pub added: u64,
    /// Number of new records in gaps.
    pub filled: u64,
    /// Number of records that the service has revised since they were written.
    pub revised: u64,
    /// The times of these records, as ranges of adjacent intervals.
    pub revised_times: Vec<Range<Timestamp>>,
    /// Number of existing records that got a value that they did not have, and whose other values are the same.
    pub completed: u64,
    /// Number of values that the service no longer sends. The file keeps the earlier values.
    pub no_longer_sent: u64,
    /// Number of new or revised records with a value outside of the range in the catalogue.
    pub out_of_range: u64,
    /// Number of new or revised records with a value that does not fit its column. The column keeps its earlier value,
    /// or null, and the original is among the unknown fields.
    pub invalid: u64,
    /// For each param, the number of new or revised records that state another value of it than the request, such as another
    /// coin. The column has the value of the request, and the original is among the unknown fields.
    pub contradicted: BTreeMap<String, u64>,
    /// Number of received records that have no readable time, so that they are not in the files. Records that an earlier
    /// run has reported do not count.
    pub unreadable: u64,
    /// What became of the records that this run has received, and of the steps that it has requested.
    pub account: Account,
    /// Number of missing records between the first and the last record, and of received records before and after them
    /// without a readable time.
    pub missing: u64,
    /// The ranges of these records.
    pub gaps: Vec<Range<Timestamp>>,
    /// The files with rows of the series that this run has written.
    pub files: Vec<String>,
    /// The maximum number of records that a run has planned to fetch but no run has fetched. Counts only times before
    /// the first record and after the last record; [`missing`](Self::missing) counts the times between them. Without a
    /// regular step, the number of such ranges, wherever they are.
    pub unfetched: u64,
    /// Ranges without records that a run has planned to fetch but no run has fetched, also between the first and the
    /// last record.
    pub unfetched_ranges: Vec<Range<Timestamp>>,
    /// Ranges between the first and the last record that no run has requested.
    pub unrequested: Vec<Range<Timestamp>>,
    /// Ranges before the first record that a search for it has skipped, and that no run has requested. The service may have
    /// records in them.
    pub skipped: Vec<Range<Timestamp>>,
    /// The values of its params that the endpoint does not support, as the last responses with records have reported
    /// them: the records were computed without them.
    pub unsupported: BTreeSet<String>,
    /// `true` if the series has at least ten records over a day, and no field of any of them has ever had a valid
    /// value.
    pub has_no_value: bool,
    /// `true` if runs request the series, and the service seems to ignore the requested range: in this run or an earlier
    /// one, most of the received records repeated others, and there were times without a record. A service that ignores
    /// only one end of the range is recognized too if many ranges have no record. It is `false` again after a range
    /// without records has some, or after a user has [acknowledged](crate::acknowledge()) it.
    pub ignores_range: bool,
    /// Number of stored records that were requested again, and that the service has not sent again. They stay.
    pub not_sent_again: u64,
    /// `true` if a user has [retired](crate::retire()) the series, so that no run requests it.
    pub is_retired: bool,
    /// The time of the first record in the target.
    pub first: Option<Timestamp>,
    /// The time of the last record in the target.
    pub last: Option<Timestamp>,
    /// The end of the interval of the last record; without a regular step, its time.
    pub end: Option<Timestamp>,
    /// The intervals of the records; [`Interval::EVENTS`] if they have no regular step.
    pub interval: Interval,
    /// The number of intervals between the first record and the request that has returned it, although that request or
    /// an earlier one has asked for earlier records; `None` if no run has asked for earlier records.
    pub first_age: Option<u64>,
    /// `true` if two runs have seen the first record move with the clock: the service has only its newest records.
    pub first_moves: bool,
    /// The number of intervals from one record to the next, as most records have it; `None` if their spacing varies, or if
    /// there are few records. More than one if the records are of a longer interval than [the one](Self::interval) that
    /// was requested.
    pub spacing: Option<u64>,
}

/// A service that ignores the range repeats at least this number of records, and all that it has at least this many times.
const REPEATED_RECORDS: u64 = 100;
const REPEATED_TIMES: u64 = 5;

/// Whether the responses of a run show that the service ignores the requested range. A response also repeats a few records
/// at its ends, and a response that lacks records is requested again in parts, but neither explains so many repetitions.
pub(super) fn has_ignored_range(account: &Account) -> bool {
    let Account { delivered, invalid, repeated, empty, never_requested, .. } = *account;
    let received = delivered + invalid;
    let lacks_steps = empty + never_requested > received;
    lacks_steps && repeated >= REPEATED_RECORDS && repeated >= received.saturating_mul(REPEATED_TIMES)
}

/// The values that the service reports as unsupported. A response without records lacks more than these values.
pub(super) fn unsupported_values(report: &Report) -> BTreeSet<String> {
    if report.account.received() == 0 {
        return BTreeSet::new();
    }
    report.metadata.iter().flat_map(|metadata| metadata.unsupported.iter().cloned()).collect()
}

impl SeriesReport {
    /// Returns `true` if the target has never had a record of this series, although runs request it.
    pub fn is_empty(&self) -> bool {
        self.last.is_none() && !self.is_retired
    }

    /// Returns `true` if runs request the series, and its records have only times.
    pub fn lacks_values(&self) -> bool {
        self.has_no_value && !self.is_retired
    }

    /// Returns `true` if runs request the series with values that its endpoint does not support.
    pub fn has_unsupported(&self) -> bool {
        !self.unsupported.is_empty() && !self.is_retired
    }

    /// Returns `true` if the responses fit the requests: some records have a readable time, the endpoint supports all values
    /// of the series, and the service does not ignore the range.
    pub fn is_answered(&self) -> bool {
        !self.lacks_times() && !self.has_unsupported() && !self.ignores_range
    }

    /// Returns `true` if the run has received records, and none of them has a readable time.
    pub fn lacks_times(&self) -> bool {
        let Account { delivered, outside, not_final, without_time, invalid, .. } = self.account;
        without_time > 0 && delivered + outside + not_final + invalid == 0
    }

    /// Notes the values that the service reports as unsupported.
    pub(super) fn note_unsupported(&mut self, report: &Report) {
        self.unsupported.extend(unsupported_values(report));
    }

    pub(super) fn add_changes(&mut self, changes: &Changes) {
        self.added += changes.added;
        self.filled += changes.filled;
        self.revised += changes.revised;
        self.completed += changes.completed;
        self.invalid += changes.invalid;
        for (param, rows) in &changes.contradicted {
            *self.contradicted.entry(param.clone()).or_default() += rows;
        }
        self.out_of_range += changes.out_of_range;
        self.no_longer_sent += changes.kept();
    }

    pub(super) fn set_state(&mut self, state: &SeriesState) {
        self.first = state.row_facts.first;
        self.last = state.row_facts.last;
        self.end = state.row_facts.end();
        self.interval = state.row_facts.interval;
        self.first_age = state.first_seen.age(self.interval);
        self.first_moves = state.first_seen.has_moved(self.interval);
        self.spacing = state.row_facts.usual_spacing();
        let gaps = state.gaps();
        self.missing = gaps.steps(self.interval);
        self.gaps = gaps.ranges().collect();
        self.unsupported.clone_from(&state.unsupported);
        self.is_retired = state.retired.is_some();
        self.ignores_range = state.ignores_range && !self.is_retired;
        self.revised_times = state.revised_times.ranges().collect();
        let unfetched = state.unfetched();
        self.unfetched_ranges = unfetched.ranges().collect();
        self.unfetched = unfetched.without(&state.row_facts.gaps()).steps(self.interval);
        self.unrequested = state.unrequested().ranges().collect();
        self.skipped = state.skipped().ranges().collect();
    }
}
