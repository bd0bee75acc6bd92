use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().await?;
    let last: &generated_client::market::Price = &series.data[0].last;
    Ok(())
}
