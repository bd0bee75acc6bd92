//! The CSV or JSON Lines file of a table, which is written from a Parquet file with the same rows.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::checked_writer::Checked;
use crate::error::{Error, Failure, quoted};
use crate::parquet_input::ParquetInput;
use crate::table::Table;
use crate::target::{Format, is_gzip};
use crate::text_writer::TextWriter;

/// The state of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextState {
    /// The file has the rows of the table, or the table has only Parquet files.
    Current,
    /// A run was killed before it has written the file.
    Outdated,
    /// The file was changed since a backfill has written it.
    Changed,
    /// The file is missing.
    Missing,
}

impl Table {
    /// The path of the text file, which is always on the local disk.
    pub(crate) fn text_path(&self) -> Option<PathBuf> {
        let (name, _) = self.place.text.as_ref()?;
        Some(PathBuf::from(self.place.name(name)))
    }

    /// Rejects a text file if the Parquet file with all of its rows is missing, because a run would then replace the
    /// text file with the rows of its own range.
    pub(crate) fn check_text(&self) -> Result<(), Error> {
        // A repair moves a damaged file aside, and the text with it.
        if self.damaged.iter().any(|damage| damage.path == self.place.data) {
            return Ok(());
        }
        let Some(path) = self.text_path() else { return Ok(()) };
        if !self.state.files.is_empty() || !path.exists() {
            return Ok(());
        }
        let folder = self.folder_of_rows();
        let again = "run the backfill again for its whole range";
        let why = if folder.is_dir() {
            let rows = quoted(folder.join("rows.parquet"));
            format!("the file cannot be continued, because {rows} is missing; move the file away and {again}")
        } else {
            format!(
                "the folder {} with its rows is missing; if it was renamed or moved, put it back; otherwise, or if no \
                 backfill has written the file, name another file, or move it away and {again}",
                quoted(folder)
            )
        };
        Err(Error::invalid_input(format!("{}: {why}", quoted(path))))
    }

    /// The folder with the rows of the text file.
    pub(crate) fn folder_of_rows(&self) -> PathBuf {
        PathBuf::from(self.place.name(&self.place.home))
    }

    pub(crate) fn text_state(&self) -> Result<TextState, Error> {
        let Some(path) = self.text_path() else { return Ok(TextState::Current) };
        if self.state.files.is_empty() {
            return Ok(TextState::Current);
        }
        Ok(match &self.state.text {
            None => TextState::Outdated,
            Some(_) if !path.exists() => TextState::Missing,
            Some(checksum) if checksum_of(&path)? == *checksum => TextState::Current,
            Some(_) => TextState::Changed,
        })
    }

    /// Writes the rows as text, and returns the checksum of the text file.
    pub(crate) async fn write_text(&self, name: &str, format: Format, rows: &ParquetInput) -> Result<String, Error> {
        rows.verify()?;
        let writing = self.place.storage.put(name, None, |out| {
            let out = Checked::new(BufWriter::new(out));
            let mut out = if is_gzip(Path::new(name)) {
                lines(format, rows, GzEncoder::new(out, Compression::default()))?.finish()?
            } else {
                lines(format, rows, out)?
            };
            out.flush()?;
            Ok(out.entry())
        });
        let (checksum, _) = writing.await?;
        Ok(checksum)
    }
}

fn lines<W: Write>(format: Format, rows: &ParquetInput, out: W) -> Result<W, Failure> {
    let mut lines = if format == Format::Csv { TextWriter::csv(out) } else { TextWriter::json(out) };
    lines.begin(&rows.schema())?;
    for batch in rows.rows(..)? {
        lines.write(&batch?)?;
    }
    Ok(lines.into_inner()?)
}

fn checksum_of(path: &Path) -> Result<String, Error> {
    let mut sum = Checked::new(io::sink());
    let copied = File::open(path).and_then(|mut text| io::copy(&mut text, &mut sum));
    copied.map_err(|error| Error::storage(path.display(), error))?;
    Ok(sum.entry())
}
