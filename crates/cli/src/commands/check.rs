//! `check`: tests the connection and the API key.
//!
//! Sends one small request with the catalogue's example params, and prints the time until its response. An error ends
//! the command.

use std::time::Instant;

use clap::Args;
use runtime::AnyClient as Client;

use crate::connection::{Connection, has_key};
use crate::endpoint_names;
use crate::examples;
use crate::failure::{ExitKind, Failure, Result};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::response_warnings::warn_of_others;
use crate::stdout;

#[derive(Args, Debug)]
#[command(about = format!("Check the connection{} with one small request", if has_key() { " and the API key" } else { "" }))]
pub(crate) struct Check {
    #[command(flatten)]
    connection: Connection,
}

impl Check {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        let connected = self.connection.open(log).await?;
        print("settings", &format!("from {}", connected.settings_source))?;
        if let Some(status) = connected.rate_limit.described().await? {
            print("shared limit", &status)?;
        }
        interrupt.ends(probe(&connected.client, log)).await
    }
}

/// Sends one request, and prints the time until its response.
async fn probe(client: &Client, log: Log) -> Result<()> {
    let Some(endpoint) = examples::example() else { return Ok(()) };
    let mut request = client.endpoint(endpoint);
    for param in endpoint.params() {
        let allowed = param.allowed_values.first().copied();
        if let Some(value) = allowed.or(param.example.filter(|_| param.required.is_some())) {
            request = request.query(param.wire_name, value);
        }
    }
    let begun = Instant::now();
    let body = request.await?;
    let time = begun.elapsed().as_millis();
    print("connection", &format!("ok, {} responded in {time} ms", endpoint.path.unwrap_or_default()))?;
    // The service may say in another member of the response that it has rejected the key.
    if warn_of_others(&body, &endpoint_names::name(endpoint), log) {
        let message = "the response does not show that the service has accepted the request";
        return Err(Failure::new(ExitKind::Incomplete, message));
    }
    if has_key() { print("API key", "accepted") } else { Ok(()) }
}

fn print(what: &str, state: &str) -> Result<()> {
    stdout::lines(&format!("{what:<14}{state}\n"))
}
