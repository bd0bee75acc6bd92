//! Fetches histories from many kinds of mock services, and compares them with the records of these services.
//!
//! A mock service is a list of record times and some rules for its responses. Responses arrive in any order.

use std::time::Duration;

use fastrand::Rng;

use super::account::Account;
use super::pager::Pager;
use super::pager_options::PagerOptions;
use super::strays::Strays;
use super::time_grid::{self, Span, TimeGrid};
use crate::registry::TimeUnit;
use crate::send::TimedRecords;
use crate::values::Timestamp;

const STEP: i64 = 60;

/// A mock service: its records, and the ways in which its responses differ from the requested records.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent property of a mock service")]
struct Service {
    /// The times of all records.
    times: Vec<i64>,
    /// The maximum number of records on a page.
    max_records: usize,
    keeps_newest: bool,
    newest_first: bool,
    without_start: bool,
    without_end: bool,
    /// True if the service rounds the start of the range down to a step.
    rounds: bool,
    /// A response also contains this many records before the range, and this many after the range.
    beyond: usize,
    /// The maximum number of records of one time.
    copies: usize,
}

impl Service {
    /// Creates a service that responds with the requested records.
    fn plain(times: Vec<i64>) -> Self {
        Self {
            times,
            max_records: usize::MAX,
            keeps_newest: false,
            newest_first: false,
            without_start: false,
            without_end: false,
            rounds: false,
            beyond: 0,
            copies: 1,
        }
    }

    /// Returns each time as often as there are records of this time.
    fn copied(&self, times: &[i64]) -> Vec<i64> {
        let mut all = Vec::new();
        for time in times {
            let number = usize::try_from(time / STEP).unwrap_or_default();
            all.extend(std::iter::repeat_n(*time, 1 + number % self.copies));
        }
        all
    }

    /// Returns the times of the records in the response for a range.
    fn answer(&self, start: i64, end: i64, limit: usize) -> Vec<i64> {
        let start = if self.rounds { start.div_euclid(STEP) * STEP } else { start };
        let is_after = |time: i64| if self.without_start { time > start } else { time >= start };
        let is_before = |time: i64| if self.without_end { time < end } else { time <= end };
        let first = self.times.partition_point(|time| !is_after(*time)).saturating_sub(self.beyond);
        let last = (self.times.partition_point(|time| is_before(*time)) + self.beyond).min(self.times.len());
        let times = self.times.get(first..last).unwrap_or_default();
        let mut page = self.copied(times);
        let max_records = self.max_records.min(limit);
        if self.keeps_newest {
            page.drain(..page.len().saturating_sub(max_records));
        } else {
            page.truncate(max_records);
        }
        if self.newest_first {
            page.reverse();
        }
        page
    }
}

impl Service {
    /// The response to the request of a pager, which begins and ends one unit earlier.
    fn series(&self, window: Span, page_size: usize) -> TimedRecords<Vec<i64>> {
        let start = (window.from - Duration::from_nanos(1)).unix_seconds();
        let end = (window.to - Duration::from_nanos(1)).unix_seconds();
        let times = self.answer(start, end + 1, page_size);
        TimedRecords {
            times: times.iter().map(|time| Some(Timestamp::from(*time))).collect(),
            records: times,
            bad: Vec::new(),
            metadata: None,
        }
    }
}

/// The result of fetching a range.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fetched {
    times: Vec<i64>,
    gaps: Vec<(i64, i64)>,
}

fn span(from: i64, to: i64) -> Span {
    Span { from: from.into(), to: to.into() }
}

/// Fetches a range with this page size. Returns the result, the number of requests and the account.
fn fetch(service: &Service, from: i64, to: i64, page_size: usize, rng: &mut Rng) -> (Fetched, u64, Account) {
    let grid = TimeGrid::new(Duration::from_secs(STEP.unsigned_abs()));
    let range = span(from, to);
    let options = PagerOptions {
        grid,
        range,
        page_size,
        outside: 1,
        ends: None,
        ahead: rng.usize(2..20),
        unsettled: range.to,
        units: [TimeUnit::Seconds; 2],
        includes_start: false,
        all_pages_of: None,
        may_search: false,
    };
    let mut pager = Pager::new(options, range.from);
    let mut strays = Strays::new(grid, range, range, range.to);
    let mut account = Account::default();
    let mut open = None;
    let mut result = Fetched::default();
    let mut in_flight = Vec::new();
    while !pager.is_over() {
        while let Some(request) = pager.next_request() {
            in_flight.push(request);
        }
        if !in_flight.is_empty() {
            let (id, window) = in_flight.swap_remove(rng.usize(0..in_flight.len()));
            let series = service.series(window, page_size);
            pager.received(id, Ok((series, i64::MAX.into())));
        }
        while let Some((window, outcome)) = pager.take() {
            let response = outcome.unwrap();
            let records = response.records.as_deref().unwrap_or_default();
            result.times.extend(response.sorted.iter().map(|(_, index)| records[*index]));
            assert!(response.sorted.iter().all(|(time, _)| window.contains(*time)));
            let ended;
            (ended, open) = time_grid::join(open, &response.missing, grid.whole(range), window.to);
            result.gaps.extend(ended.iter().map(|gap| (gap.from.unix_seconds(), gap.to.unix_seconds())));
            account.delivered += u64::try_from(response.sorted.len()).unwrap();
            let set_aside = pager.take_set_aside();
            let others = response.others.iter().copied().chain(set_aside.times);
            strays.end_window(window, response.times(), others, &mut account);
        }
        assert!(pager.requests < 100_000, "{service:?}");
    }
    strays.end(&mut account);
    assert_eq!((in_flight.len(), open), (0, None));
    assert_eq!(account.received(), pager.received, "{service:?}");
    (result, pager.requests, account)
}

/// Computes the expected result for a range by checking every step.
fn truth(service: &Service, from: i64, to: i64) -> Fetched {
    let times: Vec<i64> = service.times.iter().copied().filter(|time| (from..to).contains(time)).collect();
    let first = (from + STEP - 1).div_euclid(STEP) * STEP;
    let last = to.div_euclid(STEP) * STEP;
    let mut gaps: Vec<(i64, i64)> = Vec::new();
    let mut step = first;
    while step < last {
        if !times.iter().any(|time| time.div_euclid(STEP) * STEP == step) {
            match gaps.last_mut() {
                Some(gap) if gap.1 == step => gap.1 = step + STEP,
                _ => gaps.push((step, step + STEP)),
            }
        }
        step += STEP;
    }
    Fetched { times: service.copied(&times), gaps }
}

/// Creates a service with random properties.
fn any(rng: &mut Rng) -> Service {
    let steps = rng.i64(1..400);
    let phase = if rng.bool() { 0 } else { rng.i64(0..STEP) };
    let is_uneven = rng.u8(0..6) == 0;
    let missing = if rng.bool() { 0.0 } else { rng.f64() * 0.5 };
    let mut times = Vec::new();
    for step in 0..steps {
        let phase = if is_uneven { rng.i64(0..STEP) } else { phase };
        if rng.f64() >= missing {
            times.push(step * STEP + phase);
        }
    }
    for _ in 0..rng.usize(0..4) {
        let from = rng.i64(0..=steps) * STEP;
        let length = rng.i64(0..200) * STEP;
        times.retain(|time| !(from..from + length).contains(time));
    }
    let beyond = if rng.bool() { 0 } else { rng.usize(0..3) };
    let copies = if rng.bool() { 1 } else { rng.usize(1..3) };
    Service {
        times,
        max_records: if rng.bool() { usize::MAX } else { rng.usize((2 * beyond + 3) * copies..60) },
        keeps_newest: rng.bool(),
        newest_first: rng.bool(),
        without_start: rng.bool(),
        without_end: rng.bool(),
        rounds: rng.u8(0..4) == 0,
        beyond,
        copies,
    }
}

/// Checks the number of requests for a service that responds as planned, and for services that do not.
#[test]
fn simulated_history_needs_few_requests() {
    let whole = Service::plain((0..100_000).map(|step| step * STEP).collect());
    let late = Service::plain((30_000..100_000).map(|step| step * STEP).collect());
    let sparse = Service::plain((0..100_000).filter(|step| step * 7919 % 1009 < 333).map(|step| step * STEP).collect());
    let closed = Service::plain((0..100_000).filter(|step| step % 1440 < 400).map(|step| step * STEP).collect());
    let windows = 100_000_u64.div_ceil(999);
    let table = [
        ("as planned", whole.clone(), windows..=windows),
        (
            "newest first, truncated at the end",
            Service { newest_first: true, without_end: true, ..whole.clone() },
            windows..=windows,
        ),
        ("truncated at the start", Service { without_start: true, ..whole.clone() }, windows..=windows),
        // The first windows are planned for larger pages; the page size of a hundred is learned from their responses.
        ("a hundred at most", Service { max_records: 100, ..whole.clone() }, 1010..=1400),
        ("two next to each window", Service { beyond: 2, ..whole.clone() }, windows..=windows + 60),
        ("data that begins later", late, windows..=windows + 4),
        ("a third of all steps", sparse, windows..=windows + 60),
        ("most of each day closed", closed, windows..=windows + 120),
        ("nothing", Service::plain(Vec::new()), windows..=windows),
    ];
    for (what, service, expected) in table {
        let (result, requests, account) = fetch(&service, 0, 100_000 * STEP, 1000, &mut Rng::with_seed(1));
        assert_eq!(result.times, service.times, "{what}");
        assert!(expected.contains(&requests), "{what}: {requests}");
        assert_eq!(account.delivered, u64::try_from(service.times.len()).unwrap(), "{what}");
        assert_eq!(account.outside, 0, "{what}");
    }
}

/// The record of the first step is before the range, or there is no such record.
#[test]
fn a_range_that_begins_within_a_step_needs_few_requests() {
    for (first, additional) in [(0, 0), (1, 1)] {
        let whole = Service::plain((first..2000).map(|step| step * STEP).collect());
        for service in [
            whole.clone(),
            Service { newest_first: true, without_end: true, ..whole.clone() },
            Service { without_start: true, ..whole.clone() },
            Service { rounds: true, keeps_newest: true, ..whole.clone() },
        ] {
            for offset in [1, STEP / 2, STEP - 1] {
                let (result, requests, account) = fetch(&service, offset, 2000 * STEP, 100, &mut Rng::with_seed(1));
                assert_eq!(result, truth(&service, offset, 2000 * STEP));
                assert_eq!(requests, 2000_u64.div_ceil(99) + additional, "{first}, {offset}");
                assert!(account.outside <= 1, "{account:?}");
            }
        }
    }
}

/// The response also contains the record after the range, as if its interval were still open.
#[test]
fn records_after_the_range_are_dropped() {
    let service = Service { beyond: 1, ..Service::plain((0..=50).map(|step| step * STEP).collect()) };
    let (result, _, _) = fetch(&service, 0, 50 * STEP, 20, &mut Rng::with_seed(1));
    assert_eq!(result, truth(&service, 0, 50 * STEP));
    assert_eq!(result.times.last(), Some(&(49 * STEP)));
}

#[test]
fn every_simulated_service_yields_all_records() {
    let runs = std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(3000);
    for seed in 0..runs {
        let mut rng = Rng::with_seed(seed);
        let service = any(&mut rng);
        let from = rng.i64(-50 * STEP..200 * STEP);
        let to = from + rng.i64(0..300 * STEP);
        let (from, to) =
            if rng.bool() { (from.div_euclid(STEP) * STEP, to.div_euclid(STEP) * STEP) } else { (from, to) };
        // A step can be fetched only if its records and those around it fit on one page.
        let room = (2 * service.beyond + 3) * service.copies;
        let page_size = [5_usize, 10, 20, 50, 100][rng.usize(0..5)].max(room);
        let (result, _, _) = fetch(&service, from, to, page_size, &mut rng);
        assert_eq!(result, truth(&service, from, to), "seed {seed}: {from}..{to} by {page_size} of {service:?}");
    }
}
