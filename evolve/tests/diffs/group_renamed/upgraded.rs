use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let fee = client.costs().fee().coin("BTC").await?;
    Ok(())
}
