//! Requests a path and prints the response body unchanged: `raw /volumeRatio coin=BTC limit=5`.
//!
//! [`Client::from_env`] reads the base URL and the credentials. `cargo xtask learn --live` runs this program instead of
//! calling the client: `xtask` generates the client, so `xtask` must build even if the client does not.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use std::env;
use std::error::Error;
use std::process::ExitCode;

use generated_client::{Client, ErrorKind};

/// The exit code if every other request would fail too, because the client could not be built or could not connect.
const OF_ALL: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let client = match Client::from_env() {
        Ok(client) => client,
        Err(error) => {
            eprintln!("Error: {error:?}");
            return ExitCode::from(OF_ALL);
        }
    };
    match ask(&client).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:?}");
            let client_error = error.downcast_ref::<generated_client::Error>();
            let is_of_all = client_error.is_some_and(|error| error.kind() == ErrorKind::Connect);
            ExitCode::from(if is_of_all { OF_ALL } else { 1 })
        }
    }
}

async fn ask(client: &Client) -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("pass a path, then params like coin=BTC")?;
    let mut request = client.raw(path);
    for argument in arguments {
        let (name, value) =
            argument.split_once('=').ok_or_else(|| format!("invalid param `{argument}`, expected NAME=VALUE"))?;
        request = request.query(name, value);
    }
    println!("{:#}", request.await?);
    Ok(())
}
