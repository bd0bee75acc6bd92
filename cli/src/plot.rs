//! `plot`: series as lines over time, in the terminal or in a file.
//!
//! Endpoints with params come in; what they have in a range, or their latest records, goes out as a picture. What is
//! drawn stands in `chart`.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Args;
use generated_client::record::{AnyRecord, FieldValue};
use generated_client::registry::{FieldInfo, ValueType};
use generated_client::{AnyBody, Client, Timestamp};
use tokio::sync::mpsc;

use crate::chart::{self, Chart, Kind, Line, Panel};
use crate::command_line::Chosen;
use crate::connection::Connection;
use crate::endpoints::Endpoint;
use crate::failure::{Ending, Failure, Result};
use crate::get::{all_told, fetch, request};
use crate::interrupt::Interrupt;
use crate::moment;
use crate::params::Params;
use crate::progress::Bars;
use crate::records::table;
use crate::say::Say;
use crate::series::{Series, combine, labels, must_have_history, walks_by_itself};
use crate::stdout;

/// Draw records over time, in the terminal or as an SVG or PNG file
#[derive(Args, Debug)]
#[command(after_help = "\
  derivs plot open_interest --coin BTC,ETH --timeframe 1h --from 30d
  derivs plot volume_ratio funding_rate --coin BTC --timeframe 4h --from 90d --out quarter.svg")]
pub(crate) struct Plot {
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    params: Params,
    /// Where to begin: 2025-01-31, 2025-01-31T12:00, Unix seconds, or how long ago: 90d, 36h; the latest records of one
    /// reply unless set
    #[arg(long, value_name = "WHEN", value_parser = moment::from_now)]
    from: Option<Timestamp>,
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

/// The records of one series.
#[derive(Debug)]
struct Drawn {
    series: Series,
    records: Vec<AnyRecord>,
    times: Vec<Option<Timestamp>>,
}

impl Plot {
    pub(crate) async fn run(&self, say: &Say, mut interrupt: Interrupt) -> Result<()> {
        let kind = self.kind()?;
        let series = combine(&self.chosen.targets()?, &self.params, say)?;
        let connected = self.connection.open().await?;
        let drawn = interrupt.ends(self.records(&connected.client, series, say)).await?;
        let chart = self.chart(&drawn)?;
        if chart.is_empty() {
            return Err(Failure::new(Ending::Refused, "there is nothing to draw: no record came"));
        }
        match (&self.out, kind) {
            (Some(file), Some(kind)) => {
                let bytes = chart::draw(&chart, kind).map_err(|error| Failure::new(Ending::Machine, error))?;
                write_whole(file, &bytes).map_err(|error| Failure::file("write", file, &error))?;
                say.remark(&format!("{}: {} lines in {} panels", file.display(), count(&chart), chart.panels.len()));
                Ok(())
            }
            _ => print(&chart),
        }
    }

    /// What kind of file is to be written, before anything is asked.
    fn kind(&self) -> Result<Option<Kind>> {
        let Some(file) = &self.out else { return Ok(None) };
        let kind = Kind::of(file).ok_or_else(|| {
            Failure::usage(format!("`{}` is no picture", file.display())).tip("a name ends in .svg or in .png")
        });
        kind.map(Some)
    }

    async fn records(&self, client: &Client, series: Vec<Series>, say: &Say) -> Result<Vec<Drawn>> {
        if let Some(from) = self.from {
            walks_by_itself(&self.params)?;
            self.chosen.with_history()?;
            return history(client, series, from..self.to, say).await;
        }
        let (replies, failed) = fetch(client, series).await;
        all_told(failed)?;
        let drawn = |reply: crate::get::Reply| match reply.body {
            AnyBody::Series(all) => {
                let times = all.times();
                Ok(Drawn { series: reply.series, records: all.data, times })
            }
            _ => Err(Failure::usage(format!("`{}` has no records over time", reply.series.endpoint.name()))),
        };
        replies.into_iter().map(drawn).collect()
    }

    fn chart(&self, drawn: &[Drawn]) -> Result<Chart> {
        let mut chart = Chart::default();
        for of_endpoint in drawn.chunk_by(|one, other| one.series.endpoint == other.series.endpoint) {
            let Some(endpoint) = of_endpoint[0].series.endpoint.known() else { continue };
            let fields =
                if self.fields.is_empty() { default_field(endpoint, of_endpoint) } else { self.fields.clone() };
            for field in fields {
                let info = table(endpoint).and_then(|table| table.fields.iter().find(|info| info.wire_name == field));
                if info.is_none() && !has_key(of_endpoint, &field) {
                    return Err(no_field(endpoint, &field));
                }
                chart.panels.push(panel(endpoint, &field, info, of_endpoint));
            }
        }
        Ok(chart)
    }
}

fn panel(endpoint: Endpoint, field: &str, info: Option<&FieldInfo>, drawn: &[Drawn]) -> Panel {
    let series: Vec<Series> = drawn.iter().map(|one| one.series.clone()).collect();
    let line = |(one, label): (&Drawn, String)| {
        let value = |record: &AnyRecord| record.value(field).and_then(FieldValue::number);
        let points = one.times.iter().zip(&one.records);
        Line::new(label, points.filter_map(|(time, record)| Some(((*time)?, value(record)))))
    };
    let name = endpoint.name;
    let is_only = table(endpoint).is_some_and(|table| table.fields.iter().filter(|info| is_number(info)).count() == 1);
    Panel {
        title: if is_only { name.to_owned() } else { format!("{name}: {field}") },
        unit: info.map(|info| info.unit.to_owned()).unwrap_or_default(),
        lines: drawn.iter().zip(labels(&series)).map(line).collect(),
    }
}

fn is_number(info: &FieldInfo) -> bool {
    matches!(info.ty, ValueType::Number | ValueType::Integer | ValueType::Count)
}

/// The close of candles, else the first number.
fn default_field(endpoint: Endpoint, drawn: &[Drawn]) -> Vec<String> {
    let numbers: Vec<&str> = if let Some(table) = table(endpoint) {
        table.fields.iter().filter(|info| is_number(info)).map(|info| info.wire_name).collect()
    } else {
        let first = drawn.iter().find_map(|one| one.records.first()?.as_any()?.as_object());
        let is_time = |key: &str| crate::records::time_field(endpoint) == Some(key);
        let is_value = |(key, value): &(&String, &generated_client::Value)| value.is_number() && !is_time(key);
        first.into_iter().flatten().filter(is_value).map(|(key, _)| key.as_str()).collect()
    };
    let is_candle = ["open", "high", "low", "close"].iter().all(|name| numbers.contains(name));
    let chosen = if is_candle { Some("close") } else { numbers.first().copied() };
    chosen.map(str::to_owned).into_iter().collect()
}

fn has_key(drawn: &[Drawn], field: &str) -> bool {
    drawn.iter().flat_map(|one| &one.records).any(|record| record.value(field).is_some())
}

fn no_field(endpoint: Endpoint, field: &str) -> Failure {
    let names: Vec<&str> =
        table(endpoint).map_or(&[] as &[_], |table| table.fields).iter().map(|info| info.wire_name).collect();
    let failure = Failure::usage(format!("`{}` has no field `{field}`", crate::endpoints::name(endpoint)));
    let known = if names.is_empty() { None } else { Some(format!("it has {}", names.join(", "))) };
    failure.tip_if(crate::suggest::tip(field, names).or(known))
}

/// All records of a range of every series, side by side.
async fn history(
    client: &Client,
    series: Vec<Series>,
    range: std::ops::Range<Timestamp>,
    say: &Say,
) -> Result<Vec<Drawn>> {
    let mut bars = Bars::new(&labels(&series), say);
    let (sender, mut news) = mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    for (index, one) in series.into_iter().enumerate() {
        must_have_history(&one.endpoint.name())?;
        let Some(endpoint) = one.endpoint.known() else { continue };
        let sender = sender.clone();
        let watched = move |progress: &generated_client::history::Progress| {
            // Whoever draws has ended if nobody listens.
            let _ = sender.send((index, progress.clone()));
        };
        let history = request(client, endpoint, &one).history(range.clone()).on_progress(watched);
        tasks.push((one, tokio::spawn(history.collect())));
    }
    drop(sender);
    while let Some((index, progress)) = news.recv().await {
        bars.progress(index, &progress);
        if progress.windows_left == 0 {
            bars.over(index);
        }
    }
    bars.clear();
    let mut drawn = Vec::new();
    for (series, task) in tasks {
        let all = task.await.map_err(|error| Failure::new(Ending::Machine, error.to_string()))??;
        drawn.push(Drawn { series, records: all.records, times: all.times.into_iter().map(Some).collect() });
    }
    Ok(drawn)
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

/// Writes a file so that there is a whole one at any moment.
fn write_whole(file: &std::path::Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = file.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&part);
    }
    written
}
