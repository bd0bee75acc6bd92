use generated_client::Client;

fn main() {}

#[allow(unused)]
async fn uses(client: &Client) -> Result<(), generated_client::Error> {
    let one = client.market().basis().await?;
    let basis = one.basis;
    Ok(())
}
