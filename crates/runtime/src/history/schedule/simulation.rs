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

mod bot;
mod world;

use std::collections::BTreeSet;
use std::ops::Range;

use fastrand::Rng;

use super::*;
use bot::Bot;
use world::*;

/// The steps, each with the number of its intervals that are simulated.
const STEPS: [(Millis, i64); 4] = [(MINUTE, 3000), (HOUR, 600), (4 * HOUR, 300), (DAY, 120)];

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
        let delay = p99(&delays[skipped..]);
        let requests = bot.requests_per_bar();
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
    check("5 % never published, and the next 10 s late", 0, [10 * SECOND; 4], [1.3, 1.8, 2.5, 7.0], |world| {
        world.late(|bar| *[None, Some(10 * SECOND)].get(bar as usize % 20).unwrap_or(&Some(SECOND)))
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
        let suspends = moments(10);
        let jumps = moments(20);
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
            let is_delivered = bot.delivered.contains_key(&bar);
            let is_gap = bot.gaps.contains(&bar);
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
    let failure = |seconds, is_first, is_outage| Failure { elapsed: Duration::from_secs(seconds), is_first, is_outage };
    assert_eq!(bot.schedule.failed(after(92), true, None), failure(2, true, false));
    assert_eq!(bot.schedule.failed(after(152), true, None), failure(62, false, true));
}
