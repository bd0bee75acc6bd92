use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().limit(5_u64).await?;
    let series = client.market().open_interest().limit(-5_i64).await?;
    Ok(())
}
