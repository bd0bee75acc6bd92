//! The even spacing of queued requests.

use std::time::Duration;

use super::limiter_time::LimiterTime;

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
        weight: usize,
    ) {
        // Of the requests that are sent at once, the first needs no saved time, and each of the others needs the time
        // of a gap. At least a tick is saved, because a timer can be late by a tick.
        let kept = gap.saturating_mul(AT_ONCE - 1).max(TICK);
        // After a wait, even spacing restarts at the time at which the request could pass, so no idle time is saved.
        let since = if self.has_waited { open_since } else { self.due.max(paused) };
        let since = since.max(now.checked_sub(kept));
        self.due = since.and_then(|since| since.checked_add(of_weight(gap, weight)));
        self.has_waited = false;
    }

    /// Makes the next request due earlier, because an admitted request of this weight is not sent after all.
    pub(super) fn take_back(&mut self, gap: Duration, weight: usize) {
        self.due = self.due.and_then(|due| due.checked_sub(of_weight(gap, weight)));
    }
}

/// The time that a request of this weight takes at the maximum rate.
fn of_weight(gap: Duration, weight: usize) -> Duration {
    gap.saturating_mul(u32::try_from(weight).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Duration = Duration::from_millis(100);

    /// Returns the times at which requests are sent, in milliseconds. For each request, the input contains the time at
    /// which it enters the queue, and the time from which other limits let it pass.
    fn check(requests: &[(u64, u64)]) -> Vec<u128> {
        let start = Duration::from_secs(3600);
        let mut pace = Pace::default();
        let mut now = start;
        let mut sent = Vec::new();
        for (comes, opens) in requests {
            now = now.max(start + Duration::from_millis(*comes));
            let opening = pace.due.max(Some(start + Duration::from_millis(*opens))).unwrap();
            if opening > now {
                pace.has_waited = true;
            }
            now = now.max(opening);
            pace.pass(now, Some(opening), None, GAP, 1);
            sent.push(now.saturating_sub(start).as_millis());
        }
        sent
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
        pace.take_back(GAP, 1);
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
