//! `check`: whether the service can be reached, whether the key is accepted, and which limits hold.
//!
//! One small request is sent, with the params that the catalogue gives as examples; the outcome is shown. What a reply
//! does not show is called unknown.

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
use crate::say::Say;
use crate::sheet::{Cell, Column, Format, Sheet};
use crate::stdout;

/// Ask whether the service can be reached, whether the key is good, and which limits hold
#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    connection: Connection,
    /// How it is written; a table on a terminal, else CSV
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl Check {
    pub(crate) async fn run(&self, say: &Say, mut interrupt: Interrupt) -> Result<()> {
        let connected = self.connection.open(say).await?;
        let mut told = vec![["settings".to_owned(), format!("from {}", connected.source)]];
        if let Some(gate) = &connected.gate {
            let state = gate.status().await.map_or_else(|error| error.to_string(), |status| gate::told(&status));
            told.push(["gate".to_owned(), state]);
        }
        let (asked, failed) = interrupt.ends(async { Ok(ask(&connected).await) }).await?;
        told.extend(asked);
        told.extend(limits());
        self.print(&told)?;
        failed.map_or(Ok(()), Err)
    }

    fn print(&self, told: &[[String; 2]]) -> Result<()> {
        let format = Format::or_for_reader(self.format, Format::Csv);
        if format == Format::Table {
            let longest = told.iter().map(|[name, _]| name.len()).max().unwrap_or_default();
            return stdout::print(wrapped(told, longest, stdout::width()));
        }
        let columns = vec![Column::text("what"), Column::text("state")];
        let rows = told.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        stdout::print(Sheet { columns, rows }.text(format)?)
    }
}

type Told = Vec<[String; 2]>;

/// Sends one request, and describes its outcome.
async fn ask(connected: &Connected) -> (Told, Option<Failure>) {
    let Some(endpoint) = probe() else { return (Vec::new(), None) };
    let mut request = connected.client.raw(endpoint.path.unwrap_or_default());
    for param in endpoint.params.unwrap_or_default() {
        let least = param.served.first().copied();
        if let Some(value) = least.or(param.example.filter(|_| param.required.is_some())) {
            request = request.query(param.wire_name, value);
        }
    }
    let row = |what: &str, state: String| [what.to_owned(), state];
    let begun = Instant::now();
    match request.response().await {
        Ok(response) => {
            let mut told = vec![
                row(
                    "reached",
                    format!(
                        "yes, {} answered in {} ms",
                        endpoint.path.unwrap_or_default(),
                        begun.elapsed().as_millis()
                    ),
                ),
                row("key", "accepted".to_owned()),
            ];
            for (name, value) in response.headers.iter().filter(|(name, _)| tells_of_limits(name)) {
                told.push(row(name, String::from_utf8_lossy(value).into_owned()));
            }
            (told, None)
        }
        Err(error) => (vec![row("reached", reached(&error)), row("key", key(&error))], Some(error.into())),
    }
}

/// The endpoint that is known best and needs the fewest params, of those that answer with records and whose required
/// params have examples.
fn probe() -> Option<&'static EndpointInfo> {
    let has_examples = |endpoint: &&EndpointInfo| {
        let mut needed = endpoint.params.unwrap_or_default().into_iter().filter(|param| param.required.is_some());
        matches!(endpoint.body, BodyInfo::Series { .. }) && needed.all(|param| param.example.is_some())
    };
    let needed = |endpoint: &EndpointInfo| {
        endpoint.params.unwrap_or_default().iter().filter(|param| param.required.is_some()).count()
    };
    endpoints::with_path().filter(has_examples).min_by_key(|endpoint| (endpoint.evidence, needed(endpoint)))
}

fn tells_of_limits(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("ratelimit") || name.contains("rate-limit") || name == "retry-after"
}

fn reached(error: &Error) -> String {
    match (error.status(), error.kind()) {
        (Some(status), _) => format!("yes, but it answered with {status}"),
        (None, ErrorKind::Connect) => "no".to_owned(),
        (None, _) => "no answer".to_owned(),
    }
}

fn key(error: &Error) -> String {
    match error.status() {
        Some(401 | 403) => "not accepted",
        Some(_) => "not refused",
        None => "unknown",
    }
    .to_owned()
}

/// The limits that the catalogue knows.
fn limits() -> impl Iterator<Item = [String; 2]> {
    let several = SERVICE.limits.len() > 1;
    let limit = move |info: &LimitInfo| {
        let when = match info.applies_to {
            Some(when) => format!("; applies to {when}"),
            None if several => "; kept to, as nobody knows which set applies".to_owned(),
            None => String::new(),
        };
        let concurrent = info.concurrent.map_or(String::new(), |count| format!(", {count} at once"));
        let text = format!("{} requests in {} s{concurrent} ({}){when}", info.requests, info.seconds, info.evidence);
        [format!("limit {}", info.name), text]
    };
    SERVICE.limits.iter().map(limit)
}
