//! Prints records on standard output as they arrive.
//!
//! Pages of several series are printed as rows of one table, with one header, or as a stream in Arrow's IPC format. The
//! columns of the stream are those of a file that a backfill writes; their metadata contains meaning, unit and evidence.

use arrow_ipc::writer::StreamWriter;
use tables::{SeriesRequest, SeriesTable};

use crate::failure::{Failure, Result};
use crate::record_columns::{Layout, Part};
use crate::requested_series::Series;
use crate::stdout;
use crate::table::{Format, Table};

/// Writes pages of records. The columns of a table can get wider with later pages, but never narrower.
pub(crate) struct Printer {
    format: Format,
    layout: Option<Layout>,
    has_fixed_columns: bool,
    series: Vec<Series>,
    widths: Vec<usize>,
    arrow: Option<(SeriesTable, StreamWriter<Vec<u8>>)>,
}

impl Printer {
    /// Creates a printer. If a layout is given, the table has exactly the columns of that layout.
    pub(crate) fn new(
        series: &[Series],
        stored: &[SeriesRequest],
        format: Format,
        layout: Option<Layout>,
    ) -> Result<Self> {
        let stream = |table: SeriesTable| {
            let writer = StreamWriter::try_new(Vec::new(), &table.schema()).map_err(Failure::machine)?;
            Ok((table, writer))
        };
        let is_arrow = format == Format::Arrow;
        let arrow = is_arrow.then(|| SeriesTable::new(stored).map_err(Failure::from).and_then(stream)).transpose()?;
        let (series, widths) = (series.to_vec(), Vec::new());
        Ok(Self { format, has_fixed_columns: layout.is_some(), layout, series, widths, arrow })
    }

    /// Prints records of the series with this index.
    pub(crate) fn print(&mut self, index: usize, part: &Part<'_>) -> Result<()> {
        if let Some((table, writer)) = &mut self.arrow {
            writer.write(&table.batch(index, part.records, &part.times)?).map_err(Failure::machine)?;
            return stdout::print(std::mem::take(writer.get_mut()));
        }
        let is_first = self.widths.is_empty();
        // The objects of JSON Lines need no common columns, so each page determines its own columns.
        if self.layout.is_none() || (self.format == Format::Jsonl && !self.has_fixed_columns) {
            let layout = Layout::new(&self.series, std::slice::from_ref(part));
            // The CSV header cannot be extended later, so it has a column for unknown fields of later records.
            self.layout = Some(if self.format == Format::Csv { layout.with_unknown_fields() } else { layout });
        }
        let Some(layout) = &self.layout else { return Ok(()) };
        let table = Table { columns: layout.columns.clone(), rows: layout.rows(part) };
        self.widths.resize(table.columns.len(), 0);
        let text = match self.format {
            Format::Table => table.lines(stdout::width(), &mut self.widths, is_first),
            Format::Csv => table.csv(is_first)?,
            Format::Jsonl | Format::Arrow => table.json_lines(),
        };
        stdout::print(text)
    }

    /// Ends the output, which only a stream in Arrow's format needs.
    pub(crate) fn end(self) -> Result<()> {
        let Some((_, mut writer)) = self.arrow else { return Ok(()) };
        writer.finish().map_err(Failure::machine)?;
        stdout::print(std::mem::take(writer.get_mut()))
    }
}
