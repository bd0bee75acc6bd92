use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let limit: i64 = 5;
    let series = client.market().basis().limit(limit).await?;
    Ok(())
}
