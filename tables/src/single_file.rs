//! A single target file: Parquet with all series, or CSV or JSON Lines written from such a Parquet file.
//!
//! Fetched rows are collected in a data set next to the file, and merged into it at the end of a run.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;

use crate::error::Error;
use crate::parquet_file::ParquetInput;
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
    /// State and columns of that Parquet file after the last run; `None` before the first run.
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
        } else if path.exists() && !this.parts.exists() {
            return Err(Error::invalid_input(format!(
                "{}: the file exists, but without {}, which is needed to continue it; name another file",
                path.display(),
                this.parts.display()
            )));
        }
        Ok(this)
    }

    fn read_base(&self) -> Result<Base, Error> {
        let invalid_input = |why: &str| Error::invalid_input(format!("{}: {why}", self.rows.display()));
        let input = self.input()?;
        let text = input.metadata(saved_state::KEY);
        let text = text.ok_or_else(|| invalid_input("no backfill has written this file; name another file"))?;
        let state = saved_state::parse(text.as_bytes());
        let state = state
            .map_err(|why| invalid_input(&format!("{why}; to rebuild, move it away and run the same command again")))?;
        Ok(Base { schema: input.schema(), state })
    }

    /// Creates the error for endpoints whose columns of the same name have different types.
    pub(crate) fn mismatch(&self, why: &str) -> Error {
        Error::invalid_input(format!(
            "{}: {why}; write them to a folder, which has separate files for each endpoint",
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
