//! A run over a range, for records of any type, with its windows, gaps, failures and progress.
//!
//! A job sends the requests that `pager` plans, and returns windows, each with its report and its checkpoint. New
//! requests are started only when the consumer polls, so a slow consumer also slows the fetching. This code is compiled
//! once for all endpoints.
//!
//! Each request is a separate task, so it makes progress without being polled.

use std::task::{Context, Poll};
use std::time::Duration;

use super::account::{Account, count};
use super::checkpoint::Checkpoint;
use super::options::{Options, Progress};
use super::page::{FailedPage, Report};
use super::page_response::{Batch, PageResponse};
use super::pager::{Accepted, Pager};
use super::request_template::RequestTemplate;
use super::strays::Strays;
use super::time_grid::{self, Gap, Span};
use super::window_fetch::{Decode, WindowFetch, fetch};
use crate::client::Untyped;
use crate::error::{Error, ErrorKind};
use crate::platform::Instant;
use crate::rate_limit::Rank;
use crate::values::Timestamp;

/// A job that has decoded pages for this long lets other tasks run before the next page.
const MAX_POLL: Duration = Duration::from_millis(10);

/// A run over a range.
pub(super) struct Job {
    template: RequestTemplate,
    decode: Decode,
    pager: Pager<Batch>,
    in_flight: Vec<(u64, WindowFetch)>,
    /// The total waiting time of all requests that got a response.
    waited: Duration,
    /// The number of requests for further pages of a window.
    further_pages: u64,
    /// All complete steps of the rest of the range.
    whole: Span,
    /// The gap that ends at the current position and may continue after it.
    open: Option<Span>,
    /// The position of the run. An interval that is still open is not included, because its record may change.
    checkpoint: Checkpoint,
    options: Options,
    /// True once the service's time is known from its responses and not only from the clock of this machine.
    is_confirmed: bool,
    begun: Option<Instant>,
    pages: u64,
    /// The records whose windows have not ended.
    strays: Strays,
    /// The end of the steps that the account includes.
    counted_until: Timestamp,
    /// The account of all windows so far.
    account: Account,
    /// True if any window has succeeded.
    has_succeeded: bool,
    is_over: bool,
}

/// A window with a complete report, and its checkpoint.
pub(super) struct ReportedWindow {
    pub(super) window: Span,
    pub(super) response: PageResponse<Batch>,
    pub(super) checkpoint: Checkpoint,
}

impl Job {
    pub(super) fn new(request: &Untyped, mut options: Options, decode: Decode, now: Timestamp) -> Result<Self, Error> {
        let template = RequestTemplate::new(request)?;
        let (mut checkpoint, mut end) = options.start(&template, now, Duration::ZERO)?;
        let grid = template.grid;
        let is_confirmed = request.connection().clock.read().is_confirmed();
        if let Some(step_end) = options.undecided_step(grid, is_confirmed, checkpoint.next, end) {
            end = step_end;
            checkpoint.range.to = end;
        }
        // Once a history has a record, empty pages are gaps, and no search begins. This also applies to the records of
        // the earlier run, so that a resumed job sends the same requests as a job without an interruption.
        options.no_first_record_search |= checkpoint.records > 0;
        let range = Span { from: checkpoint.range.from, to: end };
        let open = checkpoint.open_since.map(|from| Span { from, to: grid.floor(checkpoint.next) });
        let open = open.filter(|open| !open.is_empty());
        // A step that is only partly after this position is not included, because the earlier run may have returned its
        // record.
        let whole = grid.whole(Span { from: open.map_or(checkpoint.next, |open| open.from), to: end });
        let pager = Pager::new(options.pager(&template, range), checkpoint.next);
        let requested = Span { from: checkpoint.next, to: options.range.to };
        let strays = Strays::new(grid, requested, template.surroundings(requested), end);
        let counted_until = checkpoint.next;
        Ok(Self {
            template,
            decode,
            pager,
            in_flight: Vec::new(),
            waited: Duration::ZERO,
            further_pages: 0,
            whole,
            open,
            checkpoint,
            options,
            is_confirmed,
            begun: None,
            pages: 0,
            strays,
            counted_until,
            account: Account::default(),
            has_succeeded: false,
            is_over: false,
        })
    }

    /// Returns the next window; `None` after the last window or after an error.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<ReportedWindow, Error>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        self.begun.get_or_insert_with(Instant::now);
        let begun = std::time::Instant::now();
        let accepted = loop {
            // `take` is called before `begin_one`, because `take` may plan new requests instead of returning a window.
            if let Some(accepted) = self.pager.take() {
                break accepted;
            }
            if self.pager.is_over() {
                return Poll::Ready(None);
            }
            while self.begin_one() {}
            if !self.receive(cx) {
                return Poll::Pending;
            }
            // Decoding a page takes time, so other tasks and the timers of this task run between pages.
            if begun.elapsed() > MAX_POLL {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        };
        let window = self.report(accepted);
        self.is_over = window.is_err();
        match &self.options.watcher {
            Some(watcher) if window.is_ok() => watcher(&self.progress()),
            _ => {}
        }
        Poll::Ready(Some(window))
    }

    /// Reduces the number of windows requested in advance, so that `among` histories together request as many as a
    /// single history.
    pub(super) fn share(&mut self, among: usize) {
        self.pager.set_ahead(self.options.ahead.div_ceil(among).max(2));
    }

    /// Prepares the next request, which `receive` sends. Returns whether there was a request to prepare.
    fn begin_one(&mut self) -> bool {
        let Some((id, window)) = self.pager.next_request() else { return false };
        let mut request = self.template.request(window);
        // The first page of a history, or of a round of a follower, goes before the further pages of others.
        if id > 1 {
            request = request.set_policy(|policy| policy.rank = Rank::Bulk);
        }
        // A second response decides whether the clock of this machine was right to end the range earlier than requested.
        let end = if window.to == self.pager.end() { self.options.range.to } else { window.to };
        let final_at = self.template.grid.final_at(end);
        self.in_flight.push((id, fetch(request, final_at, self.decode, self.options.attempts)));
        true
    }

    /// Sends the prepared requests and processes the responses that have arrived. Returns whether any response has
    /// arrived.
    fn receive(&mut self, cx: &mut Context<'_>) -> bool {
        let before = self.in_flight.len();
        let begun = std::time::Instant::now();
        let mut is_long = false;
        self.in_flight.retain_mut(|(id, attempts)| {
            if is_long {
                return true;
            }
            let Poll::Ready(fetched) = attempts.as_mut().poll(cx) else { return true };
            self.waited += fetched.waited;
            self.further_pages += fetched.further_pages;
            self.pager.received(*id, fetched.outcome);
            is_long = begun.elapsed() > MAX_POLL;
            false
        });
        self.in_flight.len() < before
    }

    /// Once the service's time is known, extends the range if the clock of this machine was behind when the run began, and
    /// returns an error if the range is in the future.
    fn confirm(&mut self) -> Result<(), Error> {
        let clock = self.template.request.connection().clock.read();
        if self.is_confirmed || !clock.is_confirmed() {
            return Ok(());
        }
        self.is_confirmed = true;
        self.options.require_past_start(&self.template.request)?;
        let (closed, end) = self.options.ends(self.template.grid, clock.time() - self.progress().elapsed);
        if self.pager.end() < end {
            self.pager.set_end(end);
            self.whole.to = self.template.grid.floor(end);
            self.checkpoint.range.to = end.min(closed);
        }
        Ok(())
    }

    /// Returns the end of the range as a failed page, if the range was to end earlier than requested by the clock of this
    /// machine, and the service's time is still disputed after the last page.
    fn undecided(&self, from: Timestamp) -> Option<FailedPage> {
        let request = &self.template.request;
        let to = self.options.range.to;
        let is_earlier = self.pager.is_over() && self.pager.end() < to;
        if !is_earlier || !request.connection().clock.read().is_disputed() {
            return None;
        }
        let message = "no two responses agree about the time, so it is unknown which intervals have ended";
        let error = Error::new(ErrorKind::Incomplete, message).with_hint("check the clock of this machine");
        Some(FailedPage { range: from..to, error: request.describe_in(error) })
    }

    fn report(&mut self, accepted: Accepted<Batch>) -> Result<ReportedWindow, Error> {
        self.confirm()?;
        let (mut window, outcome) = accepted;
        let outcome = outcome.map_err(|error| match error.endpoint() {
            None => self.template.request.describe_in(error),
            Some(_) => error,
        });
        if let Some(error) = outcome.as_ref().err().filter(|error| error.is_long_pause_of_client()) {
            // The followers of the client wait until the end of the pause too.
            self.template.request.outage().failed(error);
        }
        let mut account = Account::default();
        let (mut response, ended) = match outcome {
            Ok(mut response) => {
                self.has_succeeded = true;
                account.not_final += self.cut(&mut window, &mut response);
                self.count_steps(window, Some(&response), &mut account);
                let (ended, open) = time_grid::join(self.open, &response.missing, self.whole, window.to);
                self.open = open;
                (response, ended)
            }
            Err(error) if !self.options.skip_failed || self.ends_all(&error) => return Err(error),
            Err(error) => {
                let failed_pages = vec![FailedPage { range: window.range(), error }];
                let report = Report { failed_pages, ..Report::default() };
                self.count_steps(window, None, &mut account);
                (PageResponse::none(report), self.open.take().into_iter().collect())
            }
        };
        self.count_records(window, &response, &mut account);
        response.report.account = account;
        response.report.failed_pages.extend(self.undecided(window.to));
        for metadata in &mut response.report.metadata {
            metadata.range = window.range();
        }
        self.pages += 1;
        self.checkpoint.next = window.to.min(self.checkpoint.range.to);
        self.checkpoint.open_since = self.open_since(window, &response, &ended);
        response.report.gaps = ended.into_iter().map(|gap| Gap { range: gap.range() }).collect();
        // `checkpoint.records` may be from the text of a checkpoint, which can contain any number, so the sum could
        // overflow.
        let count = response.sorted.partition_point(|(time, _)| *time < self.checkpoint.next);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.checkpoint.records = self.checkpoint.records.saturating_add(count);
        Ok(ReportedWindow { window, response, checkpoint: self.checkpoint.clone() })
    }

    /// The start of what is missing at the end of this range: the last gap, or a step that is only partly in this range. If
    /// a resumed run has a range that ends later, it requests this part again.
    fn open_since(&self, window: Span, response: &PageResponse<Batch>, ended: &[Span]) -> Option<Timestamp> {
        if let Some(open) = self.open {
            return Some(open.from);
        }
        let end = self.whole.to;
        match (response.sorted.last(), ended.last()) {
            (Some((time, _)), _) if *time >= end => None,
            (_, Some(gap)) if gap.to == end => Some(gap.from),
            _ if window.from <= end && end < self.checkpoint.next => Some(end),
            _ => None,
        }
    }

    /// Ends the run with this window if the service had not reached the end of the window when it responded: records of
    /// later intervals may change, and missing ones may still be published. Returns the number of records of such
    /// intervals.
    fn cut(&mut self, window: &mut Span, response: &mut PageResponse<Batch>) -> u64 {
        let before = response.len();
        let (closed, end) = self.options.ends(self.template.grid, response.reached);
        if closed < window.to {
            self.checkpoint.range.to = self.checkpoint.range.to.min(closed.max(self.checkpoint.next));
        }
        if end < window.to {
            self.end_at(end, window, response);
        }
        self.cut_open(window, response);
        count(before - response.len())
    }

    /// Ends the run before the first record whose interval has not ended by its own time, if intervals do not begin
    /// where steps do, such as days that begin at 16:00 UTC.
    fn cut_open(&mut self, window: &mut Span, response: &mut PageResponse<Batch>) {
        let grid = self.template.grid;
        if self.options.with_open || !grid.has_steps() {
            return;
        }
        let until = grid.final_until(response.reached);
        let Some(end) = response.times().find(|time| grid.interval.moved(*time, 1) > until) else { return };
        self.checkpoint.range.to = self.checkpoint.range.to.min(end.max(self.checkpoint.next));
        self.end_at(end, window, response);
    }

    /// Ends the run at a time in a window.
    fn end_at(&mut self, end: Timestamp, window: &mut Span, response: &mut PageResponse<Batch>) {
        window.to = end.max(window.from);
        self.whole.to = self.whole.to.min(self.template.grid.floor(end));
        self.strays.final_until = end;
        response.end_at(end);
        self.pager.stop();
    }

    /// Counts the steps of a window, or those of a failed window. A step that is only partly in the range counts if it has
    /// a record in the range; otherwise its record may be outside of the range.
    fn count_steps(&mut self, window: Span, response: Option<&PageResponse<Batch>>, account: &mut Account) {
        let grid = self.template.grid;
        let new = Span { from: window.from.max(self.counted_until), to: window.to };
        if !grid.has_steps() || new.is_empty() {
            return;
        }
        self.counted_until = grid.ceil(new.to);
        let steps = grid.touched(new);
        let Some(response) = response else {
            account.failed += steps;
            return;
        };
        let mut missing = 0;
        let mut empty = 0;
        for gap in &response.missing {
            let gap = Span { from: gap.from.max(new.from), to: gap.to.min(new.to) };
            missing += grid.touched(gap);
            empty += grid.touched(gap.within(self.whole));
        }
        account.covered = steps.saturating_sub(missing);
        for search in &response.report.searches {
            let mut requested = 0;
            for range in &search.requested {
                let range = Span { from: range.start, to: range.end };
                requested += grid.touched(range.within(new).within(self.whole));
            }
            account.never_requested += empty - requested.min(empty);
            empty = requested.min(empty);
        }
        account.empty += empty;
    }

    /// Counts the records of a window, and those of other responses that belong to it.
    fn count_records(&mut self, window: Span, response: &PageResponse<Batch>, account: &mut Account) {
        account.delivered += count(response.sorted.len());
        account.invalid += count(response.invalid.len());
        account.without_time += count(response.without_time);
        let set_aside = self.pager.take_set_aside();
        account.repeated += set_aside.repeated;
        account.without_time += set_aside.without_time;
        account.distant += set_aside.distant;
        if let Some(earliest) = set_aside.earliest {
            self.strays.note_start(earliest);
        }
        self.strays.final_until = self.strays.final_until.max(self.whole.to);
        let others = response.others.iter().copied().chain(set_aside.times);
        self.strays.end_window(window, response.times(), others, account);
        if self.pager.is_over() {
            self.strays.end(account);
        }
        self.account.add(account);
        debug_assert!(
            !self.pager.is_over() || self.account.received() == self.pager.received,
            "{} records were received: {:?}",
            self.pager.received,
            self.account
        );
    }

    /// Returns whether every other window would fail with the same error.
    fn ends_all(&self, error: &Error) -> bool {
        // If the first window is rejected, the request itself is probably invalid; a later rejection may concern only
        // one window.
        let is_refused = matches!(error.status(), Some(400..500)) && !error.is_retryable();
        let is_certain = error.is_auth() || error.is_token() || error.kind() == ErrorKind::Builder;
        is_certain || error.is_long_pause() || (is_refused && !self.has_succeeded)
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            records: self.checkpoint.records,
            pages: self.pages,
            pages_left: self.pager.pages_left(),
            requests: self.pager.requests + self.further_pages,
            waited: self.waited,
            elapsed: self.begun.map_or(Duration::ZERO, |begun| begun.elapsed()),
        }
    }
}
