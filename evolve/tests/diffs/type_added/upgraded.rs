use generated_client::{Client, Coin};

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let coin = Coin::BTC;
    Ok(())
}
