//! `export`: writes the rows of a file or a data set to another file, without the service.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use dataset::{RecordBatch, SeriesStatus, Status, StoredRows, check_new_file, quoted, stored_name};
use runtime::Timestamp;
use serde_json::{Map, Value, json};

use crate::exported_rows::{ExportedRows, Form};
use crate::failure::{ExitKind, Failure, Result};
use crate::find_endpoint::find;
use crate::log::{self, Log};
use crate::marks;
use crate::param_options::is_set_by_history;
use crate::progress::counted;
use crate::selected_series::{Selection, identity_of};
use crate::stored_target::{StoredTarget, never_fetched, never_requested, rejection};
use crate::time_arg::{self, Start};

/// Write the rows of a file or a data set as CSV, JSON Lines or Excel, without the service
///
/// Without options for series, all rows are written.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit code 6 if the rows of damaged or missing files are left out, if there is no row because the service has rejected a series or because a part of the range was never fetched, or if --as-of is before the time since which earlier values are known."
)]
pub(crate) struct Export {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// A .csv, .jsonl or .xlsx file; default: CSV on stdout
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Format of stdout
    #[arg(long, value_enum, conflicts_with = "out")]
    format: Option<TextFormat>,
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d; default: the first row
    #[arg(long, value_name = "WHEN", value_parser = time_arg::start, allow_hyphen_values = true)]
    from: Option<Start>,
    /// End of the range, excluded; default: the last row
    #[arg(long, value_name = "WHEN", value_parser = time_arg::end)]
    to: Option<Timestamp>,
    /// Only what was known at this time in UTC: 2025-01-31T12:00, or an age such as 90d
    #[arg(long, value_name = "WHEN", value_parser = time_arg::timestamp)]
    as_of: Option<Timestamp>,
    /// Write the earlier values that later runs have replaced, instead of the rows
    #[arg(long, conflicts_with = "as_of")]
    revisions: bool,
    /// Print one JSON object for each series on standard error: its rows, their first and last time, and its gaps
    #[arg(long, conflicts_with = "revisions")]
    json: bool,
    /// Write no row: a program reads only the columns
    #[arg(long, hide = true)]
    no_rows: bool,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TextFormat {
    Csv,
    Jsonl,
    /// A stream in Arrow's IPC format
    Arrow,
}

impl Export {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let form = self.form()?;
        time_arg::check(&self.range()).map_err(Failure::usage)?;
        if let Some(out) = &self.out {
            check_new_file(out)?;
        }
        let target = StoredTarget::open(&self.path, log).await?;
        let series = target.selected(&self.selection, log)?;
        let mut selected = BTreeSet::new();
        let mut endpoints = BTreeSet::new();
        for one in &series {
            selected.insert(one.path.clone());
            endpoints.insert(one.endpoint().to_owned());
        }
        let is_all = selected.len() == target.status.series.len();
        let chosen = if is_all { None } else { Some(&endpoints) };
        let mut stored = target.tables.rows(chosen, self.as_of)?.within(self.range());
        for name in &endpoints {
            if let Ok(endpoint) = find(name) {
                stored = stored.with_columns_before_first_row(endpoint, params_of(name, &series));
            }
        }
        let mut exported = Exported::default();
        let rows = if self.revisions {
            self.revisions(form, &stored, |path| selected.contains(path)).await?
        } else {
            let is_selected = |path: &str| selected.contains(path);
            let mut rows = ExportedRows::of_rows(form, self.out.as_deref(), &stored, is_selected).await?;
            exported.add_all(&mut rows, &stored, is_selected).await?;
            rows
        };
        let count = rows.count;
        rows.finish()?;
        if self.json {
            // Standard output is for the rows.
            for one in &series {
                let mut object = exported.object(one, &target.status, &self.range());
                object.insert("fields".to_owned(), json!(exported.fields(one, &stored)));
                object.insert("endpoint_params".to_owned(), json!(endpoint_params(one)));
                log::write(&Value::Object(object).to_string());
            }
        }
        if let Some(file) = &self.out {
            log.remark(&format!("wrote {} to {}", counted(count, "row"), quoted(file)));
        }
        if self.no_rows {
            return Ok(());
        }
        target.check_left_out(&exported.left_out, "the export", log)?;
        self.check_revisions(stored.revisions_since(), log)?;
        if self.revisions {
            return Ok(());
        }
        match self.as_of {
            Some(as_of) if count == 0 => {
                let later = target.tables.rows(chosen, None)?.within(self.range());
                let first = later.first_fetched(|path| selected.contains(path)).await?;
                target.note_before_first(&series, first, as_of, log);
            }
            None if count == 0 => {
                target.check_fetched(&series, &self.range())?;
                target.note_outside(&series, &self.range(), log);
            }
            _ => {}
        }
        target.note_missing(&series, &self.range(), log);
        Ok(())
    }

    /// Fails if values that were visible at the chosen time are no longer known. `since` is the time from which on all
    /// earlier values are known.
    fn check_revisions(&self, since: Option<Timestamp>, log: Log) -> Result<()> {
        let Some(since) = since else { return Ok(()) };
        let path = quoted(&self.path);
        let since_text = time_arg::shown(since.floor(Duration::from_secs(1)));
        let what = format!("{path}: the values that runs have replaced are known only since {since_text}");
        match self.as_of {
            Some(as_of) if as_of < since => {
                let message = format!("{what}, so rows as of {} may be missing or incomplete", time_arg::shown(as_of));
                let help = "the earlier values are in the folder `.backfill` of the original data set or, for a single \
                            file, in its folder `.parts`; copy that folder too";
                let of_lost = "rows that were lost and fetched again are known only since then";
                Err(Failure::new(ExitKind::Incomplete, message).help(help).help(of_lost))
            }
            None if self.revisions => {
                log.warning(&what);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn range(&self) -> Range<Timestamp> {
        if self.no_rows {
            return time_arg::ALWAYS..time_arg::ALWAYS;
        }
        let start = self.from.map_or(time_arg::ALWAYS, |from| from.time);
        start..self.to.unwrap_or(time_arg::OPEN)
    }

    async fn revisions(
        &self,
        form: Form,
        stored: &StoredRows<'_>,
        is_selected: impl Fn(&str) -> bool,
    ) -> Result<ExportedRows> {
        let range = self.range();
        let mut rows = ExportedRows::of_revisions(form, self.out.as_deref())?;
        for revised in stored.revisions(is_selected).await? {
            if range.contains(&revised.time) {
                rows.add_revision(&revised)?;
            }
        }
        Ok(rows)
    }

    fn form(&self) -> Result<Form> {
        let Some(file) = &self.out else {
            return Ok(match self.format {
                Some(TextFormat::Jsonl) => Form::JsonLines,
                Some(TextFormat::Arrow) => Form::Arrow,
                _ => Form::Csv,
            });
        };
        let ending = file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Form::Csv),
            Some("jsonl" | "ndjson") => Ok(Form::JsonLines),
            Some("xlsx") => Ok(Form::Excel),
            _ => Err(Failure::usage(format!("{}: a file must end in .csv, .jsonl or .xlsx", quoted(file)))),
        }
    }
}

/// The exported rows of a series.
#[derive(Clone, Debug, Default)]
struct SeriesRows {
    count: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// The columns that are not null in all rows.
    with_value: BTreeSet<String>,
}

/// What was exported.
#[derive(Default)]
struct Exported {
    /// The rows of each series, by path.
    series: BTreeMap<String, SeriesRows>,
    /// A message for each damaged or missing file, whose rows are left out.
    left_out: Vec<String>,
}

impl Exported {
    /// Writes all selected rows.
    async fn add_all(
        &mut self,
        rows: &mut ExportedRows,
        stored: &StoredRows<'_>,
        is_selected: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let all = &mut self.series;
        let each = |path: &str, batch: &RecordBatch| {
            let series = all.entry(path.to_owned()).or_default();
            series.count += batch.num_rows() as u64;
            series.with_value.extend(columns_with_value(batch));
            if let Some((first, last)) = stored.times(path, batch)? {
                series.first = series.first.into_iter().chain([first]).min();
                series.last = series.last.max(Some(last));
            }
            rows.add(batch)
        };
        self.left_out = stored.read(is_selected, each).await?;
        Ok(())
    }

    /// Describes the rows of a series.
    fn object(&self, series: &SeriesStatus, status: &Status, range: &Range<Timestamp>) -> Map<String, Value> {
        let mut gaps = Vec::new();
        for gap in &series.gaps {
            let start = gap.start.max(range.start);
            let end = gap.end.min(range.end);
            if start < end {
                gaps.push(start..end);
            }
        }
        let mut object = identity_of(series);
        let rows = self.series.get(&series.path).cloned().unwrap_or_default();
        let mut missing_fields = Vec::new();
        for missing in &status.missing_fields {
            if missing.endpoint == series.endpoint() {
                missing_fields.push(missing.field.as_str());
            }
        }
        object.insert("added".to_owned(), rows.count.into());
        object.insert("first".to_owned(), json!(time_arg::exact(rows.first)));
        object.insert("last".to_owned(), json!(time_arg::exact(rows.last)));
        object.insert("gaps".to_owned(), json!(time_arg::pairs(&gaps)));
        object.insert("lost_rows".to_owned(), json!(marks::lost_times(&series.path, &status.lost_rows)));
        object.insert("missing_fields".to_owned(), json!(missing_fields));
        object.insert("unrequested".to_owned(), json!(time_arg::pairs(&never_requested(series, range))));
        object.insert("unfetched".to_owned(), never_fetched(series, range).into());
        object.insert("error".to_owned(), json!(rejection(series, range)));
        object
    }

    /// The columns of the fields of a series' records.
    fn fields(&self, series: &SeriesStatus, stored: &StoredRows<'_>) -> Vec<String> {
        let endpoint = find(series.endpoint()).ok();
        let with_value = self.series.get(&series.path).map(|rows| &rows.with_value);
        stored.fields_of(&series.path, endpoint, |name| with_value.is_some_and(|names| names.contains(name)))
    }
}

/// The params that can distinguish the series of an endpoint, as their columns are named; none if the catalogue no longer has
/// the endpoint.
fn endpoint_params(series: &SeriesStatus) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(endpoint) = find(series.endpoint()) else { return names };
    for info in endpoint.params() {
        if info.const_value.is_none() && !is_set_by_history(endpoint, info.wire_name) {
            names.push(stored_name(endpoint, info.wire_name));
        }
    }
    names
}

/// The params of the series of an endpoint.
fn params_of(endpoint: &str, series: &[SeriesStatus]) -> Vec<String> {
    let mut names = Vec::new();
    for one in series.iter().filter(|one| one.endpoint() == endpoint) {
        for (name, _) in one.params() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The names of the columns that are not null in all rows.
fn columns_with_value(rows: &RecordBatch) -> Vec<String> {
    let schema = rows.schema();
    let mut names = Vec::new();
    for (field, column) in schema.fields().iter().zip(rows.columns()) {
        if column.null_count() < rows.num_rows() {
            names.push(field.name().clone());
        }
    }
    names
}
