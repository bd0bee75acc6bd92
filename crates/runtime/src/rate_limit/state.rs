//! The state of a rate limiter: slots, windows, pace, margin and pause.
//!
//! The state decides from the times of earlier events whether the next request may pass. Nothing here waits or reads a
//! clock. The order of requests is decided elsewhere.

use std::time::Duration;

use super::learned_margin::LearnedMargin;
use super::limit::RateLimit;
use super::limiter_time::{LimiterTime, YEAR};
use super::pace::Pace;
use super::window::{Window, Windows};

/// The state from which a rate limiter decides whether a request may pass.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// The maximum number of requests in flight; `None` if there is no maximum.
    pub(super) slots: Option<usize>,
    pub(super) in_flight: usize,
    pub(super) windows: Windows,
    pub(super) pace: Pace,
    pub(super) margin: LearnedMargin,
    /// The end of the pause after a 429. Another 429 before that time does not change the margin. Nothing shortens the
    /// pause.
    pub(super) paused: Option<LimiterTime>,
    /// The time before which no request may pass, for a reason other than a 429.
    pub(super) closed: Option<LimiterTime>,
}

/// The reason why a request may not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// All slots are in use, so a request has to end first.
    Full,
    /// The request may pass at this time. The time can change if another request is sent, ends or is rate-limited
    /// before that time.
    Until(LimiterTime),
}

impl State {
    /// Creates the state before the first request.
    pub fn new(limit: RateLimit) -> Self {
        let (windows, slots) = limit.into_parts();
        Self {
            slots,
            in_flight: 0,
            margin: LearnedMargin::new(shortest(&windows)),
            windows: Windows::new(windows),
            pace: Pace::default(),
            paused: None,
            closed: None,
        }
    }

    /// Checks whether the next request, of this weight, may pass.
    pub fn is_open(&self, now: LimiterTime, weight: usize) -> Result<(), Closed> {
        if self.slots.is_some_and(|slots| self.in_flight >= slots) {
            return Err(Closed::Full);
        }
        match self.opening(now, weight) {
            Some(opening) if opening > now => Err(Closed::Until(opening)),
            _ => Ok(()),
        }
    }

    /// Returns the earliest time of the next request; `None` if it may be sent at any time.
    pub fn opening(&self, now: LimiterTime, weight: usize) -> Option<LimiterTime> {
        self.windows.room_from(now, self.margin.at(now), weight).max(self.pace.due).max(self.pause_end())
    }

    /// Returns the end of the latest pause, which may be in the past.
    fn pause_end(&self) -> Option<LimiterTime> {
        self.paused.max(self.closed)
    }

    /// Notes that a request had to wait.
    pub fn wait(&mut self) {
        self.pace.has_waited = true;
    }

    /// Admits a request of this weight, if it may pass.
    pub fn enter(&mut self, now: LimiterTime, weight: usize) -> Result<(), Closed> {
        let decision = self.is_open(now, weight);
        if let Err(Closed::Until(_)) = decision {
            self.wait();
        }
        decision?;
        self.admit(now, weight);
        Ok(())
    }

    /// Admits a request of this weight, whether or not it may pass: another rate limiter has admitted it.
    pub fn admit(&mut self, now: LimiterTime, weight: usize) {
        if let Some(gap) = self.windows.gap(self.margin.at(now)) {
            self.pace.pass(now, self.opening(now, weight), self.pause_end(), gap, weight);
        }
        self.in_flight = self.in_flight.saturating_add(1);
        self.windows.unsent = self.windows.unsent.saturating_add(weight);
    }

    /// Notes that an admitted request is sent.
    pub fn sent(&mut self, now: LimiterTime, weight: usize) {
        self.windows.settle(weight);
        self.count(now, weight);
    }

    /// Counts a request that is sent although `unsent` was already called for it.
    pub fn count(&mut self, now: LimiterTime, weight: usize) {
        self.windows.count(now, self.margin.at(now), weight);
    }

    /// Notes that an admitted request will not be sent.
    pub fn unsent(&mut self, now: LimiterTime, weight: usize) {
        self.windows.settle(weight);
        if let Some(gap) = self.windows.gap(self.margin.at(now)) {
            self.pace.take_back(gap, weight);
        }
    }

    /// Frees the slot of a request that has ended.
    pub fn ended(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Blocks all requests until this time, for a reason other than a 429.
    pub fn close(&mut self, until: LimiterTime) {
        self.closed = self.closed.max(Some(until));
    }

    /// Begins the pause after a 429: the service accepts no requests for this duration.
    pub fn rate_limited(&mut self, now: LimiterTime, pause: Duration) {
        // During a pause, only requests that were sent before it can be rate-limited, so nothing is learned from them.
        if self.paused.is_none_or(|paused| paused <= now) {
            self.margin.rate_limited(now);
        }
        self.paused = self.paused.max(now.checked_add(pause.min(YEAR)));
    }
}

/// The length of the shortest window; zero without windows.
pub(super) fn shortest(windows: &[Window]) -> Duration {
    windows.iter().map(|window| window.length).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(milliseconds: u64) -> LimiterTime {
        Duration::from_millis(milliseconds)
    }

    /// Requests that were admitted but never sent make room for others, but do not shorten a pause.
    #[test]
    fn unsent_requests_do_not_end_a_pause() {
        for pause in
            [|state: &mut State| state.rate_limited(at(0), 10 * SECOND), |state: &mut State| state.close(at(10_000))]
        {
            let mut state = State::new(RateLimit::new(10, SECOND, 20));
            (0..10).for_each(|_| state.enter(at(0), 1).unwrap());
            state.sent(at(0), 1);
            pause(&mut state);
            (0..9).for_each(|_| state.unsent(at(100), 1));
            assert_eq!(state.is_open(at(300), 1), Err(Closed::Until(at(10_000))));
            assert_eq!(state.enter(at(10_000), 1), Ok(()));
        }
    }

    #[test]
    fn limiter_can_be_paused_without_a_429() {
        let mut state = State::new(RateLimit::new(10, SECOND, 3));
        state.close(at(500));
        assert_eq!((state.enter(at(499), 1), state.paused), (Err(Closed::Until(at(500))), None));
        assert_eq!(state.enter(at(500), 1), Ok(()));
    }

    /// A request of weight five is followed by the same gap as five requests.
    #[test]
    fn heavy_request_delays_like_several() {
        fn gap(weight: usize) -> Option<u128> {
            let now = at(3_600_000);
            let mut state = State::new(RateLimit::new(10, SECOND, 3));
            state.close(now);
            state.wait();
            assert_eq!(state.enter(now, weight), Ok(()));
            state.opening(now, 1).map(|opening| opening.saturating_sub(now).as_millis())
        }
        assert_eq!((gap(1), gap(5)), (Some(101), Some(505)));
    }
}
