//! Tests of faults: processes die, the service rejects requests, and the server loses data, is slow or unreachable.

use runtime::ErrorKind;
use runtime::rate_limit::RateLimiter;
use test_service::scripted::{failure, reply};

use super::*;

/// A limit with a single slot, so that the sent requests show which process has the slot.
fn one_slot() -> RateLimit {
    RateLimit::new(10, SECOND, 1)
}

/// Waits until a new rate limiter admits requests: it admits none during the first window after its first use.
async fn settle(process: &TestProcess) {
    tokio::time::sleep(2 * SECOND).await;
    process.client.raw("/x").await.unwrap();
    tokio::time::sleep(2 * SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn dead_process_loses_its_slots() {
    let (service, store) = (service(100 * SECOND), MemoryStore::new());
    let [mut dead, mut alive] = [(); 2].map(|()| TestProcess::new(&service, store.clone(), one_slot()));
    let begun = Instant::now();
    dead.run("/dead", 3, begun + 50 * SECOND);
    tokio::time::sleep(20 * SECOND).await;
    assert_eq!(service.paths(), ["dead"]);
    alive.run("/alive", 1, begun + 50 * SECOND);
    tokio::time::sleep(SECOND).await;
    assert_eq!(alive.limiter.status().await.unwrap().in_flight, 1);
    dead.kill();
    let killed = Instant::now();
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(service.paths(), ["dead", "alive"]);
    let delay = *service.arrivals().last().unwrap() - killed;
    assert!(delay > 5 * SECOND && delay < 9 * SECOND, "{delay:?}");
}

/// Simulates a worker that panics, or whose thread cannot create a runtime.
#[tokio::test(start_paused = true)]
async fn rate_limiter_without_its_worker_fails_at_once() {
    let (service, store) = (service(SECOND), MemoryStore::new());
    let process = TestProcess::new(&service, store, one_slot());
    let client = process.client.clone();
    let waiting = tokio::spawn(async move { client.raw("/x").await });
    tokio::time::sleep(MILLISECOND / 2).await;
    process.worker.abort();
    let ended = async {
        let errors = [waiting.await.unwrap().unwrap_err(), process.client.raw("/x").await.unwrap_err()];
        assert!(errors.iter().all(|error| error.to_string().contains("the worker of the shared rate limit has ended")));
        process.limiter.shutdown().await;
        process.limiter.status().await.unwrap_err()
    };
    tokio::time::timeout(60 * SECOND, ended).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn long_request_keeps_its_slot() {
    let (service, store) = (service(25 * SECOND), MemoryStore::new());
    let [mut one, mut other] = [(); 2].map(|()| TestProcess::new(&service, store.clone(), one_slot()));
    let end = Instant::now() + 100 * SECOND;
    one.run("/one", 1, end);
    other.run("/other", 1, end);
    assert!(one.finish().await + other.finish().await >= 4);
    assert_eq!(service.max_in_flight(), 1);
    // The process that detects the free slot first leaves the slot to the other process.
    let paths = service.paths();
    assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
}

#[tokio::test(start_paused = true)]
async fn process_gets_its_share_of_occupied_slots() {
    let (service, store) = (service(4 * SECOND), MemoryStore::new());
    let mut processes = [(); 3].map(|()| TestProcess::new(&service, store.clone(), RateLimit::new(100, SECOND, 9)));
    let end = Instant::now() + 120 * SECOND;
    for (process, path) in processes.iter_mut().zip(["/a", "/b", "/c"]) {
        process.run(path, 20, end);
        tokio::time::sleep(20 * SECOND).await;
    }
    tokio::time::sleep(20 * SECOND).await;
    let status = processes[0].limiter.status().await.unwrap();
    let shares: Vec<_> = status.processes.values().map(|process| process.in_flight).collect();
    assert!(shares.len() == 3 && shares.iter().all(|share| (2..=4).contains(share)), "{status:?}");
    assert_eq!(service.max_in_flight(), 9);
}

#[tokio::test(start_paused = true)]
async fn pause_applies_to_all_processes() {
    let service = Service::new(move |_, before| match before {
        100 => reply(429, &[("retry-after", "5")], ""),
        _ => MockResponse { arrives_after: Duration::ZERO, duration: 20 * MILLISECOND, ..ok() },
    });
    let store = MemoryStore::new();
    let mut processes = [(); 3].map(|()| TestProcess::new(&service, store.clone(), set_a()));
    let end = Instant::now() + 30 * SECOND;
    for process in &mut processes {
        process.run("/x", 10, end);
    }
    for process in &mut processes {
        process.finish().await;
    }
    let arrivals = service.arrivals();
    let rejected = arrivals[100] + 20 * MILLISECOND;
    // Requests that were admitted before the 429 arrived are still sent after it.
    let next = arrivals.iter().find(|arrival| **arrival > rejected + 150 * MILLISECOND).unwrap();
    let pause = *next - rejected;
    assert!(pause >= 5 * SECOND && pause < 5 * SECOND + 50 * MILLISECOND, "{pause:?}");
}

/// Checks that processes continue after a fault: `fault` causes the fault and returns its time, and the longest time
/// between two requests must not exceed `max`.
async fn check(fault: impl AsyncFnOnce(&MemoryStore) -> Instant, max: Duration) {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    let mut processes =
        [(); 3].map(|()| TestProcess::new(&service, store.at(MILLISECOND), RateLimit::new(100, 10 * SECOND, 20)));
    let begun = Instant::now();
    let end = begun + 90 * SECOND;
    for process in &mut processes {
        process.run("/x", 10, end);
    }
    tokio::time::sleep(40 * SECOND).await;
    let before = fault(&store).await;
    let mut calls = 0;
    for process in &mut processes {
        calls += process.finish().await;
    }
    let arrivals = service.arrivals();
    assert_eq!(usize::try_from(calls).unwrap(), arrivals.len(), "each call sends one request and succeeds");
    assert!(peak(&arrivals, 10 * SECOND) <= 100);
    let pause = arrivals.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(pause <= max, "{pause:?}");
    let [used_before, used_after] =
        [(begun + 20 * SECOND, before), (before + max, end)].map(|(from, to)| rate(&arrivals, from, to) / 10.0);
    assert!(used_before >= 0.97 && used_after >= 0.97, "{used_before} {used_after}");
}

/// The rate limiter of the process serves while the store is down. Before, during and after that time, no window holds
/// more requests than the limit, but for the few that both admit when slots become free at the moment of a change.
#[tokio::test(start_paused = true)]
async fn requests_of_the_fallback_count_in_the_store() {
    for slow in [20 * MILLISECOND, 4 * SECOND] {
        let service = service(slow);
        let store = MemoryStore::new();
        let limit = RateLimit::new(100, 10 * SECOND, 20);
        let fallback = Some(runtime::rate_limit::ProcessRateLimiter::new(limit.clone()));
        let settings = Settings { fail_after: Duration::ZERO, fallback, ..settings(limit) };
        let mut process = TestProcess::of(&service, settings, |_| store.clone());
        process.run("/x", 100, Instant::now() + 140 * SECOND);
        for seconds in [27, 3, 33, 12, 5, 40] {
            tokio::time::sleep(seconds * SECOND).await;
            let mut server = store.server();
            if server.is_down() {
                server.reconnect();
            } else {
                server.stop();
            }
        }
        process.finish().await;
        let arrivals = service.arrivals();
        assert!(peak(&arrivals, 10 * SECOND) <= 102, "{slow:?}: {}", peak(&arrivals, 10 * SECOND));
        assert!(service.max_in_flight() <= 30, "{slow:?}: {}", service.max_in_flight());
    }
}

const WINDOW: Duration = Duration::from_millis(10_100);

#[tokio::test(start_paused = true)]
async fn server_without_state_delays_one_window() {
    let restarted = async |store: &MemoryStore| {
        let stopped = Instant::now();
        store.server().stop();
        tokio::time::sleep(3 * SECOND).await;
        store.server().forget();
        store.server().start();
        stopped
    };
    let forgot = async |store: &MemoryStore| {
        store.server().forget();
        Instant::now()
    };
    check(restarted, 3 * SECOND + WINDOW + SECOND).await;
    check(forgot, WINDOW + SECOND / 5).await;
}

#[tokio::test(start_paused = true)]
async fn server_restored_from_a_backup_delays_one_window() {
    let went_back = async |store: &MemoryStore| {
        let before = store.server().snapshot();
        tokio::time::sleep(5 * SECOND).await;
        store.server().stop();
        store.server().go_back(before);
        store.server().start();
        Instant::now()
    };
    check(went_back, WINDOW + SECOND / 5).await;
}

#[tokio::test(start_paused = true)]
async fn clock_set_back_delays_one_window() {
    // The clock is also set back while proposals are in transit.
    for step in 0..6 {
        let set_back = async |store: &MemoryStore| {
            tokio::time::sleep(17 * step * MILLISECOND).await;
            store.server().set_back(3600 * SECOND);
            Instant::now()
        };
        check(set_back, WINDOW + SECOND / 5).await;
    }
}

#[tokio::test(start_paused = true)]
async fn lost_response_occupies_no_slot() {
    let flaky = async |store: &MemoryStore| {
        for _ in 0..15 {
            store.server().lose_responses(2);
            tokio::time::sleep(2 * SECOND).await;
        }
        Instant::now()
    };
    check(flaky, SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn ended_program_releases_its_slots() {
    let (service, store) = (service(MILLISECOND), MemoryStore::new());
    settle(&TestProcess::new(&service, store.clone(), one_slot())).await;
    let begun = Instant::now();
    for _ in 0..20 {
        let mut program = TestProcess::failing_after(SECOND, &service, store.clone(), one_slot());
        program.client.raw("/x").await.unwrap();
        program.limiter.shutdown().await;
        program.kill();
    }
    assert!(begun.elapsed() < 3 * SECOND, "{:?}", begun.elapsed());
    let program = TestProcess::new(&service, store.clone(), one_slot());
    program.client.raw("/x").await.unwrap();
    store.server().stop();
    program.limiter.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_leaves_nothing_behind() {
    let store = MemoryStore::new();
    let service = Service::new(|_, before| match before % 3 {
        0 => failure(ErrorKind::Headers),
        1 => MockResponse { arrives_after: SECOND, sent_after: SECOND, ..ok() },
        _ => MockResponse { duration: 50 * SECOND, ..ok() },
    });
    let process = TestProcess::new(&service, store.clone(), set_a());
    settle(&process).await;
    for patience in (0..60).map(|index| 37 * index * MILLISECOND) {
        let task = tokio::spawn(process.client.raw("/x").into_future());
        tokio::time::sleep(patience).await;
        task.abort();
    }
    tokio::time::sleep(2 * SECOND).await;
    let status = process.limiter.status().await.unwrap();
    assert_eq!((status.in_flight, status.processes.len(), status.opens_in), (0, 0, Duration::ZERO), "{status:?}");
    // The worker ends with the last clone of the rate limiter.
    let TestProcess { client, limiter, worker, .. } = process;
    drop((client, limiter));
    worker.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_without_the_server() {
    let (service, store) = (service(MILLISECOND), MemoryStore::new());
    let process = TestProcess::failing_after(10 * SECOND, &service, store.clone(), set_a());
    settle(&process).await;
    store.server().stop();
    let before = service.arrivals().len();
    let begun = Instant::now();
    let error = process.client.raw("/x").retry(runtime::Retry::none()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Queue);
    assert!(error.to_string().contains("the server cannot be reached"), "{error}");
    assert!(begun.elapsed() >= 10 * SECOND && begun.elapsed() < 11 * SECOND, "{:?}", begun.elapsed());
    assert!(process.limiter.status().await.is_err());
    // Requests that still wait when the server responds again are sent.
    let waiting = tokio::spawn(process.client.raw("/x").into_future());
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(service.arrivals().len(), before);
    store.server().start();
    waiting.await.unwrap().unwrap();
}

/// Each read succeeds, which does not end the time in which the server cannot be used.
#[tokio::test(start_paused = true)]
async fn requests_fail_if_the_server_refuses_writes() {
    let (service, store) = (service(SECOND), MemoryStore::new());
    let process = TestProcess::new(&service, store.clone(), one_slot());
    settle(&process).await;
    for _ in 0..2 {
        store.server().refuse_writes(true);
        let begun = Instant::now();
        let request = process.client.raw("/x").retry(runtime::Retry::none()).into_future();
        let failed = tokio::time::timeout(100 * SECOND, request).await.unwrap().unwrap_err();
        let waited = begun.elapsed();
        assert!(waited >= 30 * SECOND && waited < 32 * SECOND, "{waited:?}");
        assert!(failed.to_string().contains("the server refuses writes"), "{failed}");
        store.server().refuse_writes(false);
        process.client.raw("/x").await.unwrap();
    }
}

/// A process with another limit applies its own limit to the requests of all processes.
#[tokio::test(start_paused = true)]
async fn processes_with_different_limits_share_a_state() {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    let mut one = TestProcess::new(&service, store.clone(), set_a());
    settle(&one).await;
    let begun = Instant::now();
    one.run("/one", 5, begun + 20 * SECOND);
    let mut other = TestProcess::new(&service, store.clone(), RateLimit::new(600, 60 * SECOND, 10));
    tokio::time::sleep(5 * SECOND).await;
    let started = Instant::now();
    other.run("/other", 5, begun + 20 * SECOND);
    one.finish().await;
    other.finish().await;
    let sent = service.arrivals();
    assert!(peak(&sent, SECOND) <= 11, "{}", peak(&sent, SECOND));
    let used = rate(&sent, begun + 5 * SECOND, begun + 20 * SECOND);
    assert!(used > 9.0, "{used}");
    let first = service.paths().iter().position(|path| path == "other").unwrap();
    assert!(sent[first] - started < SECOND, "{:?}", sent[first] - started);
    assert_eq!(other.limiter.rate_limit(), Some(RateLimit::new(600, 60 * SECOND, 10)));
}

#[tokio::test(start_paused = true)]
async fn foreign_state_is_an_error_at_once() {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    let process = TestProcess::new(&service, store.clone(), set_a());
    settle(&process).await;
    for text in ["{}", "", "[]", "null", "\0"] {
        store.server().set(text);
        // After an error, the worker tries the server again every second.
        tokio::time::sleep(2 * SECOND).await;
        let error = process.limiter.status().await.unwrap_err();
        let expected = "the shared state on the server was written by another version or program; choose another name for the shared state";
        assert_eq!(error.to_string(), expected, "{text}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn state_of_another_format_is_an_error_that_names_the_format() {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    store.server().set(r#"{"format":9,"new":[]}"#);
    let process = TestProcess::new(&service, store, set_a());
    let error = process.client.raw("/x").retry(runtime::Retry::none()).await.unwrap_err().to_string();
    let expected = "the shared state on the server has format 9, which this version does not read; choose another name";
    assert!(error.contains(expected), "{error}");
    assert_eq!(service.arrivals().len(), 0);
}
