//! Rolling windows: when the next request may be sent, given when earlier ones were.
//!
//! Times come in, times go out; nothing here waits or reads a clock.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// At most so many requests in any stretch of time of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    pub(super) requests: usize,
    pub(super) length: Duration,
}

/// A window is kept longer by this part of its length: the service counts when requests arrive, and two
/// that leave far apart can arrive closer together.
const MARGIN: u32 = 100;

/// Longer than any limit or pause that makes sense.
pub(super) const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Window {
    /// So many requests in so many seconds.
    pub const fn of(requests: u32, seconds: u32) -> Self {
        Self { requests: requests as usize, length: Duration::from_secs(seconds as u64) }
    }

    /// How far apart a request and the one that takes its place have to leave.
    fn distance(&self) -> Duration {
        // Beyond a year a clock might not reach, and what it does not reach would be no limit.
        self.length.saturating_add(self.length / MARGIN).min(YEAR)
    }

    /// How far apart requests are that use the window evenly.
    fn gap(&self) -> Duration {
        self.distance() / u32::try_from(self.requests).unwrap_or(u32::MAX).max(1)
    }
}

/// Windows, and when requests were sent that they still have to count.
#[derive(Debug)]
pub(super) struct Windows {
    windows: Vec<Window>,
    /// In order, the latest last.
    sent: VecDeque<Instant>,
    /// How many more may leave at any time: they have passed, and nobody has said yet when they left.
    leaving: usize,
}

impl Windows {
    pub(super) fn new(windows: Vec<Window>) -> Self {
        Self { windows, sent: VecDeque::new(), leaving: 0 }
    }

    /// When all windows have room for one more request, unless there is news of those that are leaving;
    /// `None` if they have it at any time.
    pub(super) fn room_from(&self, now: Instant) -> Option<Instant> {
        let room = |window: &Window| {
            // The latest are those that are leaving.
            let index = (self.sent.len() + self.leaving).checked_sub(window.requests)?;
            self.sent.get(index).unwrap_or(&now).checked_add(window.distance())
        };
        self.windows.iter().filter_map(room).max()
    }

    /// How far apart requests are that use all windows evenly; `None` if there are none.
    pub(super) fn gap(&self) -> Option<Duration> {
        self.windows.iter().map(Window::gap).max()
    }

    /// Lets a request permit, which leaves from now on.
    pub(super) fn permit(&mut self) {
        self.leaving += 1;
    }

    /// Takes a request that has passed as sent at a point in time.
    pub(super) fn count(&mut self, at: Instant, now: Instant) {
        self.forget();
        let most = self.windows.iter().map(|window| window.requests).max().unwrap_or(0);
        let longest = self.windows.iter().map(Window::distance).max().unwrap_or_default();
        let index = self.sent.partition_point(|sent| *sent <= at);
        self.sent.insert(index, at);
        let is_over = |sent: &Instant| now.saturating_duration_since(*sent) >= longest;
        while self.sent.len() > most.max(1) || self.sent.front().is_some_and(is_over) {
            self.sent.pop_front();
        }
    }

    /// Takes a request that has passed as never sent.
    pub(super) fn forget(&mut self) {
        self.leaving = self.leaving.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Sends as early as the windows allow and says when, in milliseconds.
    fn check(windows: &[(usize, Duration)], count: usize) -> Vec<u128> {
        let start = Instant::now();
        let windows = windows.iter().map(|(requests, length)| Window { requests: *requests, length: *length });
        let mut windows = Windows::new(windows.collect());
        let mut now = start;
        let mut sent = Vec::new();
        for _ in 0..count {
            now = windows.room_from(now).map_or(now, |room| room.max(now));
            windows.permit();
            windows.count(now, now);
            sent.push((now - start).as_millis());
        }
        sent
    }

    #[test]
    fn requests_leave_as_early_as_all_windows_allow() {
        assert_eq!(check(&[], 3), [0, 0, 0]);
        assert_eq!(check(&[(2, SECOND)], 5), [0, 0, 1010, 1010, 2020]);
        assert_eq!(check(&[(2, SECOND), (3, 10 * SECOND)], 5), [0, 0, 1010, 10_100, 10_100]);
        assert_eq!(check(&[(1, SECOND), (1, SECOND / 2)], 3), [0, 1010, 2020]);
    }

    #[test]
    fn no_window_ever_holds_more() {
        fastrand::seed(7);
        for _ in 0..20 {
            let window = |_| Window { requests: fastrand::usize(1..30), length: SECOND / fastrand::u32(1..100) };
            let windows: Vec<_> = (0..fastrand::usize(1..4)).map(window).collect();
            let mut state = Windows::new(windows.clone());
            let mut now = Instant::now();
            let mut sent = Vec::new();
            for _ in 0..300 {
                now += Duration::from_micros(fastrand::u64(0..2) * fastrand::u64(0..50_000));
                if state.room_from(now).is_none_or(|room| room <= now) {
                    state.permit();
                    if fastrand::u8(0..10) == 0 {
                        state.forget();
                    } else {
                        state.count(now, now);
                        sent.push(now);
                    }
                }
            }
            for Window { requests, length } in windows {
                let pairs = sent.iter().zip(sent.iter().skip(requests));
                assert!(pairs.into_iter().all(|(first, next)| *next - *first > length), "{requests} in {length:?}");
            }
        }
    }

    #[test]
    fn what_is_leaving_may_leave_at_any_time() {
        let mut windows = Windows::new(vec![Window { requests: 2, length: SECOND }]);
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        windows.permit();
        assert_eq!(windows.room_from(start), None);
        windows.permit();
        assert_eq!(windows.room_from(at(5000)), Some(at(6010)));
        windows.count(at(500), at(5000));
        assert_eq!(windows.room_from(at(5000)), None);
        windows.permit();
        windows.count(at(4900), at(5000));
        assert_eq!(windows.room_from(at(5000)), Some(at(5910)));
        windows.count(at(4800), at(5000));
        assert_eq!(windows.room_from(at(5000)), Some(at(5810)));
        assert!(windows.sent.iter().is_sorted());
    }

    #[test]
    fn what_was_not_sent_is_not_counted() {
        let mut windows = Windows::new(vec![Window { requests: 1, length: SECOND }]);
        let now = Instant::now();
        windows.permit();
        assert_eq!(windows.room_from(now), Some(now + Duration::from_millis(1010)));
        windows.forget();
        assert_eq!(windows.room_from(now), None);
    }
}
