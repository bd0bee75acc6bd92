//! Requests a raw endpoint: any path with any params, also if the client has no method for them. Credentials, rate
//! limits, retries and errors are those of every request; the body is JSON.

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
