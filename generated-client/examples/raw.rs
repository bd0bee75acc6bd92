//! Asks for a path and prints the body that comes back, as it came: `raw /volumeRatio coin=BTC limit=5`.
//!
//! The service and the credentials are those of the environment, as for [`Client::from_env`].
//! `cargo xtask learn --live` calls it, since the tool that mends the client cannot depend on it.

#![expect(clippy::print_stdout, reason = "this is a program")]

use std::env;
use std::error::Error;

use generated_client::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("name a path, then params like coin=BTC")?;
    let mut request = Client::from_env()?.raw(path);
    for argument in arguments {
        let (name, value) = argument.split_once('=').ok_or_else(|| format!("`{argument}` is not like coin=BTC"))?;
        request = request.query(name, value);
    }
    println!("{:#}", request.await?);
    Ok(())
}
