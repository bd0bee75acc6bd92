//! `check`: the connection, the API key and the rate limits.
//!
//! One small request is sent, with the catalogue's example params; the outcome is shown. Facts that the response does
//! not show are reported as unknown.

use std::time::Instant;

use clap::Args;
use generated_client::registry::{BodyInfo, EndpointInfo, LimitInfo};
use generated_client::{Error, ErrorKind, SERVICE};

use crate::connection::{Connected, Connection};
use crate::endpoints;
use crate::failure::{Failure, Result};
use crate::gate;
use crate::interrupt::Interrupt;
use crate::list::wrapped;
use crate::log::Log;
use crate::stdout;
use crate::table::{Cell, Column, Format, Table};

/// Check the connection, the API key and the rate limits
#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    connection: Connection,
    /// Output format; a table on a terminal, else CSV
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl Check {
    pub(crate) async fn run(&self, log: &Log, mut interrupt: Interrupt) -> Result<()> {
        let connected = self.connection.open(log).await?;
        let mut rows = vec![["settings".to_owned(), format!("from {}", connected.source)]];
        if let Some(gate) = &connected.gate {
            let state = gate.status().await.map_or_else(|error| error.to_string(), |status| gate::described(&status));
            rows.push(["shared limit".to_owned(), state]);
        }
        let (outcome, failed) = interrupt.ends(async { Ok(probe(&connected).await) }).await?;
        rows.extend(outcome);
        rows.extend(limits());
        self.print(&rows)?;
        failed.map_or(Ok(()), Err)
    }

    fn print(&self, rows: &[[String; 2]]) -> Result<()> {
        let format = Format::or_for_reader(self.format, Format::Csv);
        if format == Format::Table {
            let widest = rows.iter().map(|[name, _]| name.len()).max().unwrap_or_default();
            return stdout::print(wrapped(rows, widest, stdout::width()));
        }
        let columns = vec![Column::text("what"), Column::text("state")];
        let rows = rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        stdout::print(Table { columns, rows }.text(format)?)
    }
}

/// Sends one request, and describes its outcome.
async fn probe(connected: &Connected) -> (Vec<[String; 2]>, Option<Failure>) {
    let Some(endpoint) = probed() else { return (Vec::new(), None) };
    let mut request = connected.client.raw(endpoint.path.unwrap_or_default());
    for param in endpoint.params.unwrap_or_default() {
        let least = param.allowed_values.first().copied();
        if let Some(value) = least.or(param.example.filter(|_| param.required.is_some())) {
            request = request.query(param.wire_name, value);
        }
    }
    let row = |what: &str, state: String| [what.to_owned(), state];
    let begun = Instant::now();
    match request.response().await {
        Ok(response) => {
            let time = begun.elapsed().as_millis();
            let connection = format!("ok, {} responded in {time} ms", endpoint.path.unwrap_or_default());
            let mut rows = vec![row("connection", connection), row("API key", "accepted".to_owned())];
            for (name, value) in response.headers.iter().filter(|(name, _)| is_about_limits(name)) {
                rows.push(row(name, String::from_utf8_lossy(value).into_owned()));
            }
            (rows, None)
        }
        Err(error) => (vec![row("connection", connection(&error)), row("API key", key(&error))], Some(error.into())),
    }
}

/// The best documented endpoint with the fewest required params, of those that return records and whose required params
/// have examples.
fn probed() -> Option<&'static EndpointInfo> {
    let has_examples = |endpoint: &&EndpointInfo| {
        let mut needed = endpoint.params.unwrap_or_default().into_iter().filter(|param| param.required.is_some());
        matches!(endpoint.body, BodyInfo::Series { .. }) && needed.all(|param| param.example.is_some())
    };
    let needed = |endpoint: &EndpointInfo| {
        endpoint.params.unwrap_or_default().iter().filter(|param| param.required.is_some()).count()
    };
    endpoints::with_path().filter(has_examples).min_by_key(|endpoint| (endpoint.evidence, needed(endpoint)))
}

fn is_about_limits(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("ratelimit") || name.contains("rate-limit") || name == "retry-after"
}

fn connection(error: &Error) -> String {
    match (error.status(), error.kind()) {
        (Some(status), _) => format!("ok, but the response has status {status}"),
        (None, ErrorKind::Connect) => "failed".to_owned(),
        (None, _) => "no response".to_owned(),
    }
}

fn key(error: &Error) -> String {
    match error.status() {
        Some(401 | 403) => "rejected",
        Some(_) => "not rejected",
        None => "unknown",
    }
    .to_owned()
}

/// The limits of the catalogue.
fn limits() -> impl Iterator<Item = [String; 2]> {
    let several = SERVICE.limits.len() > 1;
    let limit = move |info: &LimitInfo| {
        let when = match info.scope {
            Some(when) => format!("; applies to {when}"),
            None if several => "; enforced (it is unknown which limit applies to your key)".to_owned(),
            None => String::new(),
        };
        let concurrent = info.concurrent.map_or(String::new(), |count| format!(", {count} concurrent"));
        let text = format!("{} requests in {} s{concurrent} ({}){when}", info.requests, info.seconds, info.evidence);
        [format!("limit {}", info.name), text]
    };
    SERVICE.limits.iter().map(limit)
}
