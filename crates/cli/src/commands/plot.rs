//! `plot`: draws line charts of series, in the terminal or in a file.
//!
//! Fetches the records of a range, or reads those of a file or a data set. `chart_data` selects the numbers, and
//! `chart_drawing` draws them. If a series fails, the others are still drawn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use dataset::{SeriesStatus, quoted};
use runtime::history::History;
use runtime::{RateLimit, Timestamp};

use crate::chart_data::{self, Fetched, RECORDS};
use crate::chart_drawing::{self, Background, Panel};
use crate::chart_line::{check_lines, distance};
use crate::chart_text;
use crate::endpoint_names::{is_same, name};
use crate::examples;
use crate::failure::{self, ExitKind, Failure, Result};
use crate::find_endpoint::find;
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::param_options::history_candidates;
use crate::progress::{counted, duration};
use crate::record_columns::{is_without_fields, without_fields};
use crate::requested_series::{labels, plan, request};
use crate::selected_series::Selection;
use crate::series_combinations::Requested;
use crate::stdout;
use crate::stored_chart::{self, Range};
use crate::stored_target::StoredTarget;
use crate::time_arg::{self, Start};
use crate::unsupported_values::{self, reported, sentence_of};

/// Number of lines that are still distinct in a panel of a terminal.
const CLEAR_LINES: usize = 3;

/// Draw records over time in the terminal or as an SVG file
///
/// With the path of a file or a data set instead of an endpoint, its records are drawn without the service.
#[derive(Args, Debug)]
#[command(after_help = examples::plot())]
pub(crate) struct Plot {
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d; default: the latest 100 records
    #[arg(long, value_name = "WHEN", value_parser = time_arg::start)]
    from: Option<Start>,
    /// End of the range, excluded
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::timestamp)]
    to: Timestamp,
    /// Fields to draw; default: the first number
    #[arg(long = "field", value_name = "NAME", value_delimiter = ',')]
    fields: Vec<String>,
    /// SVG file to write; default: the chart is drawn in the terminal
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath, value_parser = svg_file)]
    out: Option<PathBuf>,
    /// Draw the SVG file on a dark background
    #[arg(long, requires = "out")]
    dark: bool,
    /// With a path: only series of these endpoints
    #[arg(long = "endpoint", value_name = "ENDPOINT", value_delimiter = ',', add = history_candidates())]
    of_path: Vec<String>,
    #[command(flatten)]
    requested: Requested,
}

impl Plot {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        if let Some(path) = self.stored_path() {
            return self.draw_stored(path, log).await;
        }
        self.check_no_path()?;
        let (fetched, mut failed) = interrupt.ends(self.fetched(log)).await?;
        if !fetched.is_empty() {
            failed.extend(self.draw(&fetched, log).err());
        }
        failure::first(failed)
    }

    /// The path of a file or a data set, if the only argument is that and no endpoint.
    fn stored_path(&self) -> Option<&str> {
        let [path] = &self.requested.endpoints[..] else { return None };
        let has_form = path.contains('/') || dataset::Format::of(Path::new(path)).is_some();
        let is_path = has_form || Path::new(path).exists();
        (is_path && find(path).is_err()).then_some(path)
    }

    /// Fails if a path is one of several arguments, or if an option needs a path.
    fn check_no_path(&self) -> Result<()> {
        for argument in &self.requested.endpoints {
            if Path::new(argument).exists() && find(argument).is_err() {
                let message = format!("{}: a path is the only argument", quoted(argument));
                return Err(Failure::usage(message).help("`--endpoint NAME` selects its endpoints"));
            }
        }
        if self.of_path.is_empty() {
            return Ok(());
        }
        Err(Failure::usage("`--endpoint` needs the path of a file or a data set; other endpoints have no option"))
    }

    /// Draws what is on the disk, without the service.
    async fn draw_stored(&self, path: &str, log: Log) -> Result<()> {
        let target = StoredTarget::open(path, log).await?;
        let series = target.selected(&Selection::new(self.of_path.clone(), self.requested.params.clone()), log)?;
        if let Some(from) = self.from {
            time_arg::check(&(from.time..self.to)).map_err(Failure::usage)?;
        }
        let range = Range { from: self.from.map(|from| from.time), to: self.to };
        let stored = stored_chart::panels(&target.tables, &series, &self.fields, &range).await?;
        let why = match without_fields(series.iter().map(SeriesStatus::endpoint)) {
            Some(without) if series.iter().all(|one| is_without_fields(one.endpoint())) => without,
            _ => "the range has no numbers".to_owned(),
        };
        let drawn = self.draw_panels(&stored.panels, &why, log);
        drawn.and(target.check_left_out(&stored.left_out, "the chart", log))
    }

    fn draw(&self, fetched: &[Fetched], log: Log) -> Result<()> {
        let panels = chart_data::panels(fetched, &self.fields)?;
        let is_empty = fetched.iter().all(|one| one.records.is_empty());
        let why = if is_empty { "the range has no records" } else { "the fetched records contain no numbers" };
        self.draw_panels(&panels, why, log)
    }

    /// Draws panels; `why` is the reason if they have no points.
    fn draw_panels(&self, panels: &[Panel], why: &str, log: Log) -> Result<()> {
        if panels.iter().flat_map(|panel| &panel.lines).all(|line| line.points.is_empty()) {
            return Err(Failure::new(ExitKind::Incomplete, format!("no chart: {why}")));
        }
        let mut missing = 0;
        for panel in panels {
            missing += panel.missing();
        }
        if missing > 0 {
            log.warning(&format!("{} missing: gaps break the lines", counted(missing, "value")));
        }
        if let Some(file) = &self.out {
            let background = if self.dark { Background::Dark } else { Background::Light };
            let text = chart_drawing::svg(panels, background);
            dataset::write_file(file, |out| out.write_all(text.as_bytes()))
                .map_err(|error| Failure::write(file, error))?;
            log.remark(&format!("wrote {}", quoted(file)));
            return Ok(());
        }
        // The prompt and a line of notes stay visible.
        let lines = stdout::height().saturating_sub(2);
        stdout::styled(&chart_text::text(panels, stdout::width(), lines, stdout::has_colours()))?;
        if panels.iter().any(|panel| panel.lines.len() > CLEAR_LINES) {
            log.remark("later lines cover earlier ones: use `--out chart.svg`, fewer series or longer intervals");
        }
        Ok(())
    }

    /// All records of the range of every series, fetched concurrently, and the failures of other series.
    async fn fetched(&self, log: Log) -> Result<(Vec<Fetched>, Vec<Failure>)> {
        let all = self.requested.histories(self.from.map_or(self.to, |from| from.time), log)?;
        let of_endpoints = all.chunk_by(|one, other| is_same(one.endpoint, other.endpoint));
        for of_endpoint in of_endpoints {
            check_lines(of_endpoint.len())?;
        }
        let connected = self.requested.connection.open(log).await?;
        let labels = labels(&all);
        let mut histories = Vec::new();
        let mut requests = Vec::new();
        for series in all {
            let request = request(&connected.client, &series);
            let interval = plan(&request)?.interval;
            let from = match self.from {
                Some(from) => from.of(interval),
                None if interval.has_steps() => interval.shifted(self.to, -i64::from(RECORDS)),
                None => {
                    let name = name(series.endpoint);
                    return Err(Failure::usage(format!(
                        "{name}: set `--from`, because its records have no regular step"
                    )));
                }
            };
            let records = History::new(request, from..self.to);
            requests.push((records.plan()?.requests, series.endpoint));
            histories.push((series, distance(interval), records));
        }
        let limit = connected.client.raw("/").rate_limit().unwrap_or_else(RateLimit::none);
        let time = limit.min_duration(&requests, Duration::ZERO);
        if time >= Duration::from_secs(1) {
            let mut count = 0;
            for (requests, _) in &requests {
                count += requests;
            }
            log.remark(&format!("{}, at least {}", counted(count, "request"), duration(time)));
        }
        let mut tasks = Vec::new();
        for (series, step, history) in histories {
            tasks.push((series, step, tokio::spawn(history.collect())));
        }
        let mut fetched = Vec::new();
        let mut failed = Vec::new();
        for ((series, step, task), label) in tasks.into_iter().zip(&labels) {
            match task.await.map_err(Failure::machine)? {
                Ok(all) => {
                    let unsupported = sentence_of(label, reported(&all.records, &all.report));
                    failed.extend(unsupported.map(unsupported_values::failure));
                    fetched.push(Fetched { series, times: all.times, records: all.records, step });
                }
                Err(incomplete) => failed.push(incomplete.error.into()),
            }
        }
        Ok((fetched, failed))
    }
}

/// Accepts the name of an SVG file.
fn svg_file(text: &str) -> Result<PathBuf, String> {
    let file = PathBuf::from(text);
    let is_svg = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if is_svg { Ok(file) } else { Err("charts are written as .svg files".to_owned()) }
}
