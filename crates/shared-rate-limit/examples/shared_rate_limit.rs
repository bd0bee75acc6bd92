//! One API key for several programs: start this program twice, on one machine or on two, and both together stay within
//! the rate limit. `MARKET_ANALYTICS_SHARED_RATE_LIMIT` is the URL of the Redis or Valkey server: `redis://127.0.0.1:6379`.

#![allow(clippy::print_stdout)] // This is a program.

use std::env;
use std::error::Error;
use std::time::Instant;

use generated_client::{Builder, Client, Timeframe, limits};
use generated_client_shared_rate_limit::SharedRateLimiter;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The rate limit of your key; `limits::all()` if unknown. All programs must set the same limit.
    let limiter = SharedRateLimiter::builder(env::var("MARKET_ANALYTICS_SHARED_RATE_LIMIT")?, limits::SET_A)
        .name("my-key")
        .build()?;
    let client: Client = Builder::from_env()?.rate_limiter(limiter.clone()).build()?;

    let begun = Instant::now();
    for _ in 0..30 {
        let request = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin("BTC");
        request.timeframe(Timeframe::H1).limit(50).await?;
    }
    println!("30 requests in {:.1} s", begun.elapsed().as_secs_f64());
    // Releases the slots at once. Without this call they are released within ten seconds.
    limiter.shutdown().await;
    Ok(())
}
