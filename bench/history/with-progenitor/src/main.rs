//! Fetches a year of one-minute records with progenitor's client and the rate limiter `governor`:
//! `history-progenitor URL`. Prints the number of records.

use std::num::NonZeroU32;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use governor::{Quota, RateLimiter};
use progenitor_made::types::{Coin, Exchange, Timeframe, VolumeRatioRecord};
use progenitor_made::{Client, Error};
use reqwest::header::{HeaderMap, HeaderValue};

const END: i64 = 1_718_452_800;
const YEAR: i64 = 365 * 86_400;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("pass the URL")?;
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", HeaderValue::from_static("any"));
    let http = reqwest::Client::builder().default_headers(headers).timeout(Duration::from_secs(30)).build()?;
    let client = Client::new_with_client(&url, http);
    let limiter = RateLimiter::direct(Quota::per_second(NonZeroU32::new(10).ok_or("zero")?));
    let (coin, exchange) = (Coin("BTC".to_owned()), vec![Exchange("binance_perp_stable".to_owned())]);
    let timeframe = Timeframe::from("1m".to_owned());
    let page = async |start: i64| {
        let end = END.min(start + 60_000) - 1;
        loop {
            limiter.until_ready().await;
            let page = client.orderflow_volume_ratio(
                None,
                None,
                Some(&coin),
                Some(end),
                Some(&exchange),
                Some(1000),
                None,
                None,
                Some(start),
                Some(&timeframe),
            );
            match page.await {
                Ok(page) => return Ok(page.into_inner().data),
                Err(error) if error.status().is_some_and(|status| status == 429) => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                Err(error) => return Err(Error::<()>::InvalidRequest(error.to_string())),
            }
        }
    };
    let pages = stream::iter((END - YEAR..END).step_by(60_000)).map(page).buffered(20);
    let records: Vec<Vec<VolumeRatioRecord>> = pages.try_collect().await.map_err(|error| error.to_string())?;
    println!("{}", records.iter().map(Vec::len).sum::<usize>());
    Ok(())
}
