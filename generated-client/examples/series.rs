//! Fetches one series: the last hundred hours of the volume ratio of BTC on one exchange.

#![allow(clippy::print_stdout)] // This is a program.

use generated_client::{Client, Error, Exchange, Timeframe};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let ratio = client
        .orderflow()
        .volume_ratio()
        .exchange(Exchange::BINANCE_PERP_STABLE)
        .coin("BTC")
        .timeframe(Timeframe::H1)
        .limit(100)
        .await?;
    for point in &ratio {
        println!("{} {:+.3}", point.open_date, point.volume_ratio);
    }
    Ok(())
}
