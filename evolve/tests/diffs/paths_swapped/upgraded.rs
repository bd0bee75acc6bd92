use generated_client::Client;

fn main() {
    let client = Client::builder("https://example.com").build().unwrap();
    assert_eq!(client.market().trades().path_and_query(), "/basis");
}
