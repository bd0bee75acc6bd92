//! `export`: writes the rows of a file or a data set to another file, without the service.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dataset::{RevisedValue, StoredRows, Target, TextWriter, quoted};
use runtime::Timestamp;
use serde_json::{Map, Value, json};

use crate::excel_file::{Column, ExcelFile, MAX_ROWS};
use crate::failure::{ExitKind, Failure, Result};
use crate::log::Log;
use crate::progress::counted;
use crate::selected_series::Selection;
use crate::{stdout, time_arg};

/// Write the rows of a file or a data set as CSV, JSON Lines or Excel, without the service
///
/// Without options for series, all rows are written.
#[derive(Args, Debug)]
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
    /// Only what was known at this time in UTC: 2025-01-31T12:00, or an age such as 90d
    #[arg(long, value_name = "WHEN", value_parser = time_arg::timestamp)]
    as_of: Option<Timestamp>,
    /// Write the earlier values that later runs have replaced, instead of the rows
    #[arg(long, conflicts_with = "as_of")]
    revisions: bool,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TextFormat {
    Csv,
    Jsonl,
}

/// The form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Csv,
    JsonLines,
    Excel,
}

/// Returns whether a file is one of a target, in its folder, or in the folder with the state of a single file.
fn is_part_of(target: &Path, file: &Path) -> bool {
    let Ok(target) = target.canonicalize() else { return false };
    let name = file.file_name().unwrap_or_default();
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = parent.canonicalize() else { return false };
    let mut state = target.clone().into_os_string();
    state.push(".parts");
    folder.join(name).starts_with(&target) || folder.starts_with(&state)
}

impl Export {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let form = self.form()?;
        let target = Target::parse(&self.path)?;
        if let Some(out) = self.out.as_deref().filter(|out| is_part_of(Path::new(&self.path), out)) {
            let message = format!("{}: part of {}, which the export would change", quoted(out), quoted(&self.path));
            return Err(Failure::usage(message).help("write the export to another folder"));
        }
        let status = dataset::status(&target).await?;
        if status.series.is_empty() {
            let damage = status.damaged.into_iter().next().map(|damage| Failure::new(ExitKind::Incomplete, damage));
            return Err(damage.unwrap_or_else(|| Failure::nothing_at(&self.path)));
        }
        for damage in &status.damaged {
            log.warning(damage);
        }
        let is_incomplete = !status.damaged.is_empty();
        if status.pending > 0 {
            let records = counted(status.pending, "fetched record");
            log.warning(&format!("{records} are not in the files yet; the next run adds them"));
        }
        let series = if self.selection.is_empty()? {
            status.series
        } else {
            self.selection.of(status.series, &self.path, log)?
        };
        let selected: BTreeSet<String> = series.iter().map(|one| one.path.clone()).collect();
        let endpoints: BTreeSet<String> = series.iter().map(|one| one.endpoint().to_owned()).collect();
        let stored = StoredRows::open(&target, Some(&endpoints), self.as_of).await?;
        let is_selected = |path: &str| selected.contains(path);
        let mut rows = Rows { form, content: Vec::new(), excel: None, count: 0 };
        if self.revisions {
            rows.add_revisions(&stored.revisions(is_selected).await?)?;
        } else {
            rows.add_all(&stored, is_selected).await?;
        }
        let count = rows.count;
        let content = rows.finish()?;
        match &self.out {
            None => stdout::print(content)?,
            Some(file) => {
                dataset::write_file(file, |out| out.write_all(&content))
                    .map_err(|error| Failure::write(file, error))?;
                log.remark(&format!("wrote {} to {}", counted(count, "row"), quoted(file)));
            }
        }
        if is_incomplete {
            let message = format!("{}: the export has no rows of damaged or missing files", quoted(&self.path));
            return Err(Failure::new(ExitKind::Incomplete, message));
        }
        Ok(())
    }

    fn form(&self) -> Result<Form> {
        let Some(file) = &self.out else {
            return Ok(match self.format {
                Some(TextFormat::Jsonl) => Form::JsonLines,
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

/// The rows of an export.
struct Rows {
    form: Form,
    content: Vec<u8>,
    excel: Option<ExcelFile>,
    count: u64,
}

impl Rows {
    async fn add_all(&mut self, stored: &StoredRows, is_selected: impl Fn(&str) -> bool) -> Result<()> {
        let schema = stored.schema();
        let mut columns = Vec::new();
        for field in schema.fields() {
            columns.push(Column { name: field.name().clone(), is_time: field.data_type().is_temporal() });
        }
        self.begin_excel(columns)?;
        let mut csv = TextWriter::csv(Vec::new());
        csv.begin(&schema).map_err(Failure::machine)?;
        let mut failure = None;
        let each = |_: &str, batch: &dataset::RecordBatch| {
            let added = match self.form {
                Form::Csv => {
                    self.count += batch.num_rows() as u64;
                    csv.write(batch).map_err(Failure::machine)
                }
                Form::JsonLines | Form::Excel => self.add_json(batch),
            };
            failure = failure.take().or(added.err());
            Ok(())
        };
        stored.read(is_selected, each).await?;
        failure.map_or(Ok(()), Err)?;
        if self.form == Form::Csv {
            self.content = csv.into_inner().map_err(Failure::machine)?;
        }
        Ok(())
    }

    fn begin_excel(&mut self, columns: Vec<Column>) -> Result<()> {
        if self.form == Form::Excel {
            self.excel = Some(ExcelFile::new(columns).map_err(Failure::machine)?);
        }
        Ok(())
    }

    /// Adds rows as JSON Lines, or to the Excel file.
    fn add_json(&mut self, batch: &dataset::RecordBatch) -> Result<()> {
        let mut lines = TextWriter::json(Vec::new());
        lines.write(batch).map_err(Failure::machine)?;
        let lines = lines.into_inner().map_err(Failure::machine)?;
        self.count += batch.num_rows() as u64;
        if self.excel.is_none() {
            self.content.extend(lines);
            return Ok(());
        }
        for row in serde_json::Deserializer::from_slice(&lines).into_iter::<Map<String, Value>>() {
            self.add_excel(&row.map_err(Failure::machine)?)?;
        }
        Ok(())
    }

    fn add_excel(&mut self, row: &Map<String, Value>) -> Result<()> {
        let Some(excel) = &mut self.excel else { return Ok(()) };
        if excel.rows() == MAX_ROWS {
            let message = format!("an Excel sheet has at most {MAX_ROWS} rows");
            return Err(Failure::usage(message).help("select fewer series, or write a .csv or .jsonl file"));
        }
        excel.add(row).map_err(Failure::machine)
    }

    fn add_revisions(&mut self, all: &[RevisedValue]) -> Result<()> {
        let names = ["series", "time", "field", "value", "fetched_at", "replaced_at"];
        let is_time = |name: &str| ["time", "fetched_at", "replaced_at"].contains(&name);
        let columns = names.map(|name| Column { name: name.to_owned(), is_time: is_time(name) });
        self.begin_excel(columns.into())?;
        let mut csv = csv::Writer::from_writer(Vec::new());
        csv.write_record(names).map_err(Failure::machine)?;
        for one in all {
            let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
            let object = json!({
                "series": one.series, "time": one.time.to_string(), "field": one.field, "value": one.value,
                "fetched_at": time(one.fetched_at), "replaced_at": time(one.replaced_at),
            });
            self.count += 1;
            match self.form {
                Form::Excel => self.add_excel(object.as_object().unwrap_or(&Map::new()))?,
                Form::JsonLines => writeln!(self.content, "{object}").map_err(Failure::machine)?,
                Form::Csv => {
                    let cell = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
                    csv.write_record(names.map(cell)).map_err(Failure::machine)?;
                }
            }
        }
        if self.form == Form::Csv {
            let inner = csv.into_inner().map_err(csv::IntoInnerError::into_error);
            self.content = inner.map_err(|error: io::Error| Failure::machine(error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>> {
        match self.excel {
            Some(excel) => excel.finish().map_err(Failure::machine),
            None => Ok(self.content),
        }
    }
}
