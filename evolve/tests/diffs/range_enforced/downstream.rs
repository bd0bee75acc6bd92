use std::time::Duration;

use generated_client::Client;

/// Nothing answers there, so that what the client refuses by itself is another error.
#[tokio::main]
async fn main() {
    let client = Client::builder("http://127.0.0.1:9").build().unwrap();
    let refused = client.market().basis().limit(1000).timeout(Duration::from_secs(2)).await;
    let error = refused.map(|_| ()).unwrap_err().to_string();
    assert!(!error.contains("`limit` is 1000"), "{error}");
}
