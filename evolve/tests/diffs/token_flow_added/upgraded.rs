use generated_client::Client;

fn main() {
    let client = Client::builder("https://example.com").client_credentials("id", "secret").build().unwrap();
}
