//! Requests 50 records COUNT times with `reqwest` and plain `serde` derives: `request-reqwest URL COUNT`. With a third argument
//! `ends`, it prints the time at which each request has returned, in nanoseconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "decoded, not used")]
struct Record {
    open_date: i64,
    #[serde(rename = "value4Of0")]
    value_0: f64,
    #[serde(rename = "value4Of1")]
    value_1: f64,
    #[serde(rename = "value4Of2")]
    value_2: f64,
    #[serde(rename = "value4Of3")]
    value_3: f64,
    #[serde(rename = "value4Of4")]
    value_4: f64,
    #[serde(rename = "value4Of5")]
    value_5: f64,
}

#[derive(Deserialize)]
struct Series {
    data: Vec<Record>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_default();
    let count: u32 = arguments.next().and_then(|count| count.parse().ok()).expect("a number of requests");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let prints_ends = arguments.next().is_some_and(|argument| argument == "ends");
    let records = runtime.block_on(requests(&url, count, prints_ends));
    println!("{records}");
}

async fn requests(url: &str, count: u32, prints_ends: bool) -> usize {
    let client = reqwest::Client::new();
    let mut records = 0;
    for _ in 0..count {
        let url = format!("{url}/metric4?coin=BTC&exchange=binance_spot&timeframe=1h&limit=50");
        let request = client.get(url).header("x-api-key", "key").header("accept", "application/json");
        let text = request.send().await.expect("an answer").text().await.expect("a body");
        let series = serde_json::from_str::<Series>(&text).expect("a series");
        if prints_ends {
            print_time();
        }
        records += series.data.len();
    }
    records
}

fn print_time() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    println!("{}", now.as_nanos());
}
