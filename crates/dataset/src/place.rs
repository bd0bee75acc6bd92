//! The paths of a table: its data files, its state, its journal and its lock.
//!
//! A data set has a table for each endpoint and interval, with a file for each period. A single file is a table with
//! one period.

use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::PathBuf;

use runtime::{Interval, Timestamp};

use crate::data_set_paths::{HOME, JOURNAL, PARTS, REVISIONS, STATE, is_part, reject_part};
use crate::error::{Error, quoted};
use crate::file_storage::FileStorage;
use crate::parquet_input::ParquetInput;
use crate::partition::{Partition, period};
use crate::saved_state::{self, Unusable};
use crate::section::Section;
use crate::series::{SeriesRequest, endpoint_of};
use crate::table_state::TableState;
use crate::target::{Format, Target};

/// The interval in the names of the files of a table whose records have no regular step.
const IRREGULAR: &str = "irregular";

/// The files in the folder of a table.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    /// The versions of the data files, by path.
    pub(crate) data: BTreeMap<String, String>,
    /// The paths of Parquet files that are not part of the table.
    pub(crate) strays: Vec<String>,
}

/// The storage of a table, and its paths there.
pub(crate) struct Place {
    pub(crate) storage: FileStorage,
    /// The path of a single file with rows; in a data set, the start of the paths of the files.
    pub(crate) data: String,
    /// The folder of the state and the journal.
    pub(crate) home: String,
    lock: String,
    /// The text file that is written from the rows, and its format.
    pub(crate) text: Option<(String, Format)>,
    pub(crate) is_single: bool,
}

impl Place {
    pub(crate) fn of_series(storage: &FileStorage, target: &Target, series: &SeriesRequest) -> Self {
        match Self::of_file(storage, target) {
            Some(file) => file,
            None => Self::of_table(storage, &series.endpoint().to_string(), &interval_name(series.interval())),
        }
    }

    fn of_file(storage: &FileStorage, target: &Target) -> Option<Self> {
        let Target::File { path, format } = target else { return None };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = if *format == Format::Parquet { None } else { Some((name.clone(), *format)) };
        Some(Self {
            storage: storage.clone(),
            data: if text.is_some() { format!("{name}{PARTS}/rows.parquet") } else { name.clone() },
            home: format!("{name}{PARTS}"),
            lock: format!(".{name}.backfill.lock"),
            text,
            is_single: true,
        })
    }

    fn of_table(storage: &FileStorage, endpoint: &str, interval: &str) -> Self {
        let home = format!("{HOME}/{endpoint}-{interval}");
        Self {
            storage: storage.clone(),
            data: format!("{endpoint}/{interval}-"),
            lock: format!("{home}.lock"),
            home,
            text: None,
            is_single: false,
        }
    }

    /// The name of a file for messages.
    pub(crate) fn name(&self, path: &str) -> String {
        self.storage.name(path)
    }

    pub(crate) fn state(&self) -> String {
        format!("{}/{STATE}", self.home)
    }

    /// The file with the earlier values of rows.
    pub(crate) fn revisions(&self) -> String {
        format!("{}/{REVISIONS}", self.home)
    }

    /// The state in the storage and the version of its file, if it has its own file.
    pub(crate) async fn stored(&self) -> Result<Option<(TableState, String)>, Error> {
        let path = self.state();
        let Some((file, version)) = self.storage.open(&path).await? else { return Ok(None) };
        let mut bytes = Vec::new();
        BufReader::new(file).read_to_end(&mut bytes).map_err(|error| Error::storage(self.name(&path), error))?;
        match saved_state::parse_file(&String::from_utf8_lossy(&bytes)) {
            Ok(state) => Ok(Some((self.adapted(state), version))),
            Err(Unusable::Unreadable(why)) => Err(Error::damaged(self.name(&path), why)),
            Err(Unusable::Version(why)) => Err(Error::rebuild(self.location(), why)),
        }
    }

    /// A single file may have been renamed, together with its folder.
    fn adapted(&self, mut state: TableState) -> TableState {
        if self.is_single {
            state.files = state.files.into_values().map(|version| (self.data.clone(), version)).collect();
        }
        state
    }

    /// The place of the table with this state or this file of a journal.
    fn of_home(storage: &FileStorage, path: &str) -> Option<Self> {
        let (name, file) = path.strip_prefix(HOME)?.strip_prefix('/')?.split_once('/')?;
        if file != STATE && !file.ends_with(JOURNAL) {
            return None;
        }
        let (endpoint, interval) = name.rsplit_once('-')?;
        Some(Self::of_table(storage, endpoint, interval))
    }

    /// The place of the table with this data file of a data set.
    fn of_data(storage: &FileStorage, path: &str) -> Option<Self> {
        if !is_part(path) {
            return None;
        }
        let (endpoint, name) = path.split_once('/')?;
        let (interval, _) = name.split_once('-')?;
        Some(Self::of_table(storage, endpoint, interval))
    }

    /// The places of all tables of a target, also of those that have only data files or only a journal. Fails if
    /// no table has a state or a journal, although there are Parquet files.
    pub(crate) async fn all(storage: &FileStorage, target: &Target) -> Result<Vec<Self>, Error> {
        if let Some(file) = Self::of_file(storage, target) {
            return Ok(vec![file]);
        }
        let mut places = BTreeMap::new();
        let mut files = Vec::new();
        for (path, _) in storage.list("").await? {
            if let Some(place) = Self::of_home(storage, &path) {
                places.insert(place.home.clone(), place);
            } else if path.ends_with(".parquet") {
                files.push(path);
            }
        }
        if places.is_empty() && !files.is_empty() {
            return Err(without_state(storage, &files).await?);
        }
        for path in &files {
            if let Some(place) = Self::of_data(storage, path) {
                places.entry(place.home.clone()).or_insert(place);
            }
        }
        Ok(places.into_values().collect())
    }

    /// The places of the tables of a data set that have data files.
    pub(crate) async fn with_data(storage: &FileStorage) -> Result<Vec<Self>, Error> {
        let mut places = BTreeMap::new();
        for (path, _) in storage.list("").await? {
            if let Some(place) = Self::of_data(storage, &path) {
                places.insert(place.home.clone(), place);
            }
        }
        Ok(places.into_values().collect())
    }

    /// The file that a run locks; `None` in object storage.
    pub(crate) fn lock(&self) -> Option<PathBuf> {
        self.storage.local().map(|root| root.join(&self.lock))
    }

    /// The file with the rows of the period that begins at a time.
    pub(crate) fn file(&self, partition: Option<Partition>, start: Timestamp) -> String {
        match partition {
            Some(partition) => format!("{}{}.parquet", self.data, partition.period(start)),
            None => self.data.clone(),
        }
    }

    /// The partition and the period of a file; `None` if the file is not one of the table.
    pub(crate) fn period_of(&self, file: &str) -> Option<(Option<Partition>, Range<Timestamp>)> {
        if self.is_single {
            return Some((None, period(None, Timestamp::from_unix_seconds(0))));
        }
        let (partition, range) = Partition::read(file.strip_prefix(&self.data)?.strip_suffix(".parquet")?)?;
        Some((Some(partition), range))
    }

    /// Whether the rows of a section of a data file belong to another table or to another period.
    pub(crate) fn is_foreign(&self, file: &str, section: &Section) -> bool {
        let Some((Some(_), range)) = self.period_of(file) else { return false };
        let facts = &section.row_facts;
        let is_before = facts.last.is_some_and(|last| last < range.start);
        // The end of an interval can be that of the period.
        let is_after = facts.first.is_some_and(|first| first > range.end || first == range.end && !facts.time_is_end);
        let table = format!("{}/{}-", endpoint_of(&section.path), interval_name(facts.interval));
        is_before || is_after || table != self.data
    }

    /// The data files, and the Parquet files that readers would read although they are not part of the table.
    pub(crate) async fn files(&self) -> Result<FoundFiles, Error> {
        let mut found = FoundFiles::default();
        if self.is_single {
            if let Some((_, version)) = self.storage.open(&self.data).await? {
                found.data.insert(self.data.clone(), version);
            }
            return Ok(found);
        }
        for (path, version) in self.storage.list(self.folder()).await? {
            if self.period_of(&path).is_some() {
                found.data.insert(path, version);
            } else if path.ends_with(".parquet") && !is_part(&path) {
                found.strays.push(path);
            }
        }
        Ok(found)
    }

    /// The folder of an endpoint in a data set, or a single Parquet file.
    fn folder(&self) -> &str {
        self.data.split('/').next().unwrap_or_default()
    }

    /// The files to move away for a rebuild.
    pub(crate) fn location(&self) -> String {
        let data = match &self.text {
            Some((name, _)) => name,
            None => self.folder(),
        };
        let data = quoted(self.name(data));
        let home = quoted(self.name(&self.home));
        format!("{data} and, if it exists, {home}")
    }

    /// Describes a Parquet file that is not part of the table.
    pub(crate) fn not_a_part(&self, path: &str) -> String {
        let name = quoted(self.name(path));
        format!("{name}: not part of this data set, but readers would read it; move it")
    }
}

/// The interval in the names of files and folders.
fn interval_name(interval: Interval) -> String {
    if interval.has_steps() { interval.step().to_string() } else { IRREGULAR.to_owned() }
}

/// The error for a target that has these Parquet files, and no state.
async fn without_state(storage: &FileStorage, files: &[String]) -> Result<Error, Error> {
    let root = storage.name("");
    // Some files of a data set may be damaged.
    for path in files.iter().filter(|path| is_part(path)) {
        if let Ok(Some(input)) = ParquetInput::find(storage, path, false).await
            && input.state.table.is_none()
        {
            return Ok(Error::StateMissing { path: root });
        }
    }
    let first = files.first().map_or("", String::as_str);
    // A folder with this name has the rows of a text file.
    let rows_of_text = format!("{PARTS}/rows.parquet");
    let file = storage.name(first.strip_suffix(&rows_of_text).unwrap_or(first));
    // The target may be a folder with several data sets.
    reject_part(&Target::Folder(PathBuf::from(&file)))?;
    let name = quoted(&file);
    // A target of its own has the state in its metadata.
    if let Ok(Some(input)) = ParquetInput::find(storage, first, false).await
        && input.state.table.is_some()
    {
        let root = quoted(root);
        return Ok(Error::invalid_input(format!("{root}: not a data set; name a file in it, such as {name}")));
    }
    Ok(Error::invalid_input(format!(
        "{name}: no backfill of this version has written it; move it or, to rebuild, move {} away and run the same \
         command again",
        quoted(root)
    )))
}
