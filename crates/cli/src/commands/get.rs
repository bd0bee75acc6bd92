//! `get`: prints one response for each series.
//!
//! With `--all`, further pages of a response are requested, too. A terminal shows one table for each endpoint. Programs get
//! one table with all endpoints. If a series fails, the others are still printed.

use std::collections::{BTreeMap, BTreeSet};
use std::future::IntoFuture;

use clap::Args;
use runtime::{AnyBody, AnyClient as Client, Error, Timestamp};
use serde_json::Value;

use crate::catalogue_json;
use crate::endpoint_names::{Endpoint, history, is_path, is_same, name};
use crate::examples;
use crate::failure::{self, Failure, Result};
use crate::find_endpoint::find_or_path;
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::notation::{assigned, command, option};
use crate::param_options::Params;
use crate::printer::{Columns, Printer};
use crate::progress::counted;
use crate::record_columns::SeriesRecords;
use crate::requested_series::{RequestedSeries, labels, request};
use crate::response_warnings::{RequestedRange, warn_of_others};
use crate::series_combinations::{Requested, combine};
use crate::stdout;
use crate::table::Format;
use crate::time_arg;
use crate::unsupported_values::{self, sentence_of};
use crate::whole_number;

/// Fetch the latest records, or one page of a range
#[derive(Args, Debug)]
#[command(after_help = examples::get())]
pub(crate) struct Get {
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d; default: the latest records. It
    /// is sent as it is, and included or excluded as the service defines it; `backfill --out -` includes it
    #[arg(long, value_name = "WHEN", value_parser = time_arg::timestamp, allow_hyphen_values = true)]
    from: Option<Timestamp>,
    /// End of the range, also sent as it is
    #[arg(long, value_name = "WHEN", value_parser = time_arg::timestamp)]
    to: Option<Timestamp>,
    /// Fetch all pages of the response, if the service divides its records into pages
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Maximum number of pages of each series
    #[arg(long, value_name = "N", requires = "all", default_value_t = 10_000)]
    #[arg(value_parser = whole_number::at_least::<1>, allow_negative_numbers = true)]
    max_pages: u64,
    /// Output format; a table on a terminal, else CSV, or JSON if the response has no records
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print one JSON object for each series, with the body as the service sent it
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    requested: Requested,
}

/// The index of a series among those that were requested, the series, and its response.
type SeriesResponse<'s> = (usize, &'s RequestedSeries, AnyBody);

impl Get {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        let mut endpoints = Vec::new();
        for name in &self.requested.endpoints {
            endpoints.push(find_or_path(name)?);
        }
        if self.all {
            require_pages(&endpoints)?;
        }
        let series = combine(&endpoints, &self.params_with_range(&endpoints)?, log)?;
        let connected = self.requested.connection.open(log).await?;
        let (responses, mut failed) =
            interrupt.ends(async { Ok(self.fetch(&connected.client, &series, log).await) }).await?;
        let labels = labels(&series);
        let mut parts = Vec::new();
        for (index, series, body) in &responses {
            parts.extend(SeriesRecords::of_body(*index, series, body));
            warn_of_others(body, &labels[*index], log);
        }
        self.print(&connected.client, &series, &responses, &parts)?;
        failed.extend(unsupported(&responses, &labels));
        if !self.all {
            let range = RequestedRange { from: self.from, to: self.to };
            for part in &parts {
                range.warn_of_missing_records(&connected.client, part, &labels[part.index], log);
            }
        }
        failure::first(failed)
    }

    /// The params, with `--from` and `--to` as the params that set the range of these endpoints.
    fn params_with_range(&self, endpoints: &[Endpoint]) -> Result<Params> {
        let mut params = self.requested.params.clone();
        if self.from.is_none() && self.to.is_none() {
            return Ok(params);
        }
        for endpoint in endpoints {
            let Some(info) = history(endpoint) else {
                return Err(Failure::usage(format!("{} has no known time range", name(endpoint))));
            };
            if info.from == info.to {
                let (Some(from), Some(to)) = (self.from, self.to) else {
                    return Err(Failure::usage(format!("{} needs both ends of its time range", name(endpoint)))
                        .help(format!("set `{}` and `{}`", option("from"), option("to"))));
                };
                self.check_set_once(info.from)?;
                add_param(&mut params, info.from, &[from, to]);
                continue;
            }
            for (param, time) in [(info.from, self.from), (info.to, self.to)] {
                let Some(time) = time else { continue };
                if param.is_empty() {
                    return Err(Failure::usage(format!("{} has only one end of its time range", name(endpoint))));
                }
                self.check_set_once(param)?;
                add_param(&mut params, param, &[time]);
            }
        }
        Ok(params)
    }

    /// Fails if a param of the time range is also set by its own option, because one of both values would be ignored.
    fn check_set_once(&self, param: &str) -> Result<()> {
        if self.requested.params.has(param) {
            return Err(Failure::usage(format!("`{param}` is set by its own option and by the time range")));
        }
        Ok(())
    }

    /// Sends all requests concurrently, within the rate limit, and returns the responses in the order of the series.
    async fn fetch<'s>(
        &self,
        client: &Client,
        series: &'s [RequestedSeries],
        log: Log,
    ) -> (Vec<SeriesResponse<'s>>, Vec<Failure>) {
        if !self.all {
            return fetch(client, series).await;
        }
        let labels = labels(series);
        let mut tasks = Vec::new();
        for one in series {
            tasks.push(tokio::spawn(all_pages(client.clone(), one.clone(), self.max_pages)));
        }
        let mut responses = Vec::new();
        let mut failed = Vec::new();
        for (index, (task, series)) in tasks.into_iter().zip(series).enumerate() {
            match task.await {
                Ok((pages, error)) => {
                    log.remark(&format!("{}: {}", labels[index], counted(pages.len() as u64, "page")));
                    for page in pages {
                        responses.push((index, series, page));
                    }
                    if let Some(error) = error {
                        failed.push(error.into());
                    }
                }
                Err(error) => failed.push(Failure::machine(error)),
            }
        }
        (responses, failed)
    }

    /// Prints responses; `parts` are those that have records. The columns depend on all series that were requested, so
    /// that the failure of a series does not change the columns of the others.
    fn print(
        &self,
        client: &Client,
        requested: &[RequestedSeries],
        responses: &[SeriesResponse<'_>],
        parts: &[SeriesRecords<'_>],
    ) -> Result<()> {
        if self.json {
            return print_bodies_as_objects(responses);
        }
        let mut without_records = Vec::new();
        for (_, series, body) in responses {
            if SeriesRecords::of_body(0, series, body).is_none() {
                without_records.push((*series, body));
            }
        }
        if let (Some(Format::Csv | Format::Arrow), Some((series, _))) = (self.format, without_records.first()) {
            let message = format!("the response of {} has no records for a table", name(series.endpoint));
            return Err(Failure::usage(message).help(format!("use `{}`", assigned("format", "jsonl"))));
        }
        let format = Format::or_for_reader(self.format, Format::Csv);
        let is_table = format == Format::Table;
        let is_together =
            |one: &RequestedSeries, other: &RequestedSeries| !is_table || is_same(one.endpoint, other.endpoint);
        for group in parts.chunk_by(|one, other| is_together(one.series, other.series)) {
            let series: Vec<_> = requested.iter().filter(|one| is_together(one, group[0].series)).cloned().collect();
            if group.len() < parts.len() {
                let is_first = group[0].index == parts[0].index;
                print_heading(&name(series[0].endpoint), is_first)?;
            }
            let mut printer = Printer::new(client, &series, format, Columns::Complete)?;
            printer.print(group)?;
            printer.end()?;
        }
        for (_, body) in without_records {
            let body = serde_json::to_value(body).unwrap_or_default();
            stdout::print(if is_table { format!("{body:#}\n") } else { format!("{body}\n") })?;
        }
        Ok(())
    }
}

/// Prints one JSON object for each response, with its series and its body.
fn print_bodies_as_objects(responses: &[SeriesResponse<'_>]) -> Result<()> {
    for (_, series, body) in responses {
        let mut object = catalogue_json::series(series);
        object.insert("body".to_owned(), serde_json::to_value(body).unwrap_or_default());
        stdout::print(format!("{}\n", Value::Object(object)))?;
    }
    Ok(())
}

/// Prints the heading of a table, after an empty line if it is not the first one.
fn print_heading(name: &str, is_first: bool) -> Result<()> {
    let bold = stdout::HEADING;
    let gap = if is_first { "" } else { "\n" };
    stdout::styled(&format!("{gap}{bold}{name}{bold:#}\n"))
}

/// A failure for each series with values that its endpoint does not support.
fn unsupported(responses: &[SeriesResponse<'_>], labels: &[String]) -> Vec<Failure> {
    let mut of_series: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (index, _, body) in responses {
        if let AnyBody::Series(series) = body
            && !series.is_empty()
        {
            of_series.entry(*index).or_default().extend(series.unsupported_values());
        }
    }
    let sentences = of_series.iter().filter_map(|(index, values)| sentence_of(&labels[*index], values));
    sentences.map(unsupported_values::failure).collect()
}

/// Sets a param to a time or to both ends of a range, unless it is set for another endpoint.
fn add_param(params: &mut Params, name: &str, times: &[Timestamp]) {
    if !params.has(name) {
        let values: Vec<_> = times.iter().map(ToString::to_string).collect();
        params.known.push((name.to_owned(), vec![values.join("+")]));
    }
}

/// An error if an endpoint has no pages.
fn require_pages(endpoints: &[Endpoint]) -> Result<()> {
    let Some(endpoint) = endpoints.iter().find(|endpoint| endpoint.pages.is_none()) else { return Ok(()) };
    let message = format!("{} has no known pages", name(endpoint));
    let all = command("backfill", "history", "backfill");
    let instead = history(endpoint).map(|_| format!("`{all}` fetches all records of a range"));
    let help = format!("omit `{}`, and add `pages` to the catalogue if the service has them", option("all"));
    Err(Failure::usage(message).help_if(instead).help(help))
}

/// Requests all pages of a series. Returns the pages that were received, and the error that ended them.
async fn all_pages(client: Client, series: RequestedSeries, max_pages: u64) -> (Vec<AnyBody>, Option<Error>) {
    let mut pages = request(&client, &series).all_pages().max_pages(max_pages);
    let mut received = Vec::new();
    let error = pages.collect_into(&mut received).await.err();
    (received, error)
}

/// Sends all requests concurrently, within the rate limit, and returns the responses in the order of the series.
async fn fetch<'s>(client: &Client, series: &'s [RequestedSeries]) -> (Vec<SeriesResponse<'s>>, Vec<Failure>) {
    let mut tasks = Vec::with_capacity(series.len());
    for one in series {
        tasks.push(tokio::spawn(send(client, one)));
    }
    let mut responses = Vec::new();
    let mut failed = Vec::new();
    for (index, (task, series)) in tasks.into_iter().zip(series).enumerate() {
        match task.await {
            Ok(Ok(body)) => responses.push((index, series, body)),
            Ok(Err(error)) => failed.push(error.into()),
            Err(error) => failed.push(Failure::machine(error)),
        }
    }
    (responses, failed)
}

fn send(client: &Client, series: &RequestedSeries) -> impl Future<Output = Result<AnyBody, Error>> + use<> {
    let known = request(client, series);
    let mut raw = client.raw(series.endpoint.path.unwrap_or_default());
    for (name, value) in &series.values {
        raw = raw.query(name, value.shown());
    }
    let is_path = is_path(series.endpoint);
    async move { if is_path { raw.into_future().await.map(AnyBody::Any) } else { known.into_future().await } }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use runtime::RateLimit;
    use sandbox::Sandbox;

    use super::*;
    use crate::command_line::{Command, CommandLine};
    use crate::connection::has_key;
    use crate::endpoint_names::with_path;
    use crate::program::{program, service};

    #[tokio::test]
    async fn the_example_of_every_endpoint_is_accepted() {
        let sandbox = Sandbox::of(program().registry).start().unwrap();
        let mut builder = Client::builder(service(), sandbox.base_url()).rate_limit(RateLimit::none());
        for (name, url) in sandbox.base_urls() {
            builder = builder.base_url(name, url);
        }
        let client = if has_key() { builder.api_key("sandbox") } else { builder }.build().unwrap();
        let example = |endpoint| {
            let line = examples::line("get", endpoint, 1);
            let Command::Get(get) = CommandLine::try_parse_from(line.split(' ')).unwrap().command else {
                return vec![];
            };
            combine(&[endpoint], &get.requested.params, Log::Nothing).unwrap()
        };
        let all: Vec<RequestedSeries> =
            with_path().filter(|endpoint| examples::is_complete(endpoint)).flat_map(example).collect();
        let (responses, failed) = fetch(&client, &all).await;
        assert!(failed.is_empty() && !responses.is_empty(), "{failed:#?}");
    }
}
