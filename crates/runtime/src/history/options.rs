//! The settings of a run over a range, the plan of its requests, and its progress.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::checkpoint::Checkpoint;
use super::page_response::Batch;
use super::pager::Pager;
use super::pager_options::PagerOptions;
use super::request_template::{RequestTemplate, has_windows, require_past};
use super::time_grid::{Span, TimeGrid};
use crate::client::Untyped;
use crate::error::Error;
use crate::values::{Interval, Timestamp};

/// The function that is called with the progress.
pub(super) type Watcher = Arc<dyn Fn(&Progress) + Send + Sync>;

/// A plan begins this long after the oldest record that the service has, so that the record still exists when its page
/// is requested.
const MARGIN: Duration = Duration::from_secs(3600);

/// The settings of a run.
#[derive(Clone)]
pub(super) struct Options {
    pub(super) range: Span,
    /// The start of the range of which this range is a part.
    pub(super) whole_start: Option<Timestamp>,
    pub(super) with_open: bool,
    pub(super) skip_failed: bool,
    pub(super) no_first_record_search: bool,
    pub(super) ahead: usize,
    pub(super) attempts: u32,
    /// Records after this time may not be published yet, so a page may end without them.
    pub(super) unsettled: Timestamp,
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) watcher: Option<Watcher>,
}

/// The requests that a history is going to make.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The range, which ends with the last closed interval at the latest. A range that is in the future only by the clock of
    /// this machine has its first interval, because the clock may be behind.
    pub range: Range<Timestamp>,
    /// The intervals of the records; of a nanosecond for events, which can have any times.
    pub interval: Interval,
    /// The maximum number of records on a page; `usize::MAX` if it is unknown.
    pub page_size: usize,
    /// The number of steps that a full page covers; `None` if each page begins where another page ended.
    pub page_steps: Option<usize>,
    /// The maximum number of records: one for each step that begins in the range.
    pub records: u64,
    /// The number of requests if the service responds as planned: one for each page. If each page begins where another
    /// page ended, only the first is counted.
    pub requests: u64,
    /// The shortest time that the client's rate limit allows from the first request to the last; `None` if a custom
    /// rate limiter reports no limit.
    pub min_duration: Option<Duration>,
}

impl Options {
    pub(super) fn new(range: Span) -> Self {
        Self {
            range,
            whole_start: None,
            with_open: false,
            skip_failed: false,
            no_first_record_search: false,
            ahead: 32,
            attempts: 4,
            unsettled: Timestamp::MAX,
            checkpoint: None,
            watcher: None,
        }
    }

    /// Returns the checkpoint before the first window, and the end of the range.
    ///
    /// The range starts at least `margin` after the oldest record that the service has.
    pub(super) fn start(
        &self,
        template: &RequestTemplate,
        now: Timestamp,
        margin: Duration,
    ) -> Result<(Checkpoint, Timestamp), Error> {
        let Span { from, to } = self.range;
        if to < from {
            let error = Error::build(format!("the range ends at {to}, before its start {from}"));
            return Err(template.request.describe_in(error));
        }
        let grid = template.grid;
        let (closed, end) = self.ends(grid, now);
        let Some(checkpoint) = &self.checkpoint else {
            // A follower has checked its start, or resumes after a time that the service had reached.
            if now < from {
                self.require_past_start(&template.request)?;
            }
            let from = template.available(from, now, margin).min(to);
            let end = end.max(from);
            return Ok((template.checkpoint(Span { from, to: end.min(closed.max(from)) }), end));
        };
        let mut start = template.resumed(checkpoint)?.clone();
        // The earlier run began later than requested if the service had no older records.
        if from > start.range.from || template.info.oldest.is_none() {
            template.require_start(from, &start)?;
        }
        start.next = template.available(start.next, now, margin);
        template.require_history(&start)?;
        // A gap at the end of the earlier run is requested again, because its records may have been published in the
        // meantime.
        if let Some(since) = start.open_since.filter(|_| start.next == start.range.to && start.next < end) {
            (start.next, start.open_since) = (since, None);
        }
        let end = end.max(start.next);
        // The range of the checkpoint excludes an interval that is still open, so a resumed run requests that interval
        // again.
        start.range.to = end.min(closed.max(start.next));
        Ok((start, end))
    }

    /// Returns an error if the start is in the future.
    pub(super) fn require_past_start(&self, request: &Untyped) -> Result<(), Error> {
        let start = self.whole_start.unwrap_or(self.range.from);
        require_past(request, start, request.connection().clock.read())
    }

    /// Returns the end of the last interval that is closed at a time of the service, and the end of the range at that
    /// time.
    pub(super) fn ends(&self, grid: TimeGrid, time: Timestamp) -> (Timestamp, Timestamp) {
        let closed = grid.floor(grid.final_until(time));
        (closed, self.range.to.min(if self.with_open { grid.next(closed) } else { closed }))
    }

    /// Returns the end of the first step of a range that is in the future only by the clock of this machine. That step is
    /// requested, because the clock may be behind, and the response decides. `end` is the end by that clock.
    pub(super) fn undecided_step(
        &self,
        grid: TimeGrid,
        is_confirmed: bool,
        next: Timestamp,
        end: Timestamp,
    ) -> Option<Timestamp> {
        if is_confirmed || next < end {
            return None;
        }
        Some(grid.after(next, 1).min(self.range.to).max(end))
    }

    /// Plans the requests without sending them.
    pub(super) fn plan(&self, request: &Untyped) -> Result<Plan, Error> {
        let template = RequestTemplate::new(request)?;
        let clock = request.connection().clock.read();
        let (start, mut end) = self.start(&template, clock.time(), MARGIN)?;
        if let Some(step_end) = self.undecided_step(template.grid, clock.is_confirmed(), start.next, end) {
            end = step_end;
        }
        let range = Span { from: start.range.from, to: end };
        let pager = self.pager(&template, range);
        let requests = Pager::<Batch>::new(pager, start.next).pages_left();
        let endpoint = request.endpoint();
        let limit = request.connection().dispatcher.rate_limiter.rate_limit();
        Ok(Plan {
            range: range.range(),
            interval: template.grid.interval,
            page_size: template.page_size,
            page_steps: template.steps_of_a_full_page(),
            records: template.records_of(Span { from: start.next, to: end }),
            requests,
            min_duration: limit.map(|limit| limit.min_duration(&[(requests, endpoint)], Duration::ZERO)),
        })
    }

    /// Returns the settings for fetching a range.
    pub(super) fn pager(&self, template: &RequestTemplate, range: Span) -> PagerOptions {
        let RequestTemplate { info, units, grid, page_size, outside, .. } = *template;
        let Self { ahead, unsettled, no_first_record_search, .. } = *self;
        let all_pages_of = template.all_pages_of(range);
        // With all pages, the response to a window has all of its records, so nothing before or after them is requested.
        let page_size = if all_pages_of.is_some() { usize::MAX } else { page_size };
        let ends = match all_pages_of {
            Some(_) if template.has_both_ends() => None,
            Some(_) => Some([false; 2]),
            None if has_windows(info) => None,
            None => Some([info.to, info.from].map(|name| !name.is_empty())),
        };
        let may_search = ends.is_none() && grid.has_steps() && !no_first_record_search;
        PagerOptions {
            grid,
            range,
            page_size,
            outside,
            ends,
            units,
            includes_start: info.includes_start,
            ahead,
            unsettled,
            all_pages_of,
            may_search,
        }
    }
}

/// The progress of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Records returned so far, including those of earlier runs.
    pub records: u64,
    /// Pages returned by this run.
    pub pages: u64,
    /// Remaining pages. The number can grow if the service does not respond as planned.
    pub pages_left: u64,
    /// The number of requests. A retried request counts once.
    pub requests: u64,
    /// The total time for which requests waited: in the rate-limit queue, for a token, and between attempts. Requests
    /// without a response are not counted.
    pub waited: Duration,
    /// The duration of this run.
    pub elapsed: Duration,
}

impl Progress {
    /// Estimates the remaining time from the average pace so far; `None` before the first page.
    pub fn time_left(&self) -> Option<Duration> {
        let pages = u32::try_from(self.pages).ok().filter(|pages| *pages > 0)?;
        Some((self.elapsed / pages).saturating_mul(u32::try_from(self.pages_left).unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_extrapolated() {
        let mut progress = Progress { pages_left: 30, elapsed: Duration::from_secs(8), ..Progress::default() };
        assert_eq!(progress.time_left(), None);
        progress.pages = 10;
        assert_eq!(progress.time_left(), Some(Duration::from_secs(24)));
    }
}
