//! Uses the client without `async`: the calling thread waits for the response, and a history is an iterator. This needs
//! the feature `blocking` of `generated-client`; your program needs no Tokio runtime.

#![allow(clippy::print_stdout)] // This is a program.

use std::time::Duration;

use generated_client::{Client, Error, Timeframe, Timestamp};

fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let ratio = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin("BTC").timeframe(Timeframe::H1);

    let latest = ratio.clone().limit(5).send_blocking()?;
    println!("{:?}", latest.last());

    let now = Timestamp::now();
    let mut records = ratio.history(now - Duration::from_secs(2 * 86_400)..now).records_blocking();
    for record in &mut records {
        let record = record?;
        println!("{} {:+.3}", record.open_date, record.volume_ratio);
    }
    println!("gaps: {:?}", records.stream().report().gaps);
    Ok(())
}
