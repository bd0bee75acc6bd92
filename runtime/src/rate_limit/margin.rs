//! The margin: how much longer than its length a window is kept.
//!
//! The service counts requests when they arrive, and two that leave far apart can arrive closer together. How much
//! closer shows in what the service refuses and in how much reply times differ: those come in, a margin goes out.
//! Nothing here waits or reads a clock.

mod reply_times;

use std::time::Duration;

use reply_times::ReplyTimes;

use super::moment::Moment;

/// A window is kept longer by this part of its length at least.
const LEAST: u32 = 100;

/// What is learned of late arrivals adds no more than this part of the shortest window.
const MOST: u32 = 2;

/// Longer than any window or pause that makes sense. A clock may not reach further, and a point in time beyond
/// it would be no limit.
pub(super) const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// What is added to a window at a point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Margin {
    /// How much later than others a request may arrive.
    lateness: Duration,
    /// The share by which the distance is lengthened beyond that.
    slowdown: f64,
}

impl Margin {
    /// The least time between the departures of a request and of the one that takes its place.
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
/// show. After a hold that fades; if a refusal comes soon afterwards, the next hold is longer. If a refusal comes
/// although the lateness is at its bound, all requests are slowed down, and the slowdown begins to fade at once.
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

/// How much later than others a request is taken to arrive, unless reply times show less.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "__gate-state", derive(serde::Serialize, serde::Deserialize))]
struct Late {
    #[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))]
    lateness: Duration,
    /// It does not fade before.
    until: Moment,
    /// For how long it does not.
    #[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))]
    held: Duration,
}

/// A learned lateness holds for this time at first …
const FIRST_HOLD: Duration = Duration::from_secs(10);

/// … and `LONGER` times as long if a refusal comes soon after it has faded: within `SOON` times its hold.
const LONGER: u32 = 8;
const SOON: u32 = 4;

const LONGEST_HOLD: Duration = Duration::from_secs(2 * 60 * 60);

/// The first slowdown; the next is this and twice what is left of the former.
const SLOWDOWN: f64 = 0.02;

/// A sixth of the speed is left.
const MOST_SLOWDOWN: f64 = 5.0;

/// The half-life of lateness and slowdown.
const HALF: Duration = Duration::from_secs(10);

impl LearnedMargin {
    /// What is known before the first reply, of a limit with this window as its shortest.
    pub(super) fn new(shortest: Duration) -> Self {
        let (least, most) = (shortest / LEAST, shortest / MOST);
        Self { least, most, reply_times: ReplyTimes::default(), late: None, slow: None }
    }

    /// What is added to windows now.
    pub(super) fn at(&self, now: Moment) -> Margin {
        Margin { lateness: self.lateness(now), slowdown: self.slowdown(now) }
    }

    /// Learns from a whole reply that came this long after its request left.
    pub(super) fn answered(&mut self, after: Duration) {
        self.reply_times.add(after);
        // The spread is not used before the first refusal.
        if self.late.is_some() && self.reply_times.is_stale() {
            self.reply_times.measure();
        }
    }

    /// Learns from a refusal.
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

    /// As much of a lateness as reply times show.
    fn shown(&self, lateness: Duration) -> Duration {
        lateness.min(self.reply_times.spread()).min(self.most)
    }

    fn slowdown(&self, now: Moment) -> f64 {
        self.slow.map_or(0.0, |(slowdown, since)| slowdown * left(now.saturating_since(since)))
    }
}

/// The part that is left of a value that has been fading for a duration.
fn left(faded: Duration) -> f64 {
    if faded.is_zero() { 1.0 } else { (-faded.as_secs_f64() / HALF.as_secs_f64()).exp2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// How far apart two requests have to leave at these times, in milliseconds, where windows of a second and replies
    /// that differ by so much are known and refusals come at other times, in seconds.
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
        // Where reply times show more than that, it is found out by doubling.
        assert_eq!(check(2000, &[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 6]), [1020, 1040, 1080, 1160, 1320, 1500]);
        // A lateness at its bound teaches nothing more, and the next refusal slows down.
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
        // A refusal much later has nothing to do with it.
        assert_eq!(check(60, &[1, 100], &[99, 100, 110, 120]), [1010, 1020, 1020, 1010]);
        // It is much later once four times the hold are over.
        assert_eq!(check(60, &[1, 50], &[50, 60, 70]), [1020, 1020, 1020]);
        assert_eq!(check(60, &[1, 51], &[51, 61, 71]), [1020, 1020, 1010]);
    }

    #[test]
    fn a_lateness_that_is_confirmed_again_and_again_is_held_for_two_hours() {
        // Each refusal comes twenty seconds after the hold of the one before.
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
