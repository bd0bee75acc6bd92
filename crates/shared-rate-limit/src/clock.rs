//! Lower and upper bounds of the store's time.
//!
//! The bounds are the earliest and the latest time that the store's clock may show. They are computed from each
//! reading of the store's clock and from the local times before and after it. A sent request is recorded with the
//! latest time, but whether the next request may be sent is decided with the earliest time. Uncertainty about the clock
//! therefore makes the rate limiter slower, never too fast.

use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;
use tokio::time::Instant;

/// A store whose clock shows a later time is broken. The time is far in the future, but no sum of such times overflows.
pub(crate) const MAX_TIME: LimiterTime = Duration::from_secs(1 << 40);

/// Clocks are assumed to drift by less than one part in 1,000.
const DRIFT: u32 = 1000;

/// Lower and upper bounds of the store's time at a local instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    at: Instant,
    earliest: LimiterTime,
    latest: LimiterTime,
}

impl Clock {
    /// Creates the bounds before the first response of the store, when its time is unknown. The time of this machine
    /// is not used, because it may be wrong.
    pub(crate) fn new(at: Instant) -> Self {
        Self { at, earliest: Duration::ZERO, latest: MAX_TIME }
    }

    /// The bounds at another time. They widen with the time in between, because clocks drift.
    fn shifted(self, at: Instant) -> Self {
        let later = at.saturating_duration_since(self.at);
        let sooner = self.at.saturating_duration_since(at);
        let drift = (later + sooner) / DRIFT;
        let earliest = (self.earliest + later).saturating_sub(sooner + drift);
        let latest = (self.latest + later).saturating_sub(sooner) + drift;
        Self { at, earliest, latest }
    }

    /// Updates the bounds from a reading of the store's clock that was made between two local times.
    pub(crate) fn learn(&mut self, begun: Instant, ended: Instant, shown: LimiterTime) {
        let latest = shown + ended.saturating_duration_since(begun);
        let known = self.shifted(ended);
        let both = Self { at: ended, earliest: shown.max(known.earliest), latest: latest.min(known.latest) };
        let is_contradiction = both.earliest > both.latest;
        // The bounds contradict each other if the store's clock was set, or if this machine was suspended.
        *self = if is_contradiction { Self { at: ended, earliest: shown, latest } } else { both };
    }

    /// The earliest time that the store's clock may show at a local time.
    pub(crate) fn earliest(&self, at: Instant) -> LimiterTime {
        self.shifted(at).earliest
    }

    /// The latest time that the store's clock may show at a local time.
    pub(crate) fn latest(&self, at: Instant) -> LimiterTime {
        self.shifted(at).latest
    }

    /// The local time at which the store's clock has certainly reached a time.
    pub(crate) fn instant(&self, shown: LimiterTime) -> Instant {
        let wait = shown.saturating_sub(self.earliest);
        self.at + wait + wait / (DRIFT - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    fn shown(milliseconds: u64) -> LimiterTime {
        Duration::from_millis(1_700_000_000_000 + milliseconds)
    }

    #[test]
    fn bounds_narrow_with_quick_exchanges_and_widen_with_time() {
        let start = Instant::now();
        let at = |milliseconds: u32| start + milliseconds * MILLISECOND;
        let mut clock = Clock::new(start);
        assert!(clock.earliest(start) < shown(0) && clock.latest(start) > shown(1_000_000_000_000));
        clock.learn(at(10), at(50), shown(1030));
        assert_eq!((clock.earliest(at(50)), clock.latest(at(50))), (shown(1030), shown(1070)));
        clock.learn(at(60), at(62), shown(1061));
        assert_eq!((clock.earliest(at(62)), clock.latest(at(62))), (shown(1061), shown(1063)));
        // A slow response of the store does not widen the bounds.
        clock.learn(at(70), at(170), shown(1090));
        assert!(clock.earliest(at(170)) > shown(1168) && clock.latest(at(170)) < shown(1172));
        // Without further readings of the store's clock, the bounds widen slowly, in both directions.
        let later = clock.latest(at(10_170)).saturating_sub(clock.earliest(at(10_170)));
        assert!(later > 20 * MILLISECOND && later < 24 * MILLISECOND, "{later:?}");
        let sooner = clock.latest(start).saturating_sub(clock.earliest(start));
        assert!(sooner < 4 * MILLISECOND, "{sooner:?}");
    }

    #[test]
    fn clock_that_was_set_is_accepted() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        for (begun, showing) in [(100, 5000), (200, 90_000), (300, 1000)] {
            let begun = start + begun * MILLISECOND;
            clock.learn(begun, begun + MILLISECOND, shown(showing));
            assert_eq!(clock.earliest(begun + MILLISECOND), shown(showing));
        }
    }

    #[test]
    fn wait_ends_once_the_earliest_clock_has_passed_it() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        clock.learn(start, start + 2 * MILLISECOND, shown(500));
        for wait in [0, 1, 100, 60_000] {
            let until = shown(500 + wait);
            assert!(clock.earliest(clock.instant(until)) >= until, "{wait}");
        }
    }
}
