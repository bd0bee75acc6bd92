//! Params are honoured, and wrong ones are refused.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use sandbox::Sandbox;
use support::{DAY, HOUR, NOW, Server};

const RATIO: &str = "/volumeRatio?coin=BTC&exchange=binance_perp_stable&timeframe=1h";

async fn times(server: &Server, query: &str) -> Vec<i64> {
    let data = server.data(&format!("{RATIO}{query}")).await;
    data.iter().map(|row| row["openDate"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn window_limit_and_sort() {
    let server = Server::start().await;
    let latest = NOW - NOW % HOUR - HOUR;
    let hours = |range: std::ops::RangeInclusive<i64>| range.rev().map(|ago| latest - ago * HOUR).collect::<Vec<_>>();
    assert_eq!(times(&server, "").await, hours(0..=49));
    assert_eq!(times(&server, "&limit=3").await, hours(0..=2));
    assert_eq!(times(&server, &format!("&limit=2&endTime={}", latest - 5 * HOUR)).await, hours(5..=6));
    let (start, end) = (latest - 9 * HOUR, latest - 7 * HOUR);
    assert_eq!(times(&server, &format!("&startTime={start}&endTime={end}")).await, hours(7..=9));
    let mut descending = hours(7..=9);
    descending.reverse();
    assert_eq!(times(&server, &format!("&sort=desc&startTime={start}&endTime={end}")).await, descending);
    assert_eq!(times(&server, &format!("&startTime={end}&endTime={start}")).await, Vec::<i64>::new());
    assert_eq!(times(&server, &format!("&startTime={}", NOW * 1000)).await, Vec::<i64>::new());
}

#[tokio::test]
async fn every_timeframe_is_aligned() {
    let server = Server::start().await;
    for (timeframe, length) in [("1m", 60), ("5m", 300), ("15m", 900), ("1h", HOUR), ("4h", 4 * HOUR), ("1d", DAY)] {
        let data = server.data(&format!("/klines?coin=BTC&timeframe={timeframe}&limit=5")).await;
        let times = data.iter().map(|row| row["openDate"].as_i64().unwrap()).collect::<Vec<_>>();
        assert!(times.iter().all(|time| time % length == 0), "{timeframe}: {times:?}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] == length), "{timeframe}: {times:?}");
        assert!(times[4] + length <= NOW && times[4] + 2 * length > NOW, "{timeframe}: {times:?}");
    }
}

#[tokio::test]
async fn a_clock_may_stand_anywhere() {
    for moment in [i64::MIN, -1, i64::MAX] {
        let server = Server::with(Sandbox::builder().stop_clock_at(moment)).await;
        for path in [RATIO, "/positionHeatmap?coin=BTC", "/liquidation?coin=BTC&timeframe=1d", "/anchoredCVD?coin=BTC"]
        {
            assert_eq!(server.get(path).await.status, 200, "{moment}: {path}");
        }
    }
}

#[tokio::test]
async fn wrong_values_are_refused() {
    let server = Server::start().await;
    for query in [
        "/volumeRatio?timeframe=2h",
        "/volumeRatio?sort=up",
        "/volumeRatio?limit=ten",
        "/volumeRatio?limit=-1",
        "/volumeRatio?startTime=yesterday",
        "/volumeRatio?endTime=1.5",
        "/volumeRatio?bucket=8",
        "/volumeRatio?marketTypes=futures",
        "/anchoredCVD?anchor=2h",
        "/fundingRate?aggregationType=median",
        "/liquidationHeatmap?lookback=2d",
        "/liquidationLevels?leverage=l1",
    ] {
        let reply = server.get(query).await;
        assert_eq!((reply.status, reply.code().as_str()), (422, "invalid_param"), "{query}");
    }
}

#[tokio::test]
async fn no_moment_is_too_far() {
    let server = Server::start().await;
    let moments = [i64::MIN, -1, 0, 1_262_303_999, NOW * 1000, i64::MAX].map(|moment| moment.to_string());
    for moment in moments {
        for path in ["/liquidationLevels", "/cumulativeLiqLevel", "/liquidationHeatmap"] {
            let data = server.data(&format!("{path}?coin=BTC&timestamp={moment}")).await;
            assert_eq!(data.is_empty(), moment.starts_with('-') || moment.len() < 12, "{path} at {moment}");
        }
        for (start, end) in [(moment.as_str(), "1700000000"), ("1700000000", moment.as_str()), (&moment, &moment)] {
            let path = format!("/pmLevels?timeframe=1d&startTime={start}&endTime={end}&limit=99999999999999999999");
            server.data(&path).await;
        }
    }
}

#[tokio::test]
async fn what_is_not_known_is_ignored() {
    let server = Server::start().await;
    assert_eq!(server.get("/volumeRatio?nobodyKnows=1&advanceFilter=a,b").await.status, 200);
}

#[tokio::test]
async fn what_is_reported_is_asked_for_where_wanted() {
    let server = Server::with(sandbox::Sandbox::builder().stop_clock_at(NOW).strict(true)).await;
    for (query, status, code) in [
        ("/volumeRatio?coin=BTC&timeframe=1h", 200, ""),
        ("/volumeRatio?coin=BTC&timeframe=1h&limit=5&exchange=okx_perp_coin,binance_spot", 200, ""),
        ("/volumeRatio?coin=BTC&timeframe=1h&limit=6", 422, "invalid_param"),
        ("/volumeRatio?coin=BTC&timeframe=1h&nobodyKnows=1", 422, "unknown_param"),
        ("/volumeRatio?coin=BTC&timeframe=1h&exchange=okx_perp_coin,kraken_spot", 422, "unsupported_exchange"),
        ("/klines?coin=BTC&timeframe=1h&exchange=binance_perp_stable,okx_perp_stable", 422, "invalid_param"),
        ("/volumeRatio?coin=BTC", 422, "missing_param"),
        ("/volumeRatio?timeframe=1h", 422, "missing_param"),
        ("/klines?coin=BTC&timeframe=1h", 422, "missing_param"),
        ("/liquidationLevels?coin=BTC&limit=5", 422, "unknown_param"),
        ("/ping", 200, ""),
    ] {
        let reply = server.get(query).await;
        assert_eq!(reply.status, status, "{query}: {}", reply.text);
        if status == 422 {
            assert_eq!(reply.code(), code, "{query}");
        }
    }
}

#[tokio::test]
async fn venues() {
    let server = Server::start().await;
    let metadata = async |path: &str| server.get(path).await.json()["metadata"].clone();
    let named = metadata("/volumeRatio?exchange=okx_perp_coin,kraken_perp_stable,okx_perp_coin,binance_spot").await;
    let expected = serde_json::json!({
        "exchanges": ["okx_perp_coin", "binance_spot"], "unsupportedExchanges": ["kraken_perp_stable"]
    });
    assert_eq!(named, expected);
    assert_eq!(metadata("/klines").await, serde_json::json!({ "exchanges": ["binance_perp_stable"] }));
    let unsupported = server.get("/klines?exchange=kraken_perp_stable").await;
    assert_eq!(unsupported.data(), Vec::<serde_json::Value>::new());
    assert_eq!(unsupported.json()["metadata"]["unsupportedExchanges"][0], "kraken_perp_stable");
    let spot = metadata("/volumeRatio?marketTypes=spot").await;
    assert_eq!(spot["exchanges"], serde_json::json!(["binance_spot"]));
    let perpetuals = metadata("/volumeRatio?marketTypes=perpetuals").await["exchanges"].as_array().unwrap().len();
    assert_eq!(metadata("/volumeRatio").await["exchanges"].as_array().unwrap().len(), perpetuals + 1);
}

#[tokio::test]
async fn coins_seeds_and_venues_differ_and_cases_do_not() {
    let server = Server::start().await;
    let other = Server::with(sandbox::Sandbox::builder().stop_clock_at(NOW).seed(1)).await;
    let [btc, lower, eth, okx] = ["coin=BTC", "coin=btc", "coin=ETH", "coin=BTC&exchange=okx_perp_stable"]
        .map(|query| format!("/klines?{query}&timeframe=1h&limit=5"));
    let prices = server.data(&btc).await;
    assert_eq!(server.data(&btc).await, prices);
    assert_eq!(server.data(&lower).await, prices);
    assert_ne!(server.data(&eth).await, prices);
    assert_ne!(server.data(&okx).await, prices);
    assert_ne!(other.data(&btc).await, prices);
    let [price, elsewhere] = [prices, server.data(&okx).await].map(|rows| rows[4]["close"].as_f64().unwrap());
    assert!((price / elsewhere - 1.0).abs() < 0.02, "{price} and {elsewhere} are the same coin");
}
