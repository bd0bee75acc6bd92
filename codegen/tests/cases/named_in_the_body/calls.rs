//! Fetches records whose names are elsewhere in the body, from a small server and from the sandbox.

mod server;

use case_named_in_the_body::{Client, REGISTRY, Timestamp};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    (
        "/prices",
        r#"{"set":{"column_names":["Date","Open","Close"],"data":[["2024-01-02",1,1.5],["2024-01-03",2,null]]}}"#,
    ),
    (
        "/points",
        r#"{"results":[{"tags":{"place":"north"},"columns":["value","at"],"values":[[7,1700000000]]},{"tags":{"place":"south"},"columns":["at","value"],"values":[[1700000000,8]]}]}"#,
    ),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(&server.address).build().unwrap();
    let prices = client.sets().prices().await.unwrap();
    assert!(server.asked().starts_with("GET /prices "), "{}", server.asked());
    assert_eq!((prices[0].close, prices[1].close, prices[1].others["Open"]), (Some(1.5), None, 2.0));
    let points = client.sets().points().await.unwrap();
    let values: Vec<_> = points.iter().map(|point| (point.place.as_str(), point.value)).collect();
    assert_eq!(values, [("north", 7.0), ("south", 8.0)]);
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    let (from, to) = (Timestamp::from_unix_seconds(1_704_067_200), Timestamp::from_unix_seconds(1_706_745_600));
    let history = client.sets().prices().history(from..to).collect().await.unwrap();
    assert_eq!((history.records.len(), history.report.gaps.len()), (31, 0));
    assert!(history.records.iter().all(|record| record.close.is_some() && record.others.len() == 2));
    assert!(!client.sets().points().await.unwrap().is_empty());
}
