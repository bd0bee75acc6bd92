//! Fetches rows without names from a small server, and from the sandbox with the same catalogue.

mod server;

use case_by_position::{Client, REGISTRY, Step, Timestamp};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    ("/candles", r#"[[1700000000000,"1.5",2,1700000059999,7,"unused"],[1700000060000,2,"1.25",1700000119999]]"#),
    ("/depth", r#"{"lastUpdateId":9,"bids":[["4.0","431.0"]],"asks":[["4.2","12"],["4.3",1]]}"#),
    ("/tickers", r#"[{"symbol":"BTCUSDT","price":"1.5"}]"#),
    ("/time", r#"{"serverTime":1700000000250}"#),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(&server.address).build().unwrap();
    let market = client.market();
    let since: Timestamp = "2023-11-14T22:13:20Z".parse().unwrap();
    let candles = market.candles("BTCUSDT", Step::M1).start_time(since).limit(2).await.unwrap();
    let asked = "GET /candles?symbol=BTCUSDT&interval=1m&startTime=1700000000000&limit=2 HTTP/1.1";
    assert!(server.asked().starts_with(asked), "{}", server.asked());
    let first = &candles[0];
    assert_eq!((first.open_time, first.open, first.close, first.trades), (since, 1.5, 2.0, Some(7)));
    assert_eq!(first.unknown_fields.get("5"), Some("unused".into()));
    assert_eq!((candles[1].close, candles[1].trades), (1.25, None));
    let seconds: Vec<_> = candles.times().into_iter().map(|time| time.unwrap().unix_seconds()).collect();
    assert_eq!(seconds, [1_700_000_000, 1_700_000_060]);
    let closes: Vec<_> = candles.column("close").unwrap().numbers().collect();
    assert_eq!(closes, [Some(2.0), Some(1.25)]);
    let depth = market.depth("BTCUSDT").await.unwrap();
    assert_eq!((depth.bids[0].price, depth.asks.len(), depth.asks[1].size), (4.0, 2, 1.0));
    let tickers = market.tickers().symbols(["BTCUSDT", "ETHUSDT"]).levels([1, 2]).await.unwrap();
    assert!(server.asked().starts_with("GET /tickers?symbols=%5B%22BTCUSDT%22,%22ETHUSDT%22%5D&levels=%5B1,2%5D "));
    assert_eq!(tickers[0].price, 1.5);
    assert_eq!(market.clock().await.unwrap().server_time.to_string(), "2023-11-14T22:13:20.250Z");
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    let market = client.market();
    let candles = market.candles("BTCUSDT", Step::M1).limit(5).await.unwrap();
    assert_eq!(candles.len(), 5);
    assert!(candles.is_sorted_by(|one, next| next.open_time - one.open_time == std::time::Duration::from_secs(60)));
    let other = market.candles("ETHUSDT", Step::M1).limit(5).await.unwrap();
    assert_ne!(candles[0].open, other[0].open, "what is traded makes no difference");
    let depth = market.depth("BTCUSDT").await.unwrap();
    assert!(!depth.bids.is_empty() && !depth.asks.is_empty());
    assert_eq!(market.tickers().symbols(["BTCUSDT"]).await.unwrap().is_empty(), false);
    assert!(market.clock().await.unwrap().server_time.unix_seconds() > 1_700_000_000);
}
