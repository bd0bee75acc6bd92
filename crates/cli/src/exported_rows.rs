//! The rows of an export, in the chosen form. CSV and JSON Lines are written row by row; an Excel file is written at the
//! end.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow_ipc::writer::StreamWriter;
use dataset::{MemberColumns, NewFile, RecordBatch, RevisedValue, StoredRows, TextWriter};
use serde_json::{Map, Value, json};

use crate::data_output::DataOutput;
use crate::excel_file::{Column, ExcelFile, MAX_ROWS};
use crate::failure::{Failure, Result};
use crate::{stdout, time_arg};

/// The form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    JsonLines,
    Excel,
    /// A stream in Arrow's IPC format.
    Arrow,
}

/// The columns of an export of earlier values.
const REVISION_COLUMNS: [&str; 6] = ["series", "time", "field", "value", "fetched_at", "replaced_at"];

/// The place to which rows are written.
enum Out {
    Stdout(BufWriter<DataOutput>),
    File { path: PathBuf, file: Box<BufWriter<NewFile>> },
}

/// The writer of rows.
enum Rows {
    Text(TextWriter<Out>),
    /// Earlier values have no Arrow columns.
    Csv(Box<csv::Writer<Out>>),
    Lines(Out),
    Excel(Box<ExcelFile>, Out),
    /// The stream is written to memory first, so that an error of the file keeps its cause.
    Arrow(Box<StreamWriter<Vec<u8>>>, Out),
}

/// The rows of an export.
pub(crate) struct ExportedRows {
    rows: Rows,
    /// The columns of the members that the catalogue does not list by name; `None` if they are one column, as in the file.
    members: Option<MemberColumns>,
    path: Option<PathBuf>,
    pub(crate) count: u64,
}

impl Out {
    fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(BufWriter::new(DataOutput::stdout()))) };
        let file = NewFile::create(path).map_err(|error| Failure::write(path, error))?;
        Ok(Self::File { path: path.to_owned(), file: Box::new(BufWriter::new(file)) })
    }

    /// Makes the rows visible.
    fn finish(self) -> Result<()> {
        match self {
            Self::Stdout(mut out) => stdout::written(out.flush()),
            Self::File { path, file } => {
                let file = file.into_inner().map_err(|error| Failure::file("write", &path, error.error()))?;
                file.finish().map_err(|error| Failure::write(&path, error))
            }
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File { file, .. } => file.flush(),
        }
    }
}

impl ExportedRows {
    /// Begins an export of rows, which have the columns of the file in Arrow's format. In the other formats, each member that
    /// the catalogue does not list by name is a column: a program that reads them has no types, and few read JSON in a cell.
    pub(crate) async fn of_rows(
        form: Form,
        path: Option<&Path>,
        stored: &StoredRows<'_>,
        is_selected: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        if form == Form::Excel && stored.least_count(&is_selected).await? > u64::from(MAX_ROWS) {
            return Err(too_many_rows());
        }
        let mut schema = stored.schema();
        let mut members = None;
        if form != Form::Arrow {
            let columns = stored.member_columns(is_selected).await?;
            schema = columns.schema(&schema);
            members = Some(columns);
        }
        let out = Out::create(path)?;
        let rows = match form {
            Form::Csv => Rows::Text(TextWriter::csv(out)),
            Form::JsonLines => Rows::Text(TextWriter::json(out)),
            Form::Arrow => {
                let stream = StreamWriter::try_new(Vec::new(), &schema).map_err(Failure::machine)?;
                Rows::Arrow(Box::new(stream), out)
            }
            Form::Excel => {
                let mut columns = Vec::new();
                for field in schema.fields() {
                    columns.push(Column { name: field.name().clone(), is_time: field.data_type().is_temporal() });
                }
                excel(columns, out)?
            }
        };
        let mut this = Self { rows, members, path: path.map(Path::to_owned), count: 0 };
        if let Rows::Text(text) = &mut this.rows {
            let begun = text.begin(&schema);
            this.written(begun)?;
        }
        Ok(this)
    }

    /// Begins an export of earlier values.
    pub(crate) fn of_revisions(form: Form, path: Option<&Path>) -> Result<Self> {
        let out = Out::create(path)?;
        let rows = match form {
            Form::Csv => Rows::Csv(Box::new(csv::Writer::from_writer(out))),
            Form::JsonLines => Rows::Lines(out),
            Form::Arrow => return Err(Failure::usage("earlier values have the formats csv and jsonl")),
            Form::Excel => {
                let mut columns = Vec::new();
                for name in REVISION_COLUMNS {
                    let is_time = ["time", "fetched_at", "replaced_at"].contains(&name);
                    columns.push(Column { name: name.to_owned(), is_time });
                }
                excel(columns, out)?
            }
        };
        let mut this = Self { rows, members: None, path: path.map(Path::to_owned), count: 0 };
        if let Rows::Csv(lines) = &mut this.rows {
            let begun = lines.write_record(REVISION_COLUMNS).map_err(io::Error::from);
            this.written(begun)?;
        }
        Ok(this)
    }

    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        self.count += batch.num_rows() as u64;
        let wide = self.members.as_ref().map(|members| members.convert(batch)).transpose()?;
        let batch = wide.as_ref().unwrap_or(batch);
        match &mut self.rows {
            Rows::Text(text) => {
                let written = text.write(batch);
                self.written(written)
            }
            Rows::Excel(excel, _) => {
                let mut lines = TextWriter::json(Vec::new());
                lines.write(batch).map_err(Failure::machine)?;
                let lines = lines.into_inner().map_err(Failure::machine)?;
                for row in serde_json::Deserializer::from_slice(&lines).into_iter::<Map<String, Value>>() {
                    add_excel(excel, &row.map_err(Failure::machine)?)?;
                }
                Ok(())
            }
            Rows::Arrow(stream, out) => {
                stream.write(batch).map_err(Failure::machine)?;
                let written = out.write_all(&std::mem::take(stream.get_mut()));
                self.written(written)
            }
            Rows::Csv(_) | Rows::Lines(_) => Ok(()),
        }
    }

    pub(crate) fn add_revision(&mut self, revised: &RevisedValue) -> Result<()> {
        let object = json!({
            "series": revised.series, "time": revised.time.to_string(), "field": revised.field,
            "value": revised.value, "fetched_at": time_arg::exact(revised.fetched_at),
            "replaced_at": time_arg::exact(revised.replaced_at),
        });
        self.count += 1;
        let written = match &mut self.rows {
            Rows::Excel(excel, _) => return add_excel(excel, object.as_object().unwrap_or(&Map::new())),
            Rows::Lines(out) => writeln!(out, "{object}"),
            Rows::Csv(lines) => {
                let cells = REVISION_COLUMNS.map(|name| object[name].as_str().unwrap_or_default().to_owned());
                lines.write_record(cells).map_err(io::Error::from)
            }
            Rows::Text(_) | Rows::Arrow(..) => Ok(()),
        };
        self.written(written)
    }

    /// Writes the remaining rows, and makes the file visible.
    pub(crate) fn finish(self) -> Result<()> {
        let path = self.path;
        let out = match self.rows {
            Rows::Text(text) => text.into_inner(),
            Rows::Csv(lines) => lines.into_inner().map_err(csv::IntoInnerError::into_error),
            Rows::Lines(out) => Ok(out),
            Rows::Arrow(stream, mut out) => {
                let end = stream.into_inner().map_err(Failure::machine)?;
                out.write_all(&end).map(|()| out)
            }
            Rows::Excel(excel, mut out) => {
                let content = excel.finish().map_err(Failure::machine)?;
                out.write_all(&content).map(|()| out)
            }
        };
        match out {
            Ok(out) => out.finish(),
            Err(error) => written(Err(error), path.as_deref()),
        }
    }

    fn written(&self, result: io::Result<()>) -> Result<()> {
        written(result, self.path.as_deref())
    }
}

/// Converts the result of writing to a file or to standard output.
fn written(result: io::Result<()>, path: Option<&Path>) -> Result<()> {
    match path {
        Some(path) => result.map_err(|error| Failure::file("write", path, &error)),
        None => stdout::written(result),
    }
}

fn excel(columns: Vec<Column>, out: Out) -> Result<Rows> {
    let excel = ExcelFile::new(columns).map_err(Failure::machine)?;
    Ok(Rows::Excel(Box::new(excel), out))
}

fn add_excel(excel: &mut ExcelFile, row: &Map<String, Value>) -> Result<()> {
    if excel.rows() == MAX_ROWS {
        return Err(too_many_rows());
    }
    excel.add(row).map_err(Failure::machine)
}

fn too_many_rows() -> Failure {
    let message = format!("an Excel sheet has at most {MAX_ROWS} rows");
    Failure::usage(message).help("select fewer series or a shorter range, or write a .csv or .jsonl file")
}
