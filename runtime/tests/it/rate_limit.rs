//! The rate limiter as the service sees it, over a transport in memory and a paused clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::emitted::WindowOfSome;
use runtime::registry::{EndpointInfo, Evidence};
use runtime::transport::{HttpRequest, Phase, SendFuture, SentNotifier, Transport, TransportError};
use runtime::{Endpoint, RateLimit, Retry, Value};
use tokio::time::Instant;

use crate::invented::{Client, Request, SERVICE, limits};
use crate::scripted::{Fate, Service, ok, reply};

const SECOND: Duration = Duration::from_secs(1);

/// Sends this number of requests concurrently, each with its number as its path.
async fn check(client: &Client, count: usize) {
    let calls: Vec<_> = (0..count).map(|index| tokio::spawn(client.raw(format!("/{index}")).into_future())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// An endpoint whose requests count as five.
enum Heavy {}

impl runtime::emitted::Marker for Heavy {}

impl Endpoint for Heavy {
    type Body = Value;
    const INFO: &'static EndpointInfo =
        &EndpointInfo::new("market", "heavy", "Heavy").path("/heavy", Evidence::Documented).weight(5);
}

#[tokio::test(start_paused = true)]
async fn a_heavy_request_counts_as_several() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).build().unwrap();
    let heavy = |client: &Client| tokio::spawn(Request::<Heavy>::new(client).into_future());
    let calls: Vec<_> = (0..40).map(|_| heavy(&client)).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let arrivals = service.arrivals();
    assert!(most_within(&arrivals, SECOND) <= 2, "{arrivals:?}");
    let taken = arrivals[39] - arrivals[0];
    assert!((19 * SECOND..21 * SECOND).contains(&taken), "{taken:?}");
    // Others share the window with them.
    check(&client, 10).await;
    let arrivals = service.arrivals();
    let light = arrivals[40..].iter().filter(|light| **light - arrivals[39] < SECOND).count();
    assert!(light <= 5, "{arrivals:?}");
}

/// Counts the requests of `/heavy` alone: ten in a second, which is two requests.
const OF_HEAVY: RateLimit = RateLimit::of_some(&[WindowOfSome::of(10, 1, &["/heavy"])]);

#[tokio::test(start_paused = true)]
async fn nobody_waits_behind_a_limit_of_other_endpoints() {
    let service = Service::new(|_, _| ok());
    let limit = RateLimit::new(100, SECOND, 100).and(OF_HEAVY);
    let client = service.builder().rate_limit(limit).build().unwrap();
    let calls: Vec<_> = (0..20).map(|_| tokio::spawn(Request::<Heavy>::new(&client).into_future())).collect();
    tokio::task::yield_now().await;
    let start = Instant::now();
    check(&client, 60).await;
    assert!(start.elapsed() < SECOND, "{:?}", start.elapsed());
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let heavy = service.arrivals_at("/heavy");
    assert!(most_within(&heavy, SECOND) <= 2, "{heavy:?}");
    let taken = heavy[19] - heavy[0];
    assert!((9 * SECOND..10 * SECOND).contains(&taken), "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_gives_back_all_that_it_took() {
    const ONE_AN_HOUR: RateLimit = RateLimit::of_some(&[WindowOfSome::of(5, 3600, &["market"])]);
    let service = Service::new(|_, _| Fate { reply: 10 * SECOND, ..ok() });
    let limit = RateLimit::new(100, SECOND, 1).and(ONE_AN_HOUR);
    let client = service.builder().rate_limit(limit).build().unwrap();
    let first = tokio::spawn(client.raw("/x").into_future());
    tokio::time::sleep(SECOND).await;
    // It has passed its own window, and waits for a slot of the global limit.
    let waiting = tokio::spawn(Request::<Heavy>::new(&client).into_future());
    tokio::time::sleep(SECOND).await;
    waiting.abort();
    first.await.unwrap().unwrap();
    let start = Instant::now();
    Request::<Heavy>::new(&client).await.unwrap();
    assert!(start.elapsed() < 11 * SECOND, "{:?}", start.elapsed());
    let start = Instant::now();
    Request::<Heavy>::new(&client).await.unwrap();
    assert!(start.elapsed() > 3500 * SECOND, "{:?}", start.elapsed());
}

macro_rules! endpoint {
    ($name:ident $ident:literal $path:literal) => {
        enum $name {}

        impl runtime::emitted::Marker for $name {}

        impl Endpoint for $name {
            type Body = Value;
            const INFO: &'static EndpointInfo =
                &EndpointInfo::new("market", $ident, $ident).path($path, Evidence::Documented);
        }
    };
}

endpoint!(One "one" "/one");
endpoint!(Two "two" "/two");
endpoint!(Three "three" "/three");

#[tokio::test(start_paused = true)]
async fn limits_that_share_endpoints_hold_and_end() {
    const SETS: RateLimit = RateLimit::of_some(&[
        WindowOfSome::of(4, 1, &["/one", "/two"]),
        WindowOfSome::of(3, 1, &["/two", "/three"]),
        WindowOfSome::of(20, 10, &["market"]),
    ]);
    fastrand::seed(11);
    let service = Service::new(|_, _| Fate { reply: Duration::from_millis(fastrand::u64(10..400)), ..ok() });
    let client = service.builder().rate_limit(SETS.and(RateLimit::new(5, SECOND, 2))).build().unwrap();
    let call = |_| match fastrand::u8(0..4) {
        0 => tokio::spawn(Request::<One>::new(&client).into_future()),
        1 => tokio::spawn(Request::<Two>::new(&client).into_future()),
        2 => tokio::spawn(Request::<Three>::new(&client).into_future()),
        _ => tokio::spawn(Request::<Heavy>::new(&client).into_future()),
    };
    let calls: Vec<_> = (0..200).map(call).collect();
    for call in calls {
        tokio::time::timeout(1000 * SECOND, call).await.unwrap().unwrap().unwrap();
    }
    let of = |paths: &[&str]| {
        let mut arrivals: Vec<_> = paths.iter().flat_map(|path| service.arrivals_at(path)).collect();
        arrivals.sort();
        arrivals
    };
    assert!(most_within(&of(&["/one", "/two"]), SECOND) <= 4);
    assert!(most_within(&of(&["/two", "/three"]), SECOND) <= 3);
    assert!(most_within(&of(&["/one", "/two", "/three"]), 10 * SECOND) <= 20);
    assert_eq!(service.most_under_way(), 2);
    assert_eq!(service.arrivals().len(), 200);
}

/// Each limit that counts a request knows that it was sent, long before its response.
#[tokio::test(start_paused = true)]
async fn slow_replies_hold_up_no_limit_of_some_endpoints() {
    const SETS: RateLimit = RateLimit::of_some(&[WindowOfSome::of(10, 1, &["/one"])]);
    let service = Service::new(|_, _| Fate { reply: 5 * SECOND, ..ok() });
    let client = service.builder().rate_limit(SETS.and(RateLimit::new(20, SECOND, 100))).build().unwrap();
    let calls: Vec<_> = (0..30).map(|_| tokio::spawn(Request::<One>::new(&client).into_future())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let arrivals = service.arrivals();
    let taken = arrivals[29] - arrivals[0];
    assert!((2 * SECOND..3 * SECOND).contains(&taken), "{taken:?}");
}

/// The most requests that arrived within any window of a length.
fn most_within(arrivals: &[Instant], length: Duration) -> usize {
    let count = |(index, first): (usize, &Instant)| {
        arrivals[index..].iter().take_while(|arrival| **arrival - *first < length).count()
    };
    arrivals.iter().enumerate().map(count).max().unwrap_or(0)
}

/// Fifty tasks send for ten minutes without a break; requests take up to five milliseconds to arrive.
async fn simulate(limit: RateLimit) -> (Vec<Instant>, usize) {
    let service = Service::new(|_, _| {
        let way = Duration::from_micros(fastrand::u64(0..=5000));
        Fate { way, reply: Duration::from_millis(fastrand::u64(10..400)), ..ok() }
    });
    let client = service.builder().rate_limit(limit).build().unwrap();
    let end = Instant::now() + 600 * SECOND;
    let task = |client: Client| async move {
        while Instant::now() < end {
            client.raw("/x").await.unwrap();
            tokio::time::sleep(Duration::from_millis(fastrand::u64(0..30))).await;
        }
    };
    let tasks: Vec<_> = (0..50).map(|_| tokio::spawn(task(client.clone()))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    let arrivals = service.arrivals().into_iter().filter(|arrival| *arrival < end).collect();
    (arrivals, service.most_under_way())
}

#[tokio::test(start_paused = true)]
async fn ten_minutes_at_full_speed_stay_within_each_set() {
    let sets = SERVICE.limits.iter().map(|info| (RateLimit::from(info), vec![info]));
    let all = (limits::all(), SERVICE.limits.iter().collect());
    for (limit, infos) in sets.chain([all]) {
        let (arrivals, under_way) = simulate(limit).await;
        let mut allowed = f64::INFINITY;
        for info in &infos {
            let length = Duration::from_secs(info.seconds.into());
            assert!(most_within(&arrivals, length) <= usize::try_from(info.requests).unwrap());
            assert!(under_way <= usize::try_from(info.concurrent.unwrap()).unwrap());
            allowed = allowed.min(f64::from(info.requests) * 600.0 / f64::from(info.seconds));
        }
        let used = f64::from(u32::try_from(arrivals.len()).unwrap()) / allowed;
        let names: Vec<_> = infos.iter().map(|info| info.name).collect();
        assert!(used >= 0.98, "{names:?}: {used}");
        if std::env::var_os("SHOW").is_some() {
            #[allow(clippy::print_stdout)] // Asked for.
            {
                println!("{names:?}: {:.2} % used, {under_way} under way", used * 100.0);
            }
        }
    }
}

/// The first requests have to open connections, and arrive when the next ones could be sent.
#[tokio::test(start_paused = true)]
async fn what_arrives_late_counts_late() {
    let service = Service::new(|_, before| {
        let departure = Duration::from_millis(if before < 10 { 300 } else { 0 });
        Fate { departure, way: departure + Duration::from_millis(2), ..ok() }
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 10)).build().unwrap();
    check(&client, 35).await;
    assert_eq!(most_within(&service.arrivals(), SECOND), 10);
}

/// Nor does the rate limiter forget them if the responses, which show when they were sent, take longer than the window.
#[tokio::test(start_paused = true)]
async fn what_arrives_late_and_is_answered_later_counts_late() {
    let service = Service::new(|_, before| {
        let departure = Duration::from_millis(if before < 10 { 300 } else { 0 });
        Fate { departure, way: departure + Duration::from_millis(2), reply: 3 * SECOND, ..ok() }
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 100)).build().unwrap();
    check(&client, 35).await;
    assert_eq!(most_within(&service.arrivals(), SECOND), 10);
}

/// A custom transport need not report when a request was sent.
#[tokio::test(start_paused = true)]
async fn what_is_not_told_leaves_when_it_is_called() {
    let service = Service::untold(|_, _| Fate { reply: 3 * SECOND, ..ok() });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 100)).build().unwrap();
    let start = Instant::now();
    check(&client, 35).await;
    assert_eq!(most_within(&service.arrivals(), SECOND), 10);
    assert!(start.elapsed() < 7 * SECOND, "{:?}", start.elapsed());
}

/// A transport that claims to report it may omit it: such a request counts as sent when its response arrives.
#[tokio::test(start_paused = true)]
async fn what_is_answered_has_left() {
    struct Forgetful(Arc<Service>);
    impl Transport for Forgetful {
        fn send(&self, mut request: HttpRequest) -> SendFuture<'_> {
            request.on_sent = SentNotifier::default();
            self.0.send(request)
        }

        fn reports_sent(&self) -> bool {
            true
        }
    }
    let service = Service::new(|_, _| Fate { way: SECOND, reply: Duration::ZERO, ..ok() });
    let builder = service.builder().transport(Forgetful(service.clone()));
    let client = builder.rate_limit(RateLimit::new(1, SECOND, 1)).build().unwrap();
    let start = Instant::now();
    check(&client, 3).await;
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [1, 3, 5]);
}

/// A request that fails before it is sent does not count.
#[tokio::test(start_paused = true)]
async fn what_has_not_left_leaves_room() {
    struct Broken;
    impl Transport for Broken {
        fn send(&self, _: HttpRequest) -> SendFuture<'_> {
            Box::pin(async { Err(TransportError::new(Phase::Connect, "no connection")) })
        }

        fn reports_sent(&self) -> bool {
            true
        }
    }
    let service = Service::new(|_, _| ok());
    let builder = service.builder().transport(Broken).rate_limit(RateLimit::new(1, 60 * SECOND, 1));
    let client = builder.retry(Retry::none()).build().unwrap();
    let start = Instant::now();
    for _ in 0..10 {
        client.raw("/x").await.unwrap_err();
    }
    assert!(start.elapsed() < SECOND);
}

#[tokio::test(start_paused = true)]
async fn what_the_window_allows_goes_out_at_once() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(5, SECOND, 100)).build().unwrap();
    let start = Instant::now();
    check(&client, 12).await;
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_first_is_served_first() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(3, SECOND, 2)).build().unwrap();
    let calls = (0..50).map(|index| (index, client.clone()));
    let calls: Vec<_> = calls
        .map(|(index, client)| {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(index)).await;
                client.raw(format!("/{index}")).await.map(drop)
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let expected: Vec<_> = (0..50).map(|index| index.to_string()).collect();
    assert_eq!(service.paths(), expected);
    assert!(service.most_under_way() <= 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_before_goes_first() {
    let service = Service::new(|_, before| if before == 0 { reply(503, &[], "") } else { ok() });
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    let client = service.builder().rate_limit(RateLimit::new(1, SECOND, 1)).retry(retry).build().unwrap();
    check(&client, 4).await;
    assert_eq!(service.paths(), ["0", "0", "1", "2", "3"]);
}

#[tokio::test(start_paused = true)]
async fn ten_of_an_idle_client_leave_at_once() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(600, 60 * SECOND, 100)).build().unwrap();
    for _ in 0..2 {
        let start = Instant::now();
        check(&client, 14).await;
        let arrivals = service.arrivals().into_iter().filter(|arrival| *arrival >= start);
        let hundredths: Vec<_> = arrivals.map(|arrival| (arrival - start).as_millis() / 100).collect();
        assert_eq!(hundredths, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        tokio::time::sleep(60 * SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_leaves_no_debt() {
    fastrand::seed(11);
    for _ in 0..30 {
        let service = Service::new(|_, _| ok());
        let requests = fastrand::u32(1..10);
        let limit = RateLimit::new(requests, SECOND, fastrand::u32(1..10));
        let client = service.builder().rate_limit(limit).build().unwrap();
        let waits = (0..60).map(|_| Duration::from_millis(fastrand::u64(0..4000)));
        let calls = waits.map(|patience| {
            let call = client.raw("/x").into_future();
            tokio::spawn(tokio::time::timeout(patience, call))
        });
        for call in calls.collect::<Vec<_>>() {
            drop(call.await.unwrap());
        }
        assert_eq!(service.under_way(), 0);
        let arrivals = service.arrivals();
        assert!(most_within(&arrivals, SECOND) <= usize::try_from(requests).unwrap());
        // Only sent requests count: a window after the last one, everything is free again.
        tokio::time::sleep(2 * SECOND).await;
        let start = Instant::now();
        client.raw("/after").await.unwrap();
        assert!(start.elapsed() < SECOND / 10);
    }
}

/// The same on several threads and a real clock, where only outcomes can be asserted.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nor_does_it_on_several_threads() {
    let quick = || Fate { way: Duration::ZERO, reply: Duration::from_millis(fastrand::u64(0..3)), ..ok() };
    let service = Service::new(move |_, _| quick());
    let client = service.builder().rate_limit(RateLimit::new(40, SECOND / 50, 3)).build().unwrap();
    let calls = (0..600).map(|_| {
        let call = client.raw("/x").into_future();
        tokio::spawn(tokio::time::timeout(Duration::from_millis(fastrand::u64(0..150)), call))
    });
    for call in calls.collect::<Vec<_>>() {
        drop(call.await.unwrap());
    }
    assert!(service.most_under_way() <= 3);
    // A cancelled request ends at the next poll of its runtime.
    while service.under_way() > 0 {
        tokio::task::yield_now().await;
    }
    check(&client, 50).await;
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_pause_everybody() {
    let service = Service::new(|_, before| if before == 0 { reply(429, &[("retry-after", "7")], "") } else { ok() });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 10)).build().unwrap();
    let start = Instant::now();
    client.raw("/first").await.unwrap();
    check(&client, 20).await;
    let arrivals: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs_f64()).collect();
    assert!(arrivals[1] >= 7.0);
    // From then on one after the other, a little slower than allowed.
    for pair in arrivals[1..].windows(2) {
        assert!(pair[1] - pair[0] > 0.1 && pair[1] - pair[0] < 0.11, "{arrivals:?}");
    }
    tokio::time::sleep(40 * SECOND).await;
    let start = Instant::now();
    check(&client, 10).await;
    assert!(start.elapsed() < SECOND / 10);
}

#[tokio::test(start_paused = true)]
async fn too_long_a_pause_is_refused_at_once() {
    let service = Service::new(|_, before| {
        let date = ("date", "Tue, 15 Nov 1994 08:00:00 GMT");
        let tomorrow = ("retry-after", "Wed, 16 Nov 1994 08:00:00 GMT");
        if before == 0 { reply(429, &[date, tomorrow], "") } else { ok() }
    });
    let client = service.client();
    let start = Instant::now();
    let error = client.raw("/x").await.unwrap_err();
    assert!(start.elapsed() < SECOND);
    assert!(error.is_rate_limited());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(86_400)));
    let text = error.to_string();
    assert!(text.contains("; retry after 86400s; that is longer than the `max_retry_after` of 60s; "), "{text}");
    // Other requests wait, but not for a day.
    client.raw("/x").await.unwrap();
    assert!(start.elapsed() > 59 * SECOND && start.elapsed() < 62 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn retries_and_tokens_count() {
    let service = Service::new(|request, before| match before {
        _ if request.url.ends_with("token") => reply(200, &[], r#"{"access_token": "t"}"#),
        1 => reply(503, &[], ""),
        _ => ok(),
    });
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    let builder = service.builder().rate_limit(RateLimit::new(1, SECOND, 1)).retry(retry);
    let client = builder.client_credentials("id", "secret").build().unwrap();
    let start = Instant::now();
    client.raw("/x").await.unwrap();
    assert_eq!(service.seen(), (2, 1));
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_expires_at_the_gate_is_replaced() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let bearers = seen.clone();
    let service = Service::new(move |request, _| {
        if request.url.ends_with("token") {
            let number = tokens.fetch_add(1, Ordering::SeqCst);
            return reply(200, &[], &format!(r#"{{"access_token": "t{number}", "expires_in": 60}}"#));
        }
        bearers.lock().unwrap().push(request.headers.get("authorization").unwrap_or_default().to_owned());
        if seen_first(&bearers) { reply(429, &[("retry-after", "60")], "") } else { ok() }
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    check(&client, 10).await;
    let bearers = seen.lock().unwrap();
    assert_eq!(bearers.iter().filter(|bearer| *bearer == "Bearer t0").count(), bearers.len() - 10);
    // No request used the old one after the pause, and one request replaced it for all.
    assert_eq!(service.seen().1, 2);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_of_no_use_is_given_back() {
    let body = r#"{"access_token": "t", "expires_in": 5}"#;
    let service = Service::new(|request, _| if request.url.ends_with("token") { reply(200, &[], body) } else { ok() });
    let limit = RateLimit::new(1, 10 * SECOND, 1);
    let client = service.builder().client_credentials("id", "secret").rate_limit(limit).build().unwrap();
    let start = Instant::now();
    client.raw("/x").await.unwrap();
    // The token has expired when its request is sent, so the next token is used.
    assert_eq!(service.paths(), ["token", "token", "x"]);
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [0, 10, 20]);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_refused_meanwhile_is_not_tried_by_everybody() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let service = Service::new(move |request, before| {
        if request.url.ends_with("token") {
            let number = tokens.fetch_add(1, Ordering::SeqCst);
            return reply(200, &[], &format!(r#"{{"access_token": "t{number}", "expires_in": 600}}"#));
        }
        let old = request.headers.get("authorization") == Some("Bearer t0");
        if old && before > 1 { reply(401, &[], "") } else { ok() }
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    check(&client, 1).await;
    check(&client, 100).await;
    let (data, tokens) = service.seen();
    assert_eq!(tokens, 2);
    // The requests in flight are rejected at once; the other ninety learn it from them.
    assert!(data <= 1 + 100 + 10, "{data}");
}

fn seen_first(bearers: &Mutex<Vec<String>>) -> bool {
    bearers.lock().unwrap().len() <= 9
}

#[tokio::test(start_paused = true)]
async fn without_limits_nothing_waits() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let start = Instant::now();
    check(&client, 300).await;
    assert!(start.elapsed() < SECOND / 10);
    assert_eq!(service.most_under_way(), 300);
}
