//! Prints records on standard output, all at once or as they arrive.
//!
//! Pages of several series are printed as rows of one table, with one header. A stream in Arrow's IPC format, whose
//! columns have meaning, unit and evidence as metadata, and the text of a backfill have the columns of a file.

use std::io::{BufWriter, Write};

use arrow_ipc::writer::StreamWriter;
use dataset::{SeriesTable, TextWriter, UNKNOWN_FIELDS};
use runtime::AnyClient as Client;

use crate::data_output::DataOutput;
use crate::failure::{Failure, Result};
use crate::record_columns::{OTHERS, SeriesRecords, columns, has_other_members, rows};
use crate::requested_series::{RequestedSeries, series_requests};
use crate::stdout;
use crate::table::{Format, Table, omitted};

/// Writes records.
pub(crate) struct Printer<'s> {
    series: &'s [RequestedSeries],
    output: Output,
}

/// The columns of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Columns {
    /// Those of a file that a backfill writes.
    File,
    /// The time, the params in which the series differ, and the fields. The header of a CSV file cannot be extended
    /// later, so it has columns for what only later records have.
    Growing,
    /// The same for records of which all are printed at once.
    Complete,
}

enum Output {
    File(SeriesTable, TextWriter<BufWriter<DataOutput>>),
    Arrow(SeriesTable, Box<StreamWriter<Vec<u8>>>),
    /// The columns of a table can get wider with later pages, but never narrower.
    Rows {
        format: Format,
        is_growing: bool,
        table: Table,
        widths: Vec<usize>,
    },
}

/// The columns of a file that a backfill of these series writes.
fn file_table(client: &Client, series: &[RequestedSeries]) -> Result<SeriesTable> {
    Ok(SeriesTable::new(&series_requests(client, series)?)?)
}

/// Adds columns for what only later records have: unknown fields, and members that the catalogue does not list by name.
fn add_columns_of_later_records(columns: &mut Vec<String>, series: &[RequestedSeries]) {
    let has_others = series.iter().any(|one| has_other_members(one.endpoint));
    for name in [OTHERS, UNKNOWN_FIELDS] {
        if (name == UNKNOWN_FIELDS || has_others) && !columns.iter().any(|column| column == name) {
            columns.push(name.to_owned());
        }
    }
}

impl<'s> Printer<'s> {
    pub(crate) fn new(client: &Client, series: &'s [RequestedSeries], format: Format, kind: Columns) -> Result<Self> {
        let stdout = BufWriter::new(DataOutput::stdout());
        let output = match format {
            Format::Arrow => {
                let table = file_table(client, series)?;
                let writer = StreamWriter::try_new(Vec::new(), &table.schema()).map_err(Failure::machine)?;
                Output::Arrow(table, Box::new(writer))
            }
            Format::Csv if kind == Columns::File => Output::File(file_table(client, series)?, TextWriter::csv(stdout)),
            Format::Jsonl if kind == Columns::File => {
                Output::File(file_table(client, series)?, TextWriter::json(stdout))
            }
            _ => {
                let is_growing = kind == Columns::Growing;
                Output::Rows { format, is_growing, table: Table::default(), widths: Vec::new() }
            }
        };
        Ok(Self { series, output })
    }

    /// Prints records of some series.
    pub(crate) fn print(&mut self, parts: &[SeriesRecords<'_>]) -> Result<()> {
        match &mut self.output {
            Output::File(table, writer) => {
                for part in parts {
                    let batch = table.batch(part.index, part.records, &part.times)?;
                    stdout::written(writer.write(&batch))?;
                }
                Ok(())
            }
            Output::Arrow(table, writer) => {
                for part in parts {
                    let batch = table.batch(part.index, part.records, &part.times)?;
                    writer.write(&batch).map_err(Failure::machine)?;
                }
                stdout::print(std::mem::take(writer.get_mut()))
            }
            Output::Rows { format, is_growing, table, widths } => {
                // The objects of JSON Lines need no common columns, so each page determines its own columns.
                if table.columns.is_empty() || *format == Format::Jsonl {
                    table.columns = columns(self.series, parts, *format != Format::Table);
                    if *is_growing && *format == Format::Csv {
                        add_columns_of_later_records(&mut table.columns, self.series);
                    }
                }
                table.rows = parts.iter().flat_map(|part| rows(&table.columns, part)).collect();
                let is_first = widths.is_empty();
                widths.resize(table.columns.len(), 0);
                match format {
                    Format::Table => stdout::styled(&table.lines(stdout::width(), widths, is_first)),
                    Format::Csv => stdout::print(table.csv(is_first)?),
                    _ => stdout::print(table.json_lines()),
                }
            }
        }
    }

    /// Ends the output.
    pub(crate) fn end(self) -> Result<()> {
        match self.output {
            Output::File(_, writer) => stdout::written(writer.into_inner().and_then(|mut out| out.flush())),
            Output::Arrow(_, mut writer) => {
                writer.finish().map_err(Failure::machine)?;
                stdout::print(std::mem::take(writer.get_mut()))
            }
            Output::Rows { format: Format::Table, table, widths, .. } => {
                stdout::lines(&omitted(&table.columns, &widths, stdout::width()))
            }
            Output::Rows { .. } => Ok(()),
        }
    }
}
