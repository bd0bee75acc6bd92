use generated_client::Client;

fn main() {
    let _ = Client::builder("https://example.com").api_key("k").build().unwrap();
}
