use generated_client::Client;

fn main() {
    let client = Client::builder("https://example.com").build().unwrap();
    let request = client.market().basis("BTC", "USD");
    assert_eq!(request.path_and_query(), "/basis?from=BTC&to=USD");
}
