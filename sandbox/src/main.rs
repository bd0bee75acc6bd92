//! The sandbox as a program: flags come in, the base URL and the page's go out, ctrl-c ends it.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use sandbox::Sandbox;

/// A server that answers as the catalogue says, with invented data
#[derive(Parser)]
#[command(name = "sandbox", version)]
struct Cli {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8700)]
    port: u16,
    /// The only API key that is accepted; any one is if left out
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// Ask for a bearer token beside the API key; the token endpoint gives one to any client
    #[arg(long)]
    bearer_required: bool,
    /// Which of all invented markets is shown
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is lost if nobody listens.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> io::Result<()> {
    let mut builder = Sandbox::builder().port(cli.port).seed(cli.seed).bearer_required(cli.bearer_required);
    let accepted = match cli.api_key {
        Some(key) => {
            builder = builder.api_key(key);
            "the given API key"
        }
        None => "any API key",
    };
    let sandbox = builder.start().await?;
    // In one piece, as a program may read the first line and listen no more.
    let said = format!("sandbox: {} ({accepted})\npage: {}\n", sandbox.base_url(), sandbox.page_url());
    io::stdout().write_all(said.as_bytes())?;
    tokio::signal::ctrl_c().await
}
