//! `get`: prints one response for each series.
//!
//! A terminal shows one table for each endpoint. Programs get one table with all endpoints. If a series fails, the
//! others are still printed.

use std::future::IntoFuture;
use std::time::Duration;

use clap::Args;
use runtime::history::History;
use runtime::{AnyBody, AnyClient as Client, Dynamic, Error, Request, Timestamp};
use serde_json::Value;

use crate::catalogue_json;
use crate::command_line::Requested;
use crate::commands::backfill::stored;
use crate::examples;
use crate::failure::{Failure, Result};
use crate::interrupt::Interrupt;
use crate::log::{self, Log};
use crate::param_options::Params;
use crate::printer::Printer;
use crate::program;
use crate::progress::counted;
use crate::record_columns;
use crate::requested_series::{ParamValue, Series, Target, combine, labels};
use crate::stdout;
use crate::table::Format;
use crate::time_arg;

/// Fetch the latest records, or one page of a range
#[derive(Args, Debug)]
#[command(after_help = examples::get())]
pub(crate) struct Get {
    #[command(flatten)]
    requested: Requested,
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d; default: the latest records
    #[arg(long, value_name = "WHEN", value_parser = time_arg::timestamp, allow_hyphen_values = true)]
    from: Option<Timestamp>,
    /// End of the range, excluded or included as the service defines it
    #[arg(long, value_name = "WHEN", value_parser = time_arg::timestamp)]
    to: Option<Timestamp>,
    /// Output format; a table on a terminal, else CSV, or JSON if the response has no records
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print one JSON object for each series, with the body as the service sent it
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// A series and its response.
type SeriesResponse = (Series, AnyBody);

impl Get {
    pub(crate) async fn run(&self, log: Log, mut interrupt: Interrupt) -> Result<()> {
        let targets = self.requested.endpoints.iter().map(|name| Target::find(name)).collect::<Result<Vec<_>>>()?;
        let series = combine(&targets, &self.params_with_range(&targets)?, log)?;
        let connected = self.requested.connection.open(log).await?;
        let (responses, failed) = interrupt.ends(async { Ok(fetch(&connected.client, series).await) }).await?;
        self.print(&connected.client, &responses)?;
        let labels = labels(&responses.iter().map(|(series, _)| series.clone()).collect::<Vec<_>>());
        for ((series, body), label) in responses.iter().zip(labels) {
            match record_columns::part(series, body).map(|part| part.records.len()) {
                Some(0) => log.warning(&format!("{label}: no records")),
                Some(count) if page_size(series).is_some_and(|size| count >= size) => {
                    let program = program::name();
                    let advice = format!("the range may have more; set a higher limit, or use `{program} backfill`");
                    let count = counted(count as u64, "record");
                    log.warning(&format!("{label}: the page is full with {count}; {advice}"));
                }
                _ => {}
            }
        }
        // All failures except the first are printed here. The first is returned, and `main` prints it.
        let mut failed = failed.into_iter();
        let Some(first) = failed.next() else { return Ok(()) };
        failed.for_each(|other| log::error(&other.to_string()));
        Err(first)
    }

    /// Returns the params, with `--from` and `--to` as the params that set the range of these endpoints.
    fn params_with_range(&self, targets: &[Target]) -> Result<Params> {
        let mut params = self.requested.params.clone();
        for target in targets.iter().filter(|_| self.from.is_some() || self.to.is_some()) {
            let info =
                target.history().ok_or_else(|| Failure::usage(format!("{} has no known time range", target.name)))?;
            for (name, time) in [(info.from, self.from), (info.to, self.to)] {
                if name.is_empty() && time.is_some() {
                    return Err(Failure::usage(format!("{} has only one end of its time range", target.name)));
                }
                if let Some(time) = time.filter(|_| !params.has(name)) {
                    params.known.push((name.to_owned(), vec![time.to_string()]));
                }
            }
        }
        Ok(params)
    }

    fn print(&self, client: &Client, responses: &[SeriesResponse]) -> Result<()> {
        if self.json {
            return responses.iter().try_for_each(|(series, body)| {
                let mut object = catalogue_json::series(series);
                object.insert("body".to_owned(), serde_json::to_value(body).unwrap_or_default());
                stdout::print(format!("{}\n", Value::Object(object)))
            });
        }
        let parts: Vec<_> = responses.iter().filter_map(|(series, body)| record_columns::part(series, body)).collect();
        let mut others =
            responses.iter().filter(|(series, body)| record_columns::part(series, body).is_none()).peekable();
        let format = Format::or_for_reader(self.format, Format::Csv);
        if let (Some(Format::Csv), Some((series, _))) = (self.format, others.peek()) {
            let message = format!("the response of {} has no records for a CSV file", series.endpoint.name);
            return Err(Failure::usage(message).help("use `--format jsonl`"));
        }
        if format == Format::Arrow && others.peek().is_none() {
            let series: Vec<Series> = responses.iter().map(|(series, _)| series.clone()).collect();
            let mut printer = Printer::new(&series, &stored(client, &series)?, format, None)?;
            parts.iter().enumerate().try_for_each(|(index, part)| printer.print(index, part))?;
            return printer.end();
        }
        if format == Format::Table {
            let by_endpoint: Vec<_> =
                parts.chunk_by(|one, other| one.series.endpoint == other.series.endpoint).collect();
            for (index, of_one) in by_endpoint.iter().enumerate() {
                let (bold, gap) = (stdout::heading(), if index == 0 { "" } else { "\n" });
                if by_endpoint.len() > 1 {
                    stdout::print(format!("{gap}{bold}{}{bold:#}\n", of_one[0].series.endpoint.name))?;
                }
                stdout::print(record_columns::table(of_one).text(Format::Table)?)?;
            }
        } else if !parts.is_empty() {
            stdout::print(record_columns::table(&parts).text(format)?)?;
        }
        others.try_for_each(|(_, body)| {
            let body = serde_json::to_value(body).unwrap_or_default();
            stdout::print(if format == Format::Table { format!("{body:#}\n") } else { format!("{body}\n") })
        })
    }
}

/// Returns the maximum number of records of a response; `None` if it is unknown, or if the series sets no range.
fn page_size(series: &Series) -> Option<usize> {
    let (endpoint, info) = (series.endpoint.known?, series.endpoint.history()?);
    series.value(info.from).or(series.value(info.to))?;
    let size = series.value(info.limit).map(ParamValue::shown);
    size.or(endpoint.param(info.limit)?.default.map(str::to_owned))?.parse().ok()
}

/// Sends all requests concurrently, within the rate limit, and returns the responses in the order of the series.
async fn fetch(client: &Client, series: Vec<Series>) -> (Vec<SeriesResponse>, Vec<Failure>) {
    let sent: Vec<_> = series.into_iter().map(|one| (tokio::spawn(send(client, &one)), one)).collect();
    let (mut responses, mut failed) = (Vec::new(), Vec::new());
    for (task, series) in sent {
        match task.await {
            Ok(Ok(body)) => responses.push((series, body)),
            Ok(Err(error)) => failed.push(error.into()),
            Err(error) => failed.push(Failure::machine(error)),
        }
    }
    (responses, failed)
}

/// Builds the request of a series; returns `None` for a path that is not in the catalogue.
pub(crate) fn request(client: &Client, series: &Series) -> Option<Request<Dynamic>> {
    let request = client.endpoint(series.endpoint.known?);
    Some(series.values.iter().fold(request, |request, (name, value)| match value {
        ParamValue::Text(text) => request.query(name, text),
        ParamValue::Several(values) => request.query_list(name, values),
        ParamValue::Time(time) => request.query(name, *time),
    }))
}

/// Returns the interval between the records of a request's history.
pub(crate) fn step(request: &Request<Dynamic>) -> Result<Duration> {
    let epoch = Timestamp::from_unix_seconds(0);
    Ok(History::new(request.clone(), epoch..epoch).plan()?.step)
}

fn send(client: &Client, series: &Series) -> impl Future<Output = Result<AnyBody, Error>> + use<> {
    let known = request(client, series);
    let raw = client.raw(&*series.endpoint.name);
    let raw = series.values.iter().fold(raw, |request, (name, value)| request.query(name, value.shown()));
    async {
        match known {
            Some(request) => request.into_future().await,
            None => raw.into_future().await.map(AnyBody::Any),
        }
    }
}
