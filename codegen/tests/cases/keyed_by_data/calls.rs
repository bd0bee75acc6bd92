//! Fetches objects with arbitrary keys from a small server, and from the sandbox with the same catalogue.

mod server;

use case_keyed_by_data::{Client, REGISTRY};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    ("/api/v3/simple/price", r#"{"ethereum":{"usd":2000.5,"eur":null},"bitcoin":{"usd":"40000"}}"#),
    ("/api/v3/exchange_rates", r#"{"rates":{"usd":{"name":"US Dollar","value":40000,"type":"fiat"}}}"#),
    ("/api/v3/coins/bitcoin/chart", r#"{"prices":[[1700000000000,1.5],[1700003600000,2]],"caps":[1,null,"3"]}"#),
    ("/api/v3/simple/currencies", r#"["usd","eur"]"#),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(format!("{}/api/v3", server.address)).build().unwrap();
    let prices = client.simple().price(["bitcoin", "ethereum"], ["usd", "eur"]).await.unwrap();
    let asked = server.asked();
    assert!(asked.starts_with("GET /api/v3/simple/price?ids=bitcoin,ethereum&vs_currencies=usd,eur "), "{asked}");
    assert!(!asked.contains("x-demo-key"), "{asked}");
    assert_eq!((prices.value["bitcoin"]["usd"], prices.value["ethereum"]["eur"]), (Some(40_000.0), None));
    let rates = client.simple().rates().await.unwrap();
    assert_eq!((rates.rates["usd"].name.as_str(), rates.rates["usd"].value), ("US Dollar", 40_000.0));
    assert_eq!(rates.rates["usd"].unknown_fields.get("type"), Some("fiat".into()));
    let chart = client.simple().chart("bitcoin", 1).await.unwrap();
    assert_eq!(chart.prices[1].time.to_string(), "2023-11-14T23:13:20Z");
    assert_eq!((chart.prices[1].price, chart.caps), (2.0, vec![Some(1.0), None, Some(3.0)]));
    assert_eq!(client.simple().currencies().await.unwrap().value, ["usd", "eur"]);
    let client = Client::builder(format!("{}/api/v3", server.address)).api_key("secret").build().unwrap();
    client.simple().currencies().await.unwrap();
    assert!(server.asked().contains("\nx-demo-key: secret"));
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).build().unwrap();
    let prices = client.simple().price(["bitcoin"], ["usd"]).await.unwrap();
    assert!(prices.value.values().all(|of_coin| !of_coin.is_empty()) && !prices.value.is_empty());
    assert!(!client.simple().rates().await.unwrap().rates.is_empty());
    let chart = client.simple().chart("bitcoin", 1).await.unwrap();
    assert!(!chart.prices.is_empty() && !chart.caps.is_empty());
    assert!(!client.simple().currencies().await.unwrap().value.is_empty());
}
