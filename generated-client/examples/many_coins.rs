//! Fetches the last closed day of many coins concurrently. All requests share one rate limit, and a failed request does
//! not stop the others.

#![allow(clippy::print_stdout)] // This is a program.

use std::error::Error;

use generated_client::{Client, Timeframe};
use tokio::task::JoinSet;

/// The last one does not exist. The sandbox accepts every coin, unless it runs with `--fault 'coin=NONE status=404'`.
const COINS: [&str; 8] = ["BTC", "ETH", "HYPE", "SOL", "XRP", "DOGE", "BNB", "NONE"];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    let mut replies = JoinSet::new();
    for coin in COINS {
        let interest = client.open_interest().open_interest().exchange("binance_perp_stable").coin(coin);
        let request = interest.timeframe(Timeframe::D1).limit(5);
        replies.spawn(async move { (coin, request.await) });
    }
    while let Some(reply) = replies.join_next().await {
        let (coin, interest) = reply?;
        match interest {
            Ok(interest) => println!("{coin}: {:?}", interest.last().and_then(|day| day.close)),
            Err(error) => println!("{coin}: {error}"),
        }
    }
    Ok(())
}
