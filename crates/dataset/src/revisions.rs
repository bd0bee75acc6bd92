//! The revisions of a table: the earlier rows, which a merge has replaced.
//!
//! A row was visible from the time at which it was fetched until the time at which the row that has replaced it was
//! fetched. A merge appends its revisions to a compressed file with a line for each row. It writes that file before the
//! data file in which the values are replaced. If a run is killed in between, the rows were not replaced, and the next
//! merge replaces them again: `interrupted_merges` omits the lines of the merge that did not complete.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{Array, RecordBatch};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::fetched_at::{fetched_at_of, is_fetched_at};
use crate::file_storage::{FileStorage, UnfinishedFile};
use crate::series_columns::identifies;
use crate::text_writer::Cell;

/// A row that another row has replaced.
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
    /// The other values of the row, which the later row has too, without those that are null.
    pub(crate) same: BTreeMap<String, String>,
    /// Number of equal rows of the same time that were replaced before this row. Without it, a reader would take equal
    /// rows for a line that was appended twice.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) number: u64,
    /// The merge that has replaced the row; `None` if its data file had no generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) merge: Option<GenerationChange>,
}

/// The generations of a data file before and after a merge that replaces rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct GenerationChange {
    pub(crate) from: String,
    pub(crate) to: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl GenerationChange {
    /// The change of a data file that has a generation.
    pub(crate) fn new(from: Option<&str>, to: &str) -> Option<Self> {
        Some(Self { from: from?.to_owned(), to: to.to_owned() })
    }
}

impl Revision {
    /// Creates the revision of a row; `time` is its time, and each batch has one row. Without a new row, all values of
    /// the old row have vanished.
    pub(crate) fn of_row(
        series: &str,
        time: i64,
        old: &RecordBatch,
        new: Option<&RecordBatch>,
        replaced_at: Option<i64>,
    ) -> Self {
        let mut changed = BTreeMap::new();
        let mut same = BTreeMap::new();
        for (index, field) in old.schema_ref().fields().iter().enumerate() {
            if is_fetched_at(field) {
                continue;
            }
            let column = old.column(index);
            let mut text = None;
            if column.is_valid(0) {
                text = Some(Cell::new(field, column, 0).text().into_owned());
            }
            let is_same = identifies(field) || new.is_some_and(|new| column == new.column(index));
            if !is_same {
                changed.insert(field.name().clone(), text);
            } else if let Some(text) = text {
                same.insert(field.name().clone(), text);
            }
        }
        let fetched_at = fetched_at_of(old);
        Self { series: series.to_owned(), time, fetched_at, replaced_at, old: changed, same, number: 0, merge: None }
    }

    /// The value of a column as in CSV; `None` for null.
    pub(crate) fn value(&self, column: &str) -> Option<&str> {
        match self.old.get(column) {
            Some(old) => old.as_deref(),
            None => self.same.get(column).map(String::as_str),
        }
    }

    /// `true` if the row was visible at a time in microseconds.
    pub(crate) fn is_visible(&self, as_of: i64) -> bool {
        let is_fetched = self.fetched_at.is_none_or(|fetched| fetched <= as_of);
        is_fetched && self.replaced_at.is_some_and(|replaced| replaced > as_of)
    }
}

/// The revisions of a merge that are not in the file yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct RevisionLog(Arc<Mutex<Lines>>);

/// Compressed lines.
#[derive(Debug, Default)]
struct Lines {
    /// The merge that writes the lines.
    merge: Option<GenerationChange>,
    encoder: Option<GzEncoder<Vec<u8>>>,
    /// The last revisions of one time.
    of_time: Vec<Revision>,
}

impl RevisionLog {
    /// The revisions of a merge of a data file; `None` if the file has no generation.
    pub(crate) fn of_merge(merge: Option<GenerationChange>) -> Self {
        Self(Arc::new(Mutex::new(Lines { merge, ..Lines::default() })))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines().encoder.is_none()
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, mut revision: Revision) -> Result<(), Error> {
        let mut lines = self.lines();
        lines.of_time.retain(|other| other.time == revision.time && other.series == revision.series);
        let mut equal = 0;
        for other in &lines.of_time {
            equal += u64::from(*other == revision);
        }
        lines.of_time.push(revision.clone());
        revision.number = equal;
        revision.merge.clone_from(&lines.merge);
        lines.write(&revision)
    }

    /// Appends all revisions to the file of a table. The earlier content is copied, so that the file is complete at any
    /// time.
    pub(crate) async fn append(&self, storage: &FileStorage, path: &str) -> Result<(), Error> {
        let pushed = std::mem::take(&mut *self.lines());
        pushed.append(storage, path).await
    }
}

/// Writes revisions that were read from a damaged file, if there are any, to a new file that readers do not see yet.
pub(crate) fn prepare_read(
    storage: &FileStorage,
    path: &str,
    revisions: &[Revision],
) -> Result<Option<UnfinishedFile>, Error> {
    let mut lines = Lines::default();
    for revision in revisions {
        lines.write(revision)?;
    }
    let Some(lines) = lines.finish()? else { return Ok(None) };
    let ((), file) = storage.prepare(path, |out| Ok(out.write_all(&lines)?))?;
    Ok(Some(file))
}

impl Lines {
    fn write(&mut self, revision: &Revision) -> Result<(), Error> {
        let mut line = serde_json::to_vec(revision).map_err(Error::invalid_input)?;
        line.push(b'\n');
        let encoder = self.encoder.get_or_insert_with(|| GzEncoder::new(Vec::new(), Compression::default()));
        encoder.write_all(&line).map_err(Error::invalid_input)
    }

    /// The compressed lines; `None` if there are none.
    fn finish(self) -> Result<Option<Vec<u8>>, Error> {
        let Some(encoder) = self.encoder else { return Ok(None) };
        encoder.finish().map(Some).map_err(Error::invalid_input)
    }

    async fn append(self, storage: &FileStorage, path: &str) -> Result<(), Error> {
        let Some(lines) = self.finish()? else { return Ok(()) };
        let (mut known, version) = storage.open(path).await?.unzip();
        let writing = storage.put(path, version.as_deref(), |out| {
            if let Some(known) = &mut known {
                io::copy(known, out)?;
            }
            Ok(out.write_all(&lines)?)
        });
        writing.await?;
        Ok(())
    }
}

/// Reads all revisions of a table, in the order in which they were appended, also those of merges that did not complete.
pub(crate) async fn read(storage: &FileStorage, path: &str) -> Result<Vec<Revision>, Error> {
    let Some((file, _)) = storage.open(path).await? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    match for_each_line(file, |revision| all.push(revision)) {
        Ok(()) => Ok(all),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                Error::damaged(storage.name(path), format!("its revisions are not readable: {error}"))
            }
            _ => Error::storage(storage.name(path), error),
        }),
    }
}

/// Reads the revisions of a damaged file up to the damage, in their order.
pub(crate) async fn readable(storage: &FileStorage, path: &str) -> Result<Vec<Revision>, Error> {
    let Some((file, _)) = storage.open(path).await? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    // The damage is already known.
    let _damage = for_each_line(file, |revision| all.push(revision));
    Ok(all)
}

fn for_each_line(file: File, mut each: impl FnMut(Revision)) -> io::Result<()> {
    let mut reader = BufReader::new(MultiGzDecoder::new(BufReader::new(file)));
    let mut line = String::new();
    while reader.by_ref().read_line(&mut line)? > 0 {
        each(serde_json::from_str(&line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?);
        line.clear();
    }
    Ok(())
}
