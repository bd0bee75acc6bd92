//! Tests the decisions of the pager, request by request.

use super::*;
use crate::send::TimedRecords;

/// The start and the end of a window, in seconds.
type Ends = (i64, i64);

fn span((from, to): Ends) -> Span {
    Span { from: from.into(), to: to.into() }
}

/// Creates a pager for the range from 0 to `to`, with windows of `steps` steps of ten seconds each.
fn pager(to: i64, steps: usize, unsettled: i64) -> Pager<()> {
    let grid = TimeGrid::new(Duration::from_secs(10));
    let options = PagerOptions {
        grid,
        range: span((0, to)),
        page_size: steps + 1,
        outside: 1,
        ends: None,
        units: [TimeUnit::Seconds; 2],
        all_pages_of: None,
        ahead: 8,
        unsettled: unsettled.into(),
        may_search: false,
    };
    Pager::new(options, 0.into())
}

/// Asserts that the next request is for this window, and responds with these times.
fn respond(pager: &mut Pager<()>, window: Ends, times: impl IntoIterator<Item = i64>) {
    let (id, requested) = pager.next_request().unwrap();
    assert_eq!(requested, span(window));
    let times = times.into_iter().map(|time| Some(time.into())).collect();
    let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
    pager.received(id, Ok((series, i64::MAX.into())));
}

fn all((from, to): Ends) -> impl Iterator<Item = i64> {
    (from..to).step_by(10)
}

/// Takes the next window, and returns it with its number of records.
fn take(pager: &mut Pager<()>) -> Option<(Span, usize)> {
    pager.take().map(|(window, outcome)| (window, outcome.unwrap().sorted.len()))
}

#[test]
fn an_empty_window_is_judged_when_the_next_one_has_a_response() {
    let mut pager = pager(80, 4, 80);
    respond(&mut pager, (0, 40), []);
    assert_eq!(take(&mut pager), None, "the next window has no response yet");
    respond(&mut pager, (40, 80), all((40, 80)));
    assert_eq!(take(&mut pager), None, "there are records after it");
    respond(&mut pager, (0, 20), []);
    respond(&mut pager, (20, 40), []);
    let expected = [((0, 20), 0), ((20, 40), 0), ((40, 80), 4)].map(|(window, count)| Some((span(window), count)));
    assert_eq!([(); 3].map(|()| take(&mut pager)), expected);
    assert!(pager.is_over());
}

#[test]
fn empty_last_window_is_trusted() {
    let mut pager = pager(40, 4, 40);
    respond(&mut pager, (0, 40), []);
    assert_eq!(take(&mut pager), Some((span((0, 40)), 0)));
    assert!(pager.is_over());
}

/// A service that ignores the range returns the same page for each window. Once it was returned for a single step, larger
/// windows with this page are not divided.
#[test]
fn a_page_that_does_not_depend_on_the_window_is_not_divided_again() {
    let mut pager = pager(160, 8, 160);
    let newest = || all((1000, 1090));
    for window in [(0, 80), (0, 40), (0, 20), (0, 10), (10, 20), (20, 40), (40, 80), (80, 160)] {
        respond(&mut pager, window, newest());
    }
    let mut windows = Vec::new();
    while let Some((window, records)) = take(&mut pager) {
        assert_eq!(records, 0);
        windows.push(window);
    }
    assert_eq!(windows, [(0, 10), (10, 20), (20, 40), (40, 80), (80, 160)].map(span));
    assert!(pager.is_over());
}

/// A service that returns its newest page for a long range, and the records of a short one, has all of them.
#[test]
fn a_service_that_only_serves_short_ranges_is_asked_for_them() {
    let mut pager = pager(80, 8, 80);
    let newest = || all((1000, 1090));
    respond(&mut pager, (0, 80), newest());
    respond(&mut pager, (0, 40), newest());
    respond(&mut pager, (0, 20), all((0, 20)));
    respond(&mut pager, (20, 40), all((20, 40)));
    respond(&mut pager, (40, 80), newest());
    respond(&mut pager, (40, 60), all((40, 60)));
    respond(&mut pager, (60, 80), all((60, 80)));
    let taken = [(); 4].map(|()| take(&mut pager));
    assert_eq!(taken, [(0, 20), (20, 40), (40, 60), (60, 80)].map(|window| Some((span(window), 2))));
}

/// The first and last windows of a range can be empty, so an empty response for them is accepted once another empty
/// response was confirmed. An empty window between two windows with records is always requested again.
#[test]
fn an_empty_window_between_two_with_records_is_never_trusted() {
    let mut beginning = pager(80, 4, 80);
    beginning.limits.confirm(4, 0, true);
    respond(&mut beginning, (0, 40), []);
    respond(&mut beginning, (40, 80), all((40, 80)));
    assert_eq!(take(&mut beginning), Some((span((0, 40)), 0)));
    let mut between = pager(120, 4, 120);
    between.limits.confirm(4, 0, true);
    respond(&mut between, (0, 40), all((0, 40)));
    respond(&mut between, (40, 80), []);
    respond(&mut between, (80, 120), all((80, 120)));
    assert_eq!([(); 2].map(|()| take(&mut between)), [Some((span((0, 40)), 4)), None]);
    respond(&mut between, (40, 60), []);
}

/// The page after an empty window lacks its first record. A second request for that record returns nothing, which is
/// not evidence that the empty window has no records.
#[test]
fn an_empty_window_next_to_an_empty_end_is_never_trusted() {
    let mut between = pager(120, 4, 120);
    respond(&mut between, (0, 40), all((0, 40)));
    respond(&mut between, (40, 80), []);
    respond(&mut between, (80, 120), [90, 100, 110]);
    respond(&mut between, (80, 90), []);
    assert_eq!([(); 2].map(|()| take(&mut between)), [Some((span((0, 40)), 4)), None]);
    respond(&mut between, (40, 60), all((40, 60)));
}

/// If a page has no records at its end, that end is requested again. The page of the first pager is truncated, and the
/// page of the second pager is complete.
#[test]
fn a_missing_end_is_requested_once_more() {
    let mut truncated = pager(80, 8, 80);
    respond(&mut truncated, (0, 80), [0, 10, 20]);
    assert_eq!(take(&mut truncated), Some((span((0, 30)), 3)));
    respond(&mut truncated, (30, 80), all((30, 80)));
    assert_eq!((take(&mut truncated), truncated.is_over()), (Some((span((30, 80)), 5)), true));
    let mut complete = pager(80, 8, 80);
    respond(&mut complete, (0, 80), [0, 10, 20]);
    respond(&mut complete, (30, 80), []);
    assert_eq!([(); 2].map(|()| take(&mut complete)), [Some((span((0, 30)), 3)), Some((span((30, 80)), 0))]);
    assert!(complete.is_over());
}

/// Checks which missing parts of a window are requested again, if records after the time `unsettled` may still be
/// published.
#[test]
fn the_newest_records_may_be_published_later() {
    let (first, last, both) = ((0, 50), (50, 100), (0, 100));
    let table: [(i64, Ends, &[i64], &[Ends]); 7] = [
        (100, last, &[50, 60, 70], &[(80, 100)]),
        (60, last, &[50, 60, 70], &[]),
        (60, first, &[0, 10, 20], &[(30, 50)]),
        (60, last, &[60, 70], &[(50, 60)]),
        (50, last, &[60, 70], &[]),
        (60, last, &[50, 90], &[]),
        (60, both, &[10, 20, 30, 40, 50, 60, 70], &[(0, 10)]),
    ];
    for (unsettled, window, times, expected) in table {
        let mut pager = pager(100, if window == both { 10 } else { 5 }, unsettled);
        if window == last {
            respond(&mut pager, first, all(first));
        }
        respond(&mut pager, window, times.iter().copied());
        let requested = pager
            .pages
            .iter()
            .filter(|page| matches!(page.state, PageState::Waiting | PageState::Sent(_)))
            .map(|page| page.window);
        let expected: Vec<_> = expected.iter().copied().map(span).collect();
        assert_eq!(requested.collect::<Vec<_>>(), expected, "{unsettled} {window:?} {times:?}");
    }
}

/// Fetches all events from a server with pages of at most five records, and returns their times and the number of
/// requests. `ends` are the params of the service: the end, then the start of the range.
fn fetch_events(events: &[i64], range: Ends, ends: [bool; 2], is_newest_first: bool) -> (Vec<i64>, u64) {
    const PAGE: usize = 5;
    let options = PagerOptions {
        grid: TimeGrid::EVENTS,
        range: span(range),
        page_size: PAGE,
        outside: 0,
        ends: Some(ends),
        units: [TimeUnit::Seconds; 2],
        all_pages_of: None,
        ahead: 8,
        unsettled: i64::MAX.into(),
        may_search: false,
    };
    let mut pager: Pager<()> = Pager::new(options, range.0.into());
    let mut times = Vec::new();
    loop {
        while let Some((window, outcome)) = pager.take() {
            let sorted = outcome.unwrap().sorted;
            assert!(sorted.iter().all(|(time, _)| window.contains(*time)));
            times.extend(sorted.iter().map(|(time, _)| time.unix_seconds()));
        }
        let Some((id, window)) = pager.next_request() else { break };
        // The service includes both ends, and counts seconds.
        let (from, to) = (window.from.unix_seconds(), window.to.unix_seconds());
        let is_in = |time: &i64| (!ends[1] || from <= *time) && (!ends[0] || *time <= to);
        let found: Vec<i64> = events.iter().copied().filter(is_in).collect();
        let cut = found.len().saturating_sub(PAGE);
        let page = if is_newest_first { &found[cut..] } else { &found[..found.len() - cut] };
        let records = page.iter().map(|time| Some((*time).into())).collect();
        let series = TimedRecords { times: records, records: (), bad: Vec::new(), metadata: None };
        pager.received(id, Ok((series, i64::MAX.into())));
    }
    assert!(pager.is_over());
    (times, pager.requests)
}

#[test]
fn events_are_fetched_from_the_ends_that_the_service_accepts() {
    let events: Vec<i64> = (0..40).map(|index| index * index / 8).collect();
    let (from, to) = (3, 150);
    let expected: Vec<i64> = events.iter().copied().filter(|time| (from..to).contains(time)).collect();
    for (ends, is_newest_first) in
        [([false, true], false), ([true, false], true), ([true, true], false), ([true, true], true)]
    {
        let (times, requests) = fetch_events(&events, (from, to), ends, is_newest_first);
        assert_eq!(times, expected, "{ends:?}");
        assert!(requests < 20, "{requests}");
        assert_eq!(fetch_events(&[], (from, to), ends, is_newest_first), (vec![], 1));
        assert_eq!(fetch_events(&[7], (from, to), ends, is_newest_first).0, [7]);
    }
}

#[test]
fn a_page_of_one_timestamp_is_an_error_and_the_rest_is_fetched() {
    let mut pager: Pager<()> = pager(40, 4, 40);
    (pager.options.grid, pager.options.ends) = (TimeGrid::EVENTS, Some([false, true]));
    respond(&mut pager, (0, 40), [10, 20, 20, 20, 20]);
    assert_eq!(take(&mut pager), Some((span((0, 20)), 1)));
    respond(&mut pager, (20, 40), [20; 5]);
    let (from_it, after_it) = (20.into(), 21.into());
    for beyond in [from_it, after_it] {
        let (id, requested) = pager.next_request().unwrap();
        assert_eq!(requested, Span { from: after(beyond), to: 40.into() });
        let times = if beyond == from_it { vec![20; 5] } else { vec![25, 30] };
        let times = times.into_iter().map(|time: i64| Some(time.into())).collect();
        let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
        pager.received(id, Ok((series, i64::MAX.into())));
    }
    let (window, outcome) = pager.take().unwrap();
    assert_eq!((window, outcome.unwrap_err().kind()), (span((20, 21)), ErrorKind::Incomplete));
    respond(&mut pager, (30, 40), [30]);
    assert_eq!([(); 2].map(|()| take(&mut pager)), [Some((span((21, 30)), 1)), Some((span((30, 40)), 1))]);
    assert!(pager.is_over());
}

/// A service of events whose pages have at most `cap` records, and that never says how many.
#[derive(Clone, Copy, Debug)]
struct EventService<'t> {
    times: &'t [i64],
    cap: usize,
    is_newest_first: bool,
    excludes_ends: bool,
}

impl EventService<'_> {
    fn page(&self, window: Span) -> Vec<i64> {
        let before = Duration::from_nanos(1);
        let from = (window.from - before).unix_seconds();
        let to = (window.to - before).unix_seconds() + 1;
        let is_in =
            |time: &i64| if self.excludes_ends { from < *time && *time < to } else { from <= *time && *time <= to };
        let found: Vec<i64> = self.times.iter().copied().filter(is_in).collect();
        let cut = found.len().saturating_sub(self.cap);
        if self.is_newest_first { found[cut..].to_vec() } else { found[..found.len() - cut].to_vec() }
    }

    /// Fetches a range without knowing the size of a page. Returns the times, and the windows that have failed.
    fn fetch(&self, range: Ends) -> (Vec<i64>, Vec<Span>) {
        let mut options = pager(range.1, 4, i64::MAX).options;
        options.range = span(range);
        let mut pager: Pager<()> = Pager::new(options, range.0.into());
        (pager.options.grid, pager.options.ends) = (TimeGrid::EVENTS, Some([true; 2]));
        pager.options.page_size = usize::MAX;
        let mut times = Vec::new();
        let mut failed = Vec::new();
        let mut end = range.0.into();
        while !pager.is_over() {
            while let Some((window, outcome)) = pager.take() {
                assert_eq!(window.from, end, "{self:?}");
                end = window.to;
                match outcome {
                    Ok(response) => times.extend(response.sorted.iter().map(|(time, _)| time.unix_seconds())),
                    Err(_) => failed.push(window),
                }
            }
            let Some((id, window)) = pager.next_request() else { continue };
            let records = self.page(window).into_iter().map(|time| Some(time.into())).collect();
            let series = TimedRecords { times: records, records: (), bad: Vec::new(), metadata: None };
            pager.received(id, Ok((series, i64::MAX.into())));
            assert!(pager.requests < 500, "{self:?}");
        }
        (times, failed)
    }
}

/// Every record is fetched, or its time is in a window that has failed. A time with fewer records than fit on a page is
/// fetched.
#[test]
fn many_records_of_one_time_are_never_taken_for_the_end() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut failures = 0;
    for _ in 0..20_000 {
        let cap = random.usize(3..8);
        let mut times = Vec::new();
        let mut time = random.i64(0..4);
        for _ in 0..random.usize(0..12) {
            let largest = if random.u8(0..3) == 0 { 2 * cap } else { 3 };
            times.extend(std::iter::repeat_n(time, random.usize(1..=largest)));
            time += random.i64(1..4);
        }
        let range = (random.i64(-2..3), 40);
        let service = EventService { times: &times, cap, is_newest_first: random.bool(), excludes_ends: random.bool() };
        let (fetched, failed) = service.fetch(range);
        failures += failed.len();
        let is_failed = |time: i64| failed.iter().any(|window| window.contains(time.into()));
        let expected: Vec<i64> = times.iter().copied().filter(|time| (range.0..range.1).contains(time)).collect();
        let number = |time: i64| expected.iter().filter(|other| **other == time).count();
        let is_alone = expected.first() == expected.last();
        let read: Vec<i64> = expected.iter().copied().filter(|time| !is_failed(*time)).collect();
        let may_be_cut = is_alone && number(range.0.max(expected.first().copied().unwrap_or_default())) >= cap;
        assert!(may_be_cut || fetched == read, "{service:?} {range:?}: {fetched:?}, failed {failed:?}");
        for time in expected.iter().copied() {
            assert!(!is_failed(time) || number(time) >= cap, "{service:?} {range:?}: {time} of {failed:?}");
        }
    }
    assert!(failures > 1000, "{failures}");
}
