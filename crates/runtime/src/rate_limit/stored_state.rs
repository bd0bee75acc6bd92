//! The parts of a state that another process can read and write: a state that is stored outside of this process.
//!
//! A stored state may come from a process with another limit, from another program, or from an attacker. `restrict` limits
//! it to values that the rules can produce, so no later computation overflows, panics or takes long.

use std::time::Duration;

use super::limit::RateLimit;
use super::limiter_time::LimiterTime;
use super::state::{State, shortest};

/// The maximum time for which a stored state blocks requests. A service that requests a longer pause does so again.
const MAX_BLOCK: Duration = Duration::from_secs(24 * 60 * 60);

/// The maximum time by which a stored request may be in the future, because processes know the time with an uncertainty.
const MAX_UNCERTAINTY: Duration = Duration::from_secs(10);

impl State {
    /// The maximum time for which a sent request is counted.
    pub fn memory(&self, now: LimiterTime) -> Duration {
        self.windows.memory(self.margin.at(now))
    }

    /// The interval between evenly spaced requests; zero without windows.
    pub fn gap(&self, now: LimiterTime) -> Duration {
        let gap = self.windows.gap(self.margin.at(now));
        gap.unwrap_or_default()
    }

    /// The end of the current pause after a 429, if any.
    pub fn paused(&self, now: LimiterTime) -> Option<LimiterTime> {
        self.paused.filter(|paused| *paused > now)
    }

    /// The number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// The maximum number of requests in flight; `None` if there is no maximum.
    pub fn slots(&self) -> Option<usize> {
        self.slots
    }

    /// Replaces the number of requests in flight, and the total weight of those that are not yet sent.
    pub fn set_in_flight(&mut self, in_flight: usize, unsent: usize) {
        self.in_flight = in_flight;
        self.windows.unsent = unsent;
    }

    /// Limits the values of a state that was stored elsewhere, and replaces its limit.
    ///
    /// The times of sent requests and of the next request stay, so a change of the limit neither blocks requests nor
    /// allows a burst. Requests that the former limit has already forgotten are not counted by a longer window.
    pub fn restrict(&mut self, limit: RateLimit, now: LimiterTime) {
        let (windows, slots) = limit.into_parts();
        self.slots = slots;
        self.restrict_times(now);
        self.margin.restrict(shortest(&windows), now);
        self.windows.windows = windows;
        while self.windows.sent.len() > self.windows.capacity() {
            self.windows.sent.pop_front();
        }
    }

    fn restrict_times(&mut self, now: LimiterTime) {
        let latest = now.saturating_add(MAX_BLOCK);
        for time in [&mut self.paused, &mut self.closed, &mut self.pace.due].into_iter().flatten() {
            *time = latest.min(*time);
        }
        let latest = now.saturating_add(MAX_UNCERTAINTY);
        for time in &mut self.windows.sent {
            *time = latest.min(*time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::state::Closed;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(milliseconds: u64) -> LimiterTime {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn requests_in_flight_are_read_and_replaced() {
        let mut state = State::new(RateLimit::new(10, SECOND, 3));
        assert_eq!((state.slots(), state.in_flight()), (Some(3), 0));
        assert_eq!((state.enter(at(0), 2), state.in_flight()), (Ok(()), 1));
        state.sent(at(0), 2);
        state.set_in_flight(3, 5);
        assert_eq!((state.in_flight(), state.is_open(at(0), 1)), (3, Err(Closed::Full)));
        state.ended();
        // A request of weight two was sent, and requests with a total weight of five are admitted but not yet sent, so
        // three of ten remain.
        assert_eq!((state.is_open(at(0), 3), state.is_open(at(0), 4).is_err()), (Ok(()), true));
        assert_eq!(State::new(RateLimit::none()).slots(), None);
    }

    #[test]
    fn pause_is_exported_until_it_ends() {
        let mut state = State::new(RateLimit::new(10, SECOND, 3));
        assert_eq!((state.paused(at(0)), state.memory(at(0))), (None, Duration::from_millis(1010)));
        state.rate_limited(at(100), 2 * SECOND);
        for (now, expected) in [(100, Some(at(2100))), (2099, Some(at(2100))), (2100, None), (2101, None)] {
            assert_eq!(state.paused(at(now)), expected, "{now}");
        }
    }
    /// Sends requests at full speed under one limit, then changes the limit, and returns the wait for the next request
    /// and the number of requests in the minute after it.
    fn check(before: &RateLimit, after: &RateLimit) -> (Duration, usize) {
        let mut state = State::new(before.clone());
        let begun = Duration::from_secs(3600);
        let mut now = begun;
        let mut sent = 0;
        let mut changed = None;
        let mut first = None;
        while now < begun + 180 * SECOND {
            if changed.is_none() && now >= begun + 120 * SECOND {
                state.restrict(after.clone(), now);
                changed = Some(now);
            }
            match state.enter(now, 1) {
                Ok(()) => {
                    state.sent(now, 1);
                    state.ended();
                    if let Some(changed) = changed {
                        first = first.or(Some(now.saturating_sub(changed)));
                        sent += 1;
                    }
                }
                Err(Closed::Full) => unreachable!("no request is in flight"),
                Err(Closed::Until(opening)) => now = opening,
            }
        }
        (first.unwrap(), sent)
    }

    #[test]
    fn changed_limit_neither_blocks_nor_allows_a_burst() {
        let second = RateLimit::new(10, SECOND, 20);
        let minute = RateLimit::new(600, 60 * SECOND, 10);
        let slow = RateLimit::new(2, SECOND, 10);
        for (before, after, expected) in
            [(&second, &minute, 590), (&minute, &second, 590), (&second, &slow, 118), (&slow, &minute, 590)]
        {
            let (wait, sent) = check(before, after);
            assert!(wait <= SECOND + SECOND / 100, "{before} to {after}: {wait:?}");
            assert!(sent.abs_diff(expected) <= 12, "{before} to {after}: {sent}");
        }
    }

    /// Every value of the state is as large as it can be.
    #[test]
    fn hostile_state_is_restricted() {
        let limit = RateLimit::new(3, SECOND, 2);
        let mut text = serde_json::to_string(&State::new(limit.clone())).unwrap();
        text = text.replace("\"sent\":[]", &format!("\"sent\":[{0},{0},1,1,1]", u64::MAX));
        text = text.replace("\"requests\":3", &format!("\"requests\":{}", usize::MAX));
        text = text.replace("\"unsent\":0", &format!("\"unsent\":{}", usize::MAX));
        text = text.replace("\"secs\":0", &format!("\"secs\":{}", u64::MAX));
        for name in ["paused", "closed", "due"] {
            let longest = format!("\"{name}\":{{\"secs\":{},\"nanos\":999999999}}", u64::MAX);
            text = text.replace(&format!("\"{name}\":null"), &longest);
        }
        let mut state: State = serde_json::from_str(&text).unwrap();
        let mut now = Duration::from_secs(3600);
        state.restrict(limit, now);
        state.set_in_flight(0, 0);
        now += MAX_BLOCK;
        for _ in 0..100 {
            state.rate_limited(now, SECOND);
            now += 2 * SECOND + 6 * state.memory(now);
            assert_eq!(state.enter(now, 1), Ok(()));
            state.sent(now, 1);
            state.ended();
        }
    }
}
