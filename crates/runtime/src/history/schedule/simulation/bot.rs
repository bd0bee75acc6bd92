//! A program that follows the simulated service, as `Follow` does. It asserts what holds for every delivery.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::*;
use super::world::*;

/// A follower, with all records and gaps that it received.
pub(super) struct Bot<'w> {
    pub(super) world: &'w World,
    pub(super) schedule: Schedule,
    pub(super) estimate: Estimate,
    pub(super) begun: Instant,
    /// The reading of the monotonic clock.
    pub(super) monotonic: Millis,
    pub(super) delivered: BTreeMap<i64, Millis>,
    pub(super) gaps: BTreeSet<i64>,
    /// The times of the requests.
    pub(super) requests: Vec<Millis>,
    pub(super) silences: usize,
}

impl<'w> Bot<'w> {
    pub(super) fn new(world: &'w World) -> Self {
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

    pub(super) fn schedule(world: &World, position: Position, now: Instant) -> Schedule {
        let settings = ScheduleSettings { allowed_lateness: ALLOWED_LATENESS, outage_after: Duration::from_secs(60) };
        let grid = TimeGrid::new(Duration::from_millis(world.step as u64));
        Schedule::new(grid, PAGE, settings, position, now)
    }

    pub(super) fn instant(&self) -> Instant {
        self.begun + Duration::from_millis(self.monotonic as u64)
    }

    pub(super) fn time(&self) -> Millis {
        self.world.time(self.monotonic)
    }

    pub(super) fn run(world: &'w World) -> Self {
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
    pub(super) fn wait(&mut self, pause: Duration) {
        let events = self.world.suspends.iter().chain(&self.world.wall).map(|(at, _)| *at);
        let is_near =
            |at: Millis| (self.monotonic - 10 * SECOND..self.monotonic + pause.as_millis() as i64).contains(&at);
        let pause = if events.into_iter().any(is_near) { pause.min(crate::history::follow::MAX_WAIT) } else { pause };
        self.monotonic += pause.as_millis() as Millis + 1;
    }

    pub(super) fn request(&mut self, window: Span) {
        for page in self.schedule.grid.pieces(window, PAGE) {
            self.requests.push(self.time());
            let number = self.requests.len() as u64;
            let latency = (self.world.latency)(number);
            self.monotonic += latency / 2;
            let at = self.time();
            self.monotonic += latency - latency / 2;
            if self.world.state(at).is_some_and(|(_, state)| state == State::Down) {
                self.schedule.failed(self.instant(), true, None);
                return;
            }
            self.respond(page, at, Duration::from_millis(latency as u64), (self.world.date)(number));
        }
        self.silences += usize::from(self.schedule.finished(self.instant(), self.estimate).is_some());
    }

    pub(super) fn respond(&mut self, page: Span, at: Millis, latency: Duration, date: Date) {
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
    pub(super) fn delays(&self) -> Vec<Millis> {
        let settled = (self.world.bars - 2) * self.world.step - HOUR;
        let delay = |bar| {
            let published = self.world.published(bar).filter(|published| *published < settled)?;
            let delivered = self.delivered.get(&bar);
            Some(delivered.unwrap_or_else(|| panic!("bar {bar} is missing")) - self.world.possible(published))
        };
        (0..self.world.bars).filter_map(delay).collect()
    }

    pub(super) fn requests_per_bar(&self) -> f64 {
        (self.requests.len() - 1) as f64 / self.world.bars as f64
    }

    pub(super) fn requests_in(&self, period: Range<Millis>) -> usize {
        self.requests.iter().filter(|at| period.contains(at)).count()
    }
}
