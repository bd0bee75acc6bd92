//! The records that are still to come: each interval once it is over.
//!
//! A request and a point in time come in; pages of closed intervals go out, without end. Whatever is missing up to now,
//! after a pause, an outage or a clock that jumped, is fetched by the walk that fetches every range.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::course::Template;
use super::fetch::{self, Decode};
use super::gaps::GapKind;
use super::grid::{Grid, Span};
use super::job::{Job, Options};
use super::page::Page;
use super::streams::Pages;
use super::{HasHistory, RecordOf};
use crate::client::{Request, Untyped};
use crate::error::Error;
use crate::values::Timestamp;

/// No sleep is longer, since the clock may jump meanwhile and a machine be suspended.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

/// The pause after an outage begins with this and doubles up to the longest sleep.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The records of an endpoint from a point in time on, each interval once it is over; from `Request::follow`.
///
/// ```no_run
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/invented/service.rs")); }
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
/// It waits until an interval is over by the clock of this machine and then a little longer, and asks. If the record is
/// not there yet, it asks again soon, and after that together with the next interval. A record that is still missing
/// when a later one is there is told as a gap. An error that may pass is waited out; it comes back with any other, and
/// may be asked again then, after a pause.
#[must_use = "nothing is asked before the next page is"]
pub struct Follow<E: HasHistory> {
    request: Request<E>,
    state: State<RecordOf<E>>,
}

/// What is not the endpoint's type.
struct State<T> {
    /// Up to where everything was given.
    position: Timestamp,
    /// Up to where was asked last.
    asked: Timestamp,
    delay: Duration,
    repeats: u32,
    clock: Clock,
    /// The pages of what is asked now.
    pages: Option<Pages<T>>,
    /// How often more was asked for what is not there yet.
    repeated: u32,
    not_before: Option<Instant>,
    pause: Duration,
}

impl<E: HasHistory> Follow<E> {
    #[doc(hidden)]
    pub fn new(request: Request<E>, from: Timestamp) -> Self {
        let state = State {
            position: from,
            asked: from,
            delay: Duration::from_secs(2),
            repeats: 2,
            clock: Arc::new(Timestamp::now),
            pages: None,
            repeated: 0,
            not_before: None,
            pause: FIRST_PAUSE,
        };
        Self { request, state }
    }

    /// How long after the end of an interval it is asked for, and how long it is waited between two attempts; two
    /// seconds unless set.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.state.delay = delay;
        self
    }

    /// How often it is asked again for a record that is not there yet, before the next interval is over; twice unless
    /// set.
    pub fn repeats(mut self, repeats: u32) -> Self {
        self.state.repeats = repeats;
        self
    }

    /// What tells the time; the clock of the system unless set.
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.state.clock = Arc::new(clock);
        self
    }

    /// Up to where everything was given: from there another run goes on.
    pub fn position(&self) -> Timestamp {
        self.state.position
    }

    /// Waits for the next records, at least one, or for a gap that is known to be one.
    ///
    /// The range of a page ends where the next one begins. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Page<RecordOf<E>>, Error> {
        let request = self.request.clone().into_untyped();
        self.state.next(&request, fetch::decode::<E::Body>).await
    }
}

impl<T: Send + 'static> State<T> {
    async fn next(&mut self, request: &Untyped, decode: Decode) -> Result<Page<T>, Error> {
        let grid = Template::new(request)?.grid();
        loop {
            if let Some(pages) = &mut self.pages {
                match pages.next().await {
                    Some(Ok(page)) => {
                        self.pause = FIRST_PAUSE;
                        if let Some(page) = self.settled(page) {
                            return Ok(page);
                        }
                    }
                    Some(Err(error)) => {
                        (self.pages, self.asked) = (None, self.position);
                        self.not_before = Instant::now().checked_add(self.pause);
                        self.pause = self.pause.saturating_mul(2).min(LONGEST_SLEEP);
                        if !error.is_retryable() {
                            return Err(error);
                        }
                    }
                    None => self.pages = None,
                }
                continue;
            }
            match self.wait(grid) {
                Some(wait) => tokio::time::sleep(wait.min(LONGEST_SLEEP)).await,
                None => self.ask(request, decode, grid)?,
            }
        }
    }

    /// The end of the last interval that is over, and has been for the delay.
    fn closed(&self, grid: Grid) -> Timestamp {
        grid.floor((self.clock)() - self.delay)
    }

    /// How long to wait until it is time to ask; `None` if it is.
    fn wait(&self, grid: Grid) -> Option<Duration> {
        if let Some(pause) = self.not_before.map(|time| time.saturating_duration_since(Instant::now()))
            && !pause.is_zero()
        {
            return Some(pause);
        }
        let closed = self.closed(grid);
        let is_new = closed > self.asked;
        let is_missing = closed > self.position && self.repeated < self.repeats;
        let next = closed.max(grid.ceil(self.position)) + grid.step() + self.delay;
        (!is_new && !is_missing).then(|| (next - (self.clock)()).max(Duration::from_millis(1)))
    }

    /// Asks for what is over and was not given.
    fn ask(&mut self, request: &Untyped, decode: Decode, grid: Grid) -> Result<(), Error> {
        let closed = self.closed(grid);
        self.repeated = if closed > self.asked { 0 } else { self.repeated + 1 };
        (self.asked, self.not_before) = (closed, None);
        let mut options = Options::new(Span { from: self.position, to: closed });
        options.is_live = true;
        self.pages = Some(Pages::new(Ok(Job::new(request, options, decode, closed)?)));
        Ok(())
    }

    /// What of a page will not change any more; nothing if it has neither records nor gaps.
    fn settled(&mut self, mut page: Page<T>) -> Option<Page<T>> {
        page.range.start = self.position;
        // What is missing at the end may come yet.
        let is_open = |kind| matches!(kind, GapKind::End | GapKind::Everything);
        if let Some(gap) = page.findings.gaps.last().filter(|gap| is_open(gap.kind)) {
            page.range.end = gap.range.start.max(self.position);
            page.findings.gaps.pop();
            self.not_before = Instant::now().checked_add(self.delay);
        }
        // Of a range without end nothing is the beginning.
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

impl<E: HasHistory> fmt::Debug for Follow<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { position, .. } = &self.state;
        f.debug_struct("Follow").field("request", &self.request).field("position", position).finish_non_exhaustive()
    }
}
