use generated_client::Client;

fn main() {
    assert!(Client::builder("https://example.com").build().is_ok());
}
