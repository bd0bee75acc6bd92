use generated_client::{Client, Taker};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let trades = client.market().trades().side(Taker::Sell).await?;
    Ok(())
}
