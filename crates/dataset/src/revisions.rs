//! The revisions of a table: the earlier values of rows, which a merge has replaced.
//!
//! A merge appends its revisions to a compressed file with a line for each row. It writes that file before the data file
//! in which the values are replaced. If a run is killed in between, the next merge appends the same lines again, and a
//! reader ignores the repeated lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, RecordBatch};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::fetched_at::fetched_at_index;
use crate::file_storage::{FileStorage, Out};
use crate::text_writer::Cell;

/// The earlier values of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Revision {
    /// The path of the series.
    pub(crate) series: String,
    /// The time of the record, in microseconds.
    pub(crate) time: i64,
    /// The times at which the earlier and the later values were fetched, in microseconds.
    pub(crate) fetched_at: Option<i64>,
    pub(crate) replaced_at: Option<i64>,
    /// The earlier values as in CSV, by column; `None` for null.
    pub(crate) old: BTreeMap<String, Option<String>>,
}

impl Revision {
    /// Returns the changes of a row; `time` is its time, and each batch has one row.
    pub(crate) fn of_row(series: &str, time: i64, old: &RecordBatch, new: &RecordBatch) -> Self {
        let index = fetched_at_index(old.schema_ref());
        let mut changed = BTreeMap::new();
        for (position, field) in old.schema_ref().fields().iter().enumerate() {
            let column = old.column(position);
            if Some(position) == index || column == new.column(position) {
                continue;
            }
            let text = column.is_valid(0).then(|| Cell::new(field, column, 0).text().into_owned());
            changed.insert(field.name().clone(), text);
        }
        let fetched = |row: &RecordBatch| {
            let column = row.column(index?).as_primitive_opt::<TimestampMicrosecondType>()?;
            column.is_valid(0).then(|| column.value(0))
        };
        let fetched_at = fetched(old);
        Self { series: series.to_owned(), time, fetched_at, replaced_at: fetched(new), old: changed }
    }
}

/// The revisions of a merge that are not in the file yet, compressed.
#[derive(Clone, Debug, Default)]
pub(crate) struct RevisionLog(Arc<Mutex<Option<GzEncoder<Vec<u8>>>>>);

impl RevisionLog {
    pub(crate) fn push(&self, revision: &Revision) -> Result<(), Error> {
        let mut line = serde_json::to_vec(revision).map_err(Error::invalid_input)?;
        line.push(b'\n');
        let mut encoder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let encoder = encoder.get_or_insert_with(|| GzEncoder::new(Vec::new(), Compression::default()));
        encoder.write_all(&line).map_err(Error::invalid_input)
    }

    /// Appends all revisions to the file of a table. The earlier content is copied, so that the file is complete at any
    /// time.
    pub(crate) async fn append(&self, storage: &FileStorage, path: &str) -> Result<(), Error> {
        let encoder = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(encoder) = encoder else { return Ok(()) };
        let lines = encoder.finish().map_err(|error| Error::storage(storage.name(path), error))?;
        let (mut known, version) = storage.open(path).await?.unzip();
        let content = |out: Out<'_>| {
            if let Some(known) = &mut known {
                io::copy(known, out)?;
            }
            Ok(out.write_all(&lines)?)
        };
        storage.put(path, version.as_deref(), content).await?;
        Ok(())
    }
}

/// Reads all revisions of a table, in the order of series and time, each once.
pub(crate) async fn read(storage: &FileStorage, path: &str) -> Result<BTreeSet<Revision>, Error> {
    let Some((file, _)) = storage.open(path).await? else { return Ok(BTreeSet::new()) };
    lines(file).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            Error::damaged(storage.name(path), format!("its revisions are not readable: {error}"))
        }
        _ => Error::storage(storage.name(path), error),
    })
}

fn lines(file: File) -> io::Result<BTreeSet<Revision>> {
    let mut all = BTreeSet::new();
    let mut reader = BufReader::new(MultiGzDecoder::new(BufReader::new(file)));
    let mut line = String::new();
    while reader.by_ref().read_line(&mut line)? > 0 {
        all.insert(serde_json::from_str(&line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?);
        line.clear();
    }
    Ok(all)
}
