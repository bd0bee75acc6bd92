use generated_client::{Client, Side};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let trades = client.market().trades().side(Side::Buy).await?;
    let hour = Side::Buy.duration();
    Ok(())
}
