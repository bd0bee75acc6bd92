//! Decodes a body of 1,000 records in the notation of a service, with our decoder or with plain `serde` derives
//! (`strict`).
//!
//! `notations BODY ours|strict|none` decodes the body once, or with `none` not at all, so that callgrind can count the
//! instructions of the decoder. In the templates of the records, `#` stands for a digit except 0.

mod strict;

use std::hint::black_box;

use client::notations::{CandlesRecord, ContractsRecord, InstrumentsRecord, PairsRecord, TickersRecord, TradesRecord};
use client::{Body, Series};
use serde::Deserialize;

const RECORDS: usize = 1000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let body = arguments.next().unwrap_or_default();
    let side = arguments.next().unwrap_or_default();
    match body.as_str() {
        "trades" => run::<TradesRecord, strict::Trades>(include_str!("../records/trades.txt"), &side),
        "candles" => run::<CandlesRecord, strict::Candles>(include_str!("../records/candles.txt"), &side),
        "contracts" => run::<ContractsRecord, strict::Contracts>(include_str!("../records/contracts.txt"), &side),
        "instruments" => {
            run::<InstrumentsRecord, strict::Instruments>(include_str!("../records/instruments.txt"), &side)
        }
        "pairs" => run::<PairsRecord, strict::Pairs>(include_str!("../records/pairs.txt"), &side),
        "tickers" => run::<TickersRecord, strict::Tickers>(include_str!("../records/tickers.txt"), &side),
        _ => panic!("unknown body; expected trades, candles, contracts, instruments, pairs or tickers"),
    }
}

fn run<O, S>(templates: &str, side: &str)
where
    Series<O>: Body,
    S: for<'d> Deserialize<'d>,
{
    let text = text(templates);
    match side {
        "ours" => drop(black_box(Series::<O>::decode(black_box(&text)).unwrap_or_else(|error| panic!("{error}")))),
        "strict" => drop(black_box(serde_json::from_str::<Vec<S>>(black_box(&text)).expect("the body fits"))),
        _ => drop(black_box(text.len())),
    }
}

/// Returns a list of records, made from the templates in turn.
fn text(templates: &str) -> String {
    let mut random = 12_345_u64;
    let mut text = String::from("[");
    for template in templates.lines().cycle().take(RECORDS) {
        for character in template.chars() {
            if character == '#' {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push(char::from(b'1' + u8::try_from((random >> 33) % 9).unwrap_or_default()));
            } else {
                text.push(character);
            }
        }
        text.push(',');
    }
    text.pop();
    text.push(']');
    text
}
