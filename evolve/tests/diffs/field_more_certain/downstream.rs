use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().await?;
    let value: f64 = series.data[0].basis.unwrap_or_default();
    Ok(())
}
