use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().coin("BTC").venues(["one_spot"]).limit(5).await?;
    let begun = series.data[0].open_date;
    Ok(())
}
