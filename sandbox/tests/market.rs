//! The data is one market: every window shows the same one, and related series agree. For prices see `candles.rs`.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::{DAY, Dice, HOUR, NOW, Server, assert_close};

const TIMEFRAMES: [&str; 6] = ["1m", "5m", "15m", "1h", "4h", "1d"];
const VENUES: [&str; 4] =
    ["exchange=binance_perp_stable", "exchange=okx_perp_coin,binance_spot", "exchange=deribit_perp_stable", ""];

fn length(timeframe: &str) -> i64 {
    [60, 300, 900, HOUR, 4 * HOUR, DAY][TIMEFRAMES.iter().position(|known| *known == timeframe).unwrap()]
}

/// A question that several endpoints can be asked: coin, venue, timeframe, and a window of 40 records.
fn question(dice: &mut Dice, venues: &[&str]) -> String {
    let (coin, venue) = (dice.one_of(&["BTC", "ETH", "DOGE"]), dice.one_of(venues));
    let timeframe = dice.one_of(&TIMEFRAMES);
    let end = NOW - dice.below(9 * 365 * DAY);
    format!("coin={coin}&{venue}&timeframe={timeframe}&endTime={end}&limit=40")
}

/// The records of a random window that shares some with another, by time.
async fn window(server: &Server, dice: &mut Dice, question: &str, near: i64, length: i64) -> BTreeMap<i64, Value> {
    let (start, end) = (near - dice.below(30) * length, near + dice.below(30) * length);
    let bounds = dice.one_of(&["start", "end", "both"]);
    let from = if bounds == "end" { String::new() } else { format!("&startTime={start}") };
    // Without an end the newest records come, which are far from here.
    let to = format!("&endTime={end}");
    let limit = if bounds == "both" { 100 } else { 31 + dice.below(40) };
    let sort = dice.one_of(&["", "&sort=asc", "&sort=desc"]);
    let data = server.data(&format!("{question}{from}{to}&limit={limit}{sort}")).await;
    let count = data.len();
    let records = data.into_iter().map(|row| (row["openDate"].as_i64().unwrap(), row)).collect::<BTreeMap<_, _>>();
    assert_eq!(records.len(), count, "{question}: a moment has one record");
    records
}

#[tokio::test]
async fn overlapping_windows_agree() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    let endpoints = generated_client::GROUPS.iter().flat_map(|group| group.endpoints);
    for endpoint in endpoints.filter(|endpoint| endpoint.param("endTime").is_some()) {
        let Some(path) = endpoint.path else { continue };
        for _ in 0..2 {
            let timeframe = dice.one_of(&TIMEFRAMES);
            let near = NOW - 40 * DAY - dice.below(9 * 365 * DAY);
            let near = near - near % length(timeframe);
            let anchor = dice.one_of(&["", "&anchor=1h", "&anchor=4h"]);
            let venues = dice.one_of(&["", "&exchange=okx_perp_coin", "&exchange=binance_perp_stable"]);
            let question = format!("{path}?coin=BTC&timeframe={timeframe}{anchor}{venues}");
            let one = window(&server, &mut dice, &question, near, length(timeframe)).await;
            let other = window(&server, &mut dice, &question, near, length(timeframe)).await;
            let common = one.iter().filter(|(time, _)| other.contains_key(time)).collect::<Vec<_>>();
            assert!(!common.is_empty(), "{question}: both have the record at {near}");
            for (time, record) in common {
                assert_eq!(record, &other[time], "{question}");
            }
        }
    }
}

#[tokio::test]
async fn pages_of_years_make_the_whole() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for (path, timeframe) in [("klines", "1d"), ("anchoredCVD", "1d"), ("openInterestDelta", "1d")] {
        let question = format!("/{path}?coin=ETH&exchange=okx_perp_coin&timeframe={timeframe}");
        let end = NOW - dice.below(2 * 365 * DAY);
        let whole = server.data(&format!("{question}&limit=3000&endTime={end}")).await;
        let mut pages: Vec<Value> = Vec::new();
        while pages.len() < whole.len() {
            let before = pages.first().map_or(end, |row| row["openDate"].as_i64().unwrap() - 1);
            let limit = (300 + dice.below(700)).min(i64::try_from(whole.len() - pages.len()).unwrap());
            let page = server.data(&format!("{question}&limit={limit}&endTime={before}")).await;
            assert!(!page.is_empty());
            pages.splice(0..0, page);
        }
        assert_eq!(whole.len(), 3000, "{path}: eight years of days");
        assert!(pages == whole, "{path}: the pages are not the whole");
    }
}

#[tokio::test]
async fn trades_agree() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for round in 0..24 {
        let bucket = dice.one_of(&["", "&bucket=3", "&bucket=1,7"]);
        let query = question(&mut dice, &VENUES) + bucket;
        let column = async |path: &str, field: &str| server.column(&format!("/{path}?{query}"), field).await;
        let buy = column("buyVolume", "buyVolume").await;
        let sell = column("sellVolume", "sellVolume").await;
        let delta = column("volumeDelta", "volumeDelta").await;
        let ratio = column("volumeRatio", "volumeRatio").await;
        let orders = column("marketOrderCount", "total").await;
        let (bought, sold) = (column("marketOrderCount", "buy").await, column("marketOrderCount", "sell").await);
        let size = column("marketOrderAverageSize", "total").await;
        for index in 0..buy.len() {
            let (buy, sell) = (buy[index], sell[index]);
            assert!(buy >= 0.0 && sell >= 0.0 && orders[index] >= 0.0, "{query}");
            assert_close(buy - sell, delta[index], &query);
            let expected = if buy + sell == 0.0 { 0.0 } else { (buy - sell) / (buy + sell) };
            assert_close(expected, ratio[index], &query);
            assert_close(bought[index] + sold[index], orders[index], &query);
            let volume = size[index] * orders[index];
            assert!((volume - buy - sell).abs() <= 1e-3 * volume, "{query}: {volume} of {buy} and {sell}");
        }
        assert_eq!(buy.len(), 40, "round {round}");
    }
}

#[tokio::test]
async fn sizes_and_short_intervals_add_up() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for _ in 0..8 {
        let end = (NOW - dice.below(9 * 365 * DAY)).div_euclid(DAY) * DAY;
        let sum = async |rest: &str| {
            let window = format!("startTime={}&endTime={}&limit=100", end - DAY, end - 1);
            let path = format!("/buyVolume?coin=BTC&exchange=binance_perp_stable&{window}&{rest}");
            server.column(&path, "buyVolume").await.iter().sum::<f64>()
        };
        let day = sum("timeframe=1d").await;
        assert_close(day, sum("timeframe=1h").await, "hours");
        assert_close(day, sum("timeframe=15m").await, "quarters");
        let mut sizes = 0.0;
        for size in 1..=7 {
            sizes += sum(&format!("timeframe=1d&bucket={size}")).await;
        }
        assert_close(day, sizes, "classes of trade size");
    }
}

#[tokio::test]
async fn anchored_sums_run_from_each_anchor() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for _ in 0..24 {
        let query = question(&mut dice, &VENUES);
        let (anchor, seconds) = [("1h", HOUR), ("4h", 4 * HOUR), ("1d", DAY)][usize::try_from(dice.below(3)).unwrap()];
        for (path, field, anchored, sum) in [
            ("volumeDelta", "volumeDelta", "anchoredCVD", "cumulativeDelta"),
            ("netLongShortDelta", "netLongShortDelta", "anchoredCLSD", "cumulativeDelta"),
            ("netLongShort", "netLongs", "anchoredCLS", "cumulativeNetLongs"),
            ("netLongShort", "netShorts", "anchoredCLS", "cumulativeNetShorts"),
        ] {
            let parts = server.data(&format!("/{path}?{query}")).await;
            let sums = server.column(&format!("/{anchored}?{query}&anchor={anchor}"), sum).await;
            // What came before the first record of the window is not known until the next anchor.
            let mut running = None;
            for (part, sum) in parts.iter().zip(sums) {
                let time = part["openDate"].as_i64().unwrap();
                let part = part[field].as_f64().unwrap();
                let timeframe = query.split("timeframe=").nth(1).unwrap().split('&').next().unwrap();
                if time % seconds == 0 || length(timeframe) > seconds {
                    running = Some(0.0);
                }
                if let Some(running) = &mut running {
                    *running += part;
                    assert!((*running - sum).abs() <= 1e-6 * running.abs().max(1.0), "{query}: {running} is not {sum}");
                }
            }
        }
    }
}

#[tokio::test]
async fn crowds_agree() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for _ in 0..16 {
        let query = question(&mut dice, &["exchange=binance_perp_stable", "exchange=okx_perp_coin"]);
        let query = query + dice.one_of(&["", "&anchor=1h", "&anchor=4h", "&anchor=1d"]);
        let mut long = Vec::new();
        for path in ["topTraderAccounts", "topTraderPositions", "globalAccounts", "trueRetailLongShort"]
            .into_iter()
            .chain(["anchoredTopTraderPositions", "anchoredGlobalAccounts", "anchoredTopTraderAccounts"])
        {
            let data = server.data(&format!("/{path}?{query}")).await;
            let [longs, shorts] = if path.starts_with("anchored") {
                ["cumulativeLongPct", "cumulativeShortPct"]
            } else {
                ["longPct", "shortPct"]
            };
            for row in &data {
                assert_close(row[longs].as_f64().unwrap() + row[shorts].as_f64().unwrap(), 100.0, path);
            }
            long.push(data.iter().map(|row| row[longs].as_f64().unwrap()).collect::<Vec<_>>());
        }
        for (path, field, whales, retail) in [
            ("whaleRetailDelta", "whaleRetailDelta", 1, 2),
            ("anchoredWhaleRetailDelta", "cumulativeWhaleRetailDelta", 4, 5),
        ] {
            let delta = server.column(&format!("/{path}?{query}"), field).await;
            for (index, delta) in delta.into_iter().enumerate() {
                assert_close(long[whales][index] - long[retail][index], delta, path);
            }
        }
        let leverage = server.data(&format!("/averageLeverageUsed?{query}")).await;
        let delta = server.column(&format!("/topTraderAverageLeverageDelta?{query}"), "avgLevDelta").await;
        for (row, delta) in leverage.iter().zip(delta) {
            assert_close(row["avgLongLev"].as_f64().unwrap() - row["avgShortLev"].as_f64().unwrap(), delta, "leverage");
        }
    }
}

/// What "anchored" means for a share is invented, so only that it begins anew: it is half way from the share at the
/// anchor to the share now.
#[tokio::test]
async fn anchored_shares_begin_at_each_anchor() {
    let server = Server::start().await;
    let mut dice = Dice::new();
    for _ in 0..12 {
        let (anchor, seconds) = [("1h", HOUR), ("4h", 4 * HOUR), ("1d", DAY)][usize::try_from(dice.below(3)).unwrap()];
        let timeframe = dice.one_of(&["1m", "5m", "15m", "1h"]);
        let end = NOW - dice.below(9 * 365 * DAY);
        let query = format!("coin=BTC&exchange=okx_perp_coin&timeframe={timeframe}&endTime={end}&limit=300");
        for (plain, anchored) in
            [("globalAccounts", "anchoredGlobalAccounts"), ("topTraderPositions", "anchoredTopTraderPositions")]
        {
            let shares = server.data(&format!("/{plain}?{query}")).await;
            let anchored = server.column(&format!("/{anchored}?{query}&anchor={anchor}"), "cumulativeLongPct").await;
            let mut at_anchor = None;
            for (pair, anchored) in shares.windows(2).zip(&anchored[1..]) {
                let [before, now] = [0, 1].map(|index| pair[index]["longPct"].as_f64().unwrap());
                if pair[1]["openDate"].as_i64().unwrap() % seconds == 0 {
                    // The record before this one ends at the anchor.
                    at_anchor = Some(before);
                }
                if let Some(at_anchor) = at_anchor {
                    let expected = f64::midpoint(at_anchor, now);
                    assert!((expected - anchored).abs() <= 0.0051, "{query}&anchor={anchor}: {expected}, {anchored}");
                }
            }
            // A few hours by the minute may have no anchor of a day among them.
            assert!(at_anchor.is_some() || 300 * length(timeframe) < 2 * seconds, "{query}");
        }
    }
}

#[tokio::test]
async fn liquidation_levels_add_up() {
    let server = Server::start().await;
    let at = NOW - 100 * DAY;
    let minute = at - at % 60;
    let venue = "coin=BTC&exchange=bybit_perp_coin";
    let levels = server.data(&format!("/liquidationLevels?{venue}&timestamp={at}")).await;
    let sum = |side: &str, leverage: Option<&str>| {
        let wanted = levels.iter().filter(|level| level["side"] == side);
        let wanted = wanted.filter(|level| leverage.is_none_or(|leverage| level["leverage"] == leverage));
        wanted.map(|level| level["size"].as_f64().unwrap()).sum::<f64>()
    };
    for leverage in ["all", "high", "medium", "low"] {
        let total = &server.data(&format!("/cumulativeLiqLevel?{venue}&timestamp={at}&leverage={leverage}")).await[0];
        let leverage = Some(leverage).filter(|leverage| *leverage != "all");
        assert_close(total["totalLongLiquidationSize"].as_f64().unwrap(), sum("long", leverage), "long");
        assert_close(total["totalShortLiquidationSize"].as_f64().unwrap(), sum("short", leverage), "short");
    }
    let window = format!("timeframe=1m&startTime={}&endTime={}", minute - 60, minute - 60);
    let sizes = &server.data(&format!("/liqLevelsSize?{venue}&{window}")).await[0];
    assert_close(sizes["longLiqLevelSize"].as_f64().unwrap(), sum("long", None), "series of sizes");
    let delta = sizes["liqLevelSizeDelta"].as_f64().unwrap();
    assert_close(delta, sum("long", None) - sum("short", None), "series of deltas");
    let price = server.column(&format!("/klines?{venue}&{window}"), "close").await[0];
    for level in &levels {
        let (below, long) = (level["price"].as_f64().unwrap() < price, level["side"] == "long");
        assert_eq!(below, long, "{price}: {level}");
        let [now, created] = ["timestamp", "creationDate"].map(|field| level[field].as_f64().unwrap());
        assert_close(level["openDuration"].as_f64().unwrap(), now - created, "duration");
    }
    let longs = server.data(&format!("/liquidationLevels?{venue}&timestamp={at}&position=long")).await;
    assert_eq!(longs.len(), levels.iter().filter(|level| level["side"] == "long").count());
}
