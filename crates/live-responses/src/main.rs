//! `cargo xtask learn --live` and `cargo xtask drift --live` run this program: it requests endpoints of the catalogue in a
//! folder once. The base URL and the credentials are read from the environment, as by an emitted client.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use live_responses::{Selection, check_params, request_all, save};
use runtime::AnyClient;

/// Requests endpoints of a catalogue once, and saves the responses
#[derive(Parser)]
#[command(name = "live-responses", version)]
struct Cli {
    /// The folder for the responses
    folder: PathBuf,
    /// The folder of the catalogue
    #[arg(long, value_name = "DIR")]
    spec: PathBuf,
    /// The only endpoint to request: its path, its name, or its group and method
    #[arg(long)]
    endpoint: Option<String>,
    /// Request only endpoints whose fields are unknown
    #[arg(long, conflicts_with = "endpoint")]
    untyped: bool,
    /// A param to send to every endpoint that has it
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    params: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A failed write is ignored, because it cannot be reported anywhere else.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<(), String> {
    let api = catalogue::read(&cli.spec).map_err(|errors| errors.render("", false))?;
    let registry = catalogue::registry(&api);
    let endpoints = cli.selection().endpoints(&registry)?;
    check_params(&endpoints, &cli.params)?;
    let builder = AnyClient::builder_from_env(registry.service).map_err(|error| error.to_string())?;
    let client = builder.build().map_err(|error| error.to_string())?;
    let answered = request_all(&client, &endpoints, &cli.params).await;
    save(&cli.folder, &answered).map_err(|error| format!("{}: {error}", cli.folder.display()))
}

impl Cli {
    fn selection(&self) -> Selection {
        match &self.endpoint {
            Some(endpoint) => Selection::One(endpoint.clone()),
            None if self.untyped => Selection::Untyped,
            None => Selection::All,
        }
    }
}
