//! Fetches members that the catalogue does not list, from a small server and from the sandbox.

mod server;

use case_members_not_listed::{Client, REGISTRY, Timestamp};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    (
        "/metrics",
        r#"{"data":[{"asset":"one","day":"2024-01-01","fees":"1.50","name":"One"},{"asset":"one","day":"2024-01-02","fees":null}]}"#,
    ),
    ("/columns", r#"{"data":{"day":["2024-01-01","2024-01-02"],"fees":[1.5,2],"count":3}}"#),
    ("/place", r#"{"name":"north","lowest":0.10,"highest":"12345678901234567890.5"}"#),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(&server.address).build().unwrap();
    let metrics = client.assets().metrics().metrics("fees").await.unwrap();
    assert!(server.asked().starts_with("GET /metrics?metrics=fees "), "{}", server.asked());
    assert_eq!((metrics[0].others["fees"], metrics[1].others["fees"]), (Some(1.5), None));
    assert_eq!(metrics[0].unknown_fields.get("name"), Some("One".into()));
    let columns = client.assets().columns().await.unwrap();
    assert_eq!((columns.len(), columns[1].others["fees"]), (2, 2.0));
    let place = client.assets().place().await.unwrap();
    assert_eq!(place.others["lowest"].as_str(), "0.10");
    assert_eq!(place.others["highest"].as_str(), "12345678901234567890.5");
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    let (from, to) = (Timestamp::from_unix_seconds(1_704_067_200), Timestamp::from_unix_seconds(1_706_745_600));
    let history = client.assets().metrics().history(from..to).collect().await.unwrap();
    assert_eq!((history.records.len(), history.report.gaps.len()), (31, 0));
    assert!(history.records.iter().all(|record| record.others.len() == 2 && record.unknown_fields.is_empty()));
    assert!(client.assets().columns().await.unwrap().iter().all(|record| !record.others.is_empty()));
    assert!(!client.assets().place().await.unwrap().others.is_empty());
}
