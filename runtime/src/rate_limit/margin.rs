//! The margin: how much longer than its length a window is kept.
//!
//! The service counts requests on arrival, and network jitter can shorten the interval between two of them.
//! Rate-limited requests and the spread of response times show by how much, and determine the margin. Nothing here
//! waits or reads a clock.

mod reply_times;

use std::time::Duration;

use reply_times::ReplyTimes;

use super::moment::Moment;

/// A window is kept longer by this part of its length at least.
const LEAST: u32 = 100;

/// The learned lateness is at most this fraction of the shortest window.
const MOST: u32 = 2;

/// Longer than any window or pause that makes sense. A clock may not reach further, and a point in time beyond
/// it would be no limit.
pub(super) const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// The extension of a window at a given time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Margin {
    /// The maximum extra delay of a request compared to others.
    lateness: Duration,
    /// The share by which the distance is lengthened beyond that.
    slowdown: f64,
}

impl Margin {
    /// The minimum time between sending a request and sending the one that reuses its room in the window.
    pub(super) fn distance(self, length: Duration) -> Duration {
        let distance = length.saturating_add(self.lateness.max(length / LEAST));
        let distance = if self.slowdown > 0.0 { times(distance, 1.0 + self.slowdown) } else { distance };
        distance.min(YEAR)
    }
}

fn times(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(YEAR)
}

/// The margin learned from rate-limited requests and response times.
///
/// Each 429 doubles the assumed lateness of a request, up to the spread of the response times. The lateness keeps its
/// value for some time, then fades; a 429 soon afterwards lengthens that time. A 429 at the maximum lateness slows down
/// all requests instead, and the slowdown begins to fade at once.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "__gate-state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct LearnedMargin {
    #[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))]
    least: Duration,
    #[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))]
    most: Duration,
    reply_times: ReplyTimes,
    late: Option<Late>,
    /// A slowdown, and since when it fades.
    slow: Option<(f64, Moment)>,
}

/// The assumed lateness of a request, unless response times show less.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "__gate-state", derive(serde::Serialize, serde::Deserialize))]
struct Late {
    #[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))]
    lateness: Duration,
    /// The time at which it begins to fade.
    until: Moment,
    /// For how long it does not.
    #[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))]
    held: Duration,
}

/// A learned lateness keeps its value for this time at first …
const FIRST_HOLD: Duration = Duration::from_secs(10);

/// … and for `LONGER` times as long if a 429 follows soon after it has faded: within `SOON` times that time.
const LONGER: u32 = 8;
const SOON: u32 = 4;

const LONGEST_HOLD: Duration = Duration::from_secs(2 * 60 * 60);

/// The first slowdown; the next one adds this to twice the remainder of the previous one.
const SLOWDOWN: f64 = 0.02;

/// The rate is then a sixth.
const MOST_SLOWDOWN: f64 = 5.0;

/// The half-life of lateness and slowdown.
const HALF: Duration = Duration::from_secs(10);

impl LearnedMargin {
    /// The margin before the first response, for a limit whose shortest window is given.
    pub(super) fn new(shortest: Duration) -> Self {
        let (least, most) = (shortest / LEAST, shortest / MOST);
        Self { least, most, reply_times: ReplyTimes::default(), late: None, slow: None }
    }

    /// The current extension of the windows.
    pub(super) fn at(&self, now: Moment) -> Margin {
        Margin { lateness: self.lateness(now), slowdown: self.slowdown(now) }
    }

    /// Learns from a complete response that arrived this long after its request was sent.
    pub(super) fn answered(&mut self, after: Duration) {
        self.reply_times.add(after);
        // The spread is not used before the first 429.
        if self.late.is_some() && self.reply_times.is_stale() {
            self.reply_times.measure();
        }
    }

    /// Learns from a 429.
    pub(super) fn refused(&mut self, now: Moment) {
        self.reply_times.measure();
        let before = self.lateness(now);
        let lateness = before.saturating_mul(2);
        if self.shown(lateness) > before {
            let held = self.next_hold(now);
            self.late = Some(Late { lateness, until: now + held, held });
        } else {
            self.slow = Some(((2.0 * self.slowdown(now) + SLOWDOWN).min(MOST_SLOWDOWN), now));
        }
    }

    fn next_hold(&self, now: Moment) -> Duration {
        let Some(Late { until, held, .. }) = self.late else { return FIRST_HOLD };
        match now.saturating_since(until) {
            _ if now < until => held,
            faded if faded < held.saturating_mul(SOON) => held.saturating_mul(LONGER).min(LONGEST_HOLD),
            _ => FIRST_HOLD,
        }
    }

    fn lateness(&self, now: Moment) -> Duration {
        let faded = |late: Late| self.shown(late.lateness).mul_f64(left(now.saturating_since(late.until)));
        self.late.map_or(Duration::ZERO, faded).max(self.least)
    }

    /// The lateness, limited to the spread of the response times.
    fn shown(&self, lateness: Duration) -> Duration {
        lateness.min(self.reply_times.spread()).min(self.most)
    }

    fn slowdown(&self, now: Moment) -> f64 {
        self.slow.map_or(0.0, |(slowdown, since)| slowdown * left(now.saturating_since(since)))
    }
}

/// The remaining part of a value that has been fading for a duration.
fn left(faded: Duration) -> f64 {
    if faded.is_zero() { 1.0 } else { (-faded.as_secs_f64() / HALF.as_secs_f64()).exp2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The minimum interval between two requests at `times`, in milliseconds, for windows of a second, response times
    /// with this spread and a 429 at each of `refusals`, in seconds.
    fn check(spread: u64, refusals: &[u64], times: &[u64]) -> Vec<u128> {
        let start = Moment::default();
        let mut margin = LearnedMargin::new(SECOND);
        (0..40).for_each(|index| margin.answered(Duration::from_millis(50 + spread * (index % 2))));
        let (mut refusals, mut distances) = (refusals.iter().peekable(), Vec::new());
        for time in times {
            while let Some(at) = refusals.next_if(|at| *at <= time) {
                margin.refused(start + Duration::from_secs(*at));
            }
            let distance = margin.at(start + Duration::from_secs(*time)).distance(SECOND);
            distances.push(distance.as_millis());
        }
        distances
    }

    #[test]
    fn late_replies_alone_teach_nothing() {
        assert_eq!(check(0, &[], &[0]), [1010]);
        assert_eq!(check(400, &[], &[0]), [1010]);
    }

    #[test]
    fn refusals_teach_what_replies_show() {
        assert_eq!(check(60, &[1, 2, 3], &[0, 1, 2, 3]), [1010, 1020, 1040, 1063]);
        // Ten seconds later it fades by half every ten.
        assert_eq!(check(60, &[1, 2, 3], &[3, 13, 23, 33, 60]), [1063, 1063, 1031, 1015, 1010]);
        // If response times show more than that, doubling reaches it.
        assert_eq!(check(2000, &[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 6]), [1020, 1040, 1080, 1160, 1320, 1500]);
        // The lateness is at its maximum, so the next 429 slows down.
        assert_eq!(check(60, &[1, 2, 3, 4], &[3, 4]), [1063, 1084]);
        assert_eq!(check(2000, &[1, 2, 3, 4, 5, 6, 7], &[6, 7]), [1500, 1530]);
    }

    #[test]
    fn later_replies_are_measured_once_they_are_a_tenth_of_all() {
        let (mut margin, now) = (LearnedMargin::new(SECOND), Moment::default());
        (0..40).for_each(|index| margin.answered(Duration::from_millis(50 + 60 * (index % 2))));
        (0..3).for_each(|_| margin.refused(now));
        let distances = [1, 2, 3, 4].map(|_| {
            margin.answered(Duration::from_millis(400));
            margin.at(now).distance(SECOND).as_millis()
        });
        assert_eq!(distances, [1063, 1063, 1063, 1080]);
    }

    #[test]
    fn what_is_refuted_soon_is_tried_less_often() {
        let refused_again = [1, 2, 3, 30];
        assert_eq!(check(60, &refused_again, &[29, 30, 30 + 80, 30 + 90]), [1020, 1038, 1038, 1019]);
        // So is a margin that is refuted as soon as it begins to fade.
        assert_eq!(check(60, &[1, 11], &[11, 11 + 80, 11 + 90]), [1040, 1040, 1020]);
        // A 429 much later is independent.
        assert_eq!(check(60, &[1, 100], &[99, 100, 110, 120]), [1010, 1020, 1020, 1010]);
        // After four times the hold, a 429 no longer lengthens it.
        assert_eq!(check(60, &[1, 50], &[50, 60, 70]), [1020, 1020, 1020]);
        assert_eq!(check(60, &[1, 51], &[51, 61, 71]), [1020, 1020, 1010]);
    }

    #[test]
    fn a_lateness_that_is_confirmed_again_and_again_is_held_for_two_hours() {
        // Each 429 follows twenty seconds after the hold of the previous one.
        let refusals = [1, 31, 131, 791, 5931];
        assert_eq!(check(60, &refusals, &[13_131, 13_141]), [1020, 1010]);
    }

    #[test]
    fn what_replies_do_not_show_slows_down_for_a_while() {
        assert_eq!(check(0, &[1, 1, 1], &[0, 1, 11, 21, 100]), [1010, 1151, 1080, 1045, 1010]);
        let many: Vec<_> = (0..1000).collect();
        assert_eq!(check(0, &many, &[999]), [6060]);
    }

    #[test]
    fn a_long_window_has_a_margin_of_its_own() {
        let mut margin = LearnedMargin::new(SECOND);
        let now = Moment::default();
        (0..40).for_each(|index| margin.answered(Duration::from_millis(50 + 60 * (index % 2))));
        (0..3).for_each(|_| margin.refused(now));
        let distance = |seconds| margin.at(now).distance(Duration::from_secs(seconds)).as_millis();
        assert_eq!([1, 5, 60, 30 * 86_400].map(distance), [1063, 5063, 60_600, 2_617_920_000]);
        assert_eq!(margin.at(now).distance(Duration::MAX), YEAR);
    }
}
