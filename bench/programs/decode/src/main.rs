//! Decodes a body of 10,000 records, with our decoder or with plain `serde` derives (`strict`).
//!
//! `decode BODY ours|strict|none` decodes the body once, or with `none` not at all, so that callgrind can count the
//! instructions of the decoder. `decode BODY time` prints the nanoseconds that each decoder takes.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use generated_client::decoding::{GrownRecord, NarrowRecord, WideRecord};
use generated_client::{Body, Series};
use serde::Deserialize;

const RECORDS: u64 = 10_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "decoded, not used")]
struct Narrow {
    open_date: i64,
    volume_ratio: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "decoded, not used")]
struct Wide {
    open_date: i64,
    open: f64,
    high: f64,
    low: f64,
    close: f64,
    buy_volume: f64,
    sell_volume: f64,
    trade_count: i64,
    exchange: String,
    is_open: bool,
    funding_rate: Option<f64>,
    open_interest: Option<f64>,
}

/// The record of the body with two unknown fields. Plain derives drop unknown fields, and our decoder keeps them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "decoded, not used")]
struct Grown {
    open_date: i64,
    price: f64,
    coin: String,
    funding_rate: Option<f64>,
    liquidations: Option<f64>,
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "decoded, not used")]
struct Metadata {
    exchanges: Vec<String>,
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "decoded, not used")]
struct Envelope<T> {
    data: Vec<T>,
    metadata: Metadata,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 11
    }

    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 53) as f64
    }

    fn price(&mut self) -> f64 {
        43_000.0 + (self.next() % 100_000) as f64 / 100.0
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (body, side) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let mut random = Random(12_345);
    match body.as_str() {
        "narrow" => run::<Series<NarrowRecord>, Envelope<Narrow>>(&text(|time| narrow(time, &mut random)), &side),
        "wide" => run::<Series<WideRecord>, Envelope<Wide>>(&text(|time| wide(time, &mut random)), &side),
        "grown" => run::<Series<GrownRecord>, Envelope<Grown>>(&text(|time| grown(time, &mut random)), &side),
        _ => panic!("unknown body; expected narrow, wide or grown"),
    }
}

fn text(mut record: impl FnMut(u64) -> String) -> String {
    let records: Vec<_> = (0..RECORDS).map(|index| record(1_700_000_000 + index * 60)).collect();
    format!(r#"{{"data":[{}],"metadata":{{"exchanges":["binance_perp_stable"]}}}}"#, records.join(","))
}

fn narrow(time: u64, random: &mut Random) -> String {
    format!(r#"{{"openDate":{time},"volumeRatio":{}}}"#, random.unit() * 2.0 - 1.0)
}

fn wide(time: u64, random: &mut Random) -> String {
    let open = random.price();
    let mut text = format!(r#"{{"openDate":{time},"open":{open},"high":{},"low":{}"#, open + 12.5, open - 7.25);
    let _ = write!(text, r#","close":{},"buyVolume":{}"#, open + 1.1, random.unit() * 1e6);
    let _ = write!(text, r#","sellVolume":{},"tradeCount":{}"#, random.unit() * 1e6, random.next() % 100_000);
    let rate = if time % 480 == 0 { "0.0001" } else { "null" };
    let _ = write!(text, r#","exchange":"binance_perp_stable","isOpen":{},"fundingRate":{rate}"#, time % 120 == 0);
    let _ = write!(text, r#","openInterest":{}}}"#, random.unit() * 1e9);
    text
}

fn grown(time: u64, random: &mut Random) -> String {
    let mut text = format!(r#"{{"openDate":{time},"price":{},"coin":"BTC","fundingRate":null"#, random.price());
    let _ = write!(text, r#","liquidations":{},"venue":"binance""#, random.unit() * 1e6);
    let _ = write!(text, r#","newMeasure":{}}}"#, random.unit());
    text
}

fn run<O: Body, S: for<'d> Deserialize<'d>>(text: &str, side: &str) {
    let ours = || drop(black_box(O::decode(black_box(text)).unwrap_or_else(|error| panic!("{error}"))));
    let strict = || drop(black_box(serde_json::from_str::<S>(black_box(text)).expect("the body fits")));
    match side {
        "ours" => ours(),
        "strict" => strict(),
        "none" => drop(black_box(text.len())),
        _ => {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for _ in 0..61 {
                first.push(timed(ours));
                second.push(timed(strict));
            }
            first.sort_unstable();
            second.sort_unstable();
            println!("{} {}", first[30], second[30]);
        }
    }
}

fn timed(work: impl Fn()) -> u128 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos()
}
