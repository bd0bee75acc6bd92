//! Tests of histories that continue from a checkpoint, and of checkpoints that are rejected.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use runtime::history::Checkpoint;
use test_service::invented::{Client, Timeframe};
use test_service::scripted::Service;

use super::hours;
use crate::ranges::{HOUR, START, answer, at};

/// A job that is killed and resumed after any of its pages has the same output as a job that is not killed.
#[tokio::test(start_paused = true)]
async fn resumed_history_yields_the_same_records() {
    let service = Service::new(|request, _| answer(request, |time| (time / HOUR) % 700 < 600));
    let client = service.client();
    let history = || hours(&client).limit(50).history(at(START)..at(START + 3000 * HOUR));
    let complete = history().collect().await.unwrap();
    for kill_after in [1, 2, 7, 30, 61] {
        let (mut times, mut gaps) = (Vec::new(), Vec::new());
        let mut written: Option<String> = None;
        for run in 0.. {
            assert!(run < 100);
            let mut next = history();
            if let Some(text) = &written {
                let checkpoint: Checkpoint = text.parse().unwrap();
                times.truncate(checkpoint.byte_offset().try_into().unwrap());
                next = next.resume(checkpoint);
            }
            let mut pages = next.pages();
            let mut given = 0;
            while let Some(page) = pages.next().await {
                let page = page.unwrap();
                times.extend(page.times);
                if given == kill_after {
                    // The job is killed after the page was written and before its checkpoint was saved.
                    break;
                }
                gaps.extend(page.report.gaps);
                written = Some(page.checkpoint.with_byte_offset(times.len().try_into().unwrap()).to_string());
                given += 1;
            }
            if given < kill_after {
                break;
            }
        }
        assert_eq!(times, complete.times, "{kill_after}");
        assert_eq!(gaps, complete.report.gaps, "{kill_after}");
    }
}

/// Empty pages after a record are reported as gaps and do not begin a search for the first record, also in a resumed
/// job.
#[tokio::test(start_paused = true)]
async fn resumed_sparse_history_requests_every_page() {
    let has_record = |time: i64| [0, 550, 800, 1250].contains(&((time - START) / HOUR));
    let service = Service::new(move |request, _| answer(request, has_record));
    let client = service.client();
    let history = || hours(&client).limit(50).history(at(START)..at(START + 1500 * HOUR));
    let complete = history().collect().await.unwrap();
    assert_eq!(complete.times.len(), 4);
    let first = history().pages().next().await.unwrap().unwrap();
    let rest = history().resume(first.checkpoint).collect().await.unwrap();
    assert_eq!([first.times, rest.times].concat(), complete.times);
}

#[tokio::test]
async fn any_checkpoint_text_is_handled() {
    let client = Service::new(|request, _| answer(request, |_| true)).builder().build().unwrap();
    let history = || hours(&client).history(at(START)..at(START + 10 * HOUR));
    let mut pages = history().pages();
    let first = pages.next().await.unwrap().unwrap().checkpoint.to_string();
    let (min, max) = (i64::MIN, i64::MAX);
    for (now, other) in [
        (r#""records":10"#.to_owned(), format!(r#""records":{}"#, u64::MAX)),
        (r#""openSince":null"#.to_owned(), format!(r#""openSince":{max}"#)),
        (r#""openSince":null"#.to_owned(), format!(r#""openSince":{min}"#)),
    ] {
        let other = first
            .replace(&now, &other)
            .replace(&format!(r#""next":{}"#, START + 10 * HOUR), &format!(r#""next":{START}"#));
        assert!(other != first, "{first}");
        assert_eq!(history().resume(other.parse().unwrap()).collect().await.unwrap().records.len(), 10, "{other}");
    }
}

#[tokio::test(start_paused = true)]
async fn checkpoint_of_another_request_is_rejected() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let client = service.client();
    let mut pages = hours(&client).history(at(START)..at(START + 1000 * HOUR)).pages();
    let checkpoint = pages.next().await.unwrap().unwrap().checkpoint;
    let other =
        client.market().ratio().symbol("C").timeframe(Timeframe::H1).history(at(START)..at(START + 1000 * HOUR));
    let elsewhere =
        Client::builder("https://example.org/v2").api_key("any").transport(service.clone()).build().unwrap();
    let mut follow = hours(&client).follow(at(START));
    follow.next().await.unwrap();
    let followed = hours(&client).history(at(START)..at(START + HOUR)).resume(follow.checkpoint().unwrap().clone());
    let error = followed.collect().await.unwrap_err().error;
    assert!(
        error.to_string().contains(
            "the checkpoint is that of a follower, and a history cannot continue from it; resume it with `follow`"
        ),
        "{error}"
    );
    let table = [
        (other, "instead of GET /ratio?symbol=C"),
        (hours(&client).history(at(START - 1)..at(START)), "instead of 2023-11-14T21:59:59Z"),
        (hours(&elsewhere).history(at(START)..at(START + HOUR)), "instead of https://example.org/v2"),
    ];
    for (history, expected) in table {
        let error = history.resume(checkpoint.clone()).collect().await.unwrap_err().error;
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// A daily job has the same start each day, and a later end. The last hours of a day are published late.
#[tokio::test(start_paused = true)]
async fn a_later_end_continues_from_the_checkpoint() {
    let published = Arc::new(AtomicI64::new(0));
    let known = published.clone();
    let service = Service::new(move |request, _| {
        let until = START + known.load(Ordering::Relaxed) * HOUR;
        answer(request, |time| time < until && time != START + 5 * HOUR)
    });
    let client = service.client();
    let (mut times, mut gaps, mut saved) = (Vec::new(), Vec::new(), None::<String>);
    for day in 1..6 {
        published.store(24 * day - 2, Ordering::Relaxed);
        // The page size differs from run to run; the checkpoint stays valid.
        let mut history = hours(&client).limit(10 + day.unsigned_abs()).history(at(START)..at(START + 24 * day * HOUR));
        if let Some(text) = &saved {
            history = history.resume(text.parse().unwrap());
        }
        let mut pages = history.pages();
        while let Some(page) = pages.next().await {
            let page = page.unwrap();
            times.extend(page.times);
            gaps.extend(page.report.gaps.into_iter().map(|gap| (gap.range.end.unix_seconds() - START) / HOUR));
            saved = Some(page.checkpoint.to_string());
        }
        let nothing = hours(&client)
            .history(at(START)..at(START + 24 * day * HOUR))
            .resume(saved.clone().unwrap().parse().unwrap());
        assert!(nothing.collect().await.unwrap().records.is_empty(), "nothing is due");
    }
    let expected = (0..24 * 5 - 2).filter(|hour| *hour != 5).map(|hour| at(START + hour * HOUR));
    assert_eq!(times, expected.collect::<Vec<_>>());
    assert_eq!(gaps, [6, 24, 48, 72, 96, 120]);
}

/// The range ends within an interval that has a record. The interval before it has no record.
#[tokio::test(start_paused = true)]
async fn a_record_after_the_last_gap_is_delivered_once() {
    let service = Service::new(|request, _| answer(request, |time| time != START + 9 * HOUR));
    let client = service.client();
    let first = hours(&client).history(at(START)..at(START + 10 * HOUR + HOUR / 2)).include_partial().pages();
    let (mut times, mut saved, mut pages) = (Vec::new(), None, first);
    while let Some(page) = pages.next().await {
        let page = page.unwrap();
        times.extend(page.times);
        saved = Some(page.checkpoint);
    }
    let rest = hours(&client).history(at(START)..at(START + 14 * HOUR)).resume(saved.unwrap()).collect().await.unwrap();
    times.extend(rest.times);
    let expected = (0..14).filter(|hour| *hour != 9).map(|hour| at(START + hour * HOUR));
    assert_eq!(times, expected.collect::<Vec<_>>());
}

/// The first range ends within an interval, whose record is published before or after the end of the first run.
#[tokio::test(start_paused = true)]
async fn a_range_that_ends_within_an_interval_continues_without_a_gap() {
    for hours_at_first in [25, 24, 22] {
        let published = Arc::new(AtomicI64::new(hours_at_first));
        let known = published.clone();
        let service = Service::new(move |request, _| {
            let until = START + known.load(Ordering::Relaxed) * HOUR;
            answer(request, |time| time < until)
        });
        let client = service.client();
        let first = hours(&client).history(at(START)..at(START + 24 * HOUR + HOUR / 2)).collect().await.unwrap();
        published.store(48, Ordering::Relaxed);
        let history = hours(&client).history(at(START)..at(START + 48 * HOUR)).resume(first.checkpoint.unwrap());
        let second = history.collect().await.unwrap();
        let times = first.times.iter().chain(&second.times).map(|time| (time.unix_seconds() - START) / HOUR);
        assert_eq!(times.collect::<Vec<_>>(), (0..48).collect::<Vec<_>>());
        assert_eq!(second.report.gaps, [], "{hours_at_first} hours at first");
    }
}
