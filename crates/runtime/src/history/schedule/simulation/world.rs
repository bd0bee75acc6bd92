//! The service of the simulation and the clocks of its machine, as functions of time.

use std::ops::Range;

use super::super::*;

pub(super) type Millis = i64;

pub(super) const SECOND: Millis = 1000;
pub(super) const MINUTE: Millis = 60 * SECOND;
pub(super) const HOUR: Millis = 60 * MINUTE;
pub(super) const DAY: Millis = 24 * HOUR;
pub(super) const YEAR: Millis = 365 * DAY;

/// 2026-03-02, a multiple of all steps.
pub(super) const START: i64 = 1_772_409_600;
pub(super) const ALLOWED_LATENESS: u32 = 10;
pub(super) const PAGE: usize = 499;

/// The state of the service during a period.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum State {
    /// All requests fail.
    Down,
    /// Nothing is published before the end of the period.
    Silent,
}

/// What the service sends as `Date`: the time by which it is wrong, and the `Age`, in milliseconds; `None` for no `Date`.
pub(super) type Date = Option<(Millis, Millis)>;

/// A service and the clocks of a machine.
pub(super) struct World {
    pub(super) step: Millis,
    pub(super) bars: i64,
    /// The time from the end of an interval to the publication of its record; `None` if it is never published.
    pub(super) late: Box<dyn Fn(i64) -> Option<Millis>>,
    /// The period after the end of an interval in which its record, once published, is withdrawn for a revision.
    pub(super) revised: fn(i64) -> Range<Millis>,
    pub(super) periods: Vec<(Range<Millis>, State)>,
    /// The `Date` of a response, by the number of the request.
    pub(super) date: Box<dyn Fn(u64) -> Date>,
    /// The times, on the monotonic clock, at which the machine is suspended, and for how long.
    pub(super) suspends: Vec<(Millis, Millis)>,
    /// The times, on the monotonic clock, after which the wall clock is wrong by a time. The last one applies.
    pub(super) wall: Vec<(Millis, Millis)>,
    /// How much faster the clock of the service is than the clocks of the machine.
    pub(super) drift: f64,
    /// The time from a request to its response, by the number of the request.
    pub(super) latency: fn(u64) -> Millis,
    /// The numbers of the requests after which the program restarts.
    pub(super) restarts: Vec<u64>,
}

impl World {
    pub(super) fn new((step, bars): (Millis, i64)) -> Self {
        Self {
            step,
            bars,
            late: Box::new(|_| Some(200)),
            revised: |_| 0..0,
            periods: Vec::new(),
            date: Box::new(|_| Some((0, 0))),
            suspends: Vec::new(),
            wall: vec![(0, 0)],
            drift: 0.0,
            latency: |_| 100,
            restarts: Vec::new(),
        }
    }

    pub(super) fn late(self, late: impl Fn(i64) -> Option<Millis> + 'static) -> Self {
        Self { late: Box::new(late), ..self }
    }

    pub(super) fn date(self, date: impl Fn(u64) -> Date + 'static) -> Self {
        Self { date: Box::new(date), ..self }
    }

    pub(super) fn end_of(&self, bar: i64) -> Millis {
        (bar + 1) * self.step
    }

    pub(super) fn state(&self, at: Millis) -> Option<(Millis, State)> {
        let period = self.periods.iter().find(|(period, _)| period.contains(&at));
        period.map(|(period, state)| (period.end, *state))
    }

    pub(super) fn published(&self, bar: i64) -> Option<Millis> {
        let at = self.end_of(bar) + (self.late)(bar)?;
        Some(self.state(at).filter(|(_, state)| *state == State::Silent).map_or(at, |(end, _)| end))
    }

    /// Returns the time of the service at a reading of the machine's monotonic clock.
    pub(super) fn time(&self, monotonic: Millis) -> Millis {
        let asleep: Millis = self.suspends.iter().filter(|(at, _)| *at <= monotonic).map(|(_, length)| length).sum();
        monotonic + (monotonic as f64 * self.drift) as Millis + asleep
    }

    pub(super) fn wall(&self, monotonic: Millis) -> Timestamp {
        let error = self.wall.iter().rfind(|(at, _)| *at <= monotonic).map_or(0, |(_, error)| *error);
        timestamp(self.time(monotonic) + error)
    }

    /// Returns the first time from which a machine that is awake can receive a record from a service that is up.
    pub(super) fn possible(&self, published: Millis) -> Millis {
        let mut at = published;
        let mut asleep = 0;
        for (monotonic, length) in &self.suspends {
            let begin = monotonic + (*monotonic as f64 * self.drift) as Millis + asleep;
            at = if (begin..begin + length).contains(&at) { begin + length } else { at };
            asleep += length;
        }
        self.state(at).filter(|(_, state)| *state == State::Down).map_or(at, |(end, _)| end)
    }

    /// Returns the records of a window at a time, including the record of the interval that is still open.
    pub(super) fn records(&self, window: Span, at: Millis) -> Vec<Timestamp> {
        let bar = |time: Timestamp| (time.unix_seconds() - START).div_euclid(self.step / SECOND);
        let open = at.div_euclid(self.step);
        let is_there = |bar: &i64| {
            let is_published = self.published(*bar).is_some_and(|published| published <= at);
            *bar == open || is_published && !(self.revised)(*bar).contains(&(at - self.end_of(*bar)))
        };
        let bars = bar(window.from).max(0)..bar(window.to).min(open + 1);
        bars.filter(is_there).map(|bar| timestamp(bar * self.step)).collect()
    }
}

pub(super) fn timestamp(at: Millis) -> Timestamp {
    let start = Timestamp::from_unix_seconds(START);
    let distance = Duration::from_millis(at.unsigned_abs());
    if at < 0 { start - distance } else { start + distance }
}

/// Returns a number that looks random.
pub(super) fn hash(number: impl TryInto<i64>) -> i64 {
    let number = number.try_into().unwrap_or_default() as u64;
    let mixed = number.wrapping_add(77).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) as i64
}
