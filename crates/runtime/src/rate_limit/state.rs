//! The state of a rate limiter: slots, windows, pace, margin and pause.
//!
//! The state decides from the times of earlier events whether the next request may pass. Nothing here waits or reads a
//! clock. The order of requests is decided elsewhere.
//!
//! The pace spaces queued requests evenly.

use std::time::Duration;

use super::limit::RateLimit;
use super::window::{LearnedMargin, LimiterTime, Windows, YEAR};

/// The state from which a rate limiter decides whether a request may pass.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// The maximum number of requests in flight; `None` if there is no maximum.
    slots: Option<usize>,
    in_flight: usize,
    windows: Windows,
    pace: Pace,
    margin: LearnedMargin,
    /// The end of the pause after a 429. Another 429 before that time does not change the margin. Nothing shortens the
    /// pause.
    paused: Option<LimiterTime>,
    /// The time before which no request may pass, for a reason other than a 429.
    closed: Option<LimiterTime>,
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
        let shortest = windows.iter().map(|window| window.length).min().unwrap_or_default();
        let (windows, pace, margin) = (Windows::new(windows), Pace::default(), LearnedMargin::new(shortest));
        Self { slots, in_flight: 0, windows, pace, margin, paused: None, closed: None }
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
        self.is_open(now, weight).inspect_err(|closed| self.pace.has_waited |= *closed != Closed::Full)?;
        if let Some(gap) = self.windows.gap(self.margin.at(now)) {
            self.pace.pass(now, self.opening(now, weight), self.pause_end(), gap, times(weight));
        }
        self.in_flight += 1;
        self.windows.unsent += weight;
        Ok(())
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
            self.pace.take_back(gap.saturating_mul(times(weight)));
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

    /// Returns the maximum time for which a sent request is counted.
    pub fn memory(&self, now: LimiterTime) -> Duration {
        self.windows.memory(self.margin.at(now))
    }

    /// Returns the end of the current pause after a 429, if any.
    pub fn paused(&self, now: LimiterTime) -> Option<LimiterTime> {
        self.paused.filter(|paused| *paused > now)
    }

    /// Returns the number of requests in flight, and the total weight of those that are not yet sent.
    pub fn in_flight(&self) -> (usize, usize) {
        (self.in_flight, self.windows.unsent)
    }

    /// Adds requests that another state admitted: the number in flight, and the total weight of those not yet sent.
    pub fn adopt(&mut self, in_flight: usize, unsent: usize) {
        self.in_flight += in_flight;
        self.windows.unsent += unsent;
    }

    /// Returns whether both states have the same limit.
    pub fn is_like(&self, other: &Self) -> bool {
        self.slots == other.slots && self.windows.windows == other.windows.windows
    }

    /// Returns the maximum number of requests in flight; `None` if there is no maximum.
    pub fn slots(&self) -> Option<usize> {
        self.slots
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

/// Converts a weight to a factor for durations.
fn times(weight: usize) -> u32 {
    u32::try_from(weight).unwrap_or(u32::MAX)
}

/// The number of requests that an idle client may send at once.
const AT_ONCE: u32 = 10;

/// The resolution of a timer. A request that is due within this time is sent immediately.
const TICK: Duration = Duration::from_millis(2);

/// The time at which the next request is due.
///
/// Idle time is saved up for at most ten requests, which may then be sent at once. Time that a request spends waiting
/// for a window or for the end of a pause is not saved up, so the requests after that wait are sent evenly.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Pace {
    /// The earliest time of the next request; `None` before the first request.
    pub(super) due: Option<LimiterTime>,
    /// True if a request has had to wait since the last admission.
    pub(super) has_waited: bool,
}

impl Pace {
    /// Admits a request that could have passed since `open_since`. The next request is due `weight` times `gap` later.
    /// `paused` is the end of the latest pause; the time before it is not saved up.
    pub(super) fn pass(
        &mut self,
        now: LimiterTime,
        open_since: Option<LimiterTime>,
        paused: Option<LimiterTime>,
        gap: Duration,
        weight: u32,
    ) {
        // Of the requests that are sent at once, the first needs no saved time, and each of the others needs the time
        // of a gap. At least a tick is saved, because a timer can be late by a tick.
        let kept = gap.saturating_mul(AT_ONCE - 1).max(TICK);
        // After a wait, even spacing restarts at the time at which the request could pass, so no idle time is saved.
        let since = if self.has_waited { open_since } else { self.due.max(paused) };
        self.due = since.max(now.checked_sub(kept)).and_then(|since| since.checked_add(gap.saturating_mul(weight)));
        self.has_waited = false;
    }

    /// Makes the next request due earlier by `gap`, because an admitted request is not sent after all.
    pub(super) fn take_back(&mut self, gap: Duration) {
        self.due = self.due.and_then(|due| due.checked_sub(gap));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(milliseconds: u64) -> LimiterTime {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn requests_in_flight_are_exported_and_imported() {
        let mut state = State::new(RateLimit::new(10, SECOND, 3));
        assert_eq!((state.slots(), state.in_flight()), (Some(3), (0, 0)));
        assert_eq!((state.enter(at(0), 2), state.in_flight()), (Ok(()), (1, 2)));
        state.sent(at(0), 2);
        assert_eq!(state.in_flight(), (1, 0));
        state.adopt(2, 5);
        assert_eq!((state.in_flight(), state.is_open(at(0), 1)), ((3, 5), Err(Closed::Full)));
        state.ended();
        // A request of weight two was sent, and requests with a total weight of five are admitted but not yet sent, so
        // three of ten remain.
        assert_eq!((state.is_open(at(0), 3), state.is_open(at(0), 4).is_err()), (Ok(()), true));
        assert_eq!(State::new(RateLimit::none()).slots(), None);
    }

    #[test]
    fn states_with_equal_limits_are_compatible() {
        let mut one = State::new(RateLimit::new(10, SECOND, 3));
        assert_eq!(one.enter(at(0), 1), Ok(()));
        assert!(one.is_like(&State::new(RateLimit::new(10, SECOND, 3))));
        for other in [RateLimit::new(10, SECOND, 4), RateLimit::new(9, SECOND, 3), RateLimit::none()] {
            assert!(!one.is_like(&State::new(other)));
        }
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
        assert_eq!((state.enter(at(499), 1), state.paused(at(0))), (Err(Closed::Until(at(500))), None));
        assert_eq!(state.enter(at(500), 1), Ok(()));
    }

    /// A request of weight five is followed by the same gap as five requests.
    #[test]
    fn heavy_request_delays_like_several() {
        let gap = |weight| {
            let (now, mut state) = (at(3_600_000), State::new(RateLimit::new(10, SECOND, 3)));
            state.close(now);
            state.wait();
            assert_eq!(state.enter(now, weight), Ok(()));
            state.opening(now, 1).map(|opening| opening.saturating_sub(now).as_millis())
        };
        assert_eq!((gap(1), gap(5)), (Some(101), Some(505)));
    }
}

#[cfg(test)]
mod pace_tests {
    use super::*;

    const GAP: Duration = Duration::from_millis(100);

    /// Returns the times at which requests are sent, in milliseconds. For each request, the input contains the time at
    /// which it enters the queue, and the time from which other limits let it pass.
    fn check(requests: &[(u64, u64)]) -> Vec<u128> {
        let start = Duration::from_secs(3600);
        let mut pace = Pace::default();
        let mut now = start;
        let pass = |(comes, opens): &(u64, u64)| {
            let [comes, opens] = [comes, opens].map(|time| start + Duration::from_millis(*time));
            now = now.max(comes);
            let open_since = pace.due.max(Some(opens));
            if open_since.is_some_and(|open_since| open_since > now) {
                pace.has_waited = true;
            }
            now = open_since.map_or(now, |open_since| open_since.max(now));
            pace.pass(now, open_since, None, GAP, 1);
            now.saturating_sub(start).as_millis()
        };
        requests.iter().map(pass).collect()
    }

    #[test]
    fn ten_requests_of_an_idle_client_are_sent_at_once() {
        assert_eq!(check(&[(0, 0); 12]), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200]);
        let later = [[(0, 0); 12], [(9000, 0); 12]].concat();
        assert_eq!(check(&later)[12..], [9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000, 9100, 9200]);
    }

    #[test]
    fn queued_requests_are_sent_evenly() {
        assert_eq!(check(&[(0, 0), (0, 2000), (0, 2000), (0, 2000)]), [0, 2000, 2100, 2200]);
        // The requests are spaced evenly, except that the third waits for a window that opens at 2150.
        assert_eq!(check(&[(0, 0), (0, 2000), (0, 2150), (0, 2150), (0, 2150)]), [0, 2000, 2150, 2250, 2350]);
    }

    #[test]
    fn slightly_late_request_does_not_wait() {
        assert_eq!(check(&[(0, 2000), (2150, 0), (2160, 0), (2300, 0)]), [2000, 2150, 2200, 2300]);
    }

    #[test]
    fn time_of_a_pause_is_not_saved_up() {
        let start = Duration::from_secs(3600);
        let mut pace = Pace::default();
        pace.pass(start, None, None, GAP, 1);
        let end = start + Duration::from_secs(7);
        pace.pass(end, pace.due.max(Some(end)), Some(end), GAP, 1);
        assert_eq!(pace.due, Some(end + GAP));
        pace.take_back(GAP);
        assert_eq!(pace.due, Some(end));
    }

    #[test]
    fn intervals_below_the_timer_resolution_are_compensated() {
        let start = Duration::from_secs(3600);
        let mut pace = Pace::default();
        let gap = Duration::from_micros(10);
        let passes = std::iter::from_fn(|| {
            pace.pass(start, pace.due, None, gap, 1);
            pace.due.filter(|due| *due <= start)
        });
        assert_eq!(passes.count(), 200);
    }
}
