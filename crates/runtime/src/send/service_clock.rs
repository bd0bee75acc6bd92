//! The time of the service, estimated from the headers `Date` and `Age` of its responses and from both clocks of this
//! machine.
//!
//! A `Date` is believed if another witness agrees with it: the estimate from earlier responses, the wall clock of this
//! machine, or the `Date` that was last doubted. A single wrong `Date` therefore changes nothing, and two that agree are
//! believed over a wrong wall clock. If they contradict a wall clock that was right before, the earlier of the two times is
//! used and checked again soon, because a cache or one of the servers may have a wrong clock for some minutes; after an
//! hour, the clock of the service was set. The monotonic clock measures the time between responses. It may stand still while
//! the machine is suspended, which shows as a jump of the wall clock; the next `Date` decides whether the wall clock was
//! only set.

use std::sync::Mutex;
use std::time::Duration;

use crate::platform::{Instant, lock};
use crate::values::Timestamp;

/// Times that differ by at most this much agree: a `Date` is rounded down to a second, and is older by the time that the
/// response travelled.
const TOLERANCE: Duration = Duration::from_secs(5);

/// The time after which a `Date` is believed although it contradicts a wall clock that was right before.
const MAX_CONTRADICTION: Duration = Duration::from_secs(60 * 60);

/// The resolution of the header `Date`. A time that is estimated from that header can be wrong by this much, and in
/// addition by a part of the time since then, because clocks drift.
const RESOLUTION: Duration = Duration::from_secs(1);
const DRIFT_DIVISOR: u32 = 20_000;

/// A function that returns the time of this machine.
pub(crate) type WallClock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// The clock of the service, which all requests of a client share.
pub(crate) struct ServiceClock {
    wall: WallClock,
    estimate: Mutex<Estimate>,
}

impl ServiceClock {
    pub(crate) fn new(wall: WallClock) -> Self {
        let estimate = Mutex::new(Estimate::new(Instant::now(), wall()));
        Self { wall, estimate }
    }

    /// Returns the estimate at the current time.
    pub(crate) fn read(&self) -> Estimate {
        let now = Instant::now();
        let wall = (self.wall)();
        let mut estimate = lock(&self.estimate);
        estimate.read(now, wall);
        *estimate
    }

    /// Adds the `Date` and the `Age` of a response that has just arrived, at most `in_flight` after its request was sent.
    /// Returns a time that the service had reached when it created the response, and whether only another response can
    /// decide which time that was.
    pub(super) fn add(&self, date: Option<Timestamp>, age: Duration, in_flight: Duration) -> (Timestamp, bool) {
        self.read();
        let mut estimate = lock(&self.estimate);
        let reached = estimate.add(date, age, in_flight);
        (reached, estimate.is_disputed())
    }
}

/// An estimate of the service's time.
#[derive(Clone, Copy)]
pub(crate) struct Estimate {
    /// The time at which all other fields are valid.
    at: Instant,
    /// The time of this machine.
    pub(crate) wall: Timestamp,
    time: Timestamp,
    /// Another possible time: a `Date` that no witness agreed with, or the time after a jump of the wall clock.
    doubt: Option<Timestamp>,
    /// The time of the last `Date` that was believed, or of the first.
    dated: Option<Instant>,
    /// True if a `Date` has agreed with the wall clock, which has not jumped since.
    is_wall_trusted: bool,
    /// The time since which the believed dates contradict the wall clock.
    contradicted: Option<Instant>,
}

impl Estimate {
    /// Creates the estimate before the first `Date`, which is the time of the wall clock.
    pub(crate) fn new(at: Instant, wall: Timestamp) -> Self {
        Self { at, wall, time: wall, doubt: None, dated: None, is_wall_trusted: false, contradicted: None }
    }

    /// Returns the time that the service has reached, as far as is known.
    pub(crate) fn time(&self) -> Timestamp {
        match self.doubt {
            Some(doubt) if self.is_disputed() => doubt.min(self.time),
            _ => self.time,
        }
    }

    /// Returns whether only the next `Date` can decide which time is right.
    pub(crate) fn is_disputed(&self) -> bool {
        self.doubt.is_some() && !agree(self.time, self.wall)
    }

    /// Returns whether two witnesses agree about the time.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.dated.is_some() && !self.is_disputed()
    }

    /// Reads both clocks of this machine.
    pub(crate) fn read(&mut self, at: Instant, wall: Timestamp) {
        // Another thread may have read the clocks later, but stored its reading earlier.
        let Some(elapsed) = at.checked_duration_since(self.at) else { return };
        let expected = self.wall + elapsed;
        let jump = wall - expected;
        self.is_wall_trusted &= agree(wall, expected);
        self.at = at;
        self.wall = wall;
        self.time += elapsed;
        self.doubt = self.doubt.map(|doubt| doubt + elapsed);
        if self.dated.is_none() {
            self.time = wall;
        } else if jump > TOLERANCE {
            self.doubt = Some(self.doubt.unwrap_or(self.time) + jump);
        }
    }

    /// Adds a response; see [`ServiceClock::add`].
    pub(crate) fn add(&mut self, date: Option<Timestamp>, age: Duration, in_flight: Duration) -> Timestamp {
        let drift = self.dated.map_or(Duration::ZERO, |dated| (self.at - dated) / DRIFT_DIVISOR);
        let estimated = self.time() - in_flight - age - RESOLUTION - drift;
        let Some(date) = date else { return estimated };
        let time = date + age;
        let witnesses = [Some(self.time), self.doubt, Some(self.wall)];
        if let Some(witness) = witnesses.into_iter().flatten().find(|witness| agree(*witness, time)) {
            self.time = time;
            self.dated = Some(self.at);
            self.doubt = self.contradicting_wall();
            // A `Date` slightly in the future could make an open interval look closed.
            let reached = date.min(witness + RESOLUTION - age);
            return if self.is_disputed() { reached.min(estimated) } else { reached };
        }
        if self.dated.is_some() {
            self.doubt = Some(time);
        } else {
            (self.time, self.doubt, self.dated) = (time, Some(self.wall), Some(self.at));
        }
        if self.is_disputed() { date.min(estimated) } else { estimated }
    }

    /// Returns the time of the wall clock if it was right before and contradicts the believed `Date`.
    fn contradicting_wall(&mut self) -> Option<Timestamp> {
        if agree(self.wall, self.time) {
            self.is_wall_trusted = true;
            self.contradicted = None;
            return None;
        }
        let since = *self.contradicted.get_or_insert(self.at);
        let is_recent = self.at.saturating_duration_since(since) < MAX_CONTRADICTION;
        if self.is_wall_trusted && is_recent { Some(self.wall) } else { None }
    }
}

fn agree(one: Timestamp, other: Timestamp) -> bool {
    one.abs_diff(other) <= TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;

    /// An event: time passes on the monotonic and on the wall clock, or a response arrives with this `Date` and `Age`.
    #[derive(Clone, Copy)]
    enum Step {
        Wait(u64, i64),
        Date(i64, u64),
        NoDate,
    }
    use Step::{Date, NoDate, Wait};

    /// Returns the estimate, whether it is disputed, and the time of the last response, in seconds.
    fn check(wall: i64, steps: &[Step]) -> (i64, bool, i64) {
        let (mut now, mut wall) = (Instant::now(), Timestamp::from_unix_seconds(wall));
        let (mut estimate, mut reached) = (Estimate::new(now, wall), wall);
        for step in steps {
            match *step {
                Wait(seconds, of_wall) => {
                    now += Duration::from_secs(seconds);
                    wall = Timestamp::from_unix_seconds(wall.unix_seconds() + of_wall);
                }
                NoDate => reached = estimate.add(None, Duration::ZERO, Duration::ZERO),
                Date(date, age) => {
                    let date = Some(Timestamp::from_unix_seconds(date));
                    reached = estimate.add(date, Duration::from_secs(age), Duration::ZERO);
                }
            }
            estimate.read(now, wall);
        }
        (estimate.time().unix_seconds(), estimate.is_disputed(), reached.unix_seconds())
    }

    #[test]
    fn two_witnesses_outvote_a_third() {
        assert_eq!(check(0, &[]), (0, false, 0));
        assert_eq!(check(0, &[Wait(9, 10), Date(8, 0)]), (8, false, 8));
        for wrong in [-5 * HOUR, -70, 70, HOUR, 87_600 * HOUR] {
            // The first `Date` is wrong, or the wall clock: the earlier of the two is assumed until the next `Date`.
            assert_eq!(check(0, &[Date(wrong, 0)]), (wrong.min(0), true, wrong.min(-1)));
            assert_eq!(check(0, &[Date(wrong, 0), Date(0, 0)]), (0, false, 0));
            assert_eq!(check(wrong, &[Date(0, 0), Date(0, 0)]), (0, false, 0));
            assert_eq!(check(0, &[Date(0, 0), Date(wrong, 0)]), (0, false, -1));
            assert_eq!(check(wrong, &[Date(0, 0), Date(0, 0), Date(-wrong, 0), Date(0, 0)]), (0, false, 0));
            // Two wrong dates contradict a wall clock that was right: the earlier time is assumed, and checked again.
            let two_wrong = [Date(0, 0), Date(wrong, 0), Date(wrong, 0)];
            assert_eq!(check(0, &two_wrong), (wrong.min(0), true, wrong.min(-1)));
            assert!(check(0, &[&two_wrong[..], &[Date(wrong, 0)]].concat()).1);
            assert_eq!(check(0, &[&two_wrong[..], &[Date(0, 0)]].concat()), (0, false, 0));
            // After an hour, the clock of the service was set.
            let an_hour_later = [&two_wrong[..], &[Wait(3600, 3600), Date(wrong + HOUR, 0)]].concat();
            assert_eq!(check(0, &an_hour_later), (wrong + HOUR, false, wrong + HOUR));
        }
    }

    #[test]
    fn a_jump_of_the_wall_clock_is_a_suspend_if_the_next_date_agrees() {
        for wall in [0, 500] {
            let begun = [Date(0, 0), Date(0, 0), Wait(1, HOUR + 1)];
            assert_eq!(check(wall, &begun), (1, true, 0));
            assert_eq!(check(wall, &[&begun[..], &[Date(HOUR + 1, 0)]].concat()), (HOUR + 1, false, HOUR + 1));
            assert_eq!(check(wall, &[&begun[..], &[Date(1, 0)]].concat()), (1, false, 1));
        }
        assert_eq!(check(0, &[Date(0, 0), Wait(10, 10 - HOUR)]), (10, false, 0));
        // A response without `Date` decides nothing.
        assert_eq!(check(0, &[Date(0, 0), Wait(1, HOUR + 1), NoDate]), (1, true, -1));
        assert_eq!(check(0, &[Wait(10, HOUR)]), (HOUR, false, 0));
    }

    #[test]
    fn date_plus_age_is_the_time_of_arrival() {
        assert_eq!(check(100, &[Date(60, 40)]), (100, false, 60));
        assert_eq!(check(100, &[Date(104, 0)]), (104, false, 101));
        assert_eq!(check(100, &[Date(100, u64::MAX)]).0, 100);
    }
}
