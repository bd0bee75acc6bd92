//! Rolling windows, which compute the earliest time of the next request from the times of earlier requests.
//!
//! The caller passes in the current time and the margin. Nothing here waits or reads a clock.
//!
//! The service counts requests on arrival, and network jitter can shorten the interval between two arrivals. Each window
//! is therefore extended by a safety margin; see `learned_margin`.

use std::collections::VecDeque;
use std::time::Duration;

use super::learned_margin::distance;
use super::limiter_time::LimiterTime;

/// A limit of `requests` in any interval of this length. A request counts as many times as its weight.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Window {
    pub(super) requests: usize,
    pub(super) length: Duration,
}

/// Windows, with the times of the sent requests that still count.
///
/// A request whose weight is above a window's limit waits until the window is empty, and fills it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Windows {
    pub(super) windows: Vec<Window>,
    /// The times of the sent requests, the latest last.
    #[cfg_attr(feature = "__shared-rate-limit", serde(with = "super::stored_times"))]
    pub(super) sent: VecDeque<LimiterTime>,
    /// The total weight of the requests that have passed but are not yet reported as sent. Each of them counts as if it
    /// was sent now.
    pub(super) unsent: usize,
}

impl Windows {
    pub(super) fn new(windows: Vec<Window>) -> Self {
        Self { windows, sent: VecDeque::new(), unsent: 0 }
    }

    /// Returns the time from which all windows have room for one more request of this weight; `None` if they already
    /// have room. The time can change when a pending request is reported as sent.
    pub(super) fn room_from(&self, now: LimiterTime, margin: Duration, weight: usize) -> Option<LimiterTime> {
        // Requests that are not yet sent count as if they were sent now.
        let counted = self.sent.len().saturating_add(self.unsent);
        let mut latest = None;
        for window in &self.windows {
            let others = window.requests.saturating_sub(weight);
            // The window has room once this request, and all before it, no longer count.
            let Some(index) = counted.checked_sub(others + 1) else { continue };
            let leaves = self.sent.get(index).unwrap_or(&now);
            latest = latest.max(leaves.checked_add(distance(window.length, margin)));
        }
        latest
    }

    /// Returns the interval between evenly spaced requests at the maximum rate that all windows allow; `None` without
    /// windows.
    pub(super) fn gap(&self, margin: Duration) -> Option<Duration> {
        let mut longest = None;
        for window in &self.windows {
            let requests = u32::try_from(window.requests).unwrap_or(u32::MAX);
            longest = longest.max(Some(distance(window.length, margin) / requests.max(1)));
        }
        longest
    }

    /// Returns the maximum time for which a request is counted in a window.
    pub(super) fn memory(&self, margin: Duration) -> Duration {
        let longest = self.windows.iter().map(|window| window.length).max();
        longest.map_or(Duration::ZERO, |length| distance(length, margin))
    }

    /// The number of requests of the largest window. More requests than that are never counted.
    pub(super) fn capacity(&self) -> usize {
        let capacities = self.windows.iter().map(|window| window.requests);
        capacities.max().unwrap_or(0)
    }

    /// Stops counting a request as unsent, after it was sent or cancelled.
    pub(super) fn settle(&mut self, weight: usize) {
        self.unsent = self.unsent.saturating_sub(weight);
    }

    /// Counts a request that is sent now. Reports may arrive out of order, so the time is inserted in sorted order.
    pub(super) fn count(&mut self, now: LimiterTime, margin: Duration, weight: usize) {
        let capacity = self.capacity();
        let position = self.sent.partition_point(|sent| *sent <= now);
        for _ in 0..weight.min(capacity) {
            self.sent.insert(position, now);
        }
        let memory = self.memory(margin);
        while let Some(first) = self.sent.front() {
            let is_over = now.saturating_sub(*first) >= memory;
            if !is_over && self.sent.len() <= capacity {
                break;
            }
            self.sent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn min_margin() -> Duration {
        Duration::ZERO
    }

    /// Sends requests as early as the windows allow, and returns their times in milliseconds.
    fn check(windows: &[(usize, Duration)], count: usize) -> Vec<u128> {
        let start = LimiterTime::ZERO;
        let windows = windows.iter().map(|(requests, length)| Window { requests: *requests, length: *length });
        let mut windows = Windows::new(windows.collect());
        let mut now = start;
        let mut left = Vec::new();
        for _ in 0..count {
            now = windows.room_from(now, min_margin(), 1).map_or(now, |room| room.max(now));
            windows.unsent += 1;
            windows.settle(1);
            windows.count(now, min_margin(), 1);
            left.push(now.saturating_sub(start).as_millis());
        }
        left
    }

    #[test]
    fn requests_are_sent_as_early_as_all_windows_allow() {
        assert_eq!(check(&[], 3), [0, 0, 0]);
        assert_eq!(check(&[(2, SECOND)], 5), [0, 0, 1010, 1010, 2020]);
        assert_eq!(check(&[(2, SECOND), (3, 10 * SECOND)], 5), [0, 0, 1010, 10_100, 10_100]);
        assert_eq!(check(&[(1, SECOND), (1, SECOND / 2)], 3), [0, 1010, 2020]);
    }

    #[test]
    fn window_keeps_at_most_its_limit_of_times() {
        let mut windows = Windows::new(vec![Window { requests: 10, length: SECOND }]);
        (0..100).for_each(|_| windows.count(LimiterTime::ZERO, min_margin(), 1));
        assert_eq!(windows.sent.len(), 10);
        windows.count(2 * SECOND, min_margin(), 1);
        assert_eq!(windows.sent.len(), 1);
    }

    #[test]
    fn heavy_request_uses_the_room_of_several() {
        let mut windows = Windows::new(vec![Window { requests: 10, length: SECOND }]);
        let at = |milliseconds| Duration::from_millis(milliseconds);
        let leave = |windows: &mut Windows, milliseconds, weight| {
            windows.unsent += weight;
            windows.settle(weight);
            windows.count(at(milliseconds), min_margin(), weight);
        };
        leave(&mut windows, 0, 4);
        leave(&mut windows, 100, 5);
        assert_eq!(windows.room_from(at(100), min_margin(), 1), None);
        assert_eq!(windows.room_from(at(100), min_margin(), 5), Some(at(1010)));
        assert_eq!(windows.room_from(at(100), min_margin(), 6), Some(at(1110)));
        // A request whose weight is above the limit waits until the window is empty, and fills it.
        assert_eq!(windows.room_from(at(100), min_margin(), 25), Some(at(1110)));
        leave(&mut windows, 1110, 25);
        assert_eq!(windows.room_from(at(1200), min_margin(), 1), Some(at(2120)));
    }

    #[test]
    fn no_window_exceeds_its_limit() {
        fastrand::seed(7);
        for _ in 0..20 {
            let window = |_| Window { requests: fastrand::usize(1..30), length: SECOND / fastrand::u32(1..100) };
            let windows: Vec<_> = (0..fastrand::usize(1..4)).map(window).collect();
            let mut state = Windows::new(windows.clone());
            let mut now = LimiterTime::ZERO;
            let mut left = Vec::new();
            for _ in 0..300 {
                now += Duration::from_micros(fastrand::u64(0..2) * fastrand::u64(0..50_000));
                if state.room_from(now, min_margin(), 1).is_none_or(|room| room <= now) {
                    state.unsent += 1;
                    state.settle(1);
                    if fastrand::u8(0..10) > 0 {
                        state.count(now, min_margin(), 1);
                        left.push(now);
                    }
                }
            }
            for Window { requests, length } in windows {
                let pairs = left.iter().zip(left.iter().skip(requests));
                assert!(
                    pairs.into_iter().all(|(first, next)| next.saturating_sub(*first) > length),
                    "{requests} in {length:?}"
                );
            }
        }
    }

    #[test]
    fn late_report_of_an_earlier_request_is_counted() {
        let mut windows = Windows::new(vec![Window { requests: 2, length: SECOND }]);
        let at = |milliseconds| Duration::from_millis(milliseconds);
        windows.count(at(5300), min_margin(), 1);
        windows.count(at(5100), min_margin(), 1);
        assert_eq!(windows.room_from(at(5400), min_margin(), 1), Some(at(6110)));
        windows.count(at(5200), min_margin(), 1);
        assert_eq!(windows.room_from(at(5400), min_margin(), 1), Some(at(6210)));
    }

    #[test]
    fn request_being_sent_counts_until_reported() {
        let mut windows = Windows::new(vec![Window { requests: 2, length: SECOND }]);
        let start = LimiterTime::ZERO;
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        windows.unsent += 1;
        assert_eq!(windows.room_from(start, min_margin(), 1), None);
        windows.unsent += 1;
        assert_eq!(windows.room_from(at(5000), min_margin(), 1), Some(at(6010)));
        windows.settle(1);
        windows.count(at(5500), min_margin(), 1);
        assert_eq!(windows.room_from(at(5600), min_margin(), 1), Some(at(6510)));
        windows.settle(1);
        assert_eq!(windows.room_from(at(5600), min_margin(), 1), None);
        windows.unsent += 1;
        windows.settle(1);
        windows.count(at(5700), min_margin(), 1);
        assert_eq!(windows.room_from(at(5700), min_margin(), 1), Some(at(6510)));
    }
}
