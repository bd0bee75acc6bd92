use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().premium().coin("BTC").await?;
    let point: &generated_client::market::PremiumRecord = &series.data[0];
    Ok(())
}
