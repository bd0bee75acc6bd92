//! Decisions on windows without records, request by request.

use std::time::Duration;

use super::*;
use crate::history::grid::Grid;

fn span(from: i64, to: i64) -> Span {
    Span { from: from.into(), to: to.into() }
}

/// The windows up to a time, of four steps or 40 seconds each.
fn walk(to: i64) -> Walk<()> {
    let grid = Grid::of(Duration::from_secs(10)).unwrap();
    let (range, margin) = (span(0, to), Duration::from_secs(1));
    let course = Course { grid, range, margin, page_size: 5, beside: 1, ahead: 8, attempts: 4, unsettled: range.to };
    Walk::new(course, range.from)
}

/// Requests the next window, which has to be this one, and responds with all of its records or with none.
fn answer(walk: &mut Walk<()>, from: i64, to: i64, has_records: bool) {
    let now = Instant::now();
    let (id, window) = walk.ask(now).unwrap();
    assert_eq!(window, span(from, to));
    let times = if has_records { (from..to).step_by(10).map(|time| Some(time.into())).collect() } else { Vec::new() };
    walk.received(id, Ok(Received { times, records: (), bad: Vec::new(), envelope: None, date: None }), now);
}

/// The next returned window, and its number of records.
fn take(walk: &mut Walk<()>) -> Option<(Span, usize)> {
    walk.take().map(|taken| (taken.window, taken.outcome.unwrap().places.len()))
}

#[test]
fn a_window_without_records_is_judged_once_the_next_one_is_there() {
    let mut walk = walk(80);
    answer(&mut walk, 0, 40, false);
    assert_eq!(take(&mut walk), None, "the next window has no response yet");
    answer(&mut walk, 40, 80, true);
    assert_eq!(take(&mut walk), None, "there are records behind it");
    answer(&mut walk, 0, 20, false);
    answer(&mut walk, 20, 40, false);
    assert_eq!([(); 3].map(|()| take(&mut walk)), [Some((span(0, 40), 0)), Some((span(40, 80), 4)), None]);
    assert!(walk.is_over());
}

#[test]
fn the_last_window_has_none_to_wait_for() {
    let mut walk = walk(40);
    answer(&mut walk, 0, 40, false);
    assert_eq!(take(&mut walk), Some((span(0, 40), 0)));
    assert!(walk.is_over());
}

/// Windows are empty where data starts and ends, so such responses are trusted after some that proved right.
#[test]
fn a_window_without_records_between_two_with_records_is_never_trusted() {
    let trusting = |to| {
        let mut walk = walk(to);
        (0..3).for_each(|_| walk.learned.confirmed(4));
        walk
    };
    let mut beginning = trusting(80);
    answer(&mut beginning, 0, 40, false);
    answer(&mut beginning, 40, 80, true);
    assert_eq!(take(&mut beginning), Some((span(0, 40), 0)));
    let mut between = trusting(120);
    for (from, has_records) in [(0, true), (40, false), (80, true)] {
        answer(&mut between, from, from + 40, has_records);
    }
    assert_eq!([(); 2].map(|()| take(&mut between)), [Some((span(0, 40), 4)), None]);
    answer(&mut between, 40, 60, false);
}
