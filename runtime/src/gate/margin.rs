//! How much longer than its length a window is kept.
//!
//! The service counts requests when they arrive, and two that leave far apart can arrive closer together. How much closer
//! shows in what the service refuses and in how much reply times differ: those come in, a margin goes out.
//! Nothing here waits or reads a clock.

mod reply_times;

use std::time::Duration;

use tokio::time::Instant;

use reply_times::ReplyTimes;

/// A window is kept longer by this part of its length at least.
const LEAST: u32 = 100;

/// What is learned of late arrivals adds no more than this part of the shortest window.
const MOST: u32 = 2;

/// Longer than any window or pause that makes sense; beyond it a clock might not reach, and what it does not reach would
/// be no limit.
pub(super) const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// What is added to a window at a point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Margin {
    /// How much later than others a request may arrive.
    lateness: Duration,
    /// How much slower than that all is, as a part.
    slowdown: f64,
}

impl Margin {
    /// How far apart a request and the one that takes its place have to leave.
    pub(super) fn distance(self, length: Duration) -> Duration {
        let distance = length.saturating_add(self.lateness.max(length / LEAST));
        let distance = if self.slowdown > 0.0 { times(distance, 1.0 + self.slowdown) } else { distance };
        distance.min(YEAR)
    }
}

fn times(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(YEAR)
}

/// What refusals and reply times have taught so far.
///
/// A refusal doubles how much later than others a request is taken to arrive, though never beyond what the reply times
/// show. A while later that fades, and if a refusal comes soon, the next while is longer. Where a refusal comes although
/// there is nothing more to allow for, all is slowed down, which fades at once.
#[derive(Debug)]
pub(super) struct LearnedMargin {
    least: Duration,
    most: Duration,
    reply_times: ReplyTimes,
    late: Option<Late>,
    /// A slowdown, and since when it fades.
    slow: Option<(f64, Instant)>,
}

/// How much later than others a request is taken to arrive, unless reply times show less.
#[derive(Clone, Copy, Debug)]
struct Late {
    lateness: Duration,
    /// It does not fade before.
    until: Instant,
    /// For how long it does not.
    held: Duration,
}

/// A lateness that was learned holds for so long at first …
const FIRST_HOLD: Duration = Duration::from_secs(10);

/// … and for so many times as long, if it has faded and a refusal comes soon: within so many times its hold.
const LONGER: u32 = 8;
const SOON: u32 = 4;

const LONGEST_HOLD: Duration = Duration::from_secs(2 * 60 * 60);

/// The first slowdown; the next is this and twice what is left of the former.
const SLOWDOWN: f64 = 0.02;

/// A sixth of the speed is left.
const MOST_SLOWDOWN: f64 = 5.0;

/// In what time lateness and slowdown fade by half.
const HALF: Duration = Duration::from_secs(10);

impl LearnedMargin {
    /// What is known before the first reply, of a limit with this window as its shortest.
    pub(super) fn new(shortest: Duration) -> Self {
        let (least, most) = (shortest / LEAST, shortest / MOST);
        Self { least, most, reply_times: ReplyTimes::default(), late: None, slow: None }
    }

    /// What is added to windows now.
    pub(super) fn at(&self, now: Instant) -> Margin {
        Margin { lateness: self.lateness(now), slowdown: self.slowdown(now) }
    }

    /// Learns from a whole reply that came so long after its request left.
    pub(super) fn answered(&mut self, after: Duration) {
        self.reply_times.add(after);
    }

    /// Learns from a refusal.
    pub(super) fn refused(&mut self, now: Instant) {
        let before = self.lateness(now);
        let lateness = before.saturating_mul(2);
        if self.shown(lateness) > before {
            let held = self.next_hold(now);
            self.late = Some(Late { lateness, until: now + held, held });
        } else {
            self.slow = Some(((2.0 * self.slowdown(now) + SLOWDOWN).min(MOST_SLOWDOWN), now));
        }
    }

    fn next_hold(&self, now: Instant) -> Duration {
        let Some(Late { until, held, .. }) = self.late else { return FIRST_HOLD };
        match now.checked_duration_since(until) {
            None => held,
            Some(faded) if faded < held.saturating_mul(SOON) => held.saturating_mul(LONGER).min(LONGEST_HOLD),
            Some(_) => FIRST_HOLD,
        }
    }

    fn lateness(&self, now: Instant) -> Duration {
        let faded = |late: Late| self.shown(late.lateness).mul_f64(left(now.saturating_duration_since(late.until)));
        self.late.map_or(Duration::ZERO, faded).max(self.least)
    }

    /// As much of a lateness as reply times show.
    fn shown(&self, lateness: Duration) -> Duration {
        lateness.min(self.reply_times.spread()).min(self.most)
    }

    fn slowdown(&self, now: Instant) -> f64 {
        self.slow.map_or(0.0, |(slowdown, since)| slowdown * left(now.saturating_duration_since(since)))
    }
}

/// Which part is left of what has faded for a while.
fn left(faded: Duration) -> f64 {
    if faded.is_zero() { 1.0 } else { (-faded.as_secs_f64() / HALF.as_secs_f64()).exp2() }
}
