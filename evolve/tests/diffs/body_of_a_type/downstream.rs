use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let trades = client.market().trades().await?;
    let price = trades.get("price").and_then(|price| price.as_f64());
    Ok(())
}
