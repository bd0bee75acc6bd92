use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().coin("BTC").venues(["one_spot"]).limit(5).await?;
    let first: f64 = series.data[0].basis + series.data[0].per_cent;
    Ok(())
}
