use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let coin: &String = &"BTC".to_owned();
    let series = client.market().basis().coin(coin).await?;
    Ok(())
}
