use generated_client::{Client, Timeframe, Timestamp};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client, from: Timestamp, to: Timestamp) -> Result<(), generated_client::Error> {
    let basis = client.market().basis().coin("BTC").timeframe(Timeframe::H1);
    let series = basis.await?;
    Ok(())
}
