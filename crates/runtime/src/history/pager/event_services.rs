//! Fetches events from many kinds of mock services, and compares them with the records of these services.

use std::time::Duration;

use fastrand::Rng;

use super::*;
use crate::history::time_grid::TimeGrid;
use crate::registry::TimeUnit;
use crate::send::TimedRecords;

/// A mock service of events. All times are in milliseconds.
#[derive(Clone, Debug)]
struct EventService {
    /// The times of all records, in order.
    times: Vec<i64>,
    /// The most records of a page.
    cap: usize,
    is_newest_first: bool,
    excludes_start: bool,
    excludes_end: bool,
    /// Whether requests have the end of a range, and whether they have its start.
    ends: [bool; 2],
    /// The units of the start and the end.
    units: [TimeUnit; 2],
}

/// The result of fetching a range.
#[derive(Debug, PartialEq)]
struct Fetched {
    times: Vec<i64>,
    failed: Vec<Span>,
    requests: u64,
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(millis)
}

fn millis(time: Timestamp) -> i64 {
    time.wire(TimeUnit::Milliseconds)
}

impl EventService {
    /// All records that a request for a span selects.
    fn selected(&self, span: Span) -> &[i64] {
        let [start_unit, end_unit] = self.units;
        let just_before = Duration::from_nanos(1);
        let start = start_unit.floor(span.from - just_before);
        let end = end_unit.after(end_unit.floor(span.to - just_before));
        let [has_end, has_start] = self.ends;
        let is_before = |event: &i64| time(*event) < start || self.excludes_start && time(*event) == start;
        let is_until_end = |event: &i64| time(*event) < end || !self.excludes_end && time(*event) == end;
        let first = if has_start { self.times.partition_point(is_before) } else { 0 };
        let last = if has_end { self.times.partition_point(is_until_end) } else { self.times.len() };
        self.times.get(first..last).unwrap_or_default()
    }

    /// The response to a request for a span.
    fn page(&self, span: Span) -> &[i64] {
        let selected = self.selected(span);
        let cut = selected.len().saturating_sub(self.cap);
        if self.is_newest_first { &selected[cut..] } else { &selected[..selected.len() - cut] }
    }

    /// Fetches the range between two times with a pager that assumes this page size.
    fn fetch(&self, from: i64, to: i64, page_size: usize) -> Fetched {
        let range = Span { from: time(from), to: time(to) };
        let options = PagerOptions {
            grid: TimeGrid::EVENTS,
            range,
            page_size,
            outside: 0,
            ends: Some(self.ends),
            units: self.units,
            includes_start: false,
            all_pages_of: None,
            ahead: 8,
            unsettled: Timestamp::MAX,
            may_search: false,
        };
        let mut pager: Pager<()> = Pager::new(options, range.from);
        let mut fetched = Fetched { times: Vec::new(), failed: Vec::new(), requests: 0 };
        let mut end = range.from;
        while !pager.is_over() {
            while let Some((window, outcome)) = pager.take() {
                assert_eq!(window.from, end, "{self:?}");
                end = window.to;
                match outcome {
                    Ok(response) => fetched.times.extend(response.sorted.iter().map(|(time, _)| millis(*time))),
                    Err(_) => fetched.failed.push(window),
                }
            }
            let Some((id, window)) = pager.next_request() else { continue };
            let times = self.page(window).iter().map(|event| Some(time(*event))).collect();
            let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
            pager.received(id, Ok((series, Timestamp::MAX)));
            assert!(pager.requests < 500, "{self:?}");
        }
        assert_eq!(end, range.to, "{self:?}");
        fetched.requests = pager.requests;
        fetched
    }
}

#[test]
fn events_are_fetched_from_the_ends_that_the_service_accepts() {
    let events: Vec<i64> = (0..40).map(|index| index * index / 8 * 1000).collect();
    let (from, to) = (3000, 150_000);
    let expected: Vec<i64> = events.iter().copied().filter(|event| (from..to).contains(event)).collect();
    for (ends, is_newest_first) in
        [([false, true], false), ([true, false], true), ([true, true], false), ([true, true], true)]
    {
        let service = EventService {
            times: events.clone(),
            cap: 5,
            is_newest_first,
            excludes_start: false,
            excludes_end: false,
            ends,
            units: [TimeUnit::Seconds; 2],
        };
        let fetched = service.fetch(from, to, 5);
        assert_eq!((fetched.times, fetched.failed), (expected.clone(), vec![]), "{ends:?}");
        assert!(fetched.requests < 20, "{}", fetched.requests);
        let empty = EventService { times: vec![], ..service.clone() };
        assert_eq!(empty.fetch(from, to, 5), Fetched { times: vec![], failed: vec![], requests: 1 });
        let one = EventService { times: vec![7000], ..service };
        assert_eq!(one.fetch(from, to, 5).times, [7000]);
    }
}

/// Creates a service with random properties. Its times are whole seconds or milliseconds.
fn any(rng: &mut Rng, has_whole_seconds: bool) -> EventService {
    let cap = rng.usize(2..8);
    let mut times = Vec::new();
    let mut next = rng.i64(0..4) * 1000 + if has_whole_seconds { 0 } else { 2 * rng.i64(0..500) + 1 };
    for _ in 0..rng.usize(0..12) {
        let most = if rng.u8(0..3) == 0 { 2 * cap } else { 3 };
        times.extend(std::iter::repeat_n(next, rng.usize(1..=most)));
        next += if has_whole_seconds { rng.i64(1..4) * 1000 } else { 2 * rng.i64(1..750) };
    }
    // With one end only, a service must return the page that begins or ends there.
    let (ends, is_newest_first) = match rng.u8(0..4) {
        0 => ([false, true], false),
        1 => ([true, false], true),
        _ => ([true, true], rng.bool()),
    };
    let units = match rng.u8(0..4) {
        0 => [TimeUnit::Milliseconds; 2],
        1 => [TimeUnit::Seconds, TimeUnit::Milliseconds],
        _ => [TimeUnit::Seconds; 2],
    };
    let excludes_start = rng.bool();
    let excludes_end = rng.bool();
    EventService { times, cap, is_newest_first, excludes_start, excludes_end, ends, units }
}

/// Every record is fetched, or its time is in a window that has failed. A time with fewer records than fit on a page is
/// fetched.
#[test]
fn many_records_of_one_time_are_never_taken_for_the_end() {
    let mut rng = Rng::with_seed(7);
    let mut failures = 0;
    for run in 0..10_000 {
        let has_whole_seconds = run % 2 == 0;
        let service = any(&mut rng, has_whole_seconds);
        let page_size = match rng.u8(0..3) {
            0 => usize::MAX,
            1 => service.cap,
            _ => service.cap + rng.usize(1..4),
        };
        let from = match service.times.first() {
            // A range that begins with a record.
            Some(first) if run % 4 == 1 => *first,
            _ if has_whole_seconds => rng.i64(-2..3) * 1000,
            _ => rng.i64(-2000..3000),
        };
        let to = if rng.bool() { 40_000 } else { from + rng.i64(2..20) * 1000 };
        let fetched = service.fetch(from, to, page_size);
        failures += fetched.failed.len();
        let expected: Vec<i64> = service.times.iter().copied().filter(|event| (from..to).contains(event)).collect();
        let is_failed = |event: i64| fetched.failed.iter().any(|window| window.contains(time(event)));
        let read: Vec<i64> = expected.iter().copied().filter(|event| !is_failed(*event)).collect();
        // If the range has records of one second only, which requests cannot divide, nothing shows that a page of unknown
        // size was cut.
        let second = |event: Option<&i64>| event.map(|event| event.div_euclid(1000));
        let is_one_second = second(expected.first()) == second(expected.last());
        let may_be_cut = is_one_second && page_size != service.cap;
        assert!(may_be_cut || fetched.times == read, "{service:?} {from}..{to} by {page_size}: {fetched:?}");
        // Requests tell whole seconds apart, unless the range has only one of them.
        let are_apart = has_whole_seconds && to - from > 1000;
        for event in expected.iter().filter(|_| are_apart) {
            let number = expected.iter().filter(|other| *other == event).count();
            assert!(number >= service.cap || !is_failed(*event), "{service:?} {from}..{to}: {event} of {fetched:?}");
        }
    }
    assert!(failures > 1000, "{failures}");
}
