use generated_client::{Client, KindOfMarket, Venue};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let house = Venue::ONE_SPOT.house();
    let spot = Venue::ONE_SPOT.kind_of_market() == Some(KindOfMarket::Spot);
    Ok(())
}
