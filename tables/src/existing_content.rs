//! The existing content of a target: for each series, the location of its rows and its state.
//!
//! A target is a data set, with one file for each series and partition, or a single file. If the target is a single file,
//! the rows are first collected in a data set next to it.

use std::collections::BTreeMap;
use std::iter::once;
use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::backfill::Backfill;
use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::merge_rows::invalid;
use crate::parquet_file::ParquetInput;
use crate::partition::Partition;
use crate::path_names;
use crate::saved_state::{self, SeriesState};
use crate::series::SeriesRequest;
use crate::single_file::SingleFile;
use crate::table_schema::UNKNOWN_FIELDS;
use crate::target::Target;
use crate::time_ranges::TimeRanges;
use crate::timestamps::Timestamps;

/// An open target: its storage, its single file, and the content of its hidden file.
pub(crate) struct ExistingContent {
    pub(crate) storage: FileStorage,
    pub(crate) single: Option<SingleFile>,
    pub(crate) head: Head,
    /// The content of the hidden file when the target was opened.
    opened: Option<Head>,
}

/// The content of the hidden file of a data set, which applies to all of its files.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    version: u64,
    pub(crate) partition: Partition,
    origin: String,
    /// The params in the folder names of each endpoint; empty for the collected rows of a single file.
    #[serde(rename = "keys")]
    params: BTreeMap<String, Vec<String>>,
    /// The checksum of the single file, if that is a text file.
    #[serde(default)]
    pub(crate) text: Option<String>,
}

/// The existing content of a series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) state: SeriesState,
    /// The columns of the newest file of the series.
    pub(crate) schema: Option<SchemaRef>,
    /// The file or the folder with these columns.
    pub(crate) location: String,
}

/// The result of reading the rows of a series.
#[derive(Debug, Default)]
pub(crate) struct ScannedRows {
    /// The intervals with a row.
    pub(crate) steps: TimeRanges,
    /// The intervals with a row that has no invalid value.
    pub(crate) valid: TimeRanges,
    /// Number of rows with an invalid value.
    pub(crate) invalid: u64,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// Damaged files, which are skipped.
    pub(crate) damaged: Vec<Error>,
}

impl Head {
    /// Reads the hidden file, if it exists.
    async fn find(storage: &FileStorage) -> Result<Option<Self>, Error> {
        let Some(text) = storage.find(saved_state::FILE).await? else { return Ok(None) };
        saved_state::parse(&text).map(Some).map_err(|why| Error::rebuild(storage.name(""), why))
    }
}

impl ExistingContent {
    /// Opens the target of a job. Returns an error if the rows of the target have another source, partition or set of
    /// params than the job.
    pub(crate) async fn open(job: &Backfill) -> Result<Self, Error> {
        let mut this = Self::of(&job.target).await?;
        let invalid_input =
            |why: String| Err(Error::invalid_input(format!("{}: {why}; name another file or folder", job.target)));
        let head = &this.head;
        let differs = head.origin != job.source_label || job.partition.is_some_and(|own| own != head.partition);
        // A single file without rows gets the settings of the job, even if an earlier run with other settings failed. A
        // data set keeps its settings, because another run may be about to write the rows of other series.
        if this.opened.is_none() || differs && this.single.is_some() && this.first_rows().await?.is_none() {
            this.check_unknown().await?;
            let step = job.series().iter().map(SeriesRequest::step).min().unwrap_or_default();
            this.head.partition = job.partition.unwrap_or(Partition::for_step(step));
            this.head.origin.clone_from(&job.source_label);
        }
        this.single.as_ref().map_or(Ok(()), SingleFile::check_rows)?;
        let base = this.single.as_ref().and_then(|single| single.base.as_ref());
        for known in once(&this.head.origin).chain(base.map(|base| &base.state.origin)) {
            if *known != job.source_label {
                let own = &job.source_label;
                return invalid_input(format!("its rows are from `{known}`, but this job fetches from `{own}`"));
            }
        }
        if this.single.is_some() {
            return Ok(this);
        }
        if let Some(other) = job.partition.filter(|partition| *partition != this.head.partition) {
            return invalid_input(format!("the data set is partitioned by {}, not by {other}", this.head.partition));
        }
        for series in job.series() {
            let own: Vec<_> = path_names::params(series.path()).map(|(name, _)| name).collect();
            // Every param of the endpoint has a folder, even if it is not set. Readers turn each folder into a column, so
            // all series have the same columns.
            let params: Vec<_> = series.params().map(str::to_owned).collect();
            let other: Vec<_> = own.iter().filter(|name| !params.contains(name)).cloned().collect();
            let all = || [other, params].concat();
            let known: &mut Vec<_> = this.head.params.entry(series.endpoint().to_string()).or_insert_with(all);
            if let Some(other) = own.iter().find(|name| !known.contains(name)) {
                let (endpoint, known) = (series.endpoint(), known.join(", "));
                return invalid_input(format!("{endpoint} has a folder level for `{known}`, not for `{other}`"));
            }
        }
        Ok(this)
    }

    /// Reads the content of a target.
    pub(crate) async fn of(target: &Target) -> Result<Self, Error> {
        let (storage, single) = match target {
            Target::Folder(path) => (FileStorage::Folder(path.clone()), None),
            Target::Bucket { bucket, prefix } => (FileStorage::bucket(bucket, prefix)?, None),
            Target::File { path, format } => {
                let single = SingleFile::open(path, *format)?;
                (FileStorage::Folder(single.parts.clone()), Some(single))
            }
        };
        let head = Head::find(&storage).await?;
        let (partition, origin, params) = (Partition::Year, String::new(), BTreeMap::new());
        let empty = || Head { version: saved_state::VERSION, partition, origin, params, text: None };
        Ok(Self { storage, single, head: head.clone().unwrap_or_else(empty), opened: head })
    }

    /// Rejects a folder that contains rows but no hidden file. An earlier version wrote such a folder, or the folder is
    /// a part of a data set, because this version always writes the hidden file first.
    pub(crate) async fn check_unknown(&self) -> Result<(), Error> {
        let old = if self.opened.is_none() { self.first_rows().await? } else { None };
        let Some(old) = old else { return Ok(()) };
        // Another run may have started the data set since it was opened.
        if Head::find(&self.storage).await?.is_some() {
            return Ok(());
        }
        let (root, old) = (self.storage.name(""), self.storage.name(&old));
        let (why, both) = match &self.single {
            Some(single) => {
                ("an earlier version wrote it, and it cannot be continued", format!(" and {}", single.path.display()))
            }
            None => {
                ("no state; name the folder of the whole data set, or rebuild data of an old version", String::new())
            }
        };
        Err(Error::invalid_input(format!(
            "{old}: {why}; to rebuild, move {root}{both} away and run the same command again"
        )))
    }

    /// Returns the path of the first file with rows of any series.
    async fn first_rows(&self) -> Result<Option<String>, Error> {
        let files = self.storage.list("").await?;
        Ok(files.into_iter().find(|path| path.contains('/') && path.ends_with(".parquet")))
    }

    /// Writes the hidden file: before the first row, and again after a text file has been written, with the checksum of
    /// that file.
    pub(crate) async fn begin(&self, text: Option<String>) -> Result<(), Error> {
        let mut head = Head { text: text.or(self.head.text.clone()), ..self.head.clone() };
        let _lock = self.storage.lock()?;
        let stored = Head::find(&self.storage).await?;
        if stored.as_ref() == Some(&head) {
            return Ok(());
        }
        // Another run may have started the data set since it was opened.
        if let Some(other) = stored.filter(|other| self.opened.as_ref() != Some(other)) {
            let differs = |(endpoint, params): (&String, &Vec<String>)| {
                head.params.get(endpoint).is_some_and(|own| own != params)
            };
            if (other.partition, &other.origin) != (head.partition, &head.origin) || other.params.iter().any(differs) {
                return Err(Error::invalid_input(format!(
                    "{}: another run has started this data set meanwhile; run the command again",
                    self.storage.name("")
                )));
            }
            head.params.extend(other.params);
        }
        self.storage.put(saved_state::FILE, saved_state::to_json(&head).into_bytes()).await
    }

    /// Returns the folder of a series.
    pub(crate) fn folder(&self, path: &str) -> String {
        let params = self.head.params.get(path_names::endpoint(path));
        params.map_or_else(|| path.to_owned(), |params| path_names::with_params(path, params))
    }

    /// Returns the file of a series and a partition.
    pub(crate) fn file(&self, path: &str, partition: &str) -> String {
        format!("{}/{partition}/{}", self.folder(path), path_names::FILE)
    }

    /// Returns the state of a series after the last run.
    pub(crate) async fn state(&self, path: &str) -> Result<Option<SeriesState>, Error> {
        let base = self.single.as_ref().and_then(|single| Some(single.base.as_ref()?.state.series(path)?.1));
        let stored = self.storage.find(&format!("{}/{}", self.folder(path), saved_state::FILE)).await?;
        let stored = stored.and_then(|text| serde_json::from_slice::<SeriesState>(&text).ok());
        // Two series may share a folder, because some file systems ignore the case of names.
        if let Some(other) = stored.as_ref().filter(|stored| stored.path != path) {
            return Err(Error::invalid_input(format!("{path}: its folder already has the rows of {}", other.path)));
        }
        // The state next to a single file is newer than the state in the file. But if the two states have different
        // numbers of rows, the file was replaced, so the state next to it is ignored.
        let in_file = |state: &SeriesState| state.rows.get("").copied();
        let stored = stored.filter(|stored| in_file(stored) == base.and_then(in_file));
        Ok(stored.or_else(|| base.cloned()))
    }

    pub(crate) async fn put_state(&self, state: &SeriesState) -> Result<(), Error> {
        let path = format!("{}/{}", self.folder(&state.path), saved_state::FILE);
        self.storage.put(&path, saved_state::to_json(state).into_bytes()).await
    }

    /// Returns the existing content of a series.
    pub(crate) async fn inventory(&self, series: &SeriesRequest) -> Result<Inventory, Error> {
        let state = self.state(series.path()).await?.unwrap_or_else(|| SeriesState::new(series));
        let mut found = Inventory { state, schema: None, location: self.storage.name(&self.folder(series.path())) };
        let endpoint = series.endpoint().to_string();
        if let Some((single, base)) = self.single.as_ref().and_then(|single| Some((single, single.base.as_ref()?))) {
            found.schema = Some(base.schema.clone());
            found.location = single.location();
        }
        self.compare(&mut found).await?;
        if found.schema.is_none() {
            // All series of an endpoint have the same columns, so a file of any series is enough.
            let files = self.storage.list(&endpoint).await?;
            if let Some(file) = files.iter().find(|file| path_names::read_file(file).is_some()) {
                found.schema = Some(self.input(file).await?.schema());
                found.location = self.storage.name(&endpoint);
            }
        }
        Ok(found)
    }

    /// Adapts the row counts of a state to the existing files: removes the counts of missing files, and adds the counts
    /// of new files.
    async fn compare(&self, found: &mut Inventory) -> Result<(), Error> {
        let path = found.state.path.clone();
        let files = self.partitions(&path).await?;
        let state = &mut found.state;
        let is_there = |name: &String| name.is_empty() || files.contains(name);
        let lost: Vec<_> = state.rows.keys().filter(|name| !is_there(name)).cloned().collect();
        for name in &lost {
            state.rows.remove(name);
            // The rows of this file are fetched again.
            if let Some((_, range)) = Partition::read(name) {
                state.settled.remove(&range);
            }
        }
        for name in &files {
            let is_known = state.rows.contains_key(name);
            // The newest file is always opened, because its columns are compared with the catalogue.
            if is_known && Some(name) != files.last() {
                continue;
            }
            let input = self.input(&self.file(&path, name)).await?;
            if self.single.is_none() || found.schema.is_none() {
                found.schema = Some(input.schema());
            }
            state.rows.entry(name.clone()).or_insert(u64::try_from(input.rows()).unwrap_or_default());
        }
        if !lost.is_empty() {
            let scanned = self.read(&found.state, None, true).await?;
            (found.state.first, found.state.last) = (scanned.first, scanned.last);
        }
        Ok(())
    }

    /// Returns the partitions of a series that have a file, in order of time. Fails if a Parquet file is not part of
    /// the data set.
    pub(crate) async fn partitions(&self, path: &str) -> Result<Vec<String>, Error> {
        let folder = self.folder(path);
        let mut partitions = Vec::new();
        for file in self.storage.list(&folder).await?.iter().filter(|file| file.ends_with(".parquet")) {
            let is_own = |(series, partition): &(&str, &str)| {
                *series == folder && Partition::read(partition).is_some_and(|(period, _)| period == self.head.partition)
            };
            let (_, partition) = path_names::read_file(file).filter(is_own).ok_or_else(|| {
                let name = self.storage.name(file);
                Error::invalid_input(format!("{name}: not part of this data set, but readers would read it; move it"))
            })?;
            partitions.push(partition.to_owned());
        }
        Ok(partitions)
    }

    /// Opens a file of the data set, and verifies its checksums.
    pub(crate) async fn input(&self, path: &str) -> Result<ParquetInput<Bytes>, Error> {
        let bytes = self.storage.get(path).await?;
        let input = ParquetInput::open(self.storage.name(path), bytes.clone())?;
        input.verify(&*bytes)?;
        Ok(input)
    }

    /// Reads the rows of a series. If `is_all` is false, rows that are not merged into the single file yet are omitted.
    /// Rows before `since` may be omitted in any case.
    pub(crate) async fn read(
        &self,
        state: &SeriesState,
        since: Option<Timestamp>,
        is_all: bool,
    ) -> Result<ScannedRows, Error> {
        let (mut scanned, columns) = (ScannedRows::default(), [state.time.as_str(), UNKNOWN_FIELDS]);
        if let Some(single) = self.single.as_ref()
            && let Some((before, known)) = single.base.as_ref().and_then(|base| base.state.series(&state.path))
        {
            let rows = usize::try_from(known.all_rows()).unwrap_or_default();
            // The rows are ordered by time, with at most one per interval, so only the last `newest` rows can be later
            // than `since`.
            let newest = since.zip(state.last).map(|(since, last)| steps(&(since..last + state.step()), state.step()));
            let count = newest.map_or(rows, |newest| rows.min(newest));
            let input = single.input()?;
            let schema = input.schema();
            for batch in input.project(&columns).batches(before + rows - count, count)? {
                scanned.add(state, &batch?, &schema)?;
            }
        }
        let partitions = if is_all || self.single.is_none() { self.partitions(&state.path).await? } else { Vec::new() };
        for name in partitions {
            let is_older = Partition::read(&name).zip(since).is_some_and(|((_, range), since)| range.end <= since);
            if is_older {
                continue;
            }
            match self.input(&self.file(&state.path, &name)).await {
                Ok(input) => {
                    let schema = input.schema();
                    for batch in input.project(&columns).all()? {
                        scanned.add(state, &batch?, &schema)?;
                    }
                }
                Err(damage @ Error::Damaged { .. }) => scanned.damaged.push(damage),
                Err(error) => return Err(error),
            }
        }
        Ok(scanned)
    }
}

impl ScannedRows {
    fn add(&mut self, state: &SeriesState, rows: &RecordBatch, schema: &SchemaRef) -> Result<(), Error> {
        let times = Timestamps::in_batch(rows, &state.time)?;
        for (row, is_invalid) in invalid(rows, schema).enumerate() {
            let time = times.get(row);
            let step = time.floor(state.step());
            self.steps.add(step..step + state.step());
            self.invalid += u64::from(is_invalid);
            if !is_invalid {
                self.valid.add(step..step + state.step());
            }
            (self.first, self.last) =
                (Some(self.first.map_or(time, |first| first.min(time))), self.last.max(Some(time)));
        }
        Ok(())
    }
}

/// Returns the number of intervals in a range, rounded up.
pub(crate) fn steps(range: &Range<Timestamp>, step: Duration) -> usize {
    if range.end <= range.start {
        return 0;
    }
    usize::try_from((range.end - range.start).as_nanos().div_ceil(step.as_nanos().max(1))).unwrap_or(usize::MAX)
}
