use generated_client::Client;

fn main() {
    let client = Client::builder("https://example.com/v2").build().unwrap();
    assert_eq!(generated_client::SERVICE.base_url_suffix, "/v2");
}
