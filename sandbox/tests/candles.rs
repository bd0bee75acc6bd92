//! Candles: of prices and of open interest, and the levels of the day, week and month before.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use serde_json::Value;
use support::{DAY, Dice, NOW, Server, assert_close};

/// Checks that records are candles and follow on each other.
fn candles(data: &[Value], what: &str) {
    let value = |row: &Value, field: &str| row[field].as_f64().unwrap();
    for row in data {
        let (low, high) = (value(row, "low"), value(row, "high"));
        assert!(low > 0.0, "{what}: {row}");
        for field in ["open", "close"] {
            assert!((low..=high).contains(&value(row, field)), "{what}: {row}");
        }
    }
    for pair in data.windows(2) {
        assert_close(value(&pair[0], "close"), value(&pair[1], "open"), what);
    }
}

#[tokio::test]
async fn open_interest_agrees_with_its_delta() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for _ in 0..16 {
        let timeframe = dice.one_of(&["1m", "15m", "4h", "1d"]);
        let venues = dice.one_of(&["", "&exchange=okx_perp_coin,bybit_perp_stable", "&exchange=deribit_perp_stable"]);
        let end = NOW - dice.below(9 * 365 * DAY);
        let query = format!("coin=BTC&timeframe={timeframe}{venues}&endTime={end}&limit=40");
        let data = server.data(&format!("/openInterest?{query}")).await;
        candles(&data, &query);
        let delta = server.column(&format!("/openInterestDelta?{query}"), "openInterestDelta").await;
        for (pair, delta) in data.windows(2).zip(&delta[1..]) {
            let [before, after] = [&pair[0], &pair[1]].map(|row| row["close"].as_f64().unwrap());
            assert!((after - before - delta).abs() < 0.005, "{query}: {after} - {before} is not {delta}");
        }
    }
}

#[tokio::test]
async fn long_candles_contain_short_ones() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for path in ["klines", "openInterest"] {
        for _ in 0..6 {
            let start = (NOW - DAY - dice.below(9 * 365 * DAY)).div_euclid(DAY) * DAY;
            let window = format!("startTime={start}&endTime={}&limit=1440", start + DAY - 1);
            let fetch = async |timeframe: &str| {
                server.data(&format!("/{path}?coin=ETH&exchange=okx_perp_stable&timeframe={timeframe}&{window}")).await
            };
            let day = fetch("1d").await;
            for timeframe in ["1m", "5m", "1h", "4h"] {
                let parts = fetch(timeframe).await;
                candles(&parts, timeframe);
                let values = |field: &str| parts.iter().map(|row| row[field].as_f64().unwrap()).collect::<Vec<_>>();
                let highest = values("high").into_iter().fold(f64::MIN, f64::max);
                let lowest = values("low").into_iter().fold(f64::MAX, f64::min);
                assert_eq!((highest, lowest), (day[0]["high"].as_f64().unwrap(), day[0]["low"].as_f64().unwrap()));
            }
        }
    }
}

#[tokio::test]
async fn levels_before_come_from_the_klines() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for _ in 0..8 {
        let end = NOW - dice.below(9 * 365 * DAY);
        for (path, prefix) in [("pdLevels", "pd"), ("pwLevels", "pw"), ("pmLevels", "pm")] {
            let level = &server.data(&format!("/{path}?coin=BTC&timeframe=1h&limit=1&endTime={end}")).await[0];
            let day = level["openDate"].as_i64().unwrap().div_euclid(DAY);
            let (first, last) = span_before(prefix, day);
            let window = format!("startTime={}&endTime={}&limit=40", first * DAY, last * DAY);
            let days = server.data(&format!("/klines?coin=BTC&timeframe=1d&{window}")).await;
            assert_eq!(i64::try_from(days.len()).unwrap(), last - first + 1);
            let values = |field: &str| days.iter().map(|row| row[field].as_f64().unwrap()).collect::<Vec<_>>();
            let high = values("high").into_iter().fold(f64::MIN, f64::max);
            let low = values("low").into_iter().fold(f64::MAX, f64::min);
            for (name, expected) in
                [("Open", values("open")[0]), ("High", high), ("Low", low), ("Eq", f64::midpoint(high, low))]
            {
                assert_close(level[format!("{prefix}{name}")].as_f64().unwrap(), expected, path);
            }
        }
    }
}

/// First and last day of the day, week or month before, counted by walking through the calendar.
fn span_before(prefix: &str, day: i64) -> (i64, i64) {
    match prefix {
        "pd" => (day - 1, day - 1),
        "pw" => {
            // Day 4, the 5th of January 1970, was a Monday.
            let monday = day - (day - 4).rem_euclid(7);
            (monday - 7, monday - 1)
        }
        _ => {
            let (mut starts, mut year, mut month) = (vec![0], 1970, 1);
            while *starts.last().unwrap() <= day {
                let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                let days = match month {
                    2 => 28 + i64::from(leap),
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                starts.push(starts.last().unwrap() + days);
                (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            }
            let this = starts.len() - 2;
            (starts[this - 1], starts[this] - 1)
        }
    }
}

#[tokio::test]
async fn a_market_years_away_is_the_same_market() {
    let server = Server::start().await;
    let data = server.data("/klines?coin=BTC&timeframe=1d&limit=5000&startTime=1300000000").await;
    assert_eq!(data.len(), 4842);
    candles(&data, "thirteen years of days");
}
