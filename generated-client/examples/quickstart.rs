//! Fetches a typed series and prints it.
//!
//! With `MARKET_ANALYTICS_BASE_URL` and `MARKET_ANALYTICS_API_KEY` set, it asks the service.
//! Without, it starts the sandbox by itself and shows a market that never was.

#![expect(clippy::print_stdout, reason = "this is a program")]

use std::env;
use std::error::Error;

use generated_client::{Client, Exchange, Timeframe};
use sandbox::Sandbox;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let sandbox;
    let client = if env::var_os("MARKET_ANALYTICS_BASE_URL").is_some() {
        Client::from_env()?
    } else {
        sandbox = Sandbox::start().await?;
        Client::builder(sandbox.base_url()).api_key("any").build()?
    };

    let ratio = client
        .orderflow()
        .volume_ratio()
        .exchange(Exchange::BINANCE_PERP_STABLE)
        .coin("BTC")
        .timeframe(Timeframe::H1)
        .limit(100)
        .await?;
    for point in &ratio.data {
        println!("{} {:+.3}", point.open_date, point.volume_ratio);
    }
    Ok(())
}
