//! Prints the crowding of a market for spans of six intervals of four hours.

use std::error::Error;

use crowding_signal::crowding;
use generated_client::{Client, Coin, Exchange, Timeframe};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let coin = Coin::from(std::env::args().nth(1).unwrap_or("BTC".to_owned()));
    let client = Client::from_env()?;
    let ratio = client.orderflow().volume_ratio().exchange(Exchange::BINANCE_PERP_STABLE).coin(coin.clone());
    let ratio = ratio.timeframe(Timeframe::H4).limit(100).await?;
    let interest = client.open_interest().open_interest().exchange(Exchange::BINANCE_PERP_STABLE).coin(coin);
    let interest = interest.timeframe(Timeframe::H4).limit(100).await?;
    for crowding in crowding(&ratio, &interest, 6) {
        println!("{} {:+.3}", crowding.open_date, crowding.score);
    }
    Ok(())
}
