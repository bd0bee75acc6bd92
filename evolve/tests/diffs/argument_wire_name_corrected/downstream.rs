fn main() {}

#[allow(unused)]
async fn uses(client: &generated_client::Client) -> Result<(), generated_client::Error> {
    client.market().basis("BTC").coin("BTC").await?;
    Ok(())
}
