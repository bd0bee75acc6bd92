//! Tests of the end of a history, which is decided by the time of the service.

use std::time::Duration;

use runtime::history::HistoryData;
use runtime::transport::HttpRequest;
use test_service::invented::{Client, RatioRecord};
use test_service::scripted::{MockResponse, Service};
use tokio::time::Instant;

use super::hours;
use crate::ranges::{HOUR, START, answer, at};

const DAY: i64 = 24 * HOUR;

/// Answers at a time after `START`, with the record of the hour that is still open, and with a `Date` that is wrong by
/// some seconds.
fn respond(request: &HttpRequest, now: i64, error: i64) -> MockResponse {
    let mut mock = answer(request, |time| time <= START + now);
    let date = at(START + now + error).try_into().unwrap();
    mock.outcome.as_mut().unwrap().headers.insert("date", &httpdate::fmt_http_date(date)).unwrap();
    mock
}

/// Creates a client of a service whose time was `now` after `START` at its creation, on a machine whose clock is wrong by
/// `error`. The `Date` of the response with the number `wrong` is an hour old.
fn client(now: i64, error: i64, wrong: usize) -> Client {
    let begun = Instant::now();
    let time = move || now + i64::try_from(begun.elapsed().as_secs()).unwrap();
    let service =
        Service::new(move |request, before| respond(request, time(), if before == wrong { -HOUR } else { 0 }));
    service.builder().clock(move || at(START + error + time())).build().unwrap()
}

/// Returns the number of records and of gaps, and the number of hours before the checkpoint.
fn summary(data: &HistoryData<RatioRecord>) -> (usize, usize, i64) {
    let next = data.checkpoint.as_ref().unwrap().next_time();
    (data.len(), data.report.gaps.len(), (next.unix_seconds() - START) / HOUR)
}

#[tokio::test(start_paused = true)]
async fn a_history_ends_with_the_last_interval_that_is_closed_at_the_service() {
    // The third hour ends in ten seconds.
    let now = 3 * HOUR - 10;
    for error in [0, 12, HOUR, 5 * DAY, -2] {
        let client = client(now, error, usize::MAX);
        let history = || hours(&client).history(at(START)..at(START + 1000 * HOUR));
        let data = history().collect().await.unwrap();
        assert_eq!(summary(&data), (2, 0, 2), "{error}");
        // An hour later, the rest is returned.
        tokio::time::advance(Duration::from_secs(HOUR.unsigned_abs())).await;
        let more = history().resume(data.checkpoint.unwrap()).collect().await.unwrap();
        assert_eq!((summary(&more), more.times[0].unix_seconds()), ((1, 0, 3), START + 2 * HOUR), "{error}");
        let all = history().include_partial().collect().await.unwrap();
        assert_eq!(summary(&all), (4, 0, 3), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_wrong_date_does_not_end_a_history() {
    for (wrong, error) in [(0, 0), (1, 0), (1, DAY), (2, DAY)] {
        let client = client(2000 * HOUR + 5, error, wrong);
        let data = hours(&client).history(at(START)..at(START + 2000 * HOUR)).collect().await.unwrap();
        assert_eq!(summary(&data), (2000, 0, 2000), "{wrong} {error}");
    }
}

/// Before the first response, only the clock of the machine is known.
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_behind_loses_no_records() {
    for error in [-20 * HOUR, -HOUR, -6] {
        // In the last case, the history begins after the time of the machine.
        for (from, to, expected) in [(0, 90, 90), (0, 1000, 99), (98, 99, 1), (95, 99, 4)] {
            let client = client(99 * HOUR + 5, error, usize::MAX);
            let history = || hours(&client).limit(20).history(at(START + from * HOUR)..at(START + to * HOUR));
            let data = history().collect().await.unwrap();
            assert_eq!(summary(&data), (expected, 0, to.min(99)), "{error} {from}..{to}");
            assert!(data.report.is_complete(), "{error} {from}..{to}");
            let more = history().resume(data.checkpoint.unwrap()).collect().await.unwrap();
            assert_eq!(more.len(), 0, "{error} {from}..{to}");
        }
    }
}

/// No two responses agree about the time, so the end of the range remains unknown.
#[tokio::test(start_paused = true)]
async fn an_undecided_end_of_a_range_is_reported() {
    let service = Service::new(|request, before| respond(request, 100 * HOUR, HOUR * i64::try_from(before).unwrap()));
    let client = service.builder().clock(|| at(START + 50 * HOUR)).build().unwrap();
    let history = || hours(&client).history(at(START)..at(START + 90 * HOUR));
    let data = history().collect().await.unwrap();
    assert_eq!(summary(&data), (50, 0, 50));
    let [unserved] = &data.report.failed_pages[..] else { panic!("{:?}", data.report) };
    assert_eq!(unserved.range, at(START + 50 * HOUR)..at(START + 90 * HOUR));
    assert!(unserved.error.to_string().contains("clock of this machine"), "{}", unserved.error);
    assert!(!data.report.is_complete());
}

#[tokio::test(start_paused = true)]
async fn a_start_after_the_time_of_the_service_names_the_clock() {
    let now = 100 * HOUR;
    for error in [5 * DAY, 5 * HOUR, -800 * DAY] {
        let machine = START + now + error.max(0);
        let range = at(machine - 180)..at(machine + HOUR);
        let client = client(now, error, usize::MAX);
        let failed = hours(&client).history(range.clone()).collect().await.unwrap_err();
        let mut follow = hours(&client).follow(range.start);
        let mut next = async || tokio::time::timeout(Duration::from_secs(60), follow.next()).await.unwrap();
        // Each call returns the error, so that a caller that ignores it is not silent either.
        for error in [failed.error, next().await.unwrap_err(), next().await.unwrap_err()] {
            assert!(error.to_string().contains("clock of this machine"), "{error}");
        }
    }
}
