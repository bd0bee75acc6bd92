//! Tests a function with the sandbox, which needs no key and no network and returns the same data in every run. In your
//! crate, write this as a `#[tokio::test]` with the sandbox as a dev-dependency, as in the crate
//! `examples/crowding-signal`.

#![allow(clippy::print_stdout)] // This is a program.

use std::error::Error;

use generated_client::{Client, REGISTRY, Timeframe};
use sandbox::Sandbox;

/// The function to test: returns in how many of the last 500 hours buyers dominated.
async fn bullish_hours(client: &Client, coin: &str) -> Result<usize, generated_client::Error> {
    let request = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin(coin);
    let ratio = request.timeframe(Timeframe::H1).limit(500).await?;
    Ok(ratio.iter().filter(|hour| hour.volume_ratio > 0.0).count())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The first two responses of the sandbox are 429, so the client has to retry.
    let builder = Sandbox::of(&REGISTRY).seed(7).stop_clock_at(1_750_000_000).fault("2x status=429".parse()?);
    let sandbox = builder.start()?;
    let client = Client::builder(sandbox.base_url()).api_key("any").build()?;

    let hours = bullish_hours(&client, "BTC").await?;
    println!("{hours} hours after {} requests", sandbox.counts().requests);
    assert_eq!((hours, sandbox.counts().requests), (123, 3));
    Ok(())
}
