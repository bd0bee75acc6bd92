//! Fetches records and metadata that are nested in the body, from a small server, and from the sandbox with the same
//! catalogue.

mod server;

use case_records_further_down::{Client, REGISTRY, RateLimit, Retry, Series, Value};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    (
        "/sold",
        r#"{"result":{"about":{"houses":["North"]},"page":{"rows":[{"at":1700000000,"price":"7.5"}],"next":"b"}},"took":3}"#,
    ),
    ("/bids", r#"{"result":null,"error":{"message":"no such lot","code":"lot"}}"#),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(&server.address).build().unwrap();
    let sold = client.sales().sold("clock").await.unwrap();
    assert!(server.asked().starts_with("GET /sold?lot=clock HTTP/1.1"), "{}", server.asked());
    assert_eq!((sold[0].at.unix_seconds(), sold[0].price), (1_700_000_000, 7.5));
    assert_eq!(sold.metadata.houses, ["North"]);
    assert_eq!(sold.unknown_fields.get("result").unwrap()["page"]["next"], "b");
    assert_eq!(sold.unknown_fields.get("took"), Some(3.into()));
    let error = client.sales().bids("clock").await.unwrap_err().to_string();
    assert!(error.contains("the service returned an error with a success status"), "{error}");
    assert!(error.contains("the service reports: no such lot"), "{error}");
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    let sold = client.sales().sold("clock").await.unwrap();
    assert!(!sold.is_empty() && sold.is_sorted_by_key(|sale| sale.at));
    assert!(sold.unknown_fields.is_empty(), "{:?}", sold.unknown_fields);
    let bids: Series<Value> = client.sales().bids("clock").await.unwrap();
    assert!(!bids.is_empty());
    keeps_to_a_limit_of_one_endpoint().await;
}

/// Checks that a rate limit of one endpoint counts only requests to this endpoint, in the client and in the sandbox.
async fn keeps_to_a_limit_of_one_endpoint() {
    let sandbox = Sandbox::of(&REGISTRY).limit_set("all").limit_set("sold").start().unwrap();
    // Only a few requests are sent: other tests check the client's windows with a paused clock, which real sockets do
    // not allow.
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    for _ in 0..3 {
        client.sales().sold("clock").await.unwrap();
    }
    let unlimited = Client::builder(sandbox.base_url()).rate_limit(RateLimit::none()).retry(Retry::none()).build().unwrap();
    let (mut sold, mut bids) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        sold.push(tokio::spawn(unlimited.sales().sold("clock").into_future()));
        bids.push(tokio::spawn(unlimited.sales().bids("clock").into_future()));
    }
    for call in bids {
        call.await.unwrap().unwrap();
    }
    let mut refused = 0;
    for call in sold {
        refused += usize::from(call.await.unwrap().is_err_and(|error| error.is_rate_limited()));
    }
    assert!(refused > 0, "nothing was refused");
}
