//! Returns all records of a time range in one call, in order of time, from as many responses as needed.
//!
//! A history takes a request and a range, and returns pages or records in order of time, with a report of missing data.
//! It fetches time windows concurrently within the rate limit. The registry describes how to request a range, and the
//! client sends the requests.

// `time_grid` divides time into steps, `page_response` and `page_limits` check responses, and `pager` decides which
// window is requested next. These modules use no clock and no network. `window_fetch` requests one window, and `job` all
// windows of a range, with gaps, checkpoint and progress.

// The modules, lowest layer first, as in `lib.rs`.
mod time_grid;

mod checkpoint;

mod page_limits;

mod search;

mod account;

mod strays;

mod page;

mod page_response;

mod pager_options;

mod pager;

mod request_template;

mod options;

mod window_fetch;

mod job;

mod streams;

mod multi_history;

mod schedule;

mod follower_state;

mod update;

mod following;

mod follow;
#[cfg(test)]
mod simulation;

use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use crate::client::{BlockingFeature, Dynamic, Endpoint, Request};
use crate::error::Error;
use crate::send::SeriesBody;
use crate::values::Timestamp;

pub use account::Account;
pub use checkpoint::{Checkpoint, CheckpointKind};
pub use follow::Follow;
pub use follower_state::FollowerState;
pub use multi_history::{Aligned, MultiHistory, Row};
pub use options::{Plan, Progress};
pub use page::{CollectError, FailedPage, FirstRecordSearch, HistoryData, Page, Report};
pub use streams::{Blocking, Pages, Records};
pub use time_grid::Gap;
pub use update::Update;

pub use crate::send::PageMetadata;

use job::Job;
use options::Options;
use time_grid::Span;
use window_fetch::Decode;

/// Endpoints that have a history; emitted code implements this trait for them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no history",
    label = "this endpoint has no history",
    note = "an endpoint has a history if it returns a time series, and the params that select its range are known"
)]
pub trait HasHistory: Endpoint<Body: SeriesBody> {}

/// Whether a dynamic endpoint has a history is known only at run time. If it has none, [`History::plan`] and the first
/// page return an error.
impl HasHistory for Dynamic {}

/// A type that converts to a [`Timestamp`], such as `SystemTime` or, with its feature, `chrono::DateTime`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a time",
    note = "parse a text: `\"2025-01-01\".parse::<Timestamp>()?`",
    note = "a number has a unit: `Timestamp::from_unix_seconds(..)` or `Timestamp::from_unix_millis(..)`",
    note = "for types of chrono, jiff or time, enable the feature of that name"
)]
pub trait IntoTimestamp: Into<Timestamp> {}

#[diagnostic::do_not_recommend]
impl<T: Into<Timestamp>> IntoTimestamp for T {}

/// A record of an endpoint's history.
pub type RecordOf<E> = <<E as Endpoint>::Body as SeriesBody>::Item;

/// The history of one endpoint in a time range, created by `Request::history`.
///
/// `.await` or [`collect`](Self::collect) returns all records at once, in memory, [`records`](Self::records) returns them
/// one by one and [`pages`](Self::pages) page by page.
///
/// Nothing is sent before pages or records are requested. A record at the start of the range is included, but not a
/// record at its end. An endpoint may require a start, an end or an order as arguments; the history replaces these
/// values.
///
/// Requests are sent concurrently within the client's rate limit, each for a time window whose records fit on one page.
/// If a response looks truncated, its window is fetched again in parts. The result is in order of time. Several records
/// of one time are all in the result, in the order of their response.
///
/// An endpoint without a param for the start, the end, the page size or the interval is fetched page by page instead:
/// each page begins where another page ended. If such an endpoint has no start, its newest page is fetched first, and all
/// pages are in memory before the first is returned. Without an interval, the records are events: several can have the
/// same time, and there are no gaps.
#[must_use = "nothing is sent before pages or records are requested"]
pub struct History<E> {
    request: Request<E>,
    options: Options,
}

impl<E: HasHistory> History<E> {
    #[doc(hidden)]
    pub fn new(request: Request<E>, range: Range<impl IntoTimestamp>) -> Self {
        let range = Span { from: range.start.into(), to: range.end.into() };
        Self { request, options: Options::new(range) }
    }

    fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// Includes the record of the interval that is still open. This record may change.
    ///
    /// By default, the history ends with the last interval that was closed when the history began and when the service
    /// responded, by the time of the service (`Client::service_time`). If the open interval is included, a resumed run
    /// and a [`Follow`] return its record again.
    pub fn include_partial(self) -> Self {
        self.with(|options| options.with_open = true)
    }

    /// Continues after a page that fails repeatedly, and lists the page in [`Report::failed_pages`].
    ///
    /// By default, the history ends with the error. With this setting, the history ends only after an error that every
    /// page would have, such as rejected credentials, a rejected first request, or a [pause](Error::is_long_pause) that is longer than the client waits.
    pub fn skip_failed_pages(self) -> Self {
        self.with(|options| options.skip_failed = true)
    }

    /// Sets the start of the range of which this range is a part. Only that start must be in the past; the rest may be in the
    /// future by a wrong clock.
    #[doc(hidden)]
    pub fn part_of_range_from(self, start: Timestamp) -> Self {
        self.with(|options| options.whole_start = Some(start))
    }

    /// Requests every page of the range, without a search for the first record.
    ///
    /// By default, if the first pages of a long range are empty, the history searches for the first record by doubling
    /// and bisection. Most empty pages are then not requested; [`Report::searches`] lists the pages that were
    /// requested.
    pub fn no_first_record_search(self) -> Self {
        self.with(|options| options.no_first_record_search = true)
    }

    /// Sets the number of pages that are requested ahead of the consumer: 32 by default, at least 2.
    ///
    /// At most that many pages are in memory. If the rate limit allows more concurrent requests, this setting limits
    /// the speed of the history.
    pub fn prefetch(self, pages: usize) -> Self {
        self.with(|options| options.ahead = pages.max(2))
    }

    /// Sets the maximum number of times that a page is requested if it fails with a
    /// [retryable](Error::is_retryable) error: 4 by default. In addition, the client's retry rules apply to each of
    /// these requests, so that with the defaults a page fails after up to 16 attempts. Any other error is final, such as
    /// a complete body that does not decode, or a [pause](Error::is_long_pause) that is longer than the client waits.
    pub fn max_attempts(self, attempts: u32) -> Self {
        self.with(|options| options.attempts = attempts.max(1))
    }

    /// Continues from the checkpoint of an earlier run.
    ///
    /// The range may end later than that of the earlier run. In that case, the last intervals of the earlier run are
    /// requested again if they had no records. A gap that is followed by a record is not requested again; to fetch it,
    /// use a history of the gap's range. Page size and order may differ too. The history returns an error if the
    /// checkpoint belongs to another request or host, to a range with another start, or to a [`Follow`]
    /// ([`Checkpoint::kind`]).
    pub fn resume(self, checkpoint: Checkpoint) -> Self {
        self.with(|options| options.checkpoint = Some(checkpoint))
    }

    /// Calls a function with the progress after every page.
    pub fn on_progress(self, watcher: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.with(|options| options.watcher = Some(Arc::new(watcher)))
    }

    /// Returns the number of requests and their minimum duration, or an error if the range cannot be requested. Nothing
    /// is sent.
    pub fn plan(&self) -> Result<Plan, Error> {
        self.options.plan(&self.request.untyped)
    }

    /// Returns the pages, one for each request.
    pub fn pages(self) -> Pages<RecordOf<E>> {
        let Self { request, options } = self;
        let now = request.service_time();
        Pages::new(Job::new(&request.untyped, options, Decode::of::<E::Body>(), now))
    }

    /// Returns the records one by one: `while let Some(record) = records.next().await`. For a `for` loop in synchronous
    /// code, use [`records_blocking`](Self::records_blocking).
    pub fn records(self) -> Records<RecordOf<E>> {
        Records::new(self.pages())
    }

    /// Fetches all records, and returns them with the report of the history.
    ///
    /// An error contains the records that were fetched before the error.
    pub async fn collect(self) -> Result<HistoryData<RecordOf<E>>, CollectError<RecordOf<E>>> {
        self.pages().collect().await
    }
}

/// The maximum number of records that a blocking iterator reads from its stream at once.
const RECORDS_AT_ONCE: usize = 1000;

/// Blocking methods for callers who do not use async; they require the feature `blocking`. See [`Blocking`].
impl<E: HasHistory> History<E> {
    /// Returns the pages, one for each request.
    pub fn pages_blocking(self) -> Blocking<Pages<RecordOf<E>>>
    where
        E: BlockingFeature,
    {
        Blocking::new(self.request.untyped.background(), self.pages(), 1)
    }

    /// Fetches all records, and returns them with the report of the history, like [`collect`](Self::collect).
    pub fn collect_blocking(self) -> Result<HistoryData<RecordOf<E>>, CollectError<RecordOf<E>>>
    where
        E: BlockingFeature,
    {
        let background = self.request.untyped.background();
        background.wait(self.collect()).unwrap_or_else(|error| Err(CollectError { error, partial: Box::default() }))
    }

    /// Returns the records one by one. `records.stream().report()` is the report so far, which lists the gaps.
    pub fn records_blocking(self) -> Blocking<Records<RecordOf<E>>>
    where
        E: BlockingFeature,
    {
        Blocking::new(self.request.untyped.background(), self.records(), RECORDS_AT_ONCE)
    }
}

/// Fetches all records, like [`collect`](History::collect).
impl<E: HasHistory> IntoFuture for History<E> {
    type Output = Result<HistoryData<RecordOf<E>>, CollectError<RecordOf<E>>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.collect())
    }
}

impl<E> Clone for History<E> {
    fn clone(&self) -> Self {
        Self { request: self.request.clone(), options: self.options.clone() }
    }
}

impl<E> fmt::Debug for History<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = self.options.range.range();
        f.debug_struct("History").field("request", &self.request).field("range", &range).finish_non_exhaustive()
    }
}
