//! Tests the decisions of the pager, request by request.

use std::time::Duration;

use super::one_time::after;
use super::*;
use crate::error::ErrorKind;
use crate::history::time_grid::TimeGrid;
use crate::registry::TimeUnit;
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
        includes_start: false,
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
    beginning.windows.limits.confirm(4, 0, true);
    respond(&mut beginning, (0, 40), []);
    respond(&mut beginning, (40, 80), all((40, 80)));
    assert_eq!(take(&mut beginning), Some((span((0, 40)), 0)));
    let mut between = pager(120, 4, 120);
    between.windows.limits.confirm(4, 0, true);
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
            .windows
            .pages
            .iter()
            .filter(|page| matches!(page.state, PageState::Waiting | PageState::Sent(_)))
            .map(|page| page.window);
        let expected: Vec<_> = expected.iter().copied().map(span).collect();
        assert_eq!(requested.collect::<Vec<_>>(), expected, "{unsettled} {window:?} {times:?}");
    }
}

#[test]
fn a_page_of_one_timestamp_is_an_error_and_the_rest_is_fetched() {
    let mut pager: Pager<()> = pager(40, 4, 40);
    (pager.windows.options.grid, pager.windows.options.ends) = (TimeGrid::EVENTS, Some([false, true]));
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

/// Fetches all records of a service that has records at these times, and returns only those of the last 17 steps of a
/// window.
fn fetch_from_service_with_short_pages(to: i64, has_record: impl Fn(i64) -> bool) -> Vec<i64> {
    let mut pager = pager(to, 100, to);
    let mut fetched = Vec::new();
    while !pager.is_over() {
        while let Some((id, window)) = pager.next_request() {
            let end = window.to.unix_seconds();
            let newest = window.from.unix_seconds().max(end - 170)..end;
            let times = newest.step_by(10).filter(|time| has_record(*time)).map(|time| Some(time.into())).collect();
            let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
            pager.received(id, Ok((series, i64::MAX.into())));
        }
        while let Some((_, outcome)) = pager.take() {
            fetched.extend(outcome.unwrap().times().map(Timestamp::unix_seconds));
        }
    }
    fetched
}

/// A response without a record does not show that a long window has none.
#[test]
fn an_empty_window_that_is_longer_than_the_pages_of_the_service_is_requested_in_parts() {
    for hole in [460..1200, 0..1200, 1200..2160] {
        let has_record = |time: i64| !hole.contains(&time);
        let all: Vec<i64> = (0..2160).step_by(10).filter(|time| has_record(*time)).collect();
        assert_eq!(fetch_from_service_with_short_pages(2160, has_record), all, "{hole:?}");
    }
}
