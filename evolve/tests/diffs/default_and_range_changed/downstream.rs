fn main() {}

#[allow(unused)]
async fn uses(client: &generated_client::Client) -> Result<(), generated_client::Error> {
    client.market().basis().limit(10).await?;
    Ok(())
}
