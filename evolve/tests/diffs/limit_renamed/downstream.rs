use generated_client::{Client, Side};

fn main() {
    let _ = generated_client::limits::SET_A;
}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().coin("BTC").venues(["one_spot"]).limit(5).await?;
    let sum: f64 = series.iter().map(|point| point.basis + point.per_cent).sum();
    let trades = client.market().trades().side(Side::Buy).limit(5).await?;
    let value = trades.data[0].get("price");
    Ok(())
}
