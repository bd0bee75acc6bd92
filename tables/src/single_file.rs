//! A single target file with all series. A Parquet file contains the rows itself; a CSV or JSON Lines file is written
//! from a Parquet file with the same rows.
//!
//! Fetched rows are collected in a data set next to the file, and merged into it at the end of a run.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;

use crate::error::Error;
use crate::parquet_file::{Checked, ParquetInput};
use crate::saved_state::{self, FileState};
use crate::target::Format;

/// The single file into which the rows are merged.
pub(crate) struct SingleFile {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// The folder with the rows that are not in the file yet.
    pub(crate) parts: PathBuf,
    /// The Parquet file with all rows: the file itself, or the source of a CSV or JSON Lines file.
    pub(crate) rows: PathBuf,
    /// The state and the columns of the Parquet file `rows` after the last run; `None` before the first run.
    pub(crate) base: Option<Base>,
}

/// A Parquet file that a backfill has written.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) state: FileState,
    pub(crate) schema: SchemaRef,
}

impl SingleFile {
    pub(crate) fn open(path: &Path, format: Format) -> Result<Self, Error> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".parts");
        let parts = path.with_file_name(name);
        let rows = if format == Format::Parquet { path.to_owned() } else { parts.join("rows.parquet") };
        let mut this = Self { path: path.to_owned(), format, parts, rows, base: None };
        if this.rows.exists() {
            this.base = Some(this.read_base()?);
        }
        Ok(this)
    }

    /// Rejects a text file if the Parquet file with all of its rows is missing, because a run would then replace the
    /// text file with the rows of its own range.
    pub(crate) fn check_rows(&self) -> Result<(), Error> {
        if self.base.is_some() || self.unfinished().exists() || !self.path.exists() {
            return Ok(());
        }
        let (path, rows) = (self.path.display(), self.rows.display());
        Err(Error::invalid_input(format!(
            "{path}: the file cannot be continued, because {rows} is missing; move the file away and run the backfill \
             again for its whole range"
        )))
    }

    /// Returns the files to move away for a rebuild.
    pub(crate) fn location(&self) -> String {
        let (path, parts) = (self.path.display(), self.parts.display());
        if self.format == Format::Parquet { path.to_string() } else { format!("{path} and {parts}") }
    }

    /// Returns the temporary path of the Parquet file that belongs to a text file. A run writes the rows to this path
    /// first, and renames the file after it has written the text.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.rows.with_extension("next")
    }

    /// Returns the checksum of a text file; `None` for a Parquet file, which contains its checksums.
    pub(crate) fn text_checksum(&self) -> Result<Option<String>, Error> {
        if self.format == Format::Parquet {
            return Ok(None);
        }
        let mut sum = Checked::new(io::sink());
        let copied = File::open(&self.path).and_then(|mut text| io::copy(&mut text, &mut sum));
        copied.map_err(|error| Error::storage(self.path.display(), error))?;
        Ok(Some(sum.entry()))
    }

    /// Returns `true` if the file exists and is unchanged since a backfill wrote it. `checksum` is the checksum of the
    /// written text; `None` if an earlier version wrote the file.
    pub(crate) fn is_unchanged(&self, checksum: Option<&String>) -> Result<bool, Error> {
        Ok(self.path.exists() && (checksum.is_none() || self.text_checksum()?.as_ref() == checksum))
    }

    fn read_base(&self) -> Result<Base, Error> {
        let unknown =
            || Error::invalid_input(format!("{}: not written by a backfill; name another file", self.location()));
        let input = self.input()?;
        let text = input.metadata(saved_state::KEY).ok_or_else(unknown)?;
        let state = saved_state::parse(text.as_bytes()).map_err(|why| Error::rebuild(self.location(), why))?;
        Ok(Base { schema: input.schema(), state })
    }

    /// Creates the error for several endpoints that have a column of the same name with different types.
    pub(crate) fn mismatch(&self, why: &str) -> Error {
        Error::invalid_input(format!(
            "{}: {why}; write the endpoints to a folder, which has separate files for each endpoint",
            self.path.display()
        ))
    }

    pub(crate) fn input(&self) -> Result<ParquetInput<File>, Error> {
        ParquetInput::open(self.rows.display().to_string(), self.file()?)
    }

    /// Verifies the checksums of the file.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        self.input()?.verify(BufReader::new(self.file()?))
    }

    fn file(&self) -> Result<File, Error> {
        File::open(&self.rows).map_err(|error| Error::storage(self.rows.display(), error))
    }
}
