//! One API key for several programs: run this twice at once, on one machine or on two, and both together keep to the
//! rate limit. `MARKET_ANALYTICS_GATE` says where the Redis or Valkey server is: `redis://127.0.0.1:6379`.

#![allow(clippy::print_stdout)] // This is a program.

use std::env;
use std::error::Error;
use std::time::Instant;

use generated_client::{Builder, Client, Timeframe, limits};
use shared_gate::SharedGate;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The rate limit of your key; `limits::all()` if you do not know it. All programs name the same one.
    let gate = SharedGate::builder(env::var("MARKET_ANALYTICS_GATE")?, limits::SET_A).name("my-key").build()?;
    let client: Client = Builder::from_env()?.rate_limiter(gate.clone()).build()?;

    let begun = Instant::now();
    for _ in 0..30 {
        client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(50).await?;
    }
    println!("30 requests in {:.1} s", begun.elapsed().as_secs_f64());
    // Frees at once what the server would free in ten seconds.
    gate.shutdown().await;
    Ok(())
}
