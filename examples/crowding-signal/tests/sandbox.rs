//! Tests the signal with data of the sandbox, which is the same in every run and needs neither a key nor a network.

use crowding_signal::crowding;
use generated_client::{Client, REGISTRY, Timeframe};
use sandbox::Sandbox;

#[tokio::test]
async fn both_sides_are_crowded_at_some_time() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::of(&REGISTRY).seed(7).stop_clock_at(1_750_000_000).start()?;
    let client = Client::builder(sandbox.base_url()).api_key("any").build()?;
    let ratio = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(500).await?;
    let interest = client.open_interest().open_interest().coin("BTC").timeframe(Timeframe::H1).limit(500).await?;

    let signal = crowding(&ratio, &interest, 24);
    assert_eq!(signal.len(), 500 - 24 + 1);
    assert!(signal.iter().any(|crowding| crowding.score > 0.1), "longs are never crowded");
    assert!(signal.iter().any(|crowding| crowding.score < -0.1), "shorts are never crowded");
    assert!(signal.iter().any(|crowding| crowding.score == 0.0), "some side is always crowded");
    Ok(())
}
