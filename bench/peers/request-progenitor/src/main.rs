//! Requests 50 records COUNT times with progenitor's client: `request-progenitor URL COUNT`.

use progenitor_made::Client;
use progenitor_made::types::{Exchange, Timeframe};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_default();
    let count: u32 = arguments.next().and_then(|count| count.parse().ok()).expect("a number of requests");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let records = runtime.block_on(requests(&url, count));
    println!("{records}");
}

async fn requests(url: &str, count: u32) -> usize {
    let client = Client::new(url);
    let (exchanges, timeframe) = (vec![Exchange("binance_spot".to_owned())], Timeframe("1h".to_owned()));
    let mut records = 0;
    for _ in 0..count {
        let reply = client.group_4_metric_4(Some("BTC"), Some(&exchanges), Some(50), Some(&timeframe));
        records += reply.await.expect("an answer").data.len();
    }
    records
}
