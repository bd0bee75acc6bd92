use generated_client::Client;

fn main() {
    let client = Client::builder("https://example.com").api_key("k").build().unwrap();
}
