//! Tests of the times at which requests arrive at the service, with a transport in memory and a paused clock.

mod of_some;
mod pauses;

use std::sync::Arc;
use std::time::Duration;

use runtime::transport::{HttpRequest, SendFuture, SentNotifier, Transport};
use runtime::{Error, ErrorKind, RateLimit, Retry};
use test_service::invented::{Client, SERVICE, limits};
use test_service::scripted::{MockResponse, Service, ok, reply};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// Sends this number of requests concurrently, each with its number as its path.
async fn check(client: &Client, count: usize) {
    let calls: Vec<_> = (0..count).map(|index| tokio::spawn(client.raw(format!("/{index}")).into_future())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// Returns the maximum number of requests that arrived within any window of this length.
fn max_within(arrivals: &[Instant], length: Duration) -> usize {
    let count = |(index, first): (usize, &Instant)| {
        arrivals[index..].iter().take_while(|arrival| **arrival - *first < length).count()
    };
    arrivals.iter().enumerate().map(count).max().unwrap_or(0)
}

/// Lets fifty tasks send for ten minutes without a break, where requests take up to five milliseconds to arrive.
async fn simulate(limit: RateLimit) -> (Vec<Instant>, usize) {
    let service = Service::new(|_, _| {
        let arrives_after = Duration::from_micros(fastrand::u64(0..=5000));
        MockResponse { arrives_after, duration: Duration::from_millis(fastrand::u64(10..400)), ..ok() }
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
    (arrivals, service.max_in_flight())
}

#[tokio::test(start_paused = true)]
async fn ten_minutes_at_full_speed_stay_within_each_set() {
    let sets = SERVICE.limits.iter().map(|info| (RateLimit::from(info), vec![info]));
    let all = (limits::all(), SERVICE.limits.iter().collect());
    for (limit, infos) in sets.chain([all]) {
        let (arrivals, in_flight) = simulate(limit).await;
        let mut allowed = f64::INFINITY;
        for info in &infos {
            let length = Duration::from_secs(info.seconds.into());
            assert!(max_within(&arrivals, length) <= usize::try_from(info.requests).unwrap());
            assert!(in_flight <= usize::try_from(info.concurrent.unwrap()).unwrap());
            allowed = allowed.min(f64::from(info.requests) * 600.0 / f64::from(info.seconds));
        }
        let used = f64::from(u32::try_from(arrivals.len()).unwrap()) / allowed;
        let names: Vec<_> = infos.iter().map(|info| info.name).collect();
        assert!(used >= 0.98, "{names:?}: {used}");
        if std::env::var_os("SHOW").is_some() {
            #[allow(clippy::print_stdout)] // Printed only on request.
            {
                println!("{names:?}: {:.2} % used, {in_flight} in flight", used * 100.0);
            }
        }
    }
}

/// The first requests have to open connections, so they are sent late, and count from the time at which they are sent.
#[tokio::test(start_paused = true)]
async fn late_arrival_counts_at_its_arrival() {
    let service = Service::new(|_, before| {
        let sent_after = Duration::from_millis(if before < 10 { 300 } else { 0 });
        MockResponse { sent_after, arrives_after: sent_after + Duration::from_millis(2), ..ok() }
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 10)).build().unwrap();
    check(&client, 35).await;
    assert_eq!(max_within(&service.arrivals(), SECOND), 10);
}

/// Requests that are sent late are also counted correctly if their responses take longer than the window.
#[tokio::test(start_paused = true)]
async fn late_arrival_with_late_response_counts_at_its_arrival() {
    let service = Service::new(|_, before| {
        let sent_after = Duration::from_millis(if before < 10 { 300 } else { 0 });
        MockResponse { sent_after, arrives_after: sent_after + Duration::from_millis(2), duration: 3 * SECOND, ..ok() }
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 100)).build().unwrap();
    check(&client, 35).await;
    assert_eq!(max_within(&service.arrivals(), SECOND), 10);
}

/// A custom transport need not report when a request was sent. The request then counts as sent when the transport is
/// called.
#[tokio::test(start_paused = true)]
async fn unreported_send_counts_at_the_call() {
    let service = Service::without_sent_reports(|_, _| MockResponse { duration: 3 * SECOND, ..ok() });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 100)).build().unwrap();
    let start = Instant::now();
    check(&client, 35).await;
    assert_eq!(max_within(&service.arrivals(), SECOND), 10);
    assert!(start.elapsed() < 7 * SECOND, "{:?}", start.elapsed());
}

/// A transport that claims to report when a request is sent may omit the report. The request then counts as sent when
/// its response arrives.
#[tokio::test(start_paused = true)]
async fn response_marks_a_request_as_sent() {
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
    let service = Service::new(|_, _| MockResponse { arrives_after: SECOND, duration: Duration::ZERO, ..ok() });
    let builder = service.builder().transport(Forgetful(service.clone()));
    let client = builder.rate_limit(RateLimit::new(1, SECOND, 1)).build().unwrap();
    let start = Instant::now();
    check(&client, 3).await;
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [1, 3, 5]);
}

/// A request that fails before it is sent does not count.
#[tokio::test(start_paused = true)]
async fn unsent_request_leaves_room() {
    struct Broken;
    impl Transport for Broken {
        fn send(&self, _: HttpRequest) -> SendFuture<'_> {
            Box::pin(async { Err(Error::retryable(ErrorKind::Connect, "no connection")) })
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
async fn requests_within_the_window_are_sent_at_once() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(5, SECOND, 100)).build().unwrap();
    let start = Instant::now();
    check(&client, 12).await;
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
}

#[tokio::test(start_paused = true)]
async fn queue_is_first_in_first_out() {
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
    assert!(service.max_in_flight() <= 2);
}

#[tokio::test(start_paused = true)]
async fn retries_go_before_new_requests() {
    let service = Service::new(|_, before| if before == 0 { reply(503, &[], "") } else { ok() });
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    let client = service.builder().rate_limit(RateLimit::new(1, SECOND, 1)).retry(retry).build().unwrap();
    check(&client, 4).await;
    assert_eq!(service.paths(), ["0", "0", "1", "2", "3"]);
}

#[tokio::test(start_paused = true)]
async fn ten_requests_of_an_idle_client_are_sent_at_once() {
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
async fn cancelled_waiter_frees_its_slot() {
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
        assert_eq!(service.in_flight(), 0);
        let arrivals = service.arrivals();
        assert!(max_within(&arrivals, SECOND) <= usize::try_from(requests).unwrap());
        // Only sent requests count: one window after the last sent request, all slots are free again.
        tokio::time::sleep(2 * SECOND).await;
        let start = Instant::now();
        client.raw("/after").await.unwrap();
        assert!(start.elapsed() < SECOND / 10);
    }
}

/// Cancels waiting requests on several threads and with a real clock, so the test asserts only outcomes.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_waiter_frees_its_slot_on_several_threads() {
    let quick =
        || MockResponse { arrives_after: Duration::ZERO, duration: Duration::from_millis(fastrand::u64(0..3)), ..ok() };
    let service = Service::new(move |_, _| quick());
    let client = service.builder().rate_limit(RateLimit::new(40, SECOND / 50, 3)).build().unwrap();
    let calls = (0..600).map(|_| {
        let call = client.raw("/x").into_future();
        tokio::spawn(tokio::time::timeout(Duration::from_millis(fastrand::u64(0..150)), call))
    });
    for call in calls.collect::<Vec<_>>() {
        drop(call.await.unwrap());
    }
    assert!(service.max_in_flight() <= 3);
    // A cancelled request ends at the next poll of its runtime.
    while service.in_flight() > 0 {
        tokio::task::yield_now().await;
    }
    check(&client, 50).await;
}

#[tokio::test(start_paused = true)]
async fn without_limits_nothing_waits() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let start = Instant::now();
    check(&client, 300).await;
    assert!(start.elapsed() < SECOND / 10);
    assert_eq!(service.max_in_flight(), 300);
}
