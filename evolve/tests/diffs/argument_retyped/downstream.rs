use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let number: u64 = 1;
    let series = client.market().basis(number).await?;
    Ok(())
}
