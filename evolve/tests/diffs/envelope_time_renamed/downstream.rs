use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().await?;
    let first = series.data[0].open_date;
    Ok(())
}
