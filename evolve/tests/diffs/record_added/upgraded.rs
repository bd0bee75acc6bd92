fn main() {}

#[allow(unused)]
async fn uses(price: generated_client::market::Price) -> Result<(), generated_client::Error> {

    Ok(())
}
