use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().premium().coin("BTC").await?;
    let interest = client.market().open_interest().await?;
    Ok(())
}
