//! Uses the token flow: with a client id and a client secret, the client requests a token when it needs one, sends it
//! in addition to the API key and renews it before it expires. `Client::from_env` does the same; here each setting is
//! explicit.

#![allow(clippy::print_stdout)] // This is a program.

use std::env;
use std::error::Error;

use generated_client::observer::{Event, Observer};
use generated_client::{Client, Timeframe};

/// Prints a line for each token request.
struct Tokens;

impl Observer for Tokens {
    fn observe(&self, event: &Event) {
        if let Event::Token { renewed, .. } = event {
            println!("token requested: {}", if *renewed { "received" } else { "failed" });
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder(env::var("MARKET_ANALYTICS_BASE_URL")?)
        .api_key(env::var("MARKET_ANALYTICS_API_KEY")?)
        .client_credentials(env::var("MARKET_ANALYTICS_CLIENT_ID")?, env::var("MARKET_ANALYTICS_CLIENT_SECRET")?)
        .observer(Tokens)
        .build()?;
    for coin in ["BTC", "ETH"] {
        let request = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin(coin);
        let ratio = request.timeframe(Timeframe::H1).await?;
        println!("{coin}: {} records", ratio.len());
    }
    Ok(())
}
