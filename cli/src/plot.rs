//! `plot`: line charts of series, in the terminal or in a file.
//!
//! Draws the records of a range, or the latest ones. The drawing code is in `chart`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use generated_client::{AnyBody, Client, Timestamp};
use tokio::sync::mpsc;

use crate::chart::{self, Chart};
use crate::command_line::Chosen;
use crate::connection::Connection;
use crate::failure::{ExitKind, Failure, Result};
use crate::get::{all_reported, fetch, request};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::numbers::{self, Numbers};
use crate::params::Params;
use crate::progress::{Bars, counted};
use crate::series::{Series, combine, labels, no_range_params};
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
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

impl Plot {
    pub(crate) async fn run(&self, log: &Log, mut interrupt: Interrupt) -> Result<()> {
        self.is_svg()?;
        let numbers = interrupt.ends(self.of_endpoints(log)).await?;
        let chart = Chart { panels: numbers::panels(numbers, &self.fields)? };
        if chart.is_empty() {
            return Err(Failure::new(ExitKind::Rejected, "cannot draw a chart: the response has no records"));
        }
        let Some(file) = &self.out else { return print(&chart) };
        write_whole(file, chart::svg(&chart).as_bytes()).map_err(|error| Failure::file("write", file, &error))?;
        let (lines, panels) = (counted(count(&chart) as u64, "line"), counted(chart.panels.len() as u64, "panel"));
        log.remark(&format!("{}: {lines} in {panels}", file.display()));
        Ok(())
    }

    async fn of_endpoints(&self, log: &Log) -> Result<Vec<Numbers>> {
        let series = combine(&self.chosen.targets()?, &self.params, log)?;
        let connected = self.connection.open(log).await?;
        self.records(&connected.client, series, log).await
    }

    /// Rejects another format before a request is sent.
    fn is_svg(&self) -> Result<()> {
        let is_svg = |file: &Path| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
        match self.out.as_deref().filter(|file| !is_svg(file)) {
            Some(file) => Err(Failure::usage(format!("`{}`: charts are written as .svg files", file.display()))),
            None => Ok(()),
        }
    }

    async fn records(&self, client: &Client, series: Vec<Series>, log: &Log) -> Result<Vec<Numbers>> {
        if let Some(from) = self.from {
            no_range_params(&self.params)?;
            self.chosen.with_history()?;
            return history(client, series, from, self.to, log).await;
        }
        let (replies, failed) = fetch(client, series).await;
        all_reported(failed)?;
        let numbers = |reply: crate::get::Reply| match reply.body {
            AnyBody::Series(all) => Ok(Numbers::of(&reply.series, &all.data, &all.times())),
            _ => Err(Failure::usage(format!("{} has no records over time", reply.series.endpoint.name()))),
        };
        replies.into_iter().map(numbers).collect()
    }
}

/// All records of a range of every series, fetched concurrently.
async fn history(client: &Client, series: Vec<Series>, from: Begin, to: Timestamp, log: &Log) -> Result<Vec<Numbers>> {
    let labels = labels(&series);
    let of_range = |one: Series| {
        let request = request(client, one.endpoint.known()?, &one);
        Some(from.of(&request).map(|from| (one, request.history(from..to))))
    };
    let histories = series.into_iter().filter_map(of_range).collect::<Result<Vec<_>>>()?;
    let mut bars = Bars::new(&labels, log);
    let (sender, mut news) = mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    for (index, (one, history)) in histories.into_iter().enumerate() {
        let sender = sender.clone();
        let watched = move |progress: &generated_client::history::Progress| {
            // The receiver may be dropped already.
            let _ = sender.send((index, progress.clone()));
        };
        tasks.push((one, tokio::spawn(history.on_progress(watched).collect())));
    }
    drop(sender);
    while let Some((index, progress)) = news.recv().await {
        bars.progress(index, &progress);
        if progress.pages_left == 0 {
            bars.over(index);
        }
    }
    bars.clear();
    let mut numbers = Vec::new();
    for (series, task) in tasks {
        let all = task
            .await
            .map_err(|error| Failure::new(ExitKind::Machine, error.to_string()))?
            .map_err(|failed| failed.error)?;
        let times: Vec<_> = all.times.into_iter().map(Some).collect();
        numbers.push(Numbers::of(&series, &all.records, &times));
    }
    Ok(numbers)
}

fn count(chart: &Chart) -> usize {
    chart.panels.iter().map(|panel| panel.lines.len()).sum()
}

fn print(chart: &Chart) -> Result<()> {
    let text = chart::text(chart, stdout::width().min(160), stdout::height().saturating_sub(2));
    if stdout::has_colours() {
        return stdout::print(text);
    }
    stdout::print(anstream::adapter::strip_str(&text).to_string())
}

/// Replaces a file atomically.
fn write_whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = file.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        // The unfinished file is useless.
        let _ = fs::remove_file(&part);
    }
    written
}
