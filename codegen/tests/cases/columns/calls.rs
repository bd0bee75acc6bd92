//! Fetches columns from a small server, and from the sandbox with the same catalogue.

mod server;

use case_columns::{Client, REGISTRY, Resolution, Timestamp};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    (
        "/chart",
        r#"{"code":"0","msg":"","result":{"ticks":[1700000000000,1700000060000],"close":[1.5,2],"volume":["0.10",null],"status":"ok"}}"#,
    ),
    ("/funding", r#"{"code":"0","at":[1700000000],"paid":[0.01]}"#),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(&server.address).build().unwrap();
    let chart = client.market().chart("BTCUSDT", Resolution::Minute).await.unwrap();
    assert_eq!((chart.len(), chart[1].close, chart[0].volume, chart[1].volume), (2, 2.0, Some(0.1), None));
    assert_eq!(chart.times()[1], Some(Timestamp::from_unix_seconds(1_700_000_060)));
    let result = chart.unknown_fields.get("result").unwrap();
    assert_eq!(result["status"], "ok");
    assert!(server.asked().starts_with("GET /chart?symbol=BTCUSDT&resolution=1 "), "{}", server.asked());
    let rates = client.market().funding("BTCUSDT").await.unwrap();
    assert_eq!((rates[0].at.unix_seconds(), rates[0].paid), (1_700_000_000, 0.01));
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    let chart = client.market().chart("BTCUSDT", Resolution::Minute);
    let (from, to) = (Timestamp::from_unix_seconds(1_700_000_040), Timestamp::from_unix_seconds(1_700_060_040));
    let history = chart.history(from..to).collect().await.unwrap();
    assert_eq!((history.records.len(), history.report.gaps.len()), (1000, 0));
    assert!(history.records.is_sorted_by(|one, next| one.ticks < next.ticks));
    assert!(!client.market().funding("BTCUSDT").await.unwrap().is_empty());
}
