//! Fetches ranges: requests their pages, collects and writes the rows, reports problems, and detects when the service
//! stops responding.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use runtime::history::Page;
use runtime::record::AnyRecord;
use runtime::{Error as RequestError, ErrorKind};
use tokio::time::sleep;

use super::buffered_pages::{LeftOut, RangeId};
use super::event::{BackfillEvent, Summary};
use super::pending_ranges::SeriesRange;
use super::run::{ActiveRange, Run, add_progress};
use crate::error::Error;
use crate::response_monitor::{Failing, Outage, attempted};
use crate::time_ranges::TimeRanges;

/// Maximum number of ranges that are fetched concurrently.
const MAX_CONCURRENT: usize = 16;

/// Number of pages that all ranges request in advance, at least two for each. Twenty are enough to use the highest rate
/// limit if a response takes two seconds.
const PREFETCH: usize = 20;

/// Time without a response after which a run ends.
const UNREACHABLE: Duration = Duration::from_secs(120);

/// Time without a successful response after which trouble is reported.
const TROUBLE: Duration = Duration::from_secs(10);

/// Interval between two checks whether the service still responds.
const TICK: Duration = Duration::from_secs(1);

/// The next page of a range; `None` at the end of the range.
type NextPage = Option<Result<Page<AnyRecord>, RequestError>>;

impl<W: FnMut(&BackfillEvent)> Run<'_, W> {
    /// Fetches all ranges, several at a time, and merges the journal whenever it is full. Ends early if the run is
    /// cancelled, if the service is unreachable or requests a long pause, or if all further requests would fail in the same
    /// way.
    pub(super) async fn fetch(&mut self, mut cancel: Pin<&mut impl Future<Output = ()>>) -> Result<(), Error> {
        while !self.is_ended() {
            self.begin_ranges();
            if self.active.is_empty() {
                break;
            }
            tokio::select! {
                // `cancel` is polled first, so that a cancelled run processes no further page.
                biased;
                () = cancel.as_mut() => self.summary.is_cancelled = true,
                (index, page) = poll_fn(|cx| self.poll_page(cx)) => self.add_or_end(index, page)?,
                () = sleep(TICK) => {}
            }
            if self.job_tables.is_write_due() {
                self.write_journals().await?;
            }
            // The journal is merged before more ranges are fetched.
            if self.job_tables.journal_files() >= self.job.journal_files {
                self.merge_journals().await?;
            }
            self.report_progress();
            self.summary.is_unreachable = !self.is_ended() && self.is_unreachable();
        }
        // Dropping the histories stops all requests before the remaining rows are written.
        while !self.active.is_empty() {
            self.end_range(0);
        }
        self.write_journals().await
    }

    /// `true` if the run sends no further request.
    fn is_ended(&self) -> bool {
        let Summary { is_cancelled, is_unreachable, is_paused, .. } = self.summary;
        self.rejected.is_some() || is_cancelled || is_unreachable || is_paused
    }

    /// Begins the next ranges.
    fn begin_ranges(&mut self) {
        while self.active.len() < MAX_CONCURRENT {
            let Some(next) = self.pending.pop() else { break };
            if self.pause_of(next.series).is_some() {
                self.pending.requests = self.pending.requests.saturating_sub(self.requests(&next));
                self.note_paused(next.series);
                continue;
            }
            let SeriesRange { series: index, range, failed_steps } = next;
            let Some(series) = self.job.series.get(index) else { continue };
            // If there are few ranges, each requests more pages in advance.
            let among = if self.pending.has_next() { MAX_CONCURRENT } else { self.active.len() + 1 };
            let pages = self.job.history(series, range.clone()).prefetch(PREFETCH / among).pages();
            self.pending.requests = self.pending.requests.saturating_sub(pages.progress().pages_left);
            let id = RangeId { series: index, number: self.begun_ranges };
            self.active.push(ActiveRange { id, failed_steps, rest: range, has_failed: false, pages });
            self.begun_ranges += 1;
        }
    }

    /// Polls the active ranges in turn. Returns a page with the index of its range.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<(usize, NextPage)> {
        for (index, active) in self.active.iter_mut().enumerate() {
            if let Poll::Ready(page) = pin!(active.pages.next()).poll(cx) {
                return Poll::Ready((index, page));
            }
        }
        Poll::Pending
    }

    /// Adds the next page of a range, or ends the range.
    fn add_or_end(&mut self, index: usize, page: NextPage) -> Result<(), Error> {
        let Some(active) = self.active.get_mut(index) else { return Ok(()) };
        let id = active.id;
        match page {
            Some(Ok(page)) => {
                let failed_steps = std::mem::take(&mut active.failed_steps);
                active.rest.start = page.range.end;
                active.has_failed |= !page.report.failed_pages.is_empty();
                if let Some(report) = self.summary.series.get_mut(id.series) {
                    report.account.failed = report.account.failed.saturating_sub(failed_steps);
                }
                return self.add_page(id, page);
            }
            Some(Err(error)) => {
                self.end_range(index);
                self.note_failed(id.series, error);
                return Ok(());
            }
            None if active.has_failed => {}
            None => {
                // The service had not reached these times when it responded.
                let rest = TimeRanges::from(active.rest.clone());
                if let Some(state) = self.state(id.series) {
                    state.unfetched = state.unfetched.without(&rest);
                }
            }
        }
        self.end_range(index);
        Ok(())
    }

    /// Ends a range. The next range takes its place at the end, so that all ranges are polled in turn.
    fn end_range(&mut self, index: usize) {
        let active = self.active.remove(index);
        add_progress(&mut self.done, &active.pages.progress());
        self.done.pages_left = 0;
    }

    /// Adds the rows of a page to the rows that are not in the journal yet, and reports the problems of the page.
    fn add_page(&mut self, id: RangeId, mut page: Page<AnyRecord>) -> Result<(), Error> {
        let series = id.series;
        self.note_response(page.report.failed_pages.first().map(|failure| &failure.error));
        let LeftOut { unreadable, repeated } = self.job_tables.buffer_page(id, &page, &page.range)?;
        // A repeated record that is invalid remains one of the invalid records.
        let repeated = repeated.min(page.report.account.delivered);
        page.report.account.delivered -= repeated;
        page.report.account.repeated += repeated;
        if let Some(of_series) = self.summary.series.get_mut(series) {
            of_series.unreadable += unreadable;
            of_series.account.add(&page.report.account);
            of_series.note_unsupported(&page.report);
        }
        if page.report.failed_pages.is_empty() {
            self.note_not_sent_again(series, &page);
            self.note_empty(series, &page);
        }
        self.summary.pages += u64::from(page.report.failed_pages.is_empty());
        let window = page.range;
        let mut report = page.report;
        // A page without any response is requested again, unless the service has become unreachable.
        let lost_pages = report
            .failed_pages
            .extract_if(.., |failure| attempted(&failure.error).is_err() && failure.error.is_retryable());
        for lost in lost_pages {
            let mut again = SeriesRange::new(series, lost.range.clone());
            if again.range == window {
                again.failed_steps = report.account.failed;
            }
            let requests = self.requests(&again);
            self.pending.push(again, requests);
            self.lost += 1;
            self.last_lost = Some((series, lost));
        }
        if let Some(failure) = report.failed_pages.last() {
            self.summary.page_error = Some(failure.error.clone());
        }
        self.summary.failed_pages += u64::try_from(report.failed_pages.len()).unwrap_or(u64::MAX);
        // A response without records may have an error instead.
        let has_others = report.metadata.iter().any(|metadata| !metadata.unknown_fields.is_empty());
        let has_error = report.account.received() == 0 && has_others;
        let has_problem = !report.is_complete() || report.account.without_time > 0 || !report.searches.is_empty();
        if has_problem || has_error {
            (self.watch)(&BackfillEvent::Report { series, report });
        }
        Ok(())
    }

    /// Adds a failed range to the summary. If every other range would fail in the same way, the entire job ends.
    fn note_failed(&mut self, series: usize, error: RequestError) {
        self.note_response(Some(&error));
        // The settings or the clock of this machine are wrong.
        let is_local = error.kind() == ErrorKind::Builder;
        if error.is_auth() || error.is_token() || is_local {
            self.rejected = Some(error.into());
            return;
        }
        if error.is_long_pause_of_client() {
            self.summary.is_paused = true;
            self.summary.page_error = Some(error);
            return;
        }
        if error.is_long_pause() {
            return self.pause_endpoint(series, error);
        }
        if error.status().is_some_and(|status| status < 500)
            && !error.is_retryable()
            && let Some((table, request)) = self.job_tables.table(series)
        {
            table.note_rejected(request, error.to_string());
        }
        self.summary.failed.push((series, error.into()));
    }

    /// Ends all series of an endpoint, because the service has requested a long pause of this endpoint.
    fn pause_endpoint(&mut self, series: usize, error: RequestError) {
        self.paused.push(error);
        self.note_paused(series);
        while let Some(index) = self.active.iter().position(|active| self.pause_of(active.id.series).is_some()) {
            let series = self.active[index].id.series;
            self.end_range(index);
            self.note_paused(series);
        }
    }

    /// The error with which the service has requested a long pause of the endpoint of a series.
    fn pause_of(&self, series: usize) -> Option<&RequestError> {
        let endpoint = self.job.series.get(series)?.endpoint();
        self.paused.iter().find(|error| error.endpoint().is_some_and(|paused| std::ptr::eq(paused, endpoint)))
    }

    /// Adds a series of a paused endpoint to the summary, at most once.
    fn note_paused(&mut self, series: usize) {
        let is_noted = self.summary.failed.iter().any(|(other, _)| *other == series);
        let Some(error) = self.pause_of(series).filter(|_| !is_noted) else { return };
        let error = error.clone();
        self.summary.failed.push((series, error.into()));
    }

    /// Notes whether the service responded.
    fn note_response(&mut self, failure: Option<&RequestError>) {
        let outcome = failure.map_or(Ok(200), attempted);
        self.job.response_monitor.note(outcome, Duration::ZERO);
        self.has_response |= outcome.is_ok();
    }

    /// `true` if there was no response for the time [`UNREACHABLE`]. Reports when an outage begins and ends.
    fn is_unreachable(&mut self) -> bool {
        let Outage { failing, silent_since } = self.job.response_monitor.outage();
        match (failing, self.trouble) {
            (Some(Failing { since, last }), None) if since.elapsed() >= TROUBLE => {
                self.trouble = Some(since);
                let elapsed = since.elapsed();
                (self.watch)(&BackfillEvent::Trouble { elapsed, status: last.ok(), kind: last.err() });
            }
            (None, Some(since)) => {
                self.trouble = None;
                (self.watch)(&BackfillEvent::Recovered { elapsed: since.elapsed() });
            }
            _ => {}
        }
        silent_since.is_some_and(|since| since.elapsed() >= UNREACHABLE)
    }
}
