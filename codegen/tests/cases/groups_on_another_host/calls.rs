//! Sends requests to two hosts of the sandbox, which has one address for both.

use case_groups_on_another_host::{Client, REGISTRY};
use sandbox::Sandbox;

#[tokio::test]
async fn endpoints_with_the_same_path_are_on_two_hosts() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let mut builder = Client::builder(sandbox.base_url()).api_key("any");
    for (name, url) in sandbox.base_urls() {
        builder = builder.base_url(name, url);
    }
    let client = builder.build().unwrap();
    client.orders().orders().coin("BTC").await.unwrap();
    client.positions().positions().await.unwrap();
    client.orders().basis().await.unwrap();
    client.market().basis().coin("BTC").await.unwrap();
    // Only the endpoint of the market has this param.
    let error = client.orders().basis().query("coin", "BTC").await.unwrap_err();
    assert_eq!(error.status(), Some(422), "{error}");
}

#[tokio::test]
async fn a_request_without_its_base_url_names_the_variable() {
    let client = Client::builder("https://example.com/v2").api_key("any").build().unwrap();
    let error = client.orders().orders().await.unwrap_err().to_string();
    assert!(error.contains("EXAMPLE_BROKER_BASE_URL"), "{error}");
}
