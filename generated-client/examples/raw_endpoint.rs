//! A raw endpoint: any path and any param, including those without a method. Credentials, rate limits, retries and
//! errors are the same; the body is JSON.

#![allow(clippy::print_stdout)] // This is a program.

use generated_client::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let body = client.raw("/volumeRatio").query("coin", "BTC").query("timeframe", "1h").query("limit", 5).await?;
    println!("{}", body["data"][0]["volumeRatio"]);
    println!("{body:#}");
    Ok(())
}
