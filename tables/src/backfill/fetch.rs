//! Fetches ranges: requests their pages, collects and writes the rows, reports problems, and detects when the service
//! stops responding.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use runtime::Error as RequestError;
use runtime::history::{MultiHistory, Page};
use runtime::record::AnyRecord;
use tokio::time::timeout;

use super::event::BackfillEvent;
use super::run::{Item, Run};
use super::unwritten_rows::{UnwrittenRows, read_invalid};
use crate::error::Error;
use crate::response_monitor::attempted;
use crate::time_ranges::TimeRanges;

/// Time without a response after which a run ends.
const UNREACHABLE: Duration = Duration::from_secs(120);

/// Time without a successful response after which trouble is reported.
const TROUBLE: Duration = Duration::from_secs(10);

/// Interval between two checks whether the service still responds.
const TICK: Duration = Duration::from_secs(1);

impl<W: FnMut(&BackfillEvent)> Run<'_, W> {
    /// Fetches these ranges concurrently. Ends early if the run is cancelled, if the service is unreachable, or if all
    /// further requests would fail in the same way.
    pub(super) async fn fetch(
        &mut self,
        items: &[Item],
        mut cancel: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<(), Error> {
        let mut histories = MultiHistory::new();
        for (index, item) in items.iter().enumerate() {
            let Some(series) = self.job.series.get(item.series) else { continue };
            let (watched, history) = (item.clone(), self.job.history(series, item.range.clone()));
            let history = history.on_progress(move |progress| *watched.progress() = progress.clone());
            histories = histories.add(index, history, |record| record);
        }
        let mut unwritten: Vec<_> = items.iter().map(|_| UnwrittenRows::new()).collect();
        let mut rejected = None;
        while rejected.is_none() && !self.is_stopped() {
            let next = {
                let mut next = pin!(histories.next());
                // `cancel` is polled first, so that a cancelled run processes no further page.
                let first = poll_fn(|cx| match cancel.as_mut().poll(cx) {
                    Poll::Ready(()) => Poll::Ready(None),
                    Poll::Pending => next.as_mut().poll(cx).map(Some),
                });
                timeout(TICK, first).await
            };
            match next {
                Ok(None) => self.summary.is_cancelled = true,
                Ok(Some(None)) => break,
                Ok(Some(Some((index, page)))) => {
                    let (Some(item), Some(unwritten)) = (items.get(index), unwritten.get_mut(index)) else { continue };
                    match page {
                        Ok(page) => self.page(item, unwritten, page).await?,
                        Err(error) => rejected = self.failed(item, error),
                    }
                }
                // A tick has passed without a page.
                Err(_) => {}
            }
            self.report_progress();
            self.summary.is_unreachable = !self.summary.is_cancelled && self.is_unreachable();
        }
        // Dropping the histories stops all requests before the remaining rows are written.
        drop(histories);
        for (item, unwritten) in items.iter().zip(&mut unwritten) {
            self.flush(item.series, unwritten).await?;
        }
        rejected.map_or(Ok(()), Err)
    }

    /// Adds the rows of a page to the unwritten rows, and reports the problems of the page.
    async fn page(
        &mut self,
        item: &Item,
        unwritten: &mut UnwrittenRows,
        mut page: Page<AnyRecord>,
    ) -> Result<(), Error> {
        self.note_response(page.report.failed_pages.first().map(|failure| &failure.error));
        let Some((series, one)) = self.series(item.series) else { return Ok(()) };
        // `read_invalid` adds the invalid records that it can read to the page, so it is called before `add`.
        let dropped = read_invalid(series, &mut page).into_iter();
        one.dropped.extend(dropped.filter(|sum| !one.state.dropped.contains(sum)));
        if page.report.failed_pages.is_empty() {
            self.summary.pages += 1;
            self.add(item.series, unwritten, &page).await?;
        }
        if unwritten.is_due() {
            self.flush(item.series, unwritten).await?;
        }
        let mut report = page.report;
        // A page without any response is requested again, unless the service has become unreachable.
        for lost in
            report.failed_pages.extract_if(.., |lost| attempted(&lost.error).is_err() && lost.error.is_retryable())
        {
            self.items.push(Item::new(item.series, lost.range.clone(), 1));
            self.lost += 1;
            self.last_lost = Some((item.series, lost));
        }
        self.summary.failed_pages += u64::try_from(report.failed_pages.len()).unwrap_or(u64::MAX);
        if !report.is_complete() || !report.dropped.is_empty() {
            (self.watch)(&BackfillEvent::Report { series: item.series, report });
        }
        Ok(())
    }

    /// Adds a failed range to the summary. If every other range would fail in the same way, returns the error, which
    /// then ends the entire job.
    fn failed(&mut self, item: &Item, error: RequestError) -> Option<Error> {
        self.note_response(Some(&error));
        if error.is_auth() || error.is_token() {
            return Some(error.into());
        }
        // If the service rejects a series that never had a record, the series does not exist, so no record is missing.
        let is_rejected = error.status().is_some_and(|status| status < 500) && !error.is_retryable();
        if let Some((_, one)) = self.series(item.series).filter(|(_, one)| is_rejected && one.state.last.is_none()) {
            one.state.unfetched = TimeRanges::default();
        }
        self.summary.failed.push((item.series, error.into()));
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
