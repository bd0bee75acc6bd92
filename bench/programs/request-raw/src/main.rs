//! Requests 50 records COUNT times, using only the transport and plain `serde` derives: `request-raw URL COUNT`.

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
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
    let records = runtime.block_on(requests(&url, count));
    println!("{records}");
}

async fn requests(url: &str, count: u32) -> usize {
    let connector = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
    let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build(connector);
    let mut records = 0;
    for _ in 0..count {
        let uri = format!("{url}/metric4?coin=BTC&exchange=binance_spot&timeframe=1h&limit=50");
        let request = http::Request::get(uri).header("x-api-key", "key").header("accept", "application/json");
        let reply = client.request(request.body(Empty::new()).expect("a request")).await.expect("an answer");
        assert!(reply.status().is_success());
        let body = reply.into_body().collect().await.expect("a body").to_bytes();
        let text = std::str::from_utf8(&body).expect("a text");
        records += serde_json::from_str::<Series>(text).expect("a series").data.len();
    }
    records
}
