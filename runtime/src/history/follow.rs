//! The records that are still to come: those of each interval once it is over.
//!
//! A request and a point in time come in; pages of closed intervals go out, without end. The walk that fetches every
//! range also fetches what is missing after a pause, an outage or a clock that jumped.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;

#[cfg(feature = "blocking")]
use super::blocking::Blocking;
use super::course::Template;
use super::fetch::{self, Decode};
use super::gaps::GapKind;
use super::grid::{Grid, Span};
use super::job::{Job, Options};
use super::page::Page;
use super::streams::Pages;
use super::{HasHistory, RecordOf};
use crate::client::{self, Request, Untyped};
use crate::error::Error;
use crate::platform::{Instant, Sleep, sleep};
use crate::values::Timestamp;

/// The longest sleep: the clock may jump meanwhile, and the machine may be suspended.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

/// The first pause after a failure. Each further one is twice as long, up to the longest sleep.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The records of an endpoint from a point in time on, each interval once it is over; from `Request::follow`.
///
/// ```no_run
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::{Client, Timeframe};
/// # async fn demo(client: &Client) -> Result<(), runtime::Error> {
/// let ratio = client.market().ratio().coin("BTC").timeframe(Timeframe::M1);
/// let mut minutes = ratio.follow(runtime::Timestamp::now());
/// loop {
///     for record in minutes.next().await? {
///         println!("{} {}", record.open_date, record.ratio);
///     }
/// }
/// # }
/// ```
///
/// It asks for an interval when the interval is over by the clock of this machine and a delay has passed. If the record
/// is not there yet, it asks again after the delay, and then together with the next interval. When a later record is
/// there, the missing one is reported as a gap.
///
/// It waits out an error that is [retryable](Error::is_retryable) and asks again. It returns any other error; the next
/// call asks again after a pause.
#[must_use = "nothing is asked before the next page is"]
pub struct Follow<E: HasHistory>(State<RecordOf<E>>);

/// The same without the endpoint's type.
struct State<T> {
    request: Untyped,
    decode: Decode,
    /// `None` until the request was found to have a history.
    grid: Option<Grid>,
    /// Up to where everything was given.
    position: Timestamp,
    /// Up to where was asked last.
    asked: Timestamp,
    delay: Duration,
    repeats: u32,
    clock: Clock,
    /// The pages of the range that is being fetched.
    pages: Option<Pages<T>>,
    sleep: Option<Pin<Box<Sleep>>>,
    /// How often the service was asked again for records that were not there yet.
    repeated: u32,
    not_before: Option<Instant>,
    pause: Duration,
}

impl<E: HasHistory> Follow<E> {
    #[doc(hidden)]
    pub fn new(request: Request<E>, from: Timestamp) -> Self {
        Self(State {
            request: request.into_untyped(),
            decode: fetch::decode::<E::Body>,
            grid: None,
            position: from,
            asked: from,
            delay: Duration::from_secs(2),
            repeats: 2,
            clock: Arc::new(Timestamp::now),
            pages: None,
            sleep: None,
            repeated: 0,
            not_before: None,
            pause: FIRST_PAUSE,
        })
    }

    /// The time between the end of an interval and the request for it, and between two requests for a record that is
    /// not there yet; two seconds unless set.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.0.delay = delay;
        self
    }

    /// How often it asks again for a record that is not there yet, before the next interval is over; twice unless set.
    pub fn repeats(mut self, repeats: u32) -> Self {
        self.0.repeats = repeats;
        self
    }

    /// The clock that tells when an interval is over; that of the system unless set.
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.0.clock = Arc::new(clock);
        self
    }

    /// Up to where everything was given: another run follows from there.
    pub fn position(&self) -> Timestamp {
        self.0.position
    }

    /// Waits for the next page, which has a record or a gap.
    ///
    /// The range of a page ends where the next one begins. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Page<RecordOf<E>>, Error> {
        poll_fn(|cx| self.0.poll_page(cx)).await
    }

    /// The pages as an iterator without end, for callers who do not await; with the feature `blocking`.
    #[cfg(feature = "blocking")]
    pub fn pages_blocking(self) -> Blocking<Self> {
        Blocking::new(self.0.request.background(), self)
    }
}

impl<T: Send + 'static> State<T> {
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Result<Page<T>, Error>> {
        loop {
            if let Some(pages) = &mut self.pages {
                match ready!(pages.poll_page(cx)) {
                    Some(Ok(page)) => {
                        self.pause = FIRST_PAUSE;
                        if let Some(page) = self.settled(page) {
                            return Poll::Ready(Ok(page));
                        }
                    }
                    Some(Err(error)) => {
                        self.rest();
                        if !error.is_retryable() {
                            return Poll::Ready(Err(error));
                        }
                    }
                    None => self.pages = None,
                }
                continue;
            }
            if let Some(sleep) = &mut self.sleep {
                ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
            }
            match self.wait_or_ask() {
                Ok(None) => {}
                Ok(Some(wait)) => {
                    client::require_runtime().map_err(|error| self.request.about(error))?;
                    self.sleep = Some(Box::pin(sleep(wait.min(LONGEST_SLEEP))));
                }
                Err(error) => {
                    self.rest();
                    return Poll::Ready(Err(error));
                }
            }
        }
    }

    /// Asks if that is due, or says how long to wait before.
    fn wait_or_ask(&mut self) -> Result<Option<Duration>, Error> {
        let pause = self.not_before.map(|time| time.saturating_duration_since(Instant::now()));
        if pause.is_some_and(|pause| !pause.is_zero()) {
            return Ok(pause);
        }
        let grid = match self.grid {
            Some(grid) => grid,
            None => *self.grid.insert(Template::new(&self.request)?.grid()),
        };
        match self.wait(grid) {
            None => self.ask(grid).map(|()| None),
            wait => Ok(wait),
        }
    }

    /// Begins a pause after a failure, each time a longer one.
    fn rest(&mut self) {
        (self.pages, self.asked) = (None, self.position);
        self.not_before = Instant::now().checked_add(self.pause);
        self.pause = self.pause.saturating_mul(2).min(LONGEST_SLEEP);
    }

    /// The end of the last interval that has been over for the delay.
    fn closed(&self, grid: Grid) -> Timestamp {
        grid.floor((self.clock)() - self.delay)
    }

    /// How long to wait before the next request; `None` if it is due.
    fn wait(&mut self, grid: Grid) -> Option<Duration> {
        let closed = self.closed(grid);
        // Where the clock was set back, what was asked for beyond it says nothing of what is closed now.
        self.asked = self.asked.min(closed);
        let is_due = closed > self.position && (closed > self.asked || self.repeated < self.repeats);
        let next = closed.max(grid.ceil(self.position)) + grid.step() + self.delay;
        (!is_due).then(|| (next - (self.clock)()).max(Duration::from_millis(1)))
    }

    /// Asks for the closed intervals that were not given.
    fn ask(&mut self, grid: Grid) -> Result<(), Error> {
        let closed = self.closed(grid);
        self.repeated = if closed > self.asked { 0 } else { self.repeated + 1 };
        (self.asked, self.not_before) = (closed, None);
        let mut options = Options::new(Span { from: self.position, to: closed });
        options.is_live = true;
        self.pages = Some(Pages::new(Ok(Job::new(&self.request, options, self.decode, closed)?)));
        Ok(())
    }

    /// The part of a page that will not change any more; `None` if it has neither records nor gaps.
    fn settled(&mut self, mut page: Page<T>) -> Option<Page<T>> {
        page.range.start = self.position;
        // The records that are missing at the end may come yet; more pages without any may follow.
        let is_open = |kind| matches!(kind, GapKind::End | GapKind::Everything);
        let mut open_since = page.checkpoint.open_since.take();
        if let Some(gap) = page.findings.gaps.last().filter(|gap| is_open(gap.kind)) {
            open_since = Some(gap.range.start);
            page.findings.gaps.pop();
            self.not_before = Instant::now().checked_add(self.delay);
        }
        if let Some(since) = open_since {
            page.range.end = since.max(self.position);
        }
        // In a range without end no gap is at the beginning or at the end of the data.
        for gap in &mut page.findings.gaps {
            gap.kind = GapKind::Inside;
        }
        page.checkpoint.next = page.range.end;
        let is_something = !page.records.is_empty() || !page.findings.gaps.is_empty();
        if is_something {
            self.position = page.range.end;
        }
        is_something.then_some(page)
    }
}

impl<E: HasHistory> Stream for Follow<E> {
    type Item = Result<Page<RecordOf<E>>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_page(cx).map(Some)
    }
}

impl<E: HasHistory> fmt::Debug for Follow<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { request, position, .. } = &self.0;
        f.debug_struct("Follow").field("request", request.target()).field("position", position).finish_non_exhaustive()
    }
}
