//! A CSV or JSON Lines file, which is written from a Parquet file with the same rows.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::Error;
use crate::file_storage;
use crate::merge_rows::Rows;
use crate::parquet_file::Checked;
use crate::parquet_input::ParquetInput;
use crate::table::Table;
use crate::target::{Format, is_gzip};
use crate::text_writer::TextWriter;

/// The text file of a table.
pub(crate) struct TextFile {
    pub(crate) path: PathBuf,
    format: Format,
}

/// The state of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextState {
    /// The file has the rows of the table.
    Current,
    /// A run was killed before it has written the file.
    Outdated,
    /// The file is missing, or was changed since a backfill has written it.
    Changed,
}

impl TextFile {
    /// Returns the text file of a table; `None` if the table has only Parquet files.
    pub(crate) fn of(table: &Table) -> Option<Self> {
        let (name, format) = table.place.text()?;
        // A single file is always on the local disk.
        Some(Self { path: PathBuf::from(table.storage.name(name)), format })
    }

    /// Rejects a text file if the Parquet file with all of its rows is missing, because a run would then replace the
    /// text file with the rows of its own range.
    pub(crate) fn check(&self, table: &Table) -> Result<(), Error> {
        let (path, rows) = (self.path.display(), table.place.only_file());
        if !table.base.files.is_empty() || !self.path.exists() {
            return Ok(());
        }
        Err(Error::invalid_input(format!(
            "{path}: the file cannot be continued, because {} is missing; move the file away and run the backfill again \
             for its whole range",
            table.storage.name(&rows)
        )))
    }

    pub(crate) fn state(&self, table: &Table) -> Result<TextState, Error> {
        Ok(match &table.base.text {
            _ if table.base.files.is_empty() => TextState::Current,
            None => TextState::Outdated,
            Some(_) if table.has_changed => TextState::Outdated,
            Some(checksum) if self.path.exists() && self.checksum()? == *checksum => TextState::Current,
            Some(_) => TextState::Changed,
        })
    }

    /// Writes the rows of the table, and returns the checksum of the file.
    pub(crate) fn write(&self, rows: &ParquetInput) -> Result<String, Error> {
        let fails = |error| Error::storage(self.path.display(), error);
        file_storage::write(&self.path, None, |out| -> Result<(), Error> {
            let out = BufWriter::new(out);
            if is_gzip(&self.path) {
                let out = self.lines(rows, GzEncoder::new(out, Compression::default()))?;
                return out.finish().and_then(|mut out| out.flush()).map_err(fails);
            }
            self.lines(rows, out)?.flush().map_err(fails)
        })?;
        self.checksum()
    }

    fn lines<W: Write>(&self, rows: &ParquetInput, out: W) -> Result<W, Error> {
        let fails = |error| Error::storage(self.path.display(), error);
        let mut lines = if self.format == Format::Csv { TextWriter::csv(out) } else { TextWriter::json(out) };
        lines.begin(&rows.schema()).map_err(fails)?;
        let batches: Rows<'_> = rows.rows(0..rows.groups().len(), 0)?;
        for batch in batches {
            lines.write(&batch?).map_err(fails)?;
        }
        lines.into_inner().map_err(fails)
    }

    fn checksum(&self) -> Result<String, Error> {
        let mut sum = Checked::new(io::sink());
        let copied = File::open(&self.path).and_then(|mut text| io::copy(&mut text, &mut sum));
        copied.map_err(|error| Error::storage(self.path.display(), error))?;
        Ok(sum.entry())
    }
}
