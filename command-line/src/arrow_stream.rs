//! Records as a stream in Arrow's IPC format on standard output.
//!
//! The columns are those of a file that a backfill writes; their metadata contains meaning, unit and evidence.

use arrow_ipc::writer::StreamWriter;
use tables::{SeriesRequest, SeriesTable};

use crate::failure::{ExitKind, Failure, Result};
use crate::record_columns::Part;
use crate::stdout;

/// A stream whose schema is written.
pub(crate) struct ArrowStream {
    table: SeriesTable,
    writer: StreamWriter<Vec<u8>>,
}

impl ArrowStream {
    pub(crate) fn begin(series: &[SeriesRequest]) -> Result<Self> {
        let table = SeriesTable::new(series)?;
        let writer = StreamWriter::try_new(Vec::new(), &table.schema()).map_err(failed)?;
        Ok(Self { table, writer })
    }

    /// Writes records of the series with this index.
    pub(crate) fn write(&mut self, series: usize, part: &Part<'_>) -> Result<()> {
        self.writer.write(&self.table.batch(series, part.records, &part.times)?).map_err(failed)?;
        stdout::print(std::mem::take(self.writer.get_mut()))
    }

    pub(crate) fn end(mut self) -> Result<()> {
        self.writer.finish().map_err(failed)?;
        stdout::print(std::mem::take(self.writer.get_mut()))
    }
}

/// Creates the failure of an encoder, which writes into memory.
fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(ExitKind::Machine, error.to_string())
}
