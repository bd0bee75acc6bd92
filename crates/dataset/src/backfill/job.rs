//! The settings of a job: its series, their ranges, and the target.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use runtime::history::History;
use runtime::{Dynamic, Request, Timestamp};

use crate::error::Error;
use crate::partition::{ALWAYS, Partition};
use crate::response_monitor::ResponseMonitor;
use crate::series::SeriesRequest;
use crate::target::Target;

/// Number of files in the journal after which it is merged into the data files. Each of these files is open.
pub(super) const MAX_JOURNAL: usize = 100;

/// The default [refetch time](Backfill::refetch), during which the service may still change the values of a record.
pub(super) const REFETCH: Duration = Duration::from_secs(86_400);

/// Histories of several series, written to a file, a folder or a bucket.
///
/// ```no_run
/// # async fn demo(requests: Vec<runtime::Request<runtime::Dynamic>>) -> Result<(), generated_client_dataset::Error> {
/// # use runtime::Timestamp;
/// use generated_client_dataset::{Backfill, BackfillEvent, SeriesRequest, Target};
///
/// let series = requests.into_iter().map(SeriesRequest::new).collect::<Result<Vec<_>, _>>()?;
/// let year = Timestamp::from_unix_seconds(1_704_067_200)..Timestamp::from_unix_seconds(1_735_689_600);
/// let job = Backfill::new(series, year, Target::parse("out.parquet")?);
/// println!("{} requests", job.plan().await?.requests());
/// let watch = |event: &BackfillEvent| println!("{event:?}");
/// let summary = job.run(watch, std::future::pending()).await?;
/// assert!(summary.is_complete);
/// # Ok(()) }
/// ```
///
/// Every run fetches the ranges that no run has fetched, and the records within the [refetch time](Self::refetch)
/// before the newest record. Rows that the service has revised are replaced, and gaps are filled. A range without
/// records counts as fetched once a later record exists. Gaps of the last 14 days are requested again; older gaps are
/// requested again only with [`refetch_gaps`](Self::refetch_gaps).
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each flag is an independent setting.
pub struct Backfill {
    /// The series of the job; events refer to them by index.
    pub series: Vec<SeriesRequest>,
    /// The time range of each series that has no [range of its own](SeriesRequest::within), with an exclusive end. If the
    /// end is in the future, such as [`Self::OPEN_END`], a run fetches all intervals that have ended by the time of the
    /// service, also if the clock of this machine is behind.
    pub range: Range<Timestamp>,
    /// The file, folder or bucket.
    pub target: Target,
    /// The period of the files of a data set; by default, [`Partition::for_rows`] of the number of series.
    ///
    /// The files of an endpoint and interval keep the partition of their first run.
    pub partition: Option<Partition>,
    /// Every run fetches the records of this span again; by default, of the last 24 hours. A longer span counts back from the
    /// newest record, if that is older than now.
    pub refetch: Duration,
    /// Fetches again every interval whose record is missing or has an invalid value.
    pub refetch_gaps: bool,
    /// Counts a page with an invalid value as failed. By default, only that value becomes null, and its original is
    /// kept among the unknown fields.
    pub strict: bool,
    /// Includes the interval that is still open. Its record may still change, so later runs replace the record.
    pub include_partial: bool,
    /// Accepts series without any record, for example of values that the service does not have yet.
    pub allow_empty: bool,
    /// Stores times as differences, which takes about 2.7 bytes less for each row. Some programs read other times from
    /// such files, or cannot read them: `fastparquet`, Spark 3.2 and DuckDB 0.7.
    pub small_times: bool,
    /// The name of a job that is the only one with this name for its target, such as the path of a file with its
    /// settings; by default, the job has no name.
    ///
    /// A series that the last run of a named job has left out is [retired](crate::SeriesStatus::is_retired). A run
    /// without a name retires no series.
    pub name: Option<String>,
    /// The label of the source of the rows; by default, `service`.
    ///
    /// A target accepts rows of one source only. A job with another label ends with an error before any request, so
    /// that rows of a mock server are never mixed with real rows.
    pub source_label: String,
    /// The time of the service, for tests; by default, the estimate of the client.
    #[doc(hidden)]
    pub service_time: Option<Timestamp>,
    /// The monitor of the client's requests. The run ends after two minutes in which no request got a response.
    ///
    /// Without the client's monitor, a run knows only which pages have finished, so it may take longer to notice an
    /// outage.
    pub response_monitor: ResponseMonitor,
    /// Number of files in the journal after which a run merges it into the data files; smaller in tests.
    #[doc(hidden)]
    pub journal_files: usize,
}

impl Backfill {
    /// An end of a range that no service reaches, the start of the year 10000.
    pub const OPEN_END: Timestamp = ALWAYS.end;

    /// Creates the job for a time range with an exclusive end.
    pub fn new(series: Vec<SeriesRequest>, range: Range<impl Into<Timestamp>>, target: Target) -> Self {
        Self {
            series,
            range: range.start.into()..range.end.into(),
            target,
            partition: None,
            refetch: REFETCH,
            refetch_gaps: false,
            strict: false,
            include_partial: false,
            allow_empty: false,
            small_times: false,
            name: None,
            source_label: "service".to_owned(),
            service_time: None,
            response_monitor: ResponseMonitor::default(),
            journal_files: MAX_JOURNAL,
        }
    }

    /// The range of a series of the job, rounded down to whole seconds.
    pub(super) fn range_of(&self, series: &SeriesRequest) -> Range<Timestamp> {
        let second = Duration::from_secs(1);
        let range = series.range().unwrap_or(&self.range);
        range.start.floor(second)..range.end.floor(second)
    }

    /// Creates the history of a range. The history continues after failed pages and, if the job is not `strict`, after
    /// invalid records.
    pub(super) fn history(&self, series: &SeriesRequest, range: Range<Timestamp>) -> History<Dynamic> {
        let history = History::new(self.request(series), range).skip_failed_pages();
        let history = history.part_of_range_from(self.range_of(series).start);
        if self.include_partial { history.include_partial() } else { history }
    }

    pub(super) fn request(&self, series: &SeriesRequest) -> Request<Dynamic> {
        let request = series.request().clone();
        if self.strict { request } else { request.skip_bad_records() }
    }

    /// The time that the service had reached at a time of this machine, or that time if the service is ahead.
    pub(super) fn reached(&self, time: Timestamp) -> Timestamp {
        if let Some(reached) = self.service_time {
            return reached;
        }
        let now = Timestamp::now();
        let mut behind = Duration::ZERO;
        for series in &self.series {
            let service = series.request().service_time();
            if service < now {
                behind = behind.max(now - service);
            }
        }
        time - behind
    }

    /// Rejects an empty list of series, a series that is listed twice, and an invalid range.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.series.is_empty() {
            return Err(Error::invalid_input("the list of series is empty"));
        }
        let mut paths = BTreeSet::new();
        for series in &self.series {
            if let Err(why) = check_range(&self.range_of(series)) {
                return Err(Error::invalid_input(match series.range() {
                    Some(_) => format!("{}: {why}", series.path()),
                    None => why,
                }));
            }
            if !paths.insert(series.path()) {
                return Err(Error::invalid_input(format!("the series {} is listed twice", series.path())));
            }
        }
        Ok(())
    }
}

fn check_range(range: &Range<Timestamp>) -> Result<(), String> {
    let Range { start, end } = range;
    let first = ALWAYS.start;
    if end < start {
        return Err(format!("the range ends at {end}, before its start {start}"));
    }
    if *start < first {
        return Err(format!("the range begins at {start}; it must not begin before {first}"));
    }
    Ok(())
}
