//! Tests of faults: machines die, the service rejects requests, and the server loses data, is slow or unreachable.

use runtime::ErrorKind;
use runtime::rate_limit::RateLimiter;

use super::*;
use crate::scripted::{failure, reply};

/// Returns a limit with a single slot, so that the sent requests show which machine has the slot.
fn one_slot() -> RateLimit {
    RateLimit::new(10, SECOND, 1)
}

/// Waits until a new rate limiter admits requests: it admits none during the first window after its first use.
async fn settle(machine: &Machine) {
    tokio::time::sleep(2 * SECOND).await;
    machine.client.raw("/x").await.unwrap();
    tokio::time::sleep(2 * SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn dead_machine_loses_its_slots() {
    let (service, store) = (service(100 * SECOND), MemoryStore::new());
    let [mut dead, mut alive] = [(); 2].map(|()| Machine::new(&service, store.clone(), one_slot()));
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
    let machine = Machine::new(&service, store, one_slot());
    let client = machine.client.clone();
    let waiting = tokio::spawn(async move { client.raw("/x").await });
    tokio::time::sleep(MILLISECOND / 2).await;
    machine.worker.abort();
    let ended = async {
        let errors = [waiting.await.unwrap().unwrap_err(), machine.client.raw("/x").await.unwrap_err()];
        assert!(errors.iter().all(|error| error.to_string().contains("the worker of the shared rate limit has ended")));
        machine.limiter.shutdown().await;
        machine.limiter.status().await.unwrap_err()
    };
    tokio::time::timeout(60 * SECOND, ended).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn long_request_keeps_its_slot() {
    let (service, store) = (service(25 * SECOND), MemoryStore::new());
    let [mut one, mut other] = [(); 2].map(|()| Machine::new(&service, store.clone(), one_slot()));
    let end = Instant::now() + 100 * SECOND;
    one.run("/one", 1, end);
    other.run("/other", 1, end);
    assert!(one.finish().await + other.finish().await >= 4);
    assert_eq!(service.max_in_flight(), 1);
    // The machine that detects the free slot first leaves the slot to the other machine.
    let paths = service.paths();
    assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
}

#[tokio::test(start_paused = true)]
async fn machine_gets_its_share_of_occupied_slots() {
    let (service, store) = (service(4 * SECOND), MemoryStore::new());
    let mut machines = [(); 3].map(|()| Machine::new(&service, store.clone(), RateLimit::new(100, SECOND, 9)));
    let end = Instant::now() + 120 * SECOND;
    for (machine, path) in machines.iter_mut().zip(["/a", "/b", "/c"]) {
        machine.run(path, 20, end);
        tokio::time::sleep(20 * SECOND).await;
    }
    tokio::time::sleep(20 * SECOND).await;
    let status = machines[0].limiter.status().await.unwrap();
    let shares: Vec<_> = status.machines.values().map(|machine| machine.in_flight).collect();
    assert!(shares.len() == 3 && shares.iter().all(|share| (2..=4).contains(share)), "{status:?}");
    assert_eq!(service.max_in_flight(), 9);
}

#[tokio::test(start_paused = true)]
async fn pause_applies_to_all_machines() {
    let service = Service::new(move |_, before| match before {
        100 => reply(429, &[("retry-after", "5")], ""),
        _ => MockResponse { arrives_after: Duration::ZERO, duration: 20 * MILLISECOND, ..ok() },
    });
    let store = MemoryStore::new();
    let mut machines = [(); 3].map(|()| Machine::new(&service, store.clone(), set_a()));
    let end = Instant::now() + 30 * SECOND;
    for machine in &mut machines {
        machine.run("/x", 10, end);
    }
    for machine in &mut machines {
        machine.finish().await;
    }
    let arrivals = service.arrivals();
    let rejected = arrivals[100] + 20 * MILLISECOND;
    // Requests that were admitted before the 429 arrived are still sent after it.
    let next = arrivals.iter().find(|arrival| **arrival > rejected + 150 * MILLISECOND).unwrap();
    let pause = *next - rejected;
    assert!(pause >= 5 * SECOND && pause < 5 * SECOND + 50 * MILLISECOND, "{pause:?}");
}

/// Checks that machines continue after a fault: `fault` causes the fault and returns its time, and the longest time
/// between two requests must not exceed `max`.
async fn check(fault: impl AsyncFnOnce(&MemoryStore) -> Instant, max: Duration) {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    let mut machines =
        [(); 3].map(|()| Machine::new(&service, store.at(MILLISECOND), RateLimit::new(100, 10 * SECOND, 20)));
    let begun = Instant::now();
    let end = begun + 90 * SECOND;
    for machine in &mut machines {
        machine.run("/x", 10, end);
    }
    tokio::time::sleep(40 * SECOND).await;
    let before = fault(&store).await;
    let mut calls = 0;
    for machine in &mut machines {
        calls += machine.finish().await;
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
    settle(&Machine::new(&service, store.clone(), one_slot())).await;
    let begun = Instant::now();
    for _ in 0..20 {
        let mut program = Machine::failing_after(SECOND, &service, store.clone(), one_slot());
        program.client.raw("/x").await.unwrap();
        program.limiter.shutdown().await;
        program.kill();
    }
    assert!(begun.elapsed() < 3 * SECOND, "{:?}", begun.elapsed());
    let program = Machine::new(&service, store.clone(), one_slot());
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
    let machine = Machine::new(&service, store.clone(), set_a());
    settle(&machine).await;
    for patience in (0..60).map(|index| 37 * index * MILLISECOND) {
        let task = tokio::spawn(machine.client.raw("/x").into_future());
        tokio::time::sleep(patience).await;
        task.abort();
    }
    tokio::time::sleep(2 * SECOND).await;
    let status = machine.limiter.status().await.unwrap();
    assert_eq!((status.in_flight, status.machines.len(), status.opens_in), (0, 0, Duration::ZERO), "{status:?}");
    // The worker ends with the last clone of the rate limiter.
    let Machine { client, limiter, worker, .. } = machine;
    drop((client, limiter));
    worker.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_without_the_server() {
    let (service, store) = (service(MILLISECOND), MemoryStore::new());
    let machine = Machine::failing_after(10 * SECOND, &service, store.clone(), set_a());
    settle(&machine).await;
    store.server().stop();
    let before = service.arrivals().len();
    let begun = Instant::now();
    let error = machine.client.raw("/x").retry(runtime::Retry::none()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Queue);
    assert!(error.to_string().contains("the server cannot be reached"), "{error}");
    assert!(begun.elapsed() >= 10 * SECOND && begun.elapsed() < 11 * SECOND, "{:?}", begun.elapsed());
    assert!(machine.limiter.status().await.is_err());
    // Requests that still wait when the server responds again are sent.
    let waiting = tokio::spawn(machine.client.raw("/x").into_future());
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(service.arrivals().len(), before);
    store.server().start();
    waiting.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn foreign_state_is_an_error_at_once() {
    let (service, store) = (service(20 * SECOND), MemoryStore::new());
    let one = Machine::new(&service, store.clone(), set_a());
    settle(&one).await;
    let task = tokio::spawn(one.client.raw("/x").into_future());
    tokio::time::sleep(SECOND).await;
    let begun = Instant::now();
    let other = Machine::new(&service, store.clone(), one_slot());
    let message = other.client.raw("/x").retry(runtime::Retry::none()).await.unwrap_err().to_string();
    let expected =
        "other machines use this rate limiter with another limit than 10 in 1s and 1 in flight; use another name";
    assert!(message.contains(expected), "{message}");
    assert!(begun.elapsed() < SECOND);
    assert_eq!(other.limiter.rate_limit(), Some(one_slot()));
    // Another limit can be used after the last machine has stopped using the old one.
    task.await.unwrap().unwrap();
    tokio::time::sleep(2 * SECOND).await;
    other.client.raw("/x").await.unwrap();
    for (text, expected) in [
        (
            "{}",
            "the shared state on the server was written by another version or program; choose another name for the shared state: missing field",
        ),
        (
            "",
            "the shared state on the server was written by another version or program; choose another name for the shared state: EOF",
        ),
    ] {
        store.server().set(text);
        // After an error, the worker tries the server again every second.
        tokio::time::sleep(2 * SECOND).await;
        let message = other.limiter.status().await.unwrap_err();
        let message = format!("{message}: {}", std::error::Error::source(&message).unwrap());
        assert!(message.starts_with(expected), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn state_of_another_format_is_an_error_that_names_both_formats() {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    store.server().set(r#"{"format":2,"new":[]}"#);
    let machine = Machine::new(&service, store, set_a());
    let error = machine.client.raw("/x").retry(runtime::Retry::none()).await.unwrap_err().to_string();
    assert!(error.contains("the state on the server has format 2, expected 1; use another name"), "{error}");
    assert_eq!(service.arrivals().len(), 0);
}
