//! Tests of blocking requests from one thread, from many threads, and in contexts where they are errors.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use runtime::{Error, RateLimit, Retry};
use test_service::invented::{Client, Timeframe};
use test_service::scripted::{self, Service, ok, reply};
use tokio::runtime::Runtime;

use crate::ranges::{HOUR, START, answer, at};
use crate::socket::{self, DATA, KEY, Server, Step};

fn ask(client: &Client) -> Result<f64, Error> {
    let series = client.market().ratio().symbol("BTC").send_blocking()?;
    Ok(series.iter().map(|point| point.ratio).sum())
}

/// Sends `times` requests from each of `threads` threads, and sums the values.
fn ask_from_threads(client: &Client, threads: usize, times: usize) -> f64 {
    thread::scope(|scope| {
        let asker = || (0..times).map(|_| ask(client).unwrap()).sum::<f64>();
        let askers: Vec<_> = (0..threads).map(|_| scope.spawn(asker)).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).sum()
    })
}

#[test]
fn connections_are_reused() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start(vec![Step::Write(socket::reply("200 OK", DATA))]));
    let client = server.builder().build().unwrap();
    for _ in 0..3 {
        assert_eq!(ask(&client.clone()).unwrap().to_bits(), 0.25_f64.to_bits());
    }
    let response = client.raw("/x").query("a", 1).response_blocking().unwrap();
    assert_eq!((response.status, &response.body["data"][0]["ratio"]), (200, &0.25.into()));
    assert_eq!(server.connections(), 1);
}

#[test]
fn connection_of_an_idle_runtime_is_not_reused() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start(vec![Step::Write(socket::reply("200 OK", DATA))]));
    let client = server.builder().retry(Retry::none()).attempt_timeout(Duration::from_secs(2)).build().unwrap();
    let idle = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runtimes = [idle(), idle()];
    for _ in 0..3 {
        // Each connection is driven by the runtime that opened it, not by another runtime or the background thread.
        for idle in &runtimes {
            idle.block_on(client.raw("/x").into_future()).unwrap();
        }
        ask(&client).unwrap();
    }
    assert_eq!(server.connections(), 3);
}

#[test]
fn connection_closed_while_idle_is_replaced() {
    let runtime = Runtime::new().unwrap();
    let close = Step::Close(socket::reply("200 OK", DATA));
    let server = runtime.block_on(Server::start(vec![close]));
    let client = server.builder().retry(Retry::default().backoff(Duration::ZERO, Duration::ZERO)).build().unwrap();
    for _ in 0..3 {
        ask(&client).unwrap();
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.connections(), 3);
}

#[test]
fn many_threads_share_a_real_server() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start(vec![Step::Write(socket::reply("200 OK", DATA))]));
    let client = server.builder().rate_limit(RateLimit::new(10_000, Duration::from_secs(1), 8)).build().unwrap();
    assert_eq!(ask_from_threads(&client, 64, 10).to_bits(), 160.0_f64.to_bits());
    assert!(server.connections() < 64, "{} connections", server.connections());
    assert_eq!(server.requests.lock().unwrap().len(), 640);
}

#[test]
fn many_threads_share_rate_limiter_and_token() {
    let token = r#"{"access_token": "canary-token", "expires_in": 600}"#;
    let service = Service::new(move |request, _| if request.form.is_none() { ok() } else { reply(200, &[], token) });
    let builder = service.builder().client_credentials("canary-id", "canary-secret");
    let client = builder.rate_limit(RateLimit::new(10_000, Duration::from_secs(1), 4)).build().unwrap();
    ask_from_threads(&client, 16, 3);
    assert_eq!(service.seen(), (48, 1));
    assert!((2..=4).contains(&service.max_in_flight()), "{} at once", service.max_in_flight());
    // An awaited request uses the same token.
    Runtime::new().unwrap().block_on(client.raw("/x").into_future()).unwrap();
    assert_eq!(service.seen(), (49, 1));
}

#[test]
fn blocking_request_times_out() {
    let client = Service::new(|_, _| scripted::silence()).builder().timeout(Duration::from_millis(50));
    let error = ask(&client.build().unwrap()).unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

fn check_refusal(client: &Client) {
    let expected = "client.raw (GET /x?note=**********): \
        a blocking request would block the async runtime; \
        `.await` the request, or send it inside `spawn_blocking`";
    let request = client.raw("/x").query("note", KEY);
    assert_eq!(request.clone().send_blocking().unwrap_err().to_string(), expected);
    assert_eq!(request.response_blocking().unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn blocking_inside_async_is_an_error() {
    let service = Service::new(|_, _| ok());
    let client = service.client();
    check_refusal(&client);
    let there = client.clone();
    tokio::spawn(async move { check_refusal(&there) }).await.unwrap();
    assert_eq!(service.seen(), (0, 0));
    // The client checks whether it is called in an async task. This check must not use up the task's budget in Tokio.
    assert!(tokio::task::coop::has_budget_remaining());
}

/// Tokio permits a thread to block in `spawn_blocking`, in `block_in_place` and after entering a runtime.
#[test]
fn blocking_inside_spawn_blocking_works() {
    let (service, runtime) = (Service::new(|_, _| ok()), Runtime::new().unwrap());
    let client = service.client();
    let there = client.clone();
    runtime.block_on(async { tokio::task::spawn_blocking(move || ask(&there).map(drop)).await }).unwrap().unwrap();
    let there = client.clone();
    let in_place = async move { tokio::task::block_in_place(|| ask(&there).map(drop)) };
    runtime.block_on(runtime.spawn(in_place)).unwrap().unwrap();
    let entered = runtime.enter();
    ask(&client).unwrap();
    drop(entered);
    assert_eq!(service.seen(), (3, 0));
}

#[tokio::test]
async fn the_last_clone_may_be_dropped_inside_an_async_runtime() {
    let client = Service::new(|_, _| ok()).client();
    let there = client.clone();
    thread::spawn(move || ask(&there).map(drop)).join().unwrap().unwrap();
    drop(client);
}

#[test]
fn dropping_the_last_clone_ends_the_background_thread() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::builder(format!("http://{}/v2", listener.local_addr().unwrap())).api_key(KEY).build().unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1000];
        assert_ne!(stream.read(&mut request).unwrap(), 0);
        stream.write_all(&socket::reply("200 OK", DATA)).unwrap();
        // `read` returns 0 once the connection is closed. Until then, only the background thread keeps it open.
        stream.read(&mut request).unwrap()
    });
    ask(&client.clone()).unwrap();
    assert!(!server.is_finished());
    drop(client);
    assert_eq!(server.join().unwrap(), 0);
}

#[test]
fn blocking_follow_is_an_iterator() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let follow = || {
        let client = service.builder().clock(|| at(START + 3 * HOUR + 5)).build().unwrap();
        client.market().ratio().symbol("B").timeframe(Timeframe::H1).follow(at(START))
    };
    let mut updates = follow().updates_blocking();
    let update = updates.next().unwrap().unwrap();
    assert_eq!(update.records().len(), 3);
    assert_eq!(updates.stream().checkpoint().unwrap().next_time().unix_seconds(), START + 3 * HOUR);
    let outcome = Runtime::new().unwrap().block_on(async { follow().updates_blocking().next() });
    assert!(outcome.unwrap().unwrap_err().to_string().contains("would block"));
}

#[test]
fn blocking_history_is_an_iterator() {
    let service = Service::new(|request, _| answer(request, |time| time != START + 70 * HOUR));
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let hours = || client.market().ratio().symbol("B").timeframe(Timeframe::H1).limit(50);
    let history = || hours().history(at(START)..at(START + 200 * HOUR));
    let mut records = history().records_blocking();
    let times: Vec<i64> = records.by_ref().map(|record| record.unwrap().open_date.unix_seconds()).collect();
    let expected = (START..START + 200 * HOUR).step_by(3600).filter(|time| *time != START + 70 * HOUR);
    assert_eq!(times, expected.collect::<Vec<_>>());
    assert_eq!(records.stream().report().gaps.len(), 1);
    assert!(records.next().is_none());
    let take_gaps = || records.stream().take_report().gaps.len();
    assert_eq!((take_gaps(), take_gaps()), (1, 0));
    let all = history().collect_blocking().unwrap();
    assert_eq!((all.len(), all.report.gaps.len()), (199, 1));
    let pages: Vec<usize> = history().pages_blocking().map(|page| page.unwrap().records.len()).collect();
    assert_eq!(pages, [49, 48, 49, 49, 4]);
    // An error of the request ends the iterator. A call inside an async runtime fails, but the iterator can be used
    // afterwards.
    let error = hours()
        .start_time(at(START))
        .history(at(START)..at(START + HOUR))
        .records_blocking()
        .next()
        .unwrap()
        .unwrap_err();
    assert!(error.to_string().contains("`startTime` is set"), "{error}");
    let mut pages = history().pages_blocking();
    let inside = Runtime::new().unwrap().block_on(async { pages.next().unwrap().unwrap_err().to_string() });
    assert!(inside.contains("would block"), "{inside}");
    let inside = Runtime::new().unwrap().block_on(async { history().collect_blocking().unwrap_err() });
    assert!(inside.to_string().contains("would block"), "{inside}");
    assert_eq!(pages.map(|page| page.unwrap().records.len()).collect::<Vec<_>>(), [49, 48, 49, 49, 4]);
}
