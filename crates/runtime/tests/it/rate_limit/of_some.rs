//! Tests of the weights of endpoints, and of limits that apply only to some endpoints.

use std::time::Duration;

use runtime::emitted::LimitWindow;
use runtime::rate_limit::ProcessRateLimiter;
use runtime::registry::EndpointInfo;
use runtime::{Endpoint, RateLimit, Value};
use test_service::invented::Client;
use test_service::scripted::{MockResponse, Service, ok};
use tokio::time::Instant;

use super::{SECOND, check, max_within};

/// An endpoint with the weight 5, so that each request counts as five requests.
enum Heavy {}

impl runtime::emitted::Marker for Heavy {}

impl Endpoint for Heavy {
    type Body = Value;
    const INFO: &'static EndpointInfo =
        &EndpointInfo { path: Some("/heavy"), weight: 5, ..EndpointInfo::new("market", "heavy", "Heavy") };
}

/// An endpoint whose weight is that of the number of records.
enum Pages {}

impl runtime::emitted::Marker for Pages {}

impl Endpoint for Pages {
    type Body = Value;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        path: Some("/pages"),
        weight: 10,
        weight_by: Some(("limit", &[(100, 1), (500, 5)])),
        ..EndpointInfo::new("market", "pages", "Pages")
    };
}

/// A limit of ten per second for `/heavy`, which allows two requests because of their weight.
const OF_HEAVY: RateLimit = RateLimit::set(&[LimitWindow::of(10, 1, &["/heavy"])], None);

macro_rules! endpoint {
    ($name:ident $ident:literal $path:literal) => {
        enum $name {}

        impl runtime::emitted::Marker for $name {}

        impl Endpoint for $name {
            type Body = Value;
            const INFO: &'static EndpointInfo =
                &EndpointInfo { path: Some($path), ..EndpointInfo::new("market", $ident, $ident) };
        }
    };
}

#[tokio::test(start_paused = true)]
async fn the_value_of_a_param_sets_the_weight() {
    const TEN: RateLimit = RateLimit::set(&[LimitWindow::of(10, 1, &["/pages"])], None);
    for (limit, in_a_second) in [(Some("100"), 10), (Some("101"), 2), (Some("500"), 2), (Some("501"), 1), (None, 1)] {
        let service = Service::new(|_, _| ok());
        let client = service.builder().rate_limiter(ProcessRateLimiter::new(TEN)).build().unwrap();
        let calls = (0..10).map(|_| {
            let request = test_service::invented::request::<Pages>(&client);
            let request = limit.into_iter().fold(request, |request, limit| request.query("limit", limit));
            tokio::spawn(request.into_future())
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap().unwrap();
        }
        assert_eq!(max_within(&service.arrivals(), SECOND), in_a_second, "{limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_heavy_request_counts_as_several() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).build().unwrap();
    let heavy = |client: &Client| tokio::spawn(test_service::invented::request::<Heavy>(client).into_future());
    let calls: Vec<_> = (0..40).map(|_| heavy(&client)).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let arrivals = service.arrivals();
    assert!(max_within(&arrivals, SECOND) <= 2, "{arrivals:?}");
    let elapsed = arrivals[39] - arrivals[0];
    assert!((19 * SECOND..21 * SECOND).contains(&elapsed), "{elapsed:?}");
    // Requests of other endpoints share the window with the heavy requests.
    check(&client, 10).await;
    let arrivals = service.arrivals();
    let light = arrivals[40..].iter().filter(|light| **light - arrivals[39] < SECOND).count();
    assert!(light <= 5, "{arrivals:?}");
}

#[tokio::test(start_paused = true)]
async fn limits_of_other_endpoints_do_not_delay() {
    let service = Service::new(|_, _| ok());
    let limit = RateLimit::new(100, SECOND, 100).and(OF_HEAVY);
    let client = service.builder().rate_limit(limit).build().unwrap();
    let calls: Vec<_> =
        (0..20).map(|_| tokio::spawn(test_service::invented::request::<Heavy>(&client).into_future())).collect();
    tokio::task::yield_now().await;
    let start = Instant::now();
    check(&client, 60).await;
    assert!(start.elapsed() < SECOND, "{:?}", start.elapsed());
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let heavy = service.arrivals_at("/heavy");
    assert!(max_within(&heavy, SECOND) <= 2, "{heavy:?}");
    let elapsed = heavy[19] - heavy[0];
    assert!((9 * SECOND..10 * SECOND).contains(&elapsed), "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_releases_every_limit() {
    const ONE_AN_HOUR: RateLimit = RateLimit::set(&[LimitWindow::of(5, 3600, &["market"])], None);
    let service = Service::new(|_, _| MockResponse { duration: 10 * SECOND, ..ok() });
    let limit = RateLimit::new(100, SECOND, 1).and(ONE_AN_HOUR);
    let client = service.builder().rate_limit(limit).build().unwrap();
    let first = tokio::spawn(client.raw("/x").into_future());
    tokio::time::sleep(SECOND).await;
    // The request has passed the window of its endpoint, and waits for a slot of the global limit.
    let waiting = tokio::spawn(test_service::invented::request::<Heavy>(&client).into_future());
    tokio::time::sleep(SECOND).await;
    waiting.abort();
    first.await.unwrap().unwrap();
    let start = Instant::now();
    test_service::invented::request::<Heavy>(&client).await.unwrap();
    assert!(start.elapsed() < 11 * SECOND, "{:?}", start.elapsed());
    let start = Instant::now();
    test_service::invented::request::<Heavy>(&client).await.unwrap();
    assert!(start.elapsed() > 3500 * SECOND, "{:?}", start.elapsed());
}

endpoint!(One "one" "/one");
endpoint!(Two "two" "/two");
endpoint!(Three "three" "/three");

#[tokio::test(start_paused = true)]
async fn overlapping_limits_hold_without_deadlock() {
    const SETS: RateLimit = RateLimit::set(
        &[
            LimitWindow::of(4, 1, &["/one", "/two"]),
            LimitWindow::of(3, 1, &["/two", "/three"]),
            LimitWindow::of(20, 10, &["market"]),
        ],
        None,
    );
    fastrand::seed(11);
    let service = Service::new(|_, _| MockResponse { duration: Duration::from_millis(fastrand::u64(10..400)), ..ok() });
    let client = service.builder().rate_limit(SETS.and(RateLimit::new(5, SECOND, 2))).build().unwrap();
    let call = |_| match fastrand::u8(0..4) {
        0 => tokio::spawn(test_service::invented::request::<One>(&client).into_future()),
        1 => tokio::spawn(test_service::invented::request::<Two>(&client).into_future()),
        2 => tokio::spawn(test_service::invented::request::<Three>(&client).into_future()),
        _ => tokio::spawn(test_service::invented::request::<Heavy>(&client).into_future()),
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
    assert!(max_within(&of(&["/one", "/two"]), SECOND) <= 4);
    assert!(max_within(&of(&["/two", "/three"]), SECOND) <= 3);
    assert!(max_within(&of(&["/one", "/two", "/three"]), 10 * SECOND) <= 20);
    assert_eq!(service.max_in_flight(), 2);
    assert_eq!(service.arrivals().len(), 200);
}

/// Each limit that counts a request is notified when the request is sent, which is long before the response arrives.
#[tokio::test(start_paused = true)]
async fn slow_responses_do_not_block_endpoint_limits() {
    const SETS: RateLimit = RateLimit::set(&[LimitWindow::of(10, 1, &["/one"])], None);
    let service = Service::new(|_, _| MockResponse { duration: 5 * SECOND, ..ok() });
    let client = service.builder().rate_limit(SETS.and(RateLimit::new(20, SECOND, 100))).build().unwrap();
    let calls: Vec<_> =
        (0..30).map(|_| tokio::spawn(test_service::invented::request::<One>(&client).into_future())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let arrivals = service.arrivals();
    let elapsed = arrivals[29] - arrivals[0];
    assert!((2 * SECOND..3 * SECOND).contains(&elapsed), "{elapsed:?}");
}
