//! Requests a raw endpoint: any path with any params, even if the client has no method for it. The request has the same
//! credentials, rate limits, retries and errors as all other requests. The body is JSON.

#![allow(clippy::print_stdout)] // This is a program.

use generated_client::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let request = client.raw("/volumeRatio").query("exchange", "binance_perp_stable").query("coin", "BTC");
    let body = request.query("timeframe", "1h").query("limit", 5).await?;
    println!("{}", body["data"][0]["volumeRatio"]);
    println!("{body:#}");
    Ok(())
}
