use generated_client::Client;

fn main() {
    let client = Client::builder("https://example.com").build().unwrap();
}
