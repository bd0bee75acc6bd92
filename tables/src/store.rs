//! The existing content of a target: the location of each series' rows, and its state.
//!
//! A data set has one file for each series and partition. The rows of a single file are collected in such a data set
//! next to it, and merged with the file at the end of a run.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use bytes::Bytes;
use runtime::{Timestamp, Value};
use serde_json::json;

use crate::backfill::Backfill;
use crate::columns;
use crate::coverage::Coverage;
use crate::error::Error;
use crate::layout;
use crate::lock::Lock;
use crate::merge::{Invalid, times};
use crate::parquet_file::ParquetInput;
use crate::partition::Partition;
use crate::series::SeriesRequest;
use crate::state::{self, FileState, Known, SeriesState};
use crate::storage::Storage;
use crate::table_schema::UNKNOWN_FIELDS;
use crate::target::{Format, Target};

/// The location of a job's rows.
pub(crate) struct Store {
    pub(crate) storage: Storage,
    pub(crate) partition: Partition,
    pub(crate) single: Option<SingleFile>,
    origin: String,
    /// The params of the series of each endpoint, in a data set.
    keys: Value,
}

/// The single file into which the rows are merged.
pub(crate) struct SingleFile {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// The folder of rows that are not in the file yet.
    pub(crate) parts: PathBuf,
    /// The Parquet file with all rows: the file itself, or the source of a CSV or JSON Lines file.
    pub(crate) rows: PathBuf,
    /// That file as the last run left it.
    pub(crate) base: Option<Base>,
}

/// A Parquet file that a backfill has written.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) state: FileState,
    /// The columns, without those that identify the series.
    pub(crate) schema: SchemaRef,
}

/// The existing content of one series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) state: SeriesState,
    /// The columns of its newest file.
    pub(crate) schema: Option<SchemaRef>,
    /// The file with these columns.
    pub(crate) file: String,
}

impl Inventory {
    pub(crate) fn known(&self) -> Known {
        Some(self.state.first?..self.state.last?)
    }
}

impl Store {
    /// Opens the target of a job; with a lock, for writing.
    pub(crate) async fn open(job: &Backfill, lock: Option<Arc<Lock>>) -> Result<Self, Error> {
        let step = job.series().iter().map(SeriesRequest::step).min().unwrap_or_default();
        let mut this = Self::of(&job.target, lock)?;
        this.partition = job.partition.unwrap_or(Partition::for_step(step));
        this.origin.clone_from(&job.source_label);
        this.read(job).await?;
        Ok(this)
    }

    /// A target, without reading its data set.
    pub(crate) fn of(target: &Target, lock: Option<Arc<Lock>>) -> Result<Self, Error> {
        let (storage, single) = match target {
            Target::Folder(path) => (Storage::folder(path, lock), None),
            #[cfg(feature = "s3")]
            Target::Bucket { bucket, prefix } => (Storage::bucket(bucket, prefix)?, None),
            Target::File { path, format } => {
                let single = SingleFile::open(path, *format)?;
                (Storage::folder(&single.parts, lock), Some(single))
            }
        };
        let keys = Value::Object(serde_json::Map::new());
        Ok(Self { storage, partition: Partition::Year, single, origin: String::new(), keys })
    }

    /// Reads the hidden file of the data set, and compares it with the job.
    async fn read(&mut self, job: &Backfill) -> Result<(), Error> {
        let name = job.target.to_string();
        let invalid_input =
            |why: String| Err(Error::invalid_input(format!("{name}: {why}; name another file or folder")));
        let base = self.single.as_ref().and_then(|single| single.base.as_ref());
        let mut origins: Vec<_> = base.map(|base| base.state.origin.clone()).into_iter().collect();
        match self.storage.find(state::FILE).await? {
            Some(text) => {
                let value: Value = serde_json::from_slice(&text).unwrap_or_default();
                let text = |key: &str| value.get(key).and_then(Value::as_str);
                let Some(known) = text("partition").and_then(|name| name.parse::<Partition>().ok()) else {
                    return Err(Error::damaged(self.storage.name(state::FILE), "it is not readable"));
                };
                if self.single.is_none() && job.partition.is_some_and(|partition| partition != known) {
                    return invalid_input(format!(
                        "the data set is divided by {known}, not by {default}",
                        default = self.partition
                    ));
                }
                self.partition = known;
                self.keys = value.get("keys").cloned().unwrap_or_default();
                origins.push(text("origin").map(str::to_owned));
            }
            None => self.check_unknown().await?,
        }
        for known in origins.into_iter().map(|origin| origin.unwrap_or_else(|| "service".to_owned())) {
            if known != job.source_label {
                return invalid_input(format!(
                    "the rows there are from `{known}`, and those of this job from `{}`",
                    job.source_label
                ));
            }
        }
        for series in job.series() {
            let (endpoint, keys) = keys(series);
            match self.keys.get(&endpoint) {
                Some(known) if *known != keys => {
                    return invalid_input(format!(
                        "the series of {endpoint} there have the params {known}, and this one {keys}"
                    ));
                }
                Some(_) => {}
                None if self.single.is_some() => {}
                None => self.keys[&endpoint] = keys,
            }
        }
        Ok(())
    }

    /// Rejects a folder with rows that this version did not write.
    async fn check_unknown(&self) -> Result<(), Error> {
        let files = self.storage.list("").await?;
        let is_old =
            |path: &&String| path.contains('/') && path.ends_with(".parquet") && layout::read_file(path).is_none();
        let Some(old) = files.iter().find(is_old) else { return Ok(()) };
        let old = self.storage.name(old);
        Err(Error::invalid_input(match &self.single {
            Some(single) => format!(
                "{old}: an earlier version wrote this file, which cannot be continued; to rebuild, delete {} and {} and \
                 run the same command again",
                single.path.display(),
                single.parts.display()
            ),
            None => format!(
                "{old}: an earlier version wrote this file, with other partitions; to rebuild, run the same command with \
                 another folder"
            ),
        }))
    }

    /// Writes the hidden file, before any row.
    pub(crate) async fn begin(&self) -> Result<(), Error> {
        let partition = self.partition.to_string();
        let text = json!({"version": 2, "origin": self.origin, "partition": partition, "keys": self.keys}).to_string();
        self.storage.put(state::FILE, text.into_bytes()).await
    }

    /// The existing content of a series.
    pub(crate) async fn inventory(&self, series: &SeriesRequest) -> Result<Inventory, Error> {
        let path = series.path();
        let stored = self.storage.find(&format!("{path}/{}", state::FILE)).await?;
        let stored = stored.and_then(|text| SeriesState::from_json(&serde_json::from_slice(&text).ok()?));
        let base = self.single.as_ref().and_then(|single| Some((single, single.base.as_ref()?)));
        let mut found = Inventory { state: SeriesState::new(series), ..Inventory::default() };
        if let Some((single, base)) = base {
            (found.schema, found.file) = (Some(base.schema.clone()), single.path.display().to_string());
            if let Some((before, known)) = base.state.series(path) {
                found.state = SeriesState { step: series.step(), ..known.clone() };
                single.complete(before, &mut found.state)?;
            }
        }
        // The state next to a single file continues that of the file, unless the file was replaced by another one.
        let in_file = |state: &SeriesState| state.rows.get("").copied();
        if let Some(stored) = stored.filter(|stored| in_file(stored) == in_file(&found.state)) {
            found.state = stored;
        }
        self.compare(path, &mut found).await?;
        Ok(found)
    }

    /// Compares a state with the existing files.
    async fn compare(&self, path: &str, found: &mut Inventory) -> Result<(), Error> {
        let files = self.files(path).await?;
        let state = &mut found.state;
        let is_there = |name: &String| name.is_empty() || files.contains(name);
        let lost: Vec<_> = state.rows.keys().filter(|name| !is_there(name)).cloned().collect();
        for name in &lost {
            state.rows.remove(name);
            if let Some((_, range)) = Partition::read(name) {
                state.settled.remove(&range);
            }
        }
        for name in &files {
            let is_known = state.rows.contains_key(name);
            if is_known && lost.is_empty() && Some(name) != files.last() {
                continue;
            }
            let input = self.input(&file_path(path, name)).await?;
            if self.single.is_none() || found.schema.is_none() {
                (found.schema, found.file) = (Some(input.schema()), self.storage.name(&file_path(path, name)));
            }
            state.rows.entry(name.clone()).or_insert(u64::try_from(input.rows()).unwrap_or_default());
        }
        if !lost.is_empty() {
            (state.first, state.last) = (None, None);
            let present = self.present(found, None).await?;
            if let (Some(first), Some(last)) = (present.ranges().first(), present.ranges().last()) {
                found.state.extend(first.start, last.end - found.state.step);
            }
        }
        Ok(())
    }

    /// The partitions of a series that have a file, in order of time.
    pub(crate) async fn files(&self, path: &str) -> Result<Vec<String>, Error> {
        let all = self.storage.list(path).await?;
        let own = |file: &String| {
            layout::read_file(file).filter(|(series, _)| *series == path).map(|(_, name)| name.to_owned())
        };
        Ok(all.iter().filter_map(own).collect())
    }

    /// A file of the data set, after verifying its checksums.
    pub(crate) async fn input(&self, path: &str) -> Result<ParquetInput<Bytes>, Error> {
        let bytes = self.storage.get(path).await?;
        let input = ParquetInput::open(self.storage.name(path), bytes.clone())?;
        input.verify(&*bytes)?;
        Ok(input)
    }

    /// The intervals from a time on that have a valid record.
    pub(crate) async fn present(&self, found: &Inventory, since: Option<Timestamp>) -> Result<Coverage, Error> {
        let state = &found.state;
        let mut present = Coverage::default();
        let mut add = |rows: &RecordBatch, schema: &SchemaRef| -> Result<(), Error> {
            let (times, invalid) = (times(rows, &state.time)?, Invalid::of(rows, schema));
            for row in (0..rows.num_rows()).filter(|row| !invalid.is_row(*row)) {
                let step = times.get(row).floor(state.step);
                present.add(step..step + state.step);
            }
            Ok(())
        };
        let base = self.single.as_ref().and_then(|single| Some((single, single.base.as_ref()?)));
        if let Some((single, (before, known))) =
            base.and_then(|(single, base)| Some((single, base.state.series(&state.path)?)))
        {
            let rows = usize::try_from(known.all_rows()).unwrap_or_default();
            // The rows of a series are ordered by time, at most one per interval.
            let newest = since.zip(state.last).map(|(since, last)| steps(&(since..last + state.step), state.step));
            let count = newest.map_or(rows, |newest| rows.min(newest));
            let input = single.input()?;
            let schema = input.schema();
            for batch in input.project(&[&state.time, UNKNOWN_FIELDS]).batches(before + rows - count, count)? {
                add(&batch?, &schema)?;
            }
        }
        for name in state.rows.keys().filter(|name| !name.is_empty()) {
            let is_older = Partition::read(name).zip(since).is_some_and(|((_, range), since)| range.end <= since);
            if is_older {
                continue;
            }
            let input = self.input(&file_path(&state.path, name)).await?;
            let (schema, rows) = (input.schema(), input.rows());
            for batch in input.project(&[&state.time, UNKNOWN_FIELDS]).batches(0, rows)? {
                add(&batch?, &schema)?;
            }
        }
        Ok(present)
    }
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
        let invalid_input = |why: &str| {
            Error::invalid_input(format!("{}: the file exists and {why}; name another file", self.rows.display()))
        };
        let input = ParquetInput::open(self.rows.display().to_string(), self.file()?)?;
        let text = input.metadata(state::KEY).ok_or_else(|| invalid_input("was not written by a backfill"))?;
        let state = FileState::read(text).ok_or_else(|| invalid_input("was written by another version"))?;
        Ok(Base { schema: without(&input.schema(), &state.names, None), state })
    }

    fn file(&self) -> Result<File, Error> {
        File::open(&self.rows).map_err(|error| Error::storage(self.rows.display(), error))
    }

    pub(crate) fn input(&self) -> Result<ParquetInput<File>, Error> {
        ParquetInput::open(self.rows.display().to_string(), self.file()?)
    }

    /// Verifies the checksums of the file.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        self.input()?.verify(BufReader::new(self.file()?))
    }

    /// Reads the first and the last record, which the first version of the format did not store.
    pub(crate) fn complete(&self, before: usize, state: &mut SeriesState) -> Result<(), Error> {
        let rows = usize::try_from(state.all_rows()).unwrap_or_default();
        if state.last.is_some() || rows == 0 {
            return Ok(());
        }
        for row in [before, before + rows - 1] {
            for batch in self.input()?.project(&[&state.time]).batches(row, 1)? {
                let batch = batch?;
                let time = times(&batch, &state.time)?.get(0);
                state.extend(time, time);
            }
        }
        Ok(())
    }
}

/// The columns of a file without those that identify the series, unless the records have columns of these names.
pub(crate) fn without(schema: &Schema, names: &[String], records: Option<&Schema>) -> SchemaRef {
    let is_own =
        |name: &String| !names.contains(name) || records.is_some_and(|records| records.field_with_name(name).is_ok());
    let own = schema.fields().iter().filter(|field| is_own(field.name())).cloned();
    Arc::new(Schema::new(own.collect::<Vec<_>>()))
}

/// The endpoint of a series, and the names of the params in its path.
fn keys(series: &SeriesRequest) -> (String, Value) {
    let keys = columns::values(series.path()).into_iter().skip(1).map(|(name, _)| name);
    (series.endpoint().to_string(), keys.collect::<Vec<_>>().into())
}

/// The file of a series and a partition.
pub(crate) fn file_path(series: &str, partition: &str) -> String {
    format!("{series}/{partition}/{}", layout::FILE)
}

/// Maximum number of intervals in a range.
pub(crate) fn steps(range: &Range<Timestamp>, step: Duration) -> usize {
    if range.end <= range.start {
        return 0;
    }
    usize::try_from((range.end - range.start).as_nanos().div_ceil(step.as_nanos().max(1))).unwrap_or(usize::MAX)
}
