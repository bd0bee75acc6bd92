//! Simulates a bot that runs for a month, with outages, bursts of failures, late and missing records, wrong clocks and
//! restarts.
//!
//! The service has the correct time. The bot has a monotonic clock that drifts and a wall clock that jumps.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // All numbers are small.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::*;

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;
const START: i64 = 1_699_999_200;
const LATE_SPAN: u32 = 10;

/// Milliseconds since `START`.
type Millis = i64;

/// A service with one record per minute. `published` contains the time at which each record is published, or `None` if
/// that record is never published.
struct Service {
    published: Vec<Option<Millis>>,
    /// The periods in which requests get no response (`outages`), or only errors (`bursts`).
    outages: Vec<(Millis, Millis)>,
    bursts: Vec<(Millis, Millis)>,
    /// The percentage of responses without a `Date`.
    without_date: u8,
}

impl Service {
    fn new(days: i64, rng: &mut Rng) -> Self {
        let minutes = days * DAY / MINUTE;
        let lateness = |rng: &mut Rng| match rng.u16(0..1000) {
            0..940 => Some(rng.i64(0..1500)),
            940..960 => Some(rng.i64(1500..30_000)),
            960..980 => Some(rng.i64(30_000..600_000)),
            980..985 => Some(rng.i64(660_000..7_200_000)),
            985..990 => None,
            _ => Some(500),
        };
        let published = (0..minutes).map(|minute| Some((minute + 1) * 60_000 + lateness(rng)?)).collect();
        let spans = |count, max: Millis, rng: &mut Rng| {
            let span = |rng: &mut Rng| {
                let from = rng.i64(0..days * DAY * 1000);
                // The lengths are log-uniform: short outages are as frequent as long ones.
                let length = 1000.max((max as f64).powf(rng.f64()) as Millis);
                // The last hours have no outage, so that everything is delivered by the end.
                (from, (from + length).min(days * DAY * 1000 - 10_800_000))
            };
            (0..count).map(|_| span(rng)).collect::<Vec<_>>()
        };
        let (outages, bursts) = (spans(20, DAY * 1000, rng), spans(100, 5000, rng));
        Self { published, outages, bursts, without_date: rng.choice([0, 0, 20]).unwrap() }
    }

    fn is_down(&self, at: Millis) -> bool {
        self.outages.iter().any(|(from, to)| (*from..*to).contains(&at))
    }

    /// Returns the records of a window that are published at a time, including the record of the interval that is still
    /// open.
    fn records(&self, window: Span, at: Millis) -> Vec<Timestamp> {
        let minute = |time: Timestamp| (time.unix_seconds() - START).div_euclid(MINUTE);
        let open = at / 60_000;
        let minutes = minute(window.from).max(0)..minute(window.to).min(open + 1);
        let is_there = |index: i64| {
            let published = usize::try_from(index).ok().and_then(|index| *self.published.get(index)?);
            index == open || published.is_some_and(|published| published <= at)
        };
        minutes.filter(|index| is_there(*index)).map(|index| Timestamp::from(START + index * MINUTE)).collect()
    }
}

/// The bot, with all records and gaps that it received.
struct Bot {
    schedule: Schedule,
    rng: Rng,
    at: Millis,
    /// A reading of the bot's monotonic clock, and the time of that reading; the clock drifts from then on.
    monotonic: (Instant, Millis),
    drift: f64,
    wall_error: Millis,
    delivered: BTreeMap<i64, Kind>,
    gaps: BTreeSet<i64>,
    attempts: u64,
}

fn schedule(position: Position) -> Schedule {
    let settings = Settings { allowed_lateness: LATE_SPAN, outage_after: Duration::from_secs(60) };
    Schedule::new(TimeGrid::new(Duration::from_secs(60)).unwrap(), 499, settings, position)
}

impl Bot {
    fn new(rng: Rng) -> Self {
        let schedule = schedule(Position { next: START.into(), missing: Vec::new() });
        let mut bot = Self {
            schedule,
            rng,
            at: 0,
            monotonic: (Instant::now(), 0),
            drift: 1.0,
            wall_error: 0,
            delivered: BTreeMap::new(),
            gaps: BTreeSet::new(),
            attempts: 0,
        };
        bot.disturb_clocks();
        bot
    }

    fn disturb_clocks(&mut self) {
        self.monotonic = (self.now(), self.at);
        self.drift = 1.0 + (self.rng.f64() - 0.5) * 2e-5;
        self.wall_error = self.rng.i64(-7_200_000..7_200_000);
    }

    fn now(&self) -> Instant {
        let (then, at) = self.monotonic;
        then + Duration::from_secs_f64((self.at - at) as f64 * self.drift / 1000.0)
    }

    fn wall(&self) -> Timestamp {
        Timestamp::from(START - 7200) + Duration::from_millis((self.at + self.wall_error + 7_200_000) as u64)
    }

    /// Restarts the bot from its saved position.
    fn restart(&mut self) {
        self.schedule = schedule(self.schedule.position.clone());
        self.at += self.rng.i64(0..90_000);
        self.disturb_clocks();
    }

    fn run(&mut self, service: &Service, until: Millis) {
        while self.at < until {
            match self.schedule.action(self.now(), self.wall()) {
                Action::Wait(pause) => {
                    self.at += (pause.as_millis() as f64 / self.drift) as Millis + self.rng.i64(1..20);
                }
                Action::Request(window) => self.request(service, window),
            }
            match self.rng.u16(0..2000) {
                0 => self.restart(),
                1 => self.disturb_clocks(),
                _ => {}
            }
        }
    }

    fn request(&mut self, service: &Service, window: Span) {
        let (there, back) = (self.rng.i64(10..300), self.rng.i64(10..300));
        let is_down = service.is_down(self.at) || service.is_down(self.at + there + back);
        let is_burst = service.bursts.iter().any(|(from, to)| (*from..*to).contains(&self.at));
        self.attempts += u64::from(!is_down);
        self.at += there;
        if is_down || is_burst {
            self.at += back;
            self.schedule.failed(self.now(), true);
            return;
        }
        for page in self.schedule.grid.pieces(window, 499) {
            let responded = self.at;
            self.at += back;
            // The follower trusts the wall clock until it receives a `Date`. With a wrong wall clock, the simulation
            // therefore sends a `Date` with the first response.
            let has_date =
                self.schedule.clock.is_none() && self.wall_error != 0 || self.rng.u8(0..100) >= service.without_date;
            let date = has_date.then(|| Timestamp::from(START + responded / 1000));
            self.deliver(&service.records(page, responded), date, responded);
            if self.rng.u16(0..2000) == 0 {
                return self.restart();
            }
        }
        self.schedule.finished(self.now());
    }

    fn deliver(&mut self, times: &[Timestamp], date: Option<Timestamp>, responded: Millis) {
        let delivery = self.schedule.received(date, times, self.now());
        for (time, kind) in times.iter().zip(delivery.kinds).filter(|(_, kind)| *kind != Kind::Skipped) {
            let minute = (time.unix_seconds() - START) / MINUTE;
            assert!((minute + 1) * 60_000 <= responded, "minute {minute} was open: its value may have changed");
            let is_late = self.delivered.last_key_value().is_some_and(|(last, _)| minute < *last);
            assert_eq!(kind == Kind::Late, is_late);
            assert_eq!(self.delivered.insert(minute, kind), None, "minute {minute} was delivered twice");
            assert!(!self.gaps.contains(&minute), "minute {minute} was reported as a gap");
        }
        for gap in delivery.gaps {
            for time in (gap.from.unix_seconds()..gap.to.unix_seconds()).step_by(60) {
                assert!(self.gaps.insert((time - START) / MINUTE), "{gap:?} was reported twice");
            }
        }
    }
}

/// Checks that every minute is delivered or reported as a gap, and that minutes published within the allowed lateness
/// are delivered.
fn check(service: &Service, bot: &Bot, until: Millis) {
    let allowed_lateness = i64::from(LATE_SPAN) * 60_000;
    for (minute, published) in (0..until / 60_000 - 200).zip(&service.published) {
        let (is_delivered, is_gap) = (bot.delivered.contains_key(&minute), bot.gaps.contains(&minute));
        assert!(is_delivered != is_gap, "minute {minute}: {is_delivered} {is_gap}");
        let is_in_time = published.is_some_and(|published| published <= (minute + 1) * 60_000 + allowed_lateness);
        assert!(is_delivered || !is_in_time, "minute {minute} was published in time");
        assert!(published.is_some() || is_gap);
    }
}

fn simulate(seed: u64, days: i64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let service = Service::new(days, &mut rng);
    let mut bot = Bot::new(rng);
    let until = days * DAY * 1000;
    bot.run(&service, until);
    check(&service, &bot, until);
    let minutes_up = (0..until / 60_000).filter(|minute| !service.is_down(minute * 60_000)).count();
    bot.attempts as f64 / minutes_up as f64
}

#[test]
fn every_record_of_a_month_is_delivered_once_or_reported() {
    let ratios: Vec<f64> = (0..4).map(|seed| simulate(seed, 30)).collect();
    #[allow(clippy::print_stdout)] // Statistics, shown with `--nocapture`.
    {
        println!("attempts per bar: {ratios:.3?}");
    }
    assert!(ratios.iter().all(|ratio| *ratio <= 1.1), "{ratios:?}");
    for seed in 100..160 {
        simulate(seed, 1);
    }
}

/// Without any `Date`, the follower uses the wall clock, which is correct in this test.
#[test]
fn a_service_without_dates_is_followed_by_the_wall_clock() {
    let mut rng = Rng::with_seed(7);
    let service = Service { without_date: 100, ..Service::new(2, &mut rng) };
    let mut bot = Bot::new(rng);
    while bot.at < 2 * DAY * 1000 {
        bot.wall_error = 0;
        bot.run(&service, bot.at + 1);
    }
    check(&service, &bot, 2 * DAY * 1000);
}

/// A series without new records is requested less and less often. When the series has new records after a week, these
/// are delivered.
#[test]
fn a_series_that_ends_is_requested_less_and_less_often() {
    let mut service = Service::new(8, &mut Rng::with_seed(1));
    (service.outages, service.bursts) = (Vec::new(), Vec::new());
    for (minute, published) in service.published.iter_mut().enumerate() {
        let is_there = !(1440..8 * 1440 - 100).contains(&minute);
        *published = is_there.then(|| (minute as Millis + 1) * 60_000 + 500);
    }
    let mut bot = Bot::new(Rng::with_seed(1));
    let mut requests = Vec::new();
    for day in 1..8 {
        let before = bot.attempts;
        bot.run(&service, day * DAY * 1000);
        requests.push(bot.attempts - before);
    }
    assert!(requests[0] >= 1440 && requests[1] < 100 && requests[6] < 15, "{requests:?}");
    bot.run(&service, 8 * DAY * 1000);
    assert_eq!(bot.delivered.keys().filter(|minute| **minute >= 1440).min(), Some(&(8 * 1440 - 100)));
}

/// The follower first fetches many pages of old records, which takes longer than `outage_after`, and then two requests
/// fail. The outage begins at the last response, not at the first request.
#[test]
fn an_outage_begins_after_the_last_response() {
    let mut schedule = schedule(Position { next: START.into(), missing: Vec::new() });
    let (begun, wall) = (Instant::now(), Timestamp::from(START + DAY));
    let after = |seconds| begun + Duration::from_secs(seconds);
    assert!(matches!(schedule.action(begun, wall), Action::Request(_)));
    schedule.received(Some(wall), &[START.into()], after(90));
    assert_eq!(schedule.failed(after(92), true), (Duration::from_secs(2), false));
    assert_eq!(schedule.failed(after(152), true), (Duration::from_secs(62), true));
}
