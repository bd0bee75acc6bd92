//! Prints each minute once it is closed. The program starts with the last five minutes. After an outage, it first
//! prints the minutes that it missed.

#![allow(clippy::print_stdout)] // This is a program.

use std::time::Duration;

use generated_client::{Client, Error, Timeframe, Timestamp};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let ratio = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin("BTC").timeframe(Timeframe::M1);
    let mut minutes = ratio.follow(Timestamp::now() - Duration::from_secs(5 * 60));
    let mut seen = 0;
    // A real poller runs forever; this one ends, because it is also a test.
    while seen < 4 {
        let update = minutes.next().await?;
        for gap in update.page().into_iter().flat_map(|page| &page.report.gaps) {
            println!("missing: {:?}", gap.range);
        }
        for minute in update.records() {
            println!("{} {:+.3}", minute.open_date, minute.volume_ratio);
        }
        seen += update.records().len();
    }
    if let Some(checkpoint) = minutes.checkpoint() {
        println!("the next run resumes from {checkpoint}");
    }
    Ok(())
}
