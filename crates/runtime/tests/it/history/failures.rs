//! Tests of histories with pages that fail.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use runtime::{Error, Retry};
use test_service::scripted::{Service, mock_response, reply};

use super::hours;
use crate::ranges::{HOUR, START, answer, at, number};

/// Creates a service that responds with this status to every request whose window contains a certain time.
fn failing(status: u16) -> Arc<Service> {
    failing_at(120, status)
}

fn failing_at(hour: i64, status: u16) -> Arc<Service> {
    Service::new(move |request, _| {
        let broken = START + hour * HOUR;
        let is_hit = number(request, "startTime") < broken && broken < number(request, "endTime");
        if is_hit { reply(status, &[], "{}") } else { answer(request, |_| true) }
    })
}

#[tokio::test(start_paused = true)]
async fn failing_page_is_reported_while_others_continue() {
    for (status, requests) in [(503, 16), (500, 8), (404, 1)] {
        let service = failing(status);
        let history = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR));
        let all = history.clone().skip_failed_pages().collect().await.unwrap();
        assert_eq!(all.records.len(), 441);
        let [failure] = all.report.failed_pages.as_slice() else { panic!("{:?}", all.report) };
        let (from, to) = (START + 98 * HOUR, START + 147 * HOUR);
        assert_eq!(failure.range, at(from)..at(to), "{status}");
        assert_eq!((failure.error.status(), all.report.gaps.len()), (Some(status), 0));
        assert_eq!(service.seen().0, 9 + requests, "{status}");
        // Without `skip_failed_pages`, the failed page ends the history after the pages before it.
        let mut pages = history.pages();
        assert_eq!(format!("{pages:?}"), "Pages(..)");
        let (mut given, mut saved) = (0, None);
        let error: Error = loop {
            match pages.next().await.unwrap() {
                Ok(page) => {
                    given += page.records.len();
                    saved = Some(page.checkpoint);
                }
                Err(error) => break error,
            }
        };
        assert_eq!((given, error.status()), (98, Some(status)));
        assert!(pages.next().await.is_none());
        assert_eq!(saved.unwrap().next_time(), at(from));
    }
}

/// The pages before an error are not lost, and another run returns the rest.
#[tokio::test(start_paused = true)]
async fn an_error_has_the_records_before_it_and_a_checkpoint() {
    let service = failing_at(480, 404);
    let history = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR));
    let failed = history.clone().collect().await.unwrap_err();
    assert_eq!((failed.error.status(), failed.partial.len()), (Some(404), 441));
    assert!(failed.to_string().ends_with("; 441 records were fetched before this error"), "{failed}");
    let checkpoint = failed.partial.checkpoint.clone().unwrap();
    service.becomes(|request, _| answer(request, |_| true));
    let rest = history.resume(checkpoint).collect().await.unwrap();
    let times = failed.partial.iter().chain(&rest).map(|record| record.open_date.unix_seconds());
    assert_eq!(times.collect::<Vec<_>>(), (START..START + 490 * HOUR).step_by(3600).collect::<Vec<_>>());
    let ratios: Vec<_> = rest.column("ratio").unwrap().numbers().collect();
    assert_eq!((ratios, rest.column("none").is_none()), (vec![Some(0.5); 49], true));
    assert_eq!(Error::from(failed).status(), Some(404));
}

#[tokio::test(start_paused = true)]
async fn first_page_may_fail_alone() {
    for status in [408, 500, 501, 503] {
        let service = failing_at(10, status);
        let history = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR));
        let all = history.skip_failed_pages().collect().await.unwrap();
        assert_eq!((all.records.len(), all.report.failed_pages.len()), (441, 1), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn error_of_every_page_ends_the_history() {
    for status in [401, 403, 422] {
        let service = Service::new(move |_, _| reply(status, &[], "{}"));
        let history = hours(&service.client()).history(at(START)..at(START + 100_000 * HOUR)).skip_failed_pages();
        assert_eq!(history.collect().await.unwrap_err().error.status(), Some(status));
        assert!(service.seen().0 <= 64, "{:?}", service.seen());
    }
    // Credentials that are rejected after the first pages also end the history.
    for status in [401, 403] {
        let service = Service::new(move |request, before| match before {
            0..5 => answer(request, |_| true),
            _ => reply(status, &[], "{}"),
        });
        let history = hours(&service.client()).history(at(START)..at(START + 100_000 * HOUR)).skip_failed_pages();
        assert_eq!(history.collect().await.unwrap_err().error.status(), Some(status));
        assert!(service.seen().0 <= 64, "{:?}", service.seen());
    }
}

/// The attempts and the time in the error are those of the last request for the page.
#[tokio::test(start_paused = true)]
async fn error_of_a_page_says_how_often_it_was_requested() {
    let service = Service::new(|_, _| reply(503, &[], "{}"));
    let history = hours(&service.client()).history(at(START)..at(START + 10 * HOUR));
    let error = history.clone().max_attempts(3).collect().await.unwrap_err().to_string();
    assert!(error.contains("; the page was requested 3 times; after 4 attempts in "), "{error}");
    let error = history.max_attempts(1).collect().await.unwrap_err().to_string();
    assert!(!error.contains("requested"), "{error}");
}

/// Each request succeeds or fails in one of several ways, and responses arrive in any order.
#[tokio::test(start_paused = true)]
async fn transient_failures_are_retried() {
    let mut attempts: HashMap<[i64; 2], i64> = HashMap::new();
    let service = Service::new(move |request, _| {
        let bad = r#"{"data": [{"openDate": 1, "rat"#;
        let [start, end] = ["startTime", "endTime"].map(|name| number(request, name) - START + 1);
        let times = attempts.entry([start, end]).or_default();
        *times += 1;
        match (start / (49 * HOUR) + (end - start) / HOUR + *times) % 7 {
            0 => {
                let mut cut = reply(200, &[], bad);
                cut.outcome.as_mut().unwrap().ends_with_connection = true;
                cut
            }
            2 => reply(503, &[], ""),
            // A truncated page, or a page without any record.
            4 => answer(request, |time| (time / HOUR) % 500 < 250),
            5 => reply(200, &[], r#"{"data": []}"#),
            _ => answer(request, |_| true),
        }
    });
    let end = START + 5000 * HOUR;
    let all = hours(&service.client()).limit(50).history(at(START)..at(end)).collect().await.unwrap();
    assert!(all.report.failed_pages.is_empty());
    // A page that is requested again and truncated at the same record is taken for complete. Its missing records are
    // reported as gaps.
    let missing: u64 = all.report.gaps.iter().map(|gap| (gap.range.end - gap.range.start).as_secs() / 3600).sum();
    assert_eq!(u64::try_from(all.records.len()).unwrap() + missing, 5000);
    assert!(missing < 500, "{missing}");
}

/// No token can be fetched, so every page would fail.
#[tokio::test(start_paused = true)]
async fn history_without_a_token_ends() {
    let service = Service::new(|_, _| reply(500, &[], "{}"));
    let builder = service.builder().client_credentials("canary-id", "canary-secret").retry(Retry::none());
    let history = hours(&builder.build().unwrap()).history(at(START)..at(START + 100_000 * HOUR)).skip_failed_pages();
    let error = history.collect().await.unwrap_err().error;
    assert!(error.is_token(), "{error}");
    assert!(service.seen().1 <= 64, "{:?}", service.seen());
}

/// A page looks truncated, and the requests for its missing records fail. The range of these records is a failed page
/// and not a gap, because the service may have the records.
#[tokio::test(start_paused = true)]
async fn failed_end_of_a_truncated_page_is_not_a_gap() {
    let service = Service::new(|request, _| {
        let [start, end] = ["startTime", "endTime"].map(|name| (number(request, name) - START + 1).div_euclid(HOUR));
        match (start, end) {
            // The second page lacks its last thirty records, and requests for them fail.
            (49, 98) => answer(request, |time| time < START + 68 * HOUR),
            (68, 98) => reply(500, &[], "{}"),
            _ => answer(request, |_| true),
        }
    });
    let history = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR));
    let all = history.clone().skip_failed_pages().collect().await.unwrap();
    let [failure] = all.report.failed_pages.as_slice() else { panic!("{:?}", all.report) };
    assert_eq!(failure.range, at(START + 68 * HOUR)..at(START + 98 * HOUR));
    assert_eq!((all.records.len(), all.report.gaps.len()), (460, 0));
    assert_eq!(history.collect().await.unwrap_err().error.status(), Some(500));
}

#[tokio::test(start_paused = true)]
async fn page_above_the_size_limit_is_split() {
    let max_hours = 100;
    let service = Service::new(move |request, _| {
        let hours = (number(request, "endTime") - number(request, "startTime")) / HOUR;
        if hours > max_hours { mock_response(Err(Error::body_too_large(1000))) } else { answer(request, |_| true) }
    });
    let all = hours(&service.client()).history(at(START)..at(START + 20_000 * HOUR)).collect().await.unwrap();
    assert_eq!(all.records.len(), 20_000);
    assert!(all.report.is_complete());
    // Windows that were already requested are divided, and later windows are smaller from the beginning.
    assert!((320..600).contains(&service.seen().0), "{:?}", service.seen());
    // A window with a single record cannot be divided.
    let service = Service::new(|_, _| mock_response(Err(Error::body_too_large(1000))));
    let history = hours(&service.client()).history(at(START)..at(START + 500 * HOUR));
    let error = history.collect().await.unwrap_err().error;
    assert!(error.is_body_too_large(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn skipped_records_are_reported_as_data() {
    check_skipped(7).await;
    // The bad record is the last record of a page, so that the end of the page is requested again.
    check_skipped(19).await;
}

async fn check_skipped(hour: i64) {
    let service = Service::new(move |request, _| {
        let text = format!(r#"{{"openDate": {}, "ratio": 0.5}}"#, START + hour * HOUR);
        let mock = answer(request, |_| true);
        let body = String::from_utf8(mock.outcome.unwrap().body.to_vec()).unwrap();
        reply(200, &[], &body.replace(&text, r#"{"openDate": "soon", "ratio": 0.5}"#))
    });
    let history = || hours(&service.client()).skip_bad_records().history(at(START)..at(START + 20 * HOUR));
    let all = history().collect().await.unwrap();
    assert_eq!((all.records.len(), all.report.bad_records.len(), all.report.gaps.len()), (19, 1, 1));
    assert!(all.report.bad_records[0].path().ends_with("].openDate"));
    let error = hours(&service.client()).history(at(START)..at(START + 20 * HOUR)).collect().await.unwrap_err().error;
    assert!(error.is_decode(), "{error}");
}

/// The body is complete, so another request would return the same body.
#[tokio::test(start_paused = true)]
async fn a_complete_body_that_does_not_decode_is_requested_once() {
    for body in [r#"{"data": [{"openDate": 1, "rat"#, r#"{"data": [{"openDate": true, "ratio": 0.5}]}"#] {
        let service = Service::new(move |_, _| reply(200, &[], body));
        let history = hours(&service.client()).history(at(START)..at(START + 20 * HOUR));
        let failed = history.skip_failed_pages().collect().await.unwrap();
        assert!(failed.report.failed_pages.iter().all(|page| page.error.is_decode()));
        assert_eq!((failed.report.failed_pages.len(), service.seen().0), (1, 1));
    }
}

/// The service would reject every request before the end of such a pause.
#[tokio::test(start_paused = true)]
async fn a_pause_that_is_longer_than_a_request_waits_ends_a_history() {
    for (status, is_of_client) in [(429, true), (403, false), (503, false)] {
        let service = Service::new(move |request, before| {
            let pause = ("retry-after", "3600");
            if before < 2 { answer(request, |_| true) } else { reply(status, &[pause], "{}") }
        });
        let history = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR)).prefetch(2);
        let begun = tokio::time::Instant::now();
        let failed = history.skip_failed_pages().collect().await.unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(2), "{status}: {:?}", begun.elapsed());
        assert_eq!(failed.partial.records.len(), 98, "{status}");
        assert_eq!(failed.error.long_pause(), Some(Duration::from_secs(3600)), "{status}");
        assert_eq!(failed.error.is_long_pause_of_client(), is_of_client, "{status}");
        assert!(service.seen().0 <= 4, "{status}: {:?}", service.seen());
    }
}

/// Such a pause also ends a search for the first record.
#[tokio::test(start_paused = true)]
async fn a_long_pause_ends_a_search() {
    let service = Service::new(move |request, before| {
        let pause = ("retry-after", "3600");
        if before < 8 { answer(request, |_| false) } else { reply(429, &[pause], "{}") }
    });
    let history = hours(&service.client()).history(at(START)..at(START + 100_000 * HOUR)).prefetch(2);
    let failed = history.skip_failed_pages().collect().await.unwrap_err();
    assert!(failed.error.is_long_pause(), "{failed}");
    assert_eq!(service.seen().0, 9);
}
