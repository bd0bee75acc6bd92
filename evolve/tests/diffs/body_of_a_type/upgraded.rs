use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let trades = client.market().trades().await?;
    let price: Option<f64> = trades.value.get("price").copied();
    Ok(())
}
