//! Tests that processes never exceed the limit and use the limit fully, whatever their number and their round-trip
//! times.

use super::*;

/// Runs processes with these round-trip times (in milliseconds) at full speed, and measures three windows after the
/// first two. Together the processes stay within the limit and use at least `min.0` of it, and each process gets at
/// least `min.1` of an even share.
async fn check(limit: RateLimit, window: Duration, trips: &[u64], reply: u64, min: (f64, f64)) {
    let (windows, reply) = (3, Duration::from_millis(reply));
    let service = service(reply);
    let store = MemoryStore::new();
    let begun = Instant::now();
    // A rate limiter is closed for a window after its first use, and the next window begins with a burst.
    let (from, end) = (begun + 2 * window, begun + (2 + windows) * window);
    let paths = ["/a", "/b", "/c", "/d", "/e"];
    let mut processes = Vec::new();
    for (trip, path) in trips.iter().zip(paths) {
        let mut process = TestProcess::new(&service, store.at(Duration::from_millis(*trip)), limit.clone());
        process.run(path, 30, end);
        processes.push(process);
    }
    tokio::time::sleep_until(end).await;
    let sent = service.arrivals();
    let allowed = 10.0_f64.min(20.0 / reply.as_secs_f64());
    let used = rate(&sent, from, end) / allowed;
    let what = format!("{trips:?} {reply:?}");
    assert!(peak(&sent, window) <= 10 * usize::try_from(window.as_secs()).unwrap(), "{what}");
    assert!(peak(&sent, SECOND) <= 11, "{what}");
    assert!(service.max_in_flight() <= 20, "{what}");
    let all = service.paths();
    for path in &paths[..trips.len()] {
        let own = all.iter().filter(|other| path.ends_with(other.as_str())).count() * trips.len();
        let share = f64::from(u32::try_from(own).unwrap()) / f64::from(u32::try_from(all.len()).unwrap());
        assert!(share >= min.1, "{path} got {share:.2} of its share: {what}");
        show(&format!("{path} got {share:.2} of its share"));
    }
    show(&format!("{what}: {:.1} %, {} exchanges a second", 100.0 * used, exchanges(&store, begun)));
    assert!(used >= min.0, "{used}: {what}");
}

fn exchanges(store: &MemoryStore, begun: Instant) -> u64 {
    u64::try_from(store.server().exchanges).unwrap() / begun.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn one_process_uses_the_whole_limit() {
    check(set_a(), 10 * SECOND, &[1], 20, (0.97, 1.0)).await;
}

#[tokio::test(start_paused = true)]
async fn processes_share_a_short_window() {
    check(set_a(), 10 * SECOND, &[1, 1, 1], 20, (0.97, 0.9)).await;
}

#[tokio::test(start_paused = true)]
async fn processes_share_a_long_window() {
    check(RateLimit::new(600, 60 * SECOND, 20), 60 * SECOND, &[1, 1, 1], 20, (0.97, 0.9)).await;
}

#[tokio::test(start_paused = true)]
async fn distant_processes_lose_little() {
    check(set_a(), 10 * SECOND, &[1, 10, 40], 20, (0.94, 0.9)).await;
    check(set_a(), 10 * SECOND, &[20, 20, 20, 20, 20], 20, (0.94, 0.9)).await;
}

#[tokio::test(start_paused = true)]
async fn slots_are_used_with_slow_responses() {
    check(set_a(), 30 * SECOND, &[1, 1, 1], 3000, (0.97, 0.8)).await;
}
