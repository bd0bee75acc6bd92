//! `plot`: line charts of series, in the terminal or in a file.
//!
//! Fetches the records of a range, or the latest ones; `numbers` selects what `chart` draws.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use generated_client::history::Progress;
use generated_client::{AnyBody, Client, Timestamp};

use crate::chart_data::{self, Fetched};
use crate::chart_drawing;
use crate::command_line::Chosen;
use crate::commands::get::{SeriesResponse, all_reported, fetch, request};
use crate::connection::Connection;
use crate::failure::{ExitKind, Failure, Result};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::param_options::Params;
use crate::progress::Bar;
use crate::requested_series::{Series, combine, no_range_params};
use crate::stdout;
use crate::time_arg::{self, Begin};

/// Draw records over time in the terminal or as an SVG file
#[derive(Args, Debug)]
#[command(after_help = "\
  derivs plot open_interest --coin BTC,ETH --timeframe 1h --from 30d
  derivs plot volume_ratio funding_rate --coin BTC --timeframe 4h --from 90d --out quarter.svg")]
pub(crate) struct Plot {
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    params: Params,
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d; the latest page unless set
    #[arg(long, value_name = "WHEN", value_parser = time_arg::begin)]
    from: Option<Begin>,
    /// End of the range, excluded
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::timestamp, requires = "from")]
    to: Timestamp,
    /// Fields to draw; unless set the close of candles, else the first number
    #[arg(long = "field", value_name = "NAME", value_delimiter = ',')]
    fields: Vec<String>,
    /// SVG file to write; in the terminal unless set
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath, value_parser = svg_file)]
    out: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

impl Plot {
    pub(crate) async fn run(&self, log: &Log, mut interrupt: Interrupt) -> Result<()> {
        let fetched = interrupt.ends(self.fetched(log)).await?;
        let panels = chart_data::panels(&fetched, &self.fields)?;
        if panels.iter().flat_map(|panel| &panel.lines).all(|line| line.points.is_empty()) {
            return Err(Failure::new(ExitKind::Incomplete, "no chart: the response has no numbers over time"));
        }
        if let Some(file) = &self.out {
            return fs::write(file, chart_drawing::svg(&panels)).map_err(|error| Failure::file("write", file, &error));
        }
        let text = chart_drawing::text(&panels, stdout::width().min(160), stdout::height().saturating_sub(2));
        if stdout::has_colours() {
            return stdout::print(text);
        }
        stdout::print(anstream::adapter::strip_str(&text).to_string())
    }

    async fn fetched(&self, log: &Log) -> Result<Vec<Fetched>> {
        let targets = if self.from.is_some() { self.chosen.with_history()? } else { self.chosen.targets()? };
        let series = combine(&targets, &self.params, log)?;
        let connected = self.connection.open(log).await?;
        if let Some(from) = self.from {
            no_range_params(&self.params)?;
            return history(&connected.client, series, from, self.to, log).await;
        }
        let (responses, failed) = fetch(&connected.client, series).await;
        all_reported(failed)?;
        let fetched = |SeriesResponse { series, body }: SeriesResponse| match body {
            AnyBody::Series(all) => Ok(Fetched { series, times: all.times(), records: all.data }),
            _ => Err(Failure::usage(format!("{} has no records over time", series.endpoint.name()))),
        };
        responses.into_iter().map(fetched).collect()
    }
}

/// All records of a range of every series, fetched concurrently.
async fn history(client: &Client, all: Vec<Series>, from: Begin, to: Timestamp, log: &Log) -> Result<Vec<Fetched>> {
    let bar = Arc::new(Mutex::new(Bar::new(all.len(), all.len() as u64, log)));
    let mut tasks = Vec::new();
    for (index, series) in all.into_iter().enumerate() {
        let Some(endpoint) = series.endpoint.known() else { continue };
        let (request, bar) = (request(client, endpoint, &series), bar.clone());
        let progress =
            move |progress: &Progress| bar.lock().unwrap_or_else(PoisonError::into_inner).progress(index, progress);
        let from = from.of(&request)?;
        let history = request.history(from..to).on_progress(progress);
        tasks.push((series, tokio::spawn(history.collect())));
    }
    let mut fetched = Vec::new();
    for (series, task) in tasks {
        let all = task.await.map_err(|error| Failure::new(ExitKind::Machine, error.to_string()))?;
        let all = all.map_err(|failed| failed.error)?;
        fetched.push(Fetched { series, times: all.times.into_iter().map(Some).collect(), records: all.records });
    }
    bar.lock().unwrap_or_else(PoisonError::into_inner).clear();
    Ok(fetched)
}

/// Accepts the name of an SVG file.
fn svg_file(text: &str) -> Result<PathBuf, String> {
    let file = PathBuf::from(text);
    let is_svg = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if is_svg { Ok(file) } else { Err("charts are written as .svg files".to_owned()) }
}
