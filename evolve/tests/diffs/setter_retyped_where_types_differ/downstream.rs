use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let trades = client.market().trades().limit(5_i64).await?;
    Ok(())
}
