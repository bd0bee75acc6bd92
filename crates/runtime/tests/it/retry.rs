//! Tests of retries and timeouts, with a transport in memory and a paused clock.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::transport::{HttpRequest, SendFuture, Transport};
use runtime::{Error, ErrorKind, RateLimit, Retry};
use test_service::invented::Client;
use test_service::scripted::{DATA, MockResponse, Service, failure, ok, reply, silence};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const TOKEN: &str = r#"{"access_token": "canary-token", "expires_in": 600}"#;

async fn check(client: &Client) -> Result<f64, Error> {
    let series = client.market().ratio().symbol("BTC").await?;
    Ok(series.records.iter().map(|point| point.ratio).sum())
}

/// Returns the number of attempts and the outcome if every attempt gets the same response.
async fn always(mock: impl Fn() -> MockResponse + Send + 'static) -> (usize, Option<ErrorKind>) {
    let service = Service::new(move |_, _| mock());
    let outcome = check(&service.client()).await;
    (service.seen().0, outcome.err().map(|error| error.kind()))
}

#[tokio::test(start_paused = true)]
async fn transient_failures_are_retried_and_permanent_ones_are_final() {
    for kind in [ErrorKind::Connect, ErrorKind::Send, ErrorKind::Headers, ErrorKind::Body] {
        assert_eq!(always(move || failure(kind)).await.0, 4, "{kind:?}");
    }
    assert_eq!(always(silence).await, (4, Some(ErrorKind::Headers)));
    for (status, sent) in [(408, 4), (425, 4), (429, 4), (502, 4), (520, 4), (524, 4), (529, 4), (530, 4), (500, 2)] {
        assert_eq!(always(move || reply(status, &[], "")).await, (sent, Some(ErrorKind::Status)), "{status}");
    }
    for status in [100, 301, 302, 307, 400, 401, 403, 404, 405, 415, 422, 501] {
        assert_eq!(always(move || reply(status, &[], "")).await, (1, Some(ErrorKind::Status)), "{status}");
    }
    assert_eq!(always(|| reply(200, &[], "{")).await, (1, Some(ErrorKind::Decode)));
    for page in ["<html>", "Bad gateway", "", "not found", "404 page not found", "[error] 17", "{{page}}", "-- down --"]
    {
        assert_eq!(always(move || reply(200, &[], page)).await, (1, Some(ErrorKind::Decode)), "{page}");
    }
    assert_eq!(always(ok).await, (1, None));
}

#[tokio::test(start_paused = true)]
async fn a_success_after_failures_is_a_success() {
    let service = Service::new(|_, before| match before {
        0 => failure(ErrorKind::Headers),
        1 => reply(503, &[("retry-after", "3")], ""),
        2 => silence(),
        _ => ok(),
    });
    let start = Instant::now();
    assert!(check(&service.client()).await.is_ok());
    let arrivals = service.arrivals();
    assert!(arrivals[2] - arrivals[1] >= 3 * SECOND);
    assert!(start.elapsed() < 40 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn error_lists_the_attempts() {
    let service = Service::new(|_, _| reply(503, &[("retry-after", "2")], r#"{"message": "busy"}"#));
    let error = check(&service.client()).await.unwrap_err();
    assert_eq!((error.attempts(), error.retry_after()), (7, Some(2 * SECOND)));
    assert!(error.waited() >= 12 * SECOND && error.elapsed() > error.waited());
    let text = error.to_string();
    let start = "market.ratio (GET /ratio?symbol=BTC): status 503: busy; retry after 2s; after 7 attempts in ";
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with(" waiting"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn timeout_is_never_exceeded() {
    let stalled_token = |request: &_, _| {
        let request: &runtime::transport::HttpRequest = request;
        if request.url.ends_with("token") { silence() } else { ok() }
    };
    for total in [0, 1, 5, 29, 31, 200] {
        let total = total * SECOND / 2;
        let busy = Service::new(|_, _| reply(503, &[], ""));
        let silent = Service::new(|_, _| silence());
        let asked = Service::new(|_, _| reply(503, &[("retry-after", "40")], ""));
        let stalled = Service::new(stalled_token);
        let refused = Service::new(|_, _| reply(429, &[("retry-after", "30")], ""));
        for service in [busy, silent, asked, stalled, refused] {
            let builder = service.builder().timeout(total).client_credentials("id", "secret");
            let client = builder.build().unwrap();
            let start = Instant::now();
            let error = check(&client).await.unwrap_err();
            assert!(start.elapsed() <= total + Duration::from_millis(2), "{:?} of {total:?}: {error}", start.elapsed());
            assert!(error.elapsed() <= total + Duration::from_millis(2));
            assert!(error.is_retryable(), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn default_timeouts_are_30_seconds_and_10_minutes() {
    let service = Service::new(|_, _| silence());
    let once = service.builder().retry(Retry::none()).build().unwrap();
    let often = service.builder().retry(Retry::default().max_attempts(1000).budget(1000)).build().unwrap();
    // The clock's timers wake at whole milliseconds, so a timeout may be this much too late.
    let late = Duration::from_millis(2);
    let elapsed = check(&once).await.unwrap_err().elapsed();
    assert!(elapsed.abs_diff(30 * SECOND) <= late, "{elapsed:?}");
    // The request ends before a wait that would not leave time for another attempt.
    let elapsed = check(&often).await.unwrap_err().elapsed();
    assert!(elapsed > 560 * SECOND && elapsed <= 600 * SECOND + late, "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn attempt_is_limited_to_the_remaining_time() {
    let given = Arc::new(Mutex::new(Vec::new()));
    let seen = given.clone();
    let service = Service::new(move |request, _| {
        seen.lock().unwrap().push(request.timeout);
        reply(503, &[("retry-after", "2")], "")
    });
    let builder = service.builder().timeout(5 * SECOND).attempt_timeout(4 * SECOND);
    check(&builder.build().unwrap()).await.unwrap_err();
    let given = given.lock().unwrap();
    assert_eq!(given[0], 4 * SECOND);
    assert!(given.len() == 3 && given[1] < 3 * SECOND && given[2] < SECOND, "{given:?}");
}

#[tokio::test(start_paused = true)]
async fn timeout_excludes_the_rate_limit_queue() {
    let service = Service::new(|_, _| ok());
    let limit = RateLimit::new(1, 60 * SECOND, 1);
    let client = service.builder().rate_limit(limit).timeout(10 * SECOND).build().unwrap();
    let begun = Instant::now();
    for _ in 0..3 {
        check(&client).await.unwrap();
    }
    assert!(begun.elapsed() > 120 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn queue_timeout_limits_the_queue() {
    let service = Service::new(|_, _| ok());
    let builder = service.builder().rate_limit(RateLimit::new(1, 60 * SECOND, 1)).queue_timeout(10 * SECOND);
    let client = builder.build().unwrap();
    check(&client).await.unwrap();
    let error = check(&client).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), error.waited()), (ErrorKind::Queue, 0, 10 * SECOND));
    assert!(error.is_timeout() && error.is_retryable());
    let expected = "market.ratio (GET /ratio?symbol=BTC): \
        timed out in the rate-limit queue (`queue_timeout`); after 10s, of which 10s waiting";
    assert_eq!(error.to_string(), expected);
    // The timeout can also be set for a single request, in place of the client's timeout.
    client.raw("/x").queue_timeout(100 * SECOND).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn thousands_of_queued_requests_all_succeed() {
    let service = Service::new(|_, before| match before % 50 {
        0 => reply(503, &[], ""),
        _ => ok(),
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).build().unwrap();
    let begun = Instant::now();
    let requests: Vec<_> = (0..7000).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
    let mut failed = 0;
    for request in requests {
        failed += u32::from(request.await.unwrap().is_err());
    }
    assert_eq!(failed, 0);
    assert!(begun.elapsed() > 700 * SECOND, "longer than the total timeout: {:?}", begun.elapsed());
}

/// A transport that ignores timeouts.
struct IgnoresTimeouts;

impl Transport for IgnoresTimeouts {
    fn send(&self, _: HttpRequest) -> SendFuture<'_> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn timeout_holds_for_any_transport() {
    let builder = Client::builder("https://example.com/v2").api_key("canary-key").transport(IgnoresTimeouts);
    let client = builder.attempt_timeout(SECOND).retry(Retry::none()).build().unwrap();
    let begun = Instant::now();
    let error = tokio::time::timeout(600 * SECOND, check(&client)).await.unwrap().unwrap_err();
    assert!(begun.elapsed() <= SECOND + Duration::from_millis(2), "{:?}", begun.elapsed());
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Headers, 1));
    assert!(error.is_timeout() && error.to_string().contains("no complete response within 1s"), "{error}");
    let error = client.raw("/x").attempt_timeout(SECOND / 10).await.unwrap_err();
    assert!(error.elapsed() < SECOND / 5, "{error}");
    let error = client.raw("/x").timeout(SECOND / 10).await.unwrap_err();
    assert!(error.elapsed() < SECOND / 5, "{error}");
}

#[tokio::test(start_paused = true)]
async fn request_may_have_separate_retry_rules() {
    let service = Service::new(|_, _| reply(503, &[], ""));
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let patient = Retry::default().max_attempts(6);
    assert_eq!(client.raw("/x").retry(patient).await.unwrap_err().attempts(), 6);
    assert_eq!(client.raw("/x").await.unwrap_err().attempts(), 4);
}

#[tokio::test(start_paused = true)]
async fn previous_failure_is_the_cause() {
    let service = Service::new(|_, before| match before {
        0 => reply(503, &[], r#"{"message": "canary-key is busy"}"#),
        _ => silence(),
    });
    let builder = service.builder().queue_timeout(15 * SECOND).rate_limit(RateLimit::new(1, 60 * SECOND, 1));
    let error = check(&builder.build().unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Queue);
    assert!(format!("{error:#}").contains(": status 503: ********** is busy"), "{error:#}");
    assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    assert!(!error.to_string().contains("503"));
}

#[tokio::test(start_paused = true)]
async fn a_dead_service_sees_few_retries() {
    let service = Service::new(|_, _| reply(503, &[], ""));
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let mut exhausted = 0;
    for _ in 0..500 {
        let error = check(&client).await.unwrap_err();
        exhausted += usize::from(error.to_string().contains("; retry budget exhausted (too many recent failures); "));
    }
    assert_eq!(service.seen().0, 520);
    assert!(exhausted > 490);
    service.becomes(|_, _| ok());
    for _ in 0..10 {
        check(&client).await.unwrap();
    }
    service.becomes(|_, before| if before == 530 { reply(503, &[], "") } else { ok() });
    check(&client).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn retry_none_never_retries() {
    let service = Service::new(|_, _| reply(503, &[], ""));
    let client = service.builder().retry(Retry::none()).build().unwrap();
    assert_eq!(check(&client).await.unwrap_err().attempts(), 1);
    assert_eq!(service.seen(), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn token_is_refreshed_once_for_all_callers() {
    let service = Service::new(|request, before| match before {
        0 => failure(ErrorKind::Connect),
        1 => reply(503, &[], ""),
        _ if request.url.ends_with("token") => reply(200, &[], TOKEN),
        _ => ok(),
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { check(&client).await.map(drop) })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(service.seen(), (50, 3));
}

#[tokio::test(start_paused = true)]
async fn token_outage_ends_with_the_next_call() {
    let begin = Instant::now();
    let service = Service::new(move |request, _| match request.url.ends_with("token") {
        true if begin.elapsed() < 30 * SECOND => failure(ErrorKind::Connect),
        true => reply(200, &[], TOKEN),
        false => ok(),
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    let error = check(&client).await.unwrap_err();
    assert!(error.is_token() && error.is_retryable());
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 4));
    assert!(begin.elapsed() < 30 * SECOND);
    tokio::time::sleep(30 * SECOND).await;
    check(&client).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn valid_token_is_used_during_a_token_outage() {
    let begin = Instant::now();
    let service = Service::new(move |request, _| match request.url.ends_with("token") {
        true if begin.elapsed() > SECOND && begin.elapsed() < 570 * SECOND => silence(),
        true => reply(200, &[], TOKEN),
        false => reply(200, &[], DATA),
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    check(&client).await.unwrap();
    tokio::time::sleep(545 * SECOND).await;
    // No request waits for the new token while the old one works.
    for _ in 0..3 {
        check(&client).await.unwrap();
    }
    assert_eq!(service.seen(), (4, 2));
    assert!(begin.elapsed() < 560 * SECOND);
    tokio::time::sleep(25 * SECOND).await;
    check(&client).await.unwrap();
    assert_eq!(service.seen(), (5, 2));
    tokio::time::sleep(500 * SECOND).await;
    check(&client).await.unwrap();
    assert_eq!(service.seen(), (6, 3));
}

/// The budget is used up by an outage. Half a minute later it has one retry, and ten minutes later all of them.
#[tokio::test(start_paused = true)]
async fn time_refills_the_retry_budget() {
    let service = Service::new(|_, _| reply(503, &[], ""));
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let attempts = async || {
        let before = service.seen().0;
        assert_eq!(check(&client).await.unwrap_err().status(), Some(503));
        service.seen().0 - before
    };
    while attempts().await > 1 {}
    // The random delays of retries refill the budget too.
    let begun = Instant::now();
    let mut retries = 0;
    for pause in [31, 0, 91, 10] {
        tokio::time::sleep(pause * SECOND).await;
        retries += attempts().await - 1;
        let refilled = begun.elapsed().as_secs() / 30;
        assert!((refilled..=refilled + 1).contains(&(retries as u64)), "{pause}: {retries} of {refilled}");
    }
    tokio::time::sleep(600 * SECOND).await;
    let mut retries = 0;
    while let more @ 1.. = attempts().await - 1 {
        retries += more;
    }
    assert!((20..=22).contains(&retries), "{retries}");
}
