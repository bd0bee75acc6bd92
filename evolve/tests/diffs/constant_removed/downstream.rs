use generated_client::{Client, Venue};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let series = client.market().basis().venue(Venue::TWO_PERP).await?;
    Ok(())
}
