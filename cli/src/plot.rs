//! `plot`: series as lines over time, in the terminal or in a file.
//!
//! Endpoints with params come in; their records in a range, or their latest, go out as a picture. Drawing is done in
//! `chart`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use generated_client::{AnyBody, Client, Timestamp};
use tokio::sync::mpsc;

use crate::chart::{self, Chart, Kind};
use crate::command_line::candidates;
use crate::connection::Connection;
use crate::failure::{Ending, Failure, Result};
use crate::get::{all_told, fetch, request};
use crate::interrupt::Interrupt;
use crate::moment::{self, Begin};
use crate::numbers::{self, Numbers};
use crate::params::Params;
use crate::progress::{Bars, counted};
use crate::say::Say;
use crate::series::{Series, Target, combine, labels, must_have_history, walks_by_itself};
use crate::stdout;
use crate::stored::{self, is_place};

/// Draw records over time, in the terminal or as an SVG or PNG file
#[derive(Args, Debug)]
#[command(after_help = "\
  derivs plot open_interest --coin BTC,ETH --timeframe 1h --from 30d
  derivs plot volume_ratio funding_rate --coin BTC --timeframe 4h --from 90d --out quarter.svg
  derivs plot year.parquet --coin BTC --field volumeRatio")]
pub(crate) struct Plot {
    /// Endpoints by name; or a Parquet file or a data set that `backfill` has written
    #[arg(required = true, value_name = "ENDPOINT|FILE", add = candidates(), value_hint = clap::ValueHint::AnyPath)]
    sources: Vec<String>,
    #[command(flatten)]
    params: Params,
    /// Where to begin: 2025-01-31, 2025-01-31T12:00, Unix seconds, or how long ago, in whole intervals: 90d, 36h; the
    /// latest records of one reply unless set
    #[arg(long, value_name = "WHEN", value_parser = moment::begin)]
    from: Option<Begin>,
    /// Where to end
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = moment::from_now, requires = "from")]
    to: Timestamp,
    /// The fields to draw, by their names; else the first number, of candles the close
    #[arg(long = "field", value_name = "NAME", value_delimiter = ',')]
    fields: Vec<String>,
    /// The file to draw in, whose name ends in .svg or .png; in the terminal unless set
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

impl Plot {
    pub(crate) async fn run(&self, say: &Say, mut interrupt: Interrupt) -> Result<()> {
        let kind = self.kind()?;
        let numbers = if self.sources.iter().any(|source| is_place(source)) {
            self.of_files()?
        } else {
            interrupt.ends(self.of_endpoints(say)).await?
        };
        let chart = Chart { panels: numbers::panels(numbers, &self.fields)? };
        if chart.is_empty() {
            return Err(Failure::new(Ending::Refused, "there is nothing to draw: no record came"));
        }
        match (&self.out, kind) {
            (Some(file), Some(kind)) => {
                let bytes = chart::draw(&chart, kind).map_err(|error| Failure::new(Ending::Machine, error))?;
                write_whole(file, &bytes).map_err(|error| Failure::file("write", file, &error))?;
                let (lines, panels) =
                    (counted(count(&chart) as u64, "line"), counted(chart.panels.len() as u64, "panel"));
                say.remark(&format!("{}: {lines} in {panels}", file.display()));
                Ok(())
            }
            _ => print(&chart),
        }
    }

    async fn of_endpoints(&self, say: &Say) -> Result<Vec<Numbers>> {
        let targets: Vec<Target> = self.sources.iter().map(|name| Target::find(name)).collect::<Result<_>>()?;
        let series = combine(&targets, &self.params, say)?;
        let connected = self.connection.open(say).await?;
        self.records(&connected.client, series, say).await
    }

    /// Reads the chosen files, and keeps the chosen params and range.
    fn of_files(&self) -> Result<Vec<Numbers>> {
        let mut stored = Vec::new();
        for source in &self.sources {
            stored.extend(stored::read(Path::new(source))?);
        }
        let range = self.from.map_or(Timestamp::from_unix_seconds(i64::MIN), Begin::moment)..self.to;
        for (name, values) in &self.params.known {
            // Several values of which the service has made one series have `+` here and commas in files.
            let is_wanted =
                |value: &str| values.iter().any(|wanted| wanted == value || wanted.replace('+', ",") == value);
            stored.retain(|one| one.label(name).is_some_and(is_wanted));
        }
        for field in stored.iter_mut().flat_map(|one| &mut one.fields) {
            field.points.retain(|(time, _)| range.contains(time));
        }
        Ok(stored)
    }

    /// The kind of file to write, checked before anything is asked.
    fn kind(&self) -> Result<Option<Kind>> {
        let Some(file) = &self.out else { return Ok(None) };
        let kind = Kind::of(file).ok_or_else(|| {
            Failure::usage(format!("`{}` is no picture", file.display())).tip("a name ends in .svg or in .png")
        });
        kind.map(Some)
    }

    async fn records(&self, client: &Client, series: Vec<Series>, say: &Say) -> Result<Vec<Numbers>> {
        if let Some(from) = self.from {
            walks_by_itself(&self.params)?;
            self.sources.iter().try_for_each(|name| must_have_history(name).map(drop))?;
            return history(client, series, from, self.to, say).await;
        }
        let (replies, failed) = fetch(client, series).await;
        all_told(failed)?;
        let numbers = |reply: crate::get::Reply| match reply.body {
            AnyBody::Series(all) => Ok(Numbers::of(&reply.series, &all.data, &all.times())),
            _ => Err(Failure::usage(format!("`{}` has no records over time", reply.series.endpoint.name()))),
        };
        replies.into_iter().map(numbers).collect()
    }
}

/// All records of a range of every series, side by side.
async fn history(client: &Client, series: Vec<Series>, from: Begin, to: Timestamp, say: &Say) -> Result<Vec<Numbers>> {
    let labels = labels(&series);
    let of_range = |one: Series| {
        let request = request(client, one.endpoint.known()?, &one);
        Some(from.of(&request).map(|from| (one, request.history(from..to))))
    };
    let histories = series.into_iter().filter_map(of_range).collect::<Result<Vec<_>>>()?;
    let mut bars = Bars::new(&labels, say);
    let (sender, mut news) = mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    for (index, (one, history)) in histories.into_iter().enumerate() {
        let sender = sender.clone();
        let watched = move |progress: &generated_client::history::Progress| {
            // The drawing end may be gone already.
            let _ = sender.send((index, progress.clone()));
        };
        tasks.push((one, tokio::spawn(history.on_progress(watched).collect())));
    }
    drop(sender);
    while let Some((index, progress)) = news.recv().await {
        bars.progress(index, &progress);
        if progress.windows_left == 0 {
            bars.over(index);
        }
    }
    bars.clear();
    let mut numbers = Vec::new();
    for (series, task) in tasks {
        let all = task.await.map_err(|error| Failure::new(Ending::Machine, error.to_string()))??;
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

/// Writes a file as a whole: at any moment it is the old or the new one.
fn write_whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = file.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        // The unfinished file is of no use.
        let _ = fs::remove_file(&part);
    }
    written
}
