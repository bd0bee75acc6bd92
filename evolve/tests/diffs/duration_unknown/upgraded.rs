use generated_client::{Client, Side};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let trades = client.market().trades().side(Side::Buy).await?;
    let is_buy = Side::Buy == Side::from("buy");
    Ok(())
}
