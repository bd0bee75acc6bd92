//! Simulates followers of steps from a minute to a day, for weeks, with late, swapped and missing records, wrong dates,
//! wrong and jumping clocks, suspends, outages, silence and restarts.
//!
//! The tests assert the promises of `Follow`: how late a record is delivered after its publication, and how many requests
//! that takes. All times of the simulation are in milliseconds since `START` on the clock of the service.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // All numbers are small.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use fastrand::Rng;

use super::*;

type Millis = i64;

const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;
const YEAR: Millis = 365 * DAY;

/// 2026-03-02, a multiple of all steps.
const START: i64 = 1_772_409_600;
const ALLOWED_LATENESS: u32 = 10;
const PAGE: usize = 499;

/// The steps, each with the number of its intervals that are simulated.
const STEPS: [(Millis, i64); 4] = [(MINUTE, 3000), (HOUR, 600), (4 * HOUR, 300), (DAY, 120)];

/// The state of the service during a period.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// All requests fail.
    Down,
    /// Nothing is published before the end of the period.
    Silent,
}

/// What the service sends as `Date`: the time by which it is wrong, and the `Age`, in milliseconds; `None` for no `Date`.
type Date = Option<(Millis, Millis)>;

/// A service and the clocks of a machine.
struct World {
    step: Millis,
    bars: i64,
    /// The time from the end of an interval to the publication of its record; `None` if it is never published.
    late: Box<dyn Fn(i64) -> Option<Millis>>,
    /// The period after the end of an interval in which its record, once published, is withdrawn for a revision.
    revised: fn(i64) -> Range<Millis>,
    periods: Vec<(Range<Millis>, State)>,
    /// The `Date` of a response, by the number of the request.
    date: Box<dyn Fn(u64) -> Date>,
    /// The times, on the monotonic clock, at which the machine is suspended, and for how long.
    suspends: Vec<(Millis, Millis)>,
    /// The times, on the monotonic clock, after which the wall clock is wrong by a time. The last one applies.
    wall: Vec<(Millis, Millis)>,
    /// How much faster the clock of the service is than the clocks of the machine.
    drift: f64,
    /// The time from a request to its response, by the number of the request.
    latency: fn(u64) -> Millis,
    /// The numbers of the requests after which the program restarts.
    restarts: Vec<u64>,
}

impl World {
    fn new((step, bars): (Millis, i64)) -> Self {
        Self {
            step,
            bars,
            late: Box::new(|_| Some(200)),
            revised: |_| 0..0,
            periods: Vec::new(),
            date: Box::new(|_| Some((0, 0))),
            suspends: Vec::new(),
            wall: vec![(0, 0)],
            drift: 0.0,
            latency: |_| 100,
            restarts: Vec::new(),
        }
    }

    fn late(self, late: impl Fn(i64) -> Option<Millis> + 'static) -> Self {
        Self { late: Box::new(late), ..self }
    }

    fn date(self, date: impl Fn(u64) -> Date + 'static) -> Self {
        Self { date: Box::new(date), ..self }
    }

    fn end_of(&self, bar: i64) -> Millis {
        (bar + 1) * self.step
    }

    fn state(&self, at: Millis) -> Option<(Millis, State)> {
        let period = self.periods.iter().find(|(period, _)| period.contains(&at));
        period.map(|(period, state)| (period.end, *state))
    }

    fn published(&self, bar: i64) -> Option<Millis> {
        let at = self.end_of(bar) + (self.late)(bar)?;
        Some(self.state(at).filter(|(_, state)| *state == State::Silent).map_or(at, |(end, _)| end))
    }

    /// Returns the time of the service at a reading of the machine's monotonic clock.
    fn time(&self, monotonic: Millis) -> Millis {
        let asleep: Millis = self.suspends.iter().filter(|(at, _)| *at <= monotonic).map(|(_, length)| length).sum();
        monotonic + (monotonic as f64 * self.drift) as Millis + asleep
    }

    fn wall(&self, monotonic: Millis) -> Timestamp {
        let error = self.wall.iter().rfind(|(at, _)| *at <= monotonic).map_or(0, |(_, error)| *error);
        timestamp(self.time(monotonic) + error)
    }

    /// Returns the first time from which a machine that is awake can receive a record from a service that is up.
    fn possible(&self, published: Millis) -> Millis {
        let mut at = published;
        let mut asleep = 0;
        for (monotonic, length) in &self.suspends {
            let begin = monotonic + (*monotonic as f64 * self.drift) as Millis + asleep;
            at = if (begin..begin + length).contains(&at) { begin + length } else { at };
            asleep += length;
        }
        self.state(at).filter(|(_, state)| *state == State::Down).map_or(at, |(end, _)| end)
    }

    /// Returns the records of a window at a time, including the record of the interval that is still open.
    fn records(&self, window: Span, at: Millis) -> Vec<Timestamp> {
        let bar = |time: Timestamp| (time.unix_seconds() - START).div_euclid(self.step / SECOND);
        let open = at.div_euclid(self.step);
        let is_there = |bar: &i64| {
            let is_published = self.published(*bar).is_some_and(|published| published <= at);
            *bar == open || is_published && !(self.revised)(*bar).contains(&(at - self.end_of(*bar)))
        };
        let bars = bar(window.from).max(0)..bar(window.to).min(open + 1);
        bars.filter(is_there).map(|bar| timestamp(bar * self.step)).collect()
    }
}

fn timestamp(at: Millis) -> Timestamp {
    let start = Timestamp::from_unix_seconds(START);
    let distance = Duration::from_millis(at.unsigned_abs());
    if at < 0 { start - distance } else { start + distance }
}

/// Returns a number that looks random.
fn hash(number: impl TryInto<i64>) -> i64 {
    let number = number.try_into().unwrap_or_default() as u64;
    let mixed = number.wrapping_add(77).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) as i64
}

/// A follower, with all records and gaps that it received.
struct Bot<'w> {
    world: &'w World,
    schedule: Schedule,
    estimate: Estimate,
    begun: Instant,
    /// The reading of the monotonic clock.
    monotonic: Millis,
    delivered: BTreeMap<i64, Millis>,
    gaps: BTreeSet<i64>,
    /// The times of the requests.
    requests: Vec<Millis>,
    silences: usize,
}

impl<'w> Bot<'w> {
    fn new(world: &'w World) -> Self {
        let begun = Instant::now();
        let position = Position { next: timestamp(0), missing: Vec::new() };
        Self {
            world,
            schedule: Self::schedule(world, position, begun),
            estimate: Estimate::new(begun, world.wall(0)),
            begun,
            monotonic: 0,
            delivered: BTreeMap::new(),
            gaps: BTreeSet::new(),
            requests: Vec::new(),
            silences: 0,
        }
    }

    fn schedule(world: &World, position: Position, now: Instant) -> Schedule {
        let settings = Settings { allowed_lateness: ALLOWED_LATENESS, outage_after: Duration::from_secs(60) };
        let grid = TimeGrid::new(Duration::from_millis(world.step as u64)).unwrap();
        Schedule::new(grid, PAGE, settings, position, now)
    }

    fn instant(&self) -> Instant {
        self.begun + Duration::from_millis(self.monotonic as u64)
    }

    fn time(&self) -> Millis {
        self.world.time(self.monotonic)
    }

    fn run(world: &'w World) -> Self {
        let mut bot = Self::new(world);
        while bot.time() < world.bars * world.step {
            bot.estimate.read(bot.instant(), world.wall(bot.monotonic));
            match bot.schedule.action(bot.instant(), bot.estimate) {
                Action::Wait(pause) => bot.wait(pause),
                Action::Request(window) => bot.request(window),
            }
            if world.restarts.contains(&(bot.requests.len() as u64)) {
                bot.monotonic += 7 * MINUTE;
                bot.estimate = Estimate::new(bot.instant(), world.wall(bot.monotonic));
                bot.schedule = Self::schedule(world, bot.schedule.position.clone(), bot.instant());
            }
        }
        bot
    }

    /// Waits as `Follow` does, which reads the clocks every few seconds. A reading changes something only after an event.
    fn wait(&mut self, pause: Duration) {
        let events = self.world.suspends.iter().chain(&self.world.wall).map(|(at, _)| *at);
        let is_near =
            |at: Millis| (self.monotonic - 10 * SECOND..self.monotonic + pause.as_millis() as i64).contains(&at);
        let pause = if events.into_iter().any(is_near) { pause.min(super::super::follow::MAX_WAIT) } else { pause };
        self.monotonic += pause.as_millis() as Millis + 1;
    }

    fn request(&mut self, window: Span) {
        for page in self.schedule.grid.pieces(window, PAGE) {
            self.requests.push(self.time());
            let number = self.requests.len() as u64;
            let latency = (self.world.latency)(number);
            self.monotonic += latency / 2;
            let at = self.time();
            self.monotonic += latency - latency / 2;
            if self.world.state(at).is_some_and(|(_, state)| state == State::Down) {
                self.schedule.failed(self.instant(), true);
                return;
            }
            self.respond(page, at, Duration::from_millis(latency as u64), (self.world.date)(number));
        }
        self.silences += usize::from(self.schedule.finished(self.instant(), self.estimate).is_some());
    }

    fn respond(&mut self, page: Span, at: Millis, latency: Duration, date: Date) {
        let cached = date.map_or(0, |(_, age)| age);
        let times = self.world.records(page, at - cached);
        let date = date.map(|(error, age)| timestamp(at - age + error).floor(Duration::from_secs(1)));
        let age = Duration::from_millis(cached as u64);
        self.estimate.read(self.instant(), self.world.wall(self.monotonic));
        let reached = self.estimate.add(date, age, latency);
        let delivery = self.schedule.received(&times, reached, self.instant());
        for (time, kind) in times.iter().zip(delivery.kinds).filter(|(_, kind)| *kind != Kind::Skipped) {
            let bar = (time.unix_seconds() - START) * SECOND / self.world.step;
            assert!(self.world.end_of(bar) <= at - cached, "bar {bar} was open: its value may have changed");
            let is_late = self.delivered.last_key_value().is_some_and(|(last, _)| bar < *last);
            assert_eq!(kind == Kind::Late, is_late);
            assert_eq!(self.delivered.insert(bar, self.time()), None, "bar {bar} was delivered twice");
            assert!(!self.gaps.contains(&bar), "bar {bar} was reported as a gap");
        }
        for gap in delivery.gaps {
            let bars = [gap.from, gap.to].map(|time| (time.unix_seconds() - START) * SECOND / self.world.step);
            (bars[0]..bars[1]).for_each(|bar| assert!(self.gaps.insert(bar), "{gap:?} was reported twice"));
        }
    }

    /// Returns how late each record was delivered after it was published, or after the machine was awake and the service
    /// up again, in order of time. Asserts that no record is missing.
    fn delays(&self) -> Vec<Millis> {
        let settled = (self.world.bars - 2) * self.world.step - HOUR;
        let delay = |bar| {
            let published = self.world.published(bar).filter(|published| *published < settled)?;
            let delivered = self.delivered.get(&bar);
            Some(delivered.unwrap_or_else(|| panic!("bar {bar} is missing")) - self.world.possible(published))
        };
        (0..self.world.bars).filter_map(delay).collect()
    }

    fn requests_per_bar(&self) -> f64 {
        (self.requests.len() - 1) as f64 / self.world.bars as f64
    }

    fn requests_in(&self, period: Range<Millis>) -> usize {
        self.requests.iter().filter(|at| period.contains(at)).count()
    }
}

/// Returns the delay that 99 % of the delays do not exceed.
fn p99(delays: &[Millis]) -> Millis {
    let mut sorted = delays.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) * 99 / 100]
}

/// Runs a scenario for each step, and asserts the maximum of 99 % of the delays, in milliseconds, without those of the
/// first `skipped` records, and of the number of requests for each record.
fn check(name: &str, skipped: usize, max: [Millis; 4], max_requests: [f64; 4], scenario: impl Fn(World) -> World) {
    for (index, step) in STEPS.into_iter().enumerate() {
        let world = scenario(World::new(step));
        let bot = Bot::run(&world);
        let delays = bot.delays();
        let (delay, requests) = (p99(&delays[skipped..]), bot.requests_per_bar());
        let figures = format!("{name}, step {} s: {delay} ms, {requests:.2} requests a bar", step.0 / SECOND);
        #[allow(clippy::print_stdout)] // Statistics, shown with `--nocapture`.
        {
            println!("{figures}; longest {} ms", delays[skipped..].iter().max().unwrap());
        }
        assert!(delay <= max[index] && requests <= max_requests[index], "{figures}");
    }
}

const ANY: [f64; 4] = [f64::MAX; 4];

#[test]
fn punctual_records_take_one_request_each() {
    let max_requests = [1.0, 1.0, 1.1, 1.1];
    check("punctual", 0, [3 * SECOND; 4], max_requests, |world| world);
    check("without `Date`", 0, [3 * SECOND; 4], max_requests, |world| world.date(|_| None));
    check("a fifth without `Date`", 0, [5 * SECOND, 5 * SECOND, 15 * SECOND, 15 * SECOND], [1.3; 4], |world| {
        world.date(|number| (hash(number) % 5 > 0).then_some((0, 0)))
    });
    for drift in [5e-5, -5e-5] {
        let max = [5, 5, 15, 15].map(|seconds| seconds * SECOND);
        check("drift", 0, max, ANY, |world| World { drift, ..world });
    }
}

#[test]
fn constant_lateness_is_learned_from_three_records() {
    let max = [15, 60, 130, 130].map(|seconds| seconds * SECOND);
    for seconds in [3, 8, 15, 30, 31, 47, 60, 61, 120, 257, 300, 520, 700, 900] {
        let name = format!("{seconds} s late");
        check(&name, 3, max, [1.6, 1.6, 1.8, 2.2], |world| world.late(move |_| Some(seconds * SECOND + 200)));
    }
    let cached = max.map(|max| max + 45 * SECOND);
    check("a cache with `Age`", 3, cached, ANY, |world| world.date(|_| Some((0, 45 * SECOND))));
    // The service becomes punctual again.
    check("late, then punctual", 40, [3 * SECOND; 4], ANY, |world| {
        world.late(|bar| Some(if bar < 15 { 600_200 } else { 200 }))
    });
}

/// A probe of the latest page never contains a record of such a series.
#[test]
fn a_series_that_is_later_than_a_page_is_delivered() {
    for (step, bars, late, max) in [(MINUTE, 3000, 9 * HOUR, 15 * MINUTE), (HOUR, 2400, 30 * DAY, HOUR)] {
        let world = World::new((step, bars)).late(move |_| Some(late));
        let delays = Bot::run(&world).delays();
        // The lateness is learned from three pages.
        let delay = p99(&delays[delays.len() / 2..]);
        assert!(delay <= max, "step {step}: {delay} ms");
    }
}

#[test]
fn a_few_late_records_delay_no_others() {
    let late = |bar| if hash(bar) % 100 < 5 { 10 * SECOND + hash(bar) / 100 % (50 * SECOND) } else { SECOND };
    check("5 % late", 0, [30 * SECOND; 4], [1.2; 4], |world| world.late(move |bar| Some(late(bar))));
    check("2 % swapped", 0, [70 * SECOND; 4], [1.2; 4], |world| {
        world.late(|bar| Some(if bar % 50 == 0 { 90 * SECOND } else { SECOND }))
    });
    check("2 % swapped, all 15 min late", 3, [130 * SECOND; 4], [1.4, 1.5, 1.6, 2.0], |world| {
        world.late(|bar| Some(if bar % 50 == 0 { 990 * SECOND } else { 900 * SECOND }))
    });
    check("drawn", 0, [MINUTE; 4], [2.1; 4], |world| world.late(|bar| Some(hash(bar) % (60 * SECOND))));
    check("1 % never published", 0, [3 * SECOND; 4], [1.1; 4], |world| {
        world.late(|bar| (hash(bar) % 100 > 0).then_some(SECOND))
    });
}

/// A revision after the delivery is not noticed, and one before it delays the record. The simulation asserts that each
/// record is delivered once.
#[test]
fn a_revised_record_is_neither_lost_nor_doubled() {
    check("5 % revised before or after the delivery", 0, [70 * SECOND; 4], [1.2; 4], |world| {
        let revised = |bar| match hash(bar) % 100 {
            0..3 => SECOND..40 * SECOND,
            3..5 => 4 * SECOND..90 * SECOND,
            _ => 0..0,
        };
        World { revised, ..world }
    });
}

/// The pauses for a missing record end when the next interval is due.
#[test]
fn a_missing_record_does_not_delay_the_next() {
    check("5 % never published", 0, [4 * SECOND; 4], [1.2, 1.6, 2.3, 7.0], |world| {
        world.late(|bar| (bar % 20 > 0).then_some(SECOND))
    });
}

/// Asserts that every record is delivered within a time after an event, with at most this many additional requests.
fn check_event(name: &str, max: Millis, additional: usize, scenario: impl Fn(World) -> World) {
    for step in STEPS {
        let world = scenario(World::new(step));
        let bot = Bot::run(&world);
        let longest = bot.delays().into_iter().max().unwrap();
        let requests = bot.requests.len() as i64 - world.bars;
        let figures = format!("{name}, step {} s: {longest} ms, {requests} additional requests", step.0 / SECOND);
        #[allow(clippy::print_stdout)] // Statistics, shown with `--nocapture`.
        {
            println!("{figures}");
        }
        assert!(longest <= max && requests <= additional as i64, "{figures}");
    }
}

#[test]
fn one_wrong_date_changes_nothing() {
    for error in [-10 * YEAR, -5 * DAY, -HOUR, -70 * SECOND, -4 * SECOND, 4 * SECOND, 70 * SECOND, HOUR, 10 * YEAR] {
        for (number, walls) in [(1, &[0][..]), (2, &[0, DAY, -2 * HOUR]), (3, &[0, DAY]), (30, &[0, DAY, -2 * HOUR])] {
            // If both the first `Date` and the wall clock are wrong, nothing is known.
            for wall in walls.iter().copied() {
                let name = format!("request {number} has a `Date` wrong by {error} ms, the wall clock {wall}");
                check_event(&name, 10 * SECOND, 10, |world| {
                    let world = world.date(move |at| Some((if at == number { error } else { 0 }, 0)));
                    World { wall: vec![(0, wall)], ..world }
                });
            }
        }
    }
    check_event("2 % of dates are wrong", 10 * SECOND, 200, |world| {
        world.date(|at| Some((if hash(at) % 100 < 2 { HOUR * (at as i64 % 2 * 2 - 1) } else { 0 }, 0)))
    });
}

#[test]
fn clocks_may_jump_and_machines_may_be_suspended() {
    for jump in [5 * DAY, HOUR, -HOUR, -5 * DAY] {
        check_event(&format!("the wall clock jumps by {jump} ms"), 10 * SECOND, 10, |world| {
            let at = 10 * world.step + world.step / 2;
            World { wall: vec![(0, 0), (at, jump)], ..world }
        });
    }
    for wall in [0, DAY, -HOUR] {
        check_event("suspended for 8 hours", 10 * SECOND, 10, |world| {
            let suspends = vec![(10 * world.step + world.step / 2, 8 * HOUR)];
            World { suspends, wall: vec![(0, wall)], ..world }
        });
        check_event("suspended for 5 x 20 hours", 10 * SECOND, 30, |world| {
            let suspends = (1..6).map(|index| (index * 3 * world.step + world.step / 3, 20 * HOUR)).collect();
            World { suspends, wall: vec![(0, wall)], bars: world.bars + 6 * DAY / world.step, ..world }
        });
    }
    check_event("suspended for 8 hours without `Date`", 10 * SECOND, 10, |world| {
        let suspends = vec![(10 * world.step + world.step / 2, 8 * HOUR)];
        World { suspends, ..world.date(|_| None) }
    });
    check_event("a wrong `Date` after a suspend", 20 * SECOND, 10, |world| {
        let suspends = vec![(10 * world.step + world.step / 2, 8 * HOUR)];
        World { suspends, ..world.date(|at| Some((if at == 12 { -3 * HOUR } else { 0 }, 0))) }
    });
}

#[test]
fn the_first_record_after_an_outage_or_silence_is_not_late() {
    let period = |world: &World, length| 20 * world.step + 17 * SECOND..20 * world.step + 17 * SECOND + length;
    for length in [HOUR, 20 * HOUR] {
        check_event("down", 10 * SECOND, 10_000, |world| World {
            periods: vec![(period(&world, length), State::Down)],
            ..world
        });
        check_event("silent", 900 * SECOND, 400, |world| World {
            periods: vec![(period(&world, length), State::Silent)],
            ..world
        });
    }
}

#[test]
fn a_dead_series_is_requested_less_and_less_often() {
    for ((step, _), max) in STEPS.into_iter().zip([280, 110, 110, 110]) {
        let world = World::new((step, 30 + 40 * DAY / step)).late(|bar| (bar < 30).then_some(200));
        let bot = Bot::run(&world);
        let days = |days: Range<i64>| bot.requests_in(30 * step + days.start * DAY..30 * step + days.end * DAY);
        let requests = [days(0..1), days(1..2), days(30..31)];
        #[allow(clippy::print_stdout)] // Statistics, shown with `--nocapture`.
        {
            println!("dead series, step {} s: {requests:?} requests on the days 1, 2 and 31", step / SECOND);
        }
        assert!(requests[1] <= max && requests[2] <= max.min(110), "{requests:?}");
        assert_eq!((bot.silences, bot.delivered.len()), (1, 30));
    }
}

/// All troubles at once, for a month of minutes or more, and twenty restarts.
#[test]
fn every_record_is_delivered_once_or_reported() {
    for (seed, (step, bars)) in (0..3).flat_map(|seed| STEPS.map(|step| (seed, step))) {
        let mut rng = Rng::with_seed(seed);
        let bars = if step == MINUTE { 43_200 } else { bars };
        let end = bars * step;
        let lateness = move |bar| match hash(bar + 1_000_000 * seed as i64) % 1000 {
            0..940 => Some(hash(bar) % 1500),
            940..980 => Some(hash(bar) % (10 * step).min(2 * HOUR)),
            980..985 => Some(11 * step + hash(bar) % (20 * step)),
            985..990 => None,
            _ => Some(500),
        };
        let mut span = |max: Millis| {
            let from = rng.i64(0..end - 3 * DAY.min(end / 10));
            from..from + (max as f64).powf(rng.f64()) as Millis
        };
        let periods = (0..40).map(|_| (span(DAY), State::Down)).collect();
        let mut moments = |count: usize| (0..count).map(|_| rng.i64(0..end)).collect::<BTreeSet<_>>();
        let (suspends, jumps) = (moments(10), moments(20));
        let world = World {
            periods,
            suspends: suspends.into_iter().map(|at| (at, at % (8 * HOUR))).collect(),
            wall: jumps.into_iter().map(|at| (at, at % (4 * HOUR) - 2 * HOUR)).collect(),
            drift: (rng.f64() - 0.5) * 1e-4,
            latency: |number| 20 + hash(number) % 500,
            restarts: (1..20).map(|index| index * (bars as u64 / 25)).collect(),
            ..World::new((step, bars)).late(lateness)
        };
        // If the wall clock and the first `Date` after a restart are both wrong, nothing is known.
        let part = bars as u64 / 25;
        let world = world.date(move |number| match hash(number + seed) % 100 {
            _ if number % part < 3 => Some((0, 0)),
            0 => Some((hash(number) % (10 * DAY) - 5 * DAY, 0)),
            1..5 => None,
            5..9 => Some((0, 20 * SECOND)),
            _ => Some((0, 0)),
        });
        let bot = Bot::run(&world);
        for bar in 0..bot.delivered.last_key_value().map_or(0, |(last, _)| *last) - 40 {
            let (is_delivered, is_gap) = (bot.delivered.contains_key(&bar), bot.gaps.contains(&bar));
            assert!(is_delivered != is_gap, "step {step}, bar {bar}: {is_delivered} {is_gap}");
            let is_in_time = lateness(bar).is_some_and(|late| late <= i64::from(ALLOWED_LATENESS) * step);
            assert!(is_delivered || !is_in_time, "step {step}, bar {bar} was published in time");
        }
    }
}

/// The follower first fetches many pages of old records, which takes longer than `outage_after`, and then two requests
/// fail. The outage begins at the last response, not at the first request.
#[test]
fn an_outage_begins_after_the_last_response() {
    let world = World::new(STEPS[0]);
    let mut bot = Bot::new(&world);
    let after = |seconds| bot.begun + Duration::from_secs(seconds);
    let estimate = Estimate::new(bot.begun, timestamp(DAY));
    assert!(matches!(bot.schedule.action(bot.begun, estimate), Action::Request(_)));
    bot.schedule.received(&[timestamp(0)], timestamp(DAY), after(90));
    assert_eq!(bot.schedule.failed(after(92), true), (Duration::from_secs(2), false));
    assert_eq!(bot.schedule.failed(after(152), true), (Duration::from_secs(62), true));
}
