//! Returns future records: the record of each interval, as soon as the interval is closed.
//!
//! A follower takes a request and a start, and returns an endless stream of updates. `schedule` decides when to request
//! which range, and which records to deliver. `State` sends the requests and waits between them; `Following` makes the pages.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;

use super::checkpoint::Checkpoint;
use super::follower_state::FollowerState;
use super::following::Following;
use super::job::{Job, ReportedWindow};
use super::options::Options;
use super::request_template::{RequestTemplate, require_past};
use super::schedule::{Action, Failure, Position, Recovery, Schedule, ScheduleSettings};
use super::streams::Blocking;
use super::time_grid::Span;
use super::update::Update;
use super::window_fetch::Decode;
use super::{HasHistory, RecordOf};
use crate::client::{self, BlockingFeature, Request, Untyped};
use crate::dispatch::Observers;
use crate::dispatch::observer::Event;
use crate::error::Error;
use crate::platform::{Instant, Sleep, sleep};
use crate::rate_limit::Rank;
use crate::request::RequestKind;
use crate::send::OthersOutage;
use crate::values::Timestamp;

/// The longest wait after which the clocks are read again, which shows that the machine was suspended.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(8);

/// The records of an endpoint from a given time on, each delivered after the end of its interval; created by
/// `Request::follow`.
///
/// ```no_run
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::{Client, Timeframe};
/// # use runtime::Timestamp;
/// # async fn demo(client: &Client) -> Result<(), runtime::Error> {
/// // `market().ratio()` is an example; use an endpoint of your client.
/// let ratio = client.market().ratio().symbol("A").timeframe(Timeframe::M1);
/// let mut minutes = ratio.follow(Timestamp::now());
/// loop {
///     for record in minutes.next().await?.records() {
///         println!("{} {}", record.open_date, record.ratio);
///     }
/// }
/// # }
/// ```
///
/// An interval is delivered once the service has reached its end, by the time of the service (`Client::service_time`).
/// Without any `Date`, that is the time of this machine's clock: if the clock is ahead, open intervals are delivered; if
/// it is behind, records are late by the same time. Equally, a cache that sends no `Age` cannot be recognized, nor two
/// wrong dates that agree. A revision after the delivery is not noticed.
///
/// An interval is requested two seconds after its end, plus the lateness that all of the last three records had; after
/// a start, two late records are enough. If its record is missing, the interval is requested again, first after four
/// seconds, and then after pauses that are as long as the record is late, but at most as long as the interval or 14
/// minutes, and until the next interval is due. At that time, the pauses begin again once. If the series has had no
/// record for a hundred times as long, a pause is a hundredth of that time. Of a series without records for longer than
/// a page, only the latest intervals are requested, and at every eighth time also those after its last record. After a
/// failure, a pause is as long as the outage so far, but at most eight seconds or, if that is longer, a thirtieth of the
/// outage and at most a minute. The followers of a client share these pauses: one of them requests at a time, and
/// the first response ends the outage for all. After a suspend of the machine, requests continue within eight seconds.
/// The average number of requests in an hour is:
///
/// | interval | punctual | 900 s late | no records: first day | second day | 31st day |
/// |---|---|---|---|---|---|
/// | 1 m | 60 | 65 | 16 | 3.3 | 0.25 |
/// | 1 h | 1 | 1.1 | 5.0 | 2.9 | 0.13 |
/// | 4 h | 0.25 | 0.29 | 4.2 | 2.9 | 0.13 |
/// | 1 d | 0.04 | 0.08 | 0.04 | 3.3 | 0.13 |
///
/// The record of each interval is delivered once. A missing record can still be published after the record of a later
/// interval. It is then delivered as [`Update::Late`] if it is within the [allowed lateness](Self::allowed_lateness), and
/// reported as a gap otherwise. If the program crashes after a page is delivered and before its
/// [checkpoint](Self::checkpoint) is saved, the next run delivers that page again.
///
/// An error that is [retryable](Error::is_retryable) is an outage: the follower retries until the service responds. Any
/// other error is returned, and the next call sends a request again after a pause. One of them is a start in the future:
/// by more than a day, or by more than an hour if only this machine, whose clock is ahead, has reached it.
#[must_use = "a follower requests nothing before its next update is awaited"]
pub struct Follow<E: HasHistory>(State<RecordOf<E>>);

/// The follower without the type of its endpoint.
struct State<T> {
    request: Untyped,
    decode: Decode,
    from: Timestamp,
    settings: ScheduleSettings,
    /// `None` until the first poll has checked that the request has a history.
    following: Option<Following>,
    job: Option<Box<Job>>,
    sleep: Option<Pin<Box<Sleep>>>,
    /// Updates of the last page that were not returned yet.
    updates: VecDeque<Update<T>>,
    /// The position after the last returned page, or the position to resume from.
    checkpoint: Option<Checkpoint>,
    /// The receivers of the events of the follower itself.
    observers: Observers,
}

impl<E: HasHistory> Follow<E> {
    #[doc(hidden)]
    pub fn new(request: Request<E>, from: Timestamp) -> Self {
        let request = request.untyped.set_policy(|policy| policy.rank = Rank::Live);
        let observers = request.observers(Rank::Live);
        Self(State {
            request,
            observers,
            decode: Decode::of::<E::Body>(),
            from,
            settings: ScheduleSettings { allowed_lateness: 10, outage_after: Duration::from_secs(60) },
            following: None,
            job: None,
            sleep: None,
            updates: VecDeque::new(),
            checkpoint: None,
        })
    }

    /// Continues after the checkpoint of an earlier follower, or of a history of the same request; the start of this
    /// follower is then ignored.
    ///
    /// A checkpoint of another request or host is an error; see [`Checkpoint::with_base_url`].
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        self.0.checkpoint = Some(checkpoint);
        self
    }

    /// Continues after the checkpoint of the last run, like [`resume`](Self::resume), or begins at the start of this
    /// follower in the first run, in which there is none.
    pub fn resume_if_saved(mut self, checkpoint: Option<Checkpoint>) -> Self {
        self.0.checkpoint = checkpoint;
        self
    }

    /// Sets the number of intervals that may have a record after a missing one before the missing one is reported as a
    /// gap and no longer requested; the default is ten. If all records are late, they are late by no intervals.
    pub fn allowed_lateness(mut self, intervals: u32) -> Self {
        self.0.settings.allowed_lateness = intervals;
        self
    }

    /// Sets the time for which all requests must fail before [`Update::Outage`] is returned; the default is one minute.
    ///
    /// An [`Observer`](crate::observer::Observer) receives [`Event::Outage`] after each failure.
    pub fn outage_after(mut self, time: Duration) -> Self {
        self.0.settings.outage_after = time;
        self
    }

    /// Returns the position after the last page, with the times that are still missing. Another run can
    /// [resume](Self::resume) from this position. `None` before the first page of a follower that was not resumed.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.0.checkpoint.as_ref()
    }

    /// Returns the state of the follower, for example for a health check. It changes while an update is awaited.
    pub fn state(&self) -> FollowerState {
        self.0.state()
    }

    /// Waits for the next update. Dropping the future loses no update.
    pub async fn next(&mut self) -> Result<Update<RecordOf<E>>, Error> {
        poll_fn(|cx| self.0.poll_update(cx)).await
    }

    /// Returns the updates as an endless blocking iterator, for synchronous code; requires the feature `blocking`.
    pub fn updates_blocking(self) -> Blocking<Self>
    where
        E: BlockingFeature,
    {
        Blocking::new(self.0.request.background(), self, 1)
    }
}

impl<T: Send + 'static> State<T> {
    fn poll_update(&mut self, cx: &mut Context<'_>) -> Poll<Result<Update<T>, Error>> {
        loop {
            if let Some(update) = self.updates.pop_front() {
                if let Some(page) = update.page() {
                    self.checkpoint = Some(page.checkpoint.clone());
                }
                return Poll::Ready(Ok(update));
            }
            // The pending sleep is stored in `self`, so it continues if the caller drops the future of an update.
            if let Some(sleep) = &mut self.sleep {
                ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
            }
            let Some(following) = &mut self.following else {
                match self.following() {
                    Ok(following) => self.following = Some(following),
                    // The next call waits first, so that a caller that ignores the error does not loop without a pause.
                    Err(error) => return Poll::Ready(self.wait(Duration::from_secs(1)).and(Err(error))),
                }
                continue;
            };
            let Some(job) = &mut self.job else {
                self.begin_round()?;
                continue;
            };
            match ready!(job.poll(cx)) {
                Some(Ok(window)) => self.received(window),
                Some(Err(error)) => self.failed(error)?,
                None => {
                    self.job = None;
                    let estimate = self.request.connection().clock.read();
                    let since = following.schedule.finished(Instant::now(), estimate);
                    if let Some(since) = since {
                        self.updates.push_back(Update::Silent { since });
                    }
                }
            }
        }
    }

    /// Adds the updates of a window.
    fn received(&mut self, window: ReportedWindow) {
        let Some(following) = &mut self.following else { return };
        following.is_started = true;
        let now = Instant::now();
        if let Some(Recovery { elapsed, was_outage }) = following.schedule.recovered(now) {
            let request = RequestKind::Data(self.request.endpoint());
            let params = self.observers.params();
            self.observers.notify(&Event::Recovered { request, params, elapsed, was_outage });
            if was_outage {
                self.updates.push_back(Update::Recovered { elapsed });
            }
        }
        self.updates.extend(following.pages(window, now));
    }

    /// Begins the requests for the next range, or waits until they are due.
    fn begin_round(&mut self) -> Result<(), Error> {
        let Some(following) = &mut self.following else { return Ok(()) };
        let estimate = self.request.connection().clock.read();
        match following.schedule.action(Instant::now(), estimate) {
            Action::Request(window) => {
                // During an outage, the followers of a client take turns.
                if let Some(outage) = self.request.outage().admit() {
                    return self.wait_for_others(outage);
                }
                let mut options = Options::new(window);
                options.unsettled = following.schedule.unsettled(window.to);
                options.no_first_record_search = following.checkpoint.records > 0;
                // The schedule repeats a failed round, so the job itself does not retry windows.
                options.attempts = 1;
                // The job gets a time at which every interval in the window is closed.
                let closed = following.schedule.grid.final_at(window.to);
                self.job = Some(Box::new(Job::new(&self.request, options, self.decode, closed)?));
                Ok(())
            }
            Action::Wait(pause) => {
                // A pause after a failure is no start.
                following.is_started |= following.schedule.failing_for(Instant::now()).is_none();
                // The first response may have shown that the clock of this machine is ahead.
                let is_past = require_past(&self.request, following.checkpoint.range.from, estimate);
                self.wait(pause.min(MAX_WAIT))?;
                is_past
            }
        }
    }

    /// Prepares the schedule and the first checkpoint, or returns an error if the request cannot be followed.
    fn following(&self) -> Result<Following, Error> {
        let template = RequestTemplate::new(&self.request)?;
        if !template.grid.has_steps() {
            let error = Error::build("the records of this endpoint have no interval, by which they could be followed");
            return Err(self.request.describe_in(error));
        }
        let clock = self.request.connection().clock.read();
        let start = if let Some(checkpoint) = &self.checkpoint {
            template.resumed(checkpoint)?.clone()
        } else {
            require_past(&self.request, self.from, clock)?;
            let from = template.available(self.from, clock.time(), Duration::ZERO);
            template.checkpoint(Span { from, to: from })
        };
        let missing = start.missing.clone().unwrap_or_default();
        let position = Position { next: start.open_since.unwrap_or(start.next), missing };
        let schedule =
            Schedule::new(template.grid, template.page_steps(), self.settings.clone(), position, Instant::now());
        Ok(Following::new(schedule, start))
    }

    fn state(&self) -> FollowerState {
        let Some(following) = &self.following else {
            let checkpoint = self.checkpoint.as_ref();
            return FollowerState {
                caught_up_to: checkpoint.map_or(self.from, Checkpoint::next_time),
                next_interval: None,
                missing: checkpoint.and_then(|checkpoint| checkpoint.missing.as_ref()).map_or(0, Vec::len),
                failing_since: None,
                is_started: false,
            };
        };
        let schedule = &following.schedule;
        let time = self.request.connection().clock.read().time();
        FollowerState {
            caught_up_to: schedule.position.next,
            next_interval: Some(schedule.next_interval().range()),
            missing: schedule.position.missing.len(),
            failing_since: schedule.failing_for(Instant::now()).map(|elapsed| time - elapsed),
            is_started: following.is_started,
        }
    }

    fn wait(&mut self, pause: Duration) -> Result<(), Error> {
        client::require_runtime().map_err(|error| self.request.describe_in(error))?;
        self.sleep = Some(Box::pin(sleep(pause)));
        Ok(())
    }

    /// Ends the round after an error. A retryable error is reported to the observer, and also as an update if requests
    /// have failed for long enough. Any other error is returned.
    fn failed(&mut self, error: Error) -> Result<(), Error> {
        // The position has not moved past this window, so the next round requests its missing part again.
        self.job = None;
        let Some(following) = &mut self.following else { return Err(error) };
        let failure = following.schedule.failed(Instant::now(), error.is_retryable(), error.long_pause());
        if !error.is_retryable() {
            return Err(error);
        }
        self.request.outage().failed(&error);
        self.report(failure, error);
        Ok(())
    }

    /// Waits for the outcome of another follower's request. The outage is also one of this follower, although it sends no
    /// request.
    fn wait_for_others(&mut self, outage: OthersOutage) -> Result<(), Error> {
        let Some(following) = &mut self.following else { return Ok(()) };
        let failure = following.schedule.failed_for_others(Instant::now(), outage.since);
        if failure.is_outage {
            let error = self.request.describe_in(outage.error);
            self.report(failure, error.with_hint("a request of another series of this client has failed"));
        }
        self.wait(outage.wait.min(MAX_WAIT))
    }

    /// Reports a failure to the observer, and also as an update if requests have failed for long enough.
    fn report(&mut self, failure: Failure, error: Error) {
        let Failure { elapsed, is_first, is_outage } = failure;
        let kind = error.kind();
        let request = RequestKind::Data(self.request.endpoint());
        let params = self.observers.params();
        self.observers.notify(&Event::Outage { request, params, kind, elapsed, is_first, is_outage });
        if is_outage {
            self.updates.push_back(Update::Outage { elapsed, error });
        }
    }
}

// No field relies on being pinned.
impl<E: HasHistory> Unpin for Follow<E> {}

impl<E: HasHistory> Stream for Follow<E> {
    type Item = Result<Update<RecordOf<E>>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_update(cx).map(Some)
    }
}

impl<E: HasHistory> fmt::Debug for Follow<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { request, from, .. } = &self.0;
        f.debug_struct("Follow").field("request", request).field("from", from).finish_non_exhaustive()
    }
}
