//! Tests of weights, and of windows that count only the requests of some endpoints and have separate queues and shared
//! states.

use std::collections::BTreeMap;

use runtime::emitted::LimitWindow;
use runtime::registry::EndpointInfo;

use super::*;

/// A limit of ten requests per second, of which at most two may be for ratios.
fn limit() -> RateLimit {
    set_a().and(RateLimit::set(const { &[LimitWindow::of(2, 1, &["/ratio"])] }, None))
}

#[tokio::test(start_paused = true)]
async fn processes_share_a_limit_of_some_endpoints() {
    let service = service(20 * MILLISECOND);
    let mut stores: BTreeMap<String, Arc<MemoryStore>> = BTreeMap::new();
    let end = Instant::now() + 30 * SECOND;
    let mut processes = Vec::new();
    for _ in 0..2 {
        let store = |name: &str| stores.entry(name.to_owned()).or_insert_with(MemoryStore::new).at(MILLISECOND);
        let mut process = TestProcess::of(&service, settings(limit()), store);
        process.run("/other", 2, end);
        let client = process.client.clone();
        process.tasks.extend((0..10).map(|_| tokio::spawn(ratios(client.clone(), end))));
        processes.push(process);
    }
    assert_eq!(stores.keys().collect::<Vec<_>>(), ["key", "key/1"]);
    tokio::time::sleep_until(end).await;
    let (all, ratios) = (service.arrivals(), service.arrivals_at("/ratio?symbol=BTC"));
    assert!(peak(&all, SECOND) <= 11 && peak(&ratios, SECOND) <= 2);
    // A request that waits for the window of some endpoints does not block the common queue, so other requests use the
    // rest of the limit.
    let others = all.len() - ratios.len();
    assert!(ratios.len() > 30 && others > 200, "{} {others}", ratios.len());
    for mut process in processes {
        process.finish().await;
    }
}

/// An endpoint whose requests the service counts as four requests each.
const HEAVY: &EndpointInfo =
    &EndpointInfo { path: Some("/heavy"), weight: 4, ..EndpointInfo::new("market", "heavy", "Heavy") };

#[tokio::test(start_paused = true)]
async fn processes_share_a_limit_by_weight() {
    let (service, store) = (service(20 * MILLISECOND), MemoryStore::new());
    let end = Instant::now() + 30 * SECOND;
    let heavy = |client: Client| async move {
        let mut calls = 0;
        while Instant::now() < end {
            client.endpoint(HEAVY).await?;
            calls += 1;
        }
        Ok(calls)
    };
    let mut processes: Vec<_> =
        (0..2).map(|_| TestProcess::new(&service, store.at(MILLISECOND), RateLimit::new(10, SECOND, 20))).collect();
    for process in &mut processes {
        let client = process.client.clone();
        process.tasks.extend((0..3).map(|_| tokio::spawn(heavy(client.clone()))));
    }
    // The process dies while it sends requests. These requests count with their weights.
    tokio::time::sleep(10 * SECOND + 500 * MILLISECOND).await;
    processes[0].kill();
    tokio::time::sleep_until(end).await;
    let all = service.arrivals();
    assert!(peak(&all, SECOND) <= 2, "{}", peak(&all, SECOND));
    assert!(all.len() > 55, "{}", all.len());
    processes[1].finish().await;
}

async fn ratios(client: Client, end: Instant) -> Result<u64, Error> {
    let mut calls = 0;
    while Instant::now() < end {
        client.market().ratio().symbol("BTC").await?;
        calls += 1;
    }
    Ok(calls)
}

/// A request has a turn in the window for ratios and waits in the common queue. If it is cancelled there, its turn is
/// free again.
#[tokio::test(start_paused = true)]
async fn request_cancelled_in_one_queue_leaves_the_other() {
    let service = service(25 * SECOND);
    let stores = [MemoryStore::new(), MemoryStore::new()];
    let hour = RateLimit::set(const { &[LimitWindow::of(1, 3600, &["/ratio"])] }, None);
    let settings = settings(RateLimit::new(10, SECOND, 1).and(hour));
    let mut process = TestProcess::of(&service, settings, |name| stores[usize::from(name.ends_with("/1"))].clone());
    // The window admits no request in the first hour after its first use.
    let first = ratio(process.client.clone());
    tokio::time::sleep(4 * 3600 * SECOND).await;
    assert_eq!(first.await.unwrap().unwrap(), 1);
    let begun = service.paths().len();
    process.run("/other", 1, Instant::now() + SECOND);
    tokio::time::sleep(SECOND).await;
    let waits = ratio(process.client.clone());
    tokio::time::sleep(4 * SECOND).await;
    assert_eq!(service.paths().len(), begun + 1, "the only slot is in use");
    waits.abort();
    process.finish().await;
    let next = ratio(process.client.clone());
    tokio::time::sleep(4 * SECOND).await;
    assert_eq!(service.paths().len(), begun + 2);
    next.abort();
}

fn ratio(client: Client) -> JoinHandle<Result<u64, Error>> {
    tokio::spawn(ratios(client, Instant::now() + SECOND))
}
