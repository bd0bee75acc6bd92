//! Requests 50 records COUNT times with our client: `request-ours URL COUNT`. With a third argument
//! `ends`, it prints the time at which each request has returned, in nanoseconds since 1970.
//!
//! `request-ours build` prints the nanoseconds that it takes to build a client: the first client of the process, and
//! the median of the next hundred.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use generated_client::{Client, Exchange, RateLimit, Timeframe};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_default();
    if url == "build" {
        return building();
    }
    let count: u32 = arguments.next().and_then(|count| count.parse().ok()).expect("a number of requests");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let prints_ends = arguments.next().is_some_and(|argument| argument == "ends");
    let records = runtime.block_on(requests(url, count, prints_ends));
    println!("{records}");
}

async fn requests(url: String, count: u32, prints_ends: bool) -> usize {
    // The rate limiter is active, but the limit is so high that no request waits.
    let limit = RateLimit::new(100_000, Duration::from_secs(1), 10);
    let client = Client::builder(url).api_key("key").rate_limit(limit).build().expect("a client");
    let mut records = 0;
    for _ in 0..count {
        let request = client.group_4().metric_4().coin("BTC").exchanges([Exchange::BINANCE_SPOT]);
        let series = request.timeframe(Timeframe::H1).limit(50).await.expect("an answer");
        if prints_ends {
            print_time();
        }
        records += series.len();
    }
    records
}

fn building() {
    let build = || {
        let start = Instant::now();
        let client = Client::builder("https://service.test/v2").api_key("key").build().expect("a client");
        let took = start.elapsed().as_nanos();
        drop(client);
        took
    };
    let first = build();
    let mut next: Vec<_> = (0..101).map(|_| build()).collect();
    next.sort_unstable();
    println!("{first} {}", next[50]);
}

fn print_time() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    println!("{}", now.as_nanos());
}
