use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let coin: Box<str> = "BTC".into();
    let series = client.market().basis().coin(coin).await?;
    Ok(())
}
