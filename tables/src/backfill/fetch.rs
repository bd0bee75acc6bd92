//! Fetches ranges: requests their pages, collects and writes the rows, reports problems, and detects when the service
//! stops responding.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use runtime::Error as RequestError;
use runtime::history::{Page, Pages, Progress};
use runtime::record::AnyRecord;
use tokio::time::timeout;

use super::buffer::read_invalid;
use super::event::BackfillEvent;
use super::run::{Run, add};
use crate::error::Error;
use crate::response_monitor::attempted;
use crate::time_ranges::TimeRanges;

/// Maximum number of ranges that are fetched concurrently.
const MAX_CONCURRENT: usize = 16;

/// Number of pages that all ranges request in advance, at least two for each. Twenty are enough to use the highest rate limit if a
/// response takes two seconds.
const PREFETCH: usize = 20;

/// Time without a response after which a run ends.
const UNREACHABLE: Duration = Duration::from_secs(120);

/// Time without a successful response after which trouble is reported.
const TROUBLE: Duration = Duration::from_secs(10);

/// Interval between two checks whether the service still responds.
const TICK: Duration = Duration::from_secs(1);

/// A range that is being fetched.
pub(super) struct Active {
    series: usize,
    /// The number of the range.
    item: usize,
    pages: Pages<AnyRecord>,
    progress: Arc<Mutex<Progress>>,
}

impl Active {
    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The next page of a range, or the error or the end of the range, with its index among the active ranges.
type Next = (usize, Option<Result<Page<AnyRecord>, RequestError>>);

impl<W: FnMut(&BackfillEvent)> Run<'_, W> {
    /// Fetches ranges concurrently, until there are no more ranges or the journal is full. Ends early if the run is
    /// cancelled, if the service is unreachable, or if all further requests would fail in the same way.
    pub(super) async fn fetch(&mut self, mut cancel: Pin<&mut impl Future<Output = ()>>) -> Result<(), Error> {
        let mut rejected = None;
        while rejected.is_none() && !self.is_stopped() {
            self.begin_items()?;
            if self.active.is_empty() {
                break;
            }
            let first = poll_fn(|cx| match cancel.as_mut().poll(cx) {
                // `cancel` is polled first, so that a cancelled run processes no further page.
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => self.poll_page(cx).map(Some),
            });
            match timeout(TICK, first).await {
                Ok(None) => self.summary.is_cancelled = true,
                Ok(Some((index, None))) => self.end_item(index),
                Ok(Some((index, Some(page)))) => {
                    let Some((series, item)) = self.active.get(index).map(|active| (active.series, active.item)) else {
                        continue;
                    };
                    match page {
                        Ok(page) => self.page((series, item), page)?,
                        Err(error) => {
                            rejected = self.failed(series, error);
                            self.end_item(index);
                        }
                    }
                }
                // A tick has passed without a page.
                Err(_) => {}
            }
            if self.buffer.is_due() {
                self.flush().await?;
            }
            self.report_progress();
            self.summary.is_unreachable = !self.summary.is_cancelled && self.is_unreachable();
        }
        // Dropping the histories stops all requests before the remaining rows are written.
        while !self.active.is_empty() {
            self.end_item(0);
        }
        self.flush().await?;
        rejected.map_or(Ok(()), Err)
    }

    /// Begins the next ranges.
    fn begin_items(&mut self) -> Result<(), Error> {
        while self.active.len() < MAX_CONCURRENT && !self.is_full() {
            let Some((index, range)) = self.items.pop() else { break };
            let Some(series) = self.job.series.get(index) else { continue };
            let progress = Arc::new(Mutex::new(Progress::default()));
            let watched = progress.clone();
            // If there are few ranges, each requests more pages in advance.
            let among = if self.items.has_next() { MAX_CONCURRENT } else { self.active.len() + 1 };
            let history = self.job.history(series, range).prefetch(PREFETCH / among);
            let requests = history.plan()?.requests;
            self.items.requests = self.items.requests.saturating_sub(requests);
            progress.lock().unwrap_or_else(PoisonError::into_inner).pages_left = requests;
            let watch = move |now: &Progress| *watched.lock().unwrap_or_else(PoisonError::into_inner) = now.clone();
            let pages = history.on_progress(watch).pages();
            self.active.push(Active { series: index, item: self.begun_items, pages, progress });
            self.begun_items += 1;
        }
        Ok(())
    }

    /// Polls the active ranges in turn.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        for (index, active) in self.active.iter_mut().enumerate() {
            if let Poll::Ready(page) = pin!(active.pages.next()).poll(cx) {
                return Poll::Ready((index, page));
            }
        }
        Poll::Pending
    }

    /// Ends a range. The next range takes its place at the end, so that all ranges are polled in turn.
    fn end_item(&mut self, index: usize) {
        let active = self.active.remove(index);
        add(&mut self.done, &active.progress());
        self.done.pages_left = 0;
    }

    /// Adds the rows of a page to the rows that are not in the journal yet, and reports the problems of the page.
    fn page(&mut self, (series, item): (usize, usize), mut page: Page<AnyRecord>) -> Result<(), Error> {
        self.note_response(page.report.failed_pages.first().map(|failure| &failure.error));
        let Some((request, one)) = self.job.series.get(series).zip(self.series.get_mut(series)) else { return Ok(()) };
        // `read_invalid` adds the invalid records that it can read to the page, so it is called before `add`.
        let dropped = read_invalid(request, &mut page);
        if !dropped.is_empty() {
            let known = self.content.state(series, request).dropped;
            one.dropped.extend(dropped.into_iter().filter(|sum| !known.contains(sum)));
        }
        if page.report.failed_pages.is_empty() {
            self.summary.pages += 1;
            // A complete run counts new records when it merges the journal.
            one.report.added += if self.job.only_new { page.records.len() as u64 } else { 0 };
            let partition = self.content.table(series).and_then(|table| table.base.partition);
            self.buffer.add((series, item), request, partition, &page, self.job.refetch)?;
        }
        let mut report = page.report;
        // A page without any response is requested again, unless the service has become unreachable.
        for lost in
            report.failed_pages.extract_if(.., |lost| attempted(&lost.error).is_err() && lost.error.is_retryable())
        {
            self.items.last.push_back((series, lost.range.clone()));
            self.items.requests += 1;
            self.lost += 1;
            self.last_lost = Some((series, lost));
        }
        self.summary.failed_pages += u64::try_from(report.failed_pages.len()).unwrap_or(u64::MAX);
        if !report.is_complete() || !report.dropped.is_empty() {
            (self.watch)(&BackfillEvent::Report { series, report });
        }
        Ok(())
    }

    /// Adds a failed range to the summary. If every other range would fail in the same way, returns the error, which
    /// then ends the entire job.
    fn failed(&mut self, series: usize, error: RequestError) -> Option<Error> {
        self.note_response(Some(&error));
        if error.is_auth() || error.is_token() {
            return Some(error.into());
        }
        // If the service rejects a series that never had a record, the series does not exist, so no record is missing.
        if error.status().is_some_and(|status| status < 500) && !error.is_retryable() {
            self.edit(series, |state| {
                if state.rows.last.is_none() {
                    state.unfetched = TimeRanges::default();
                }
            });
        }
        self.summary.failed.push((series, error.into()));
        None
    }

    /// Notes whether the service responded.
    fn note_response(&mut self, failure: Option<&RequestError>) {
        let outcome = failure.map_or(Ok(200), attempted);
        self.job.response_monitor.note(outcome, Duration::ZERO);
        self.has_response |= outcome.is_ok();
    }

    /// Returns `true` if there was no response for the time [`UNREACHABLE`]. Reports when an outage begins and ends.
    fn is_unreachable(&mut self) -> bool {
        let (trouble, lost) = self.job.response_monitor.outage();
        match (trouble, self.trouble) {
            (Some((since, outcome)), None) if since.elapsed() >= TROUBLE => {
                self.trouble = Some(since);
                let (elapsed, status, kind) = (since.elapsed(), outcome.ok(), outcome.err());
                (self.watch)(&BackfillEvent::Trouble { elapsed, status, kind });
            }
            (None, Some(since)) => {
                self.trouble = None;
                (self.watch)(&BackfillEvent::Recovered { elapsed: since.elapsed() });
            }
            _ => {}
        }
        lost.is_some_and(|since| since.elapsed() >= UNREACHABLE)
    }
}
