//! The paths of a table: its data files, its state, its journal and its lock.
//!
//! A data set has a table for each endpoint and interval, with a file for each period. A single file is one table.

use std::ops::Range;
use std::path::PathBuf;

use runtime::Timestamp;

use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::journal::EXTENSION;
use crate::partition::Partition;
use crate::path_names::{self, HOME};
use crate::series::SeriesRequest;
use crate::target::{Format, Target};

/// The extension of the states in a data set.
const STATE: &str = ".json";

/// The period of a table with one file: all times from 1970 to the year 9999.
const ALWAYS: Range<Timestamp> = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(253_402_300_800);

/// The place of a table in a storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A table of a data set.
    Files { endpoint: String, interval: String },
    /// A single file, with its name.
    File { name: String, format: Format },
}

impl Place {
    /// Returns the storage and the places of a target, and for each series the index of its place.
    pub(crate) fn of_series(
        target: &Target,
        series: &[SeriesRequest],
    ) -> Result<(FileStorage, Vec<Self>, Vec<usize>), Error> {
        let storage = FileStorage::of(target)?;
        let (mut places, mut of_series) = (Vec::new(), Vec::new());
        for series in series {
            let place = Self::of_file(target).unwrap_or_else(|| Self::Files {
                endpoint: series.endpoint().to_string(),
                interval: series.interval(),
            });
            let known = places.iter().position(|known| *known == place);
            of_series.push(known.unwrap_or(places.len()));
            places.extend(known.is_none().then_some(place));
        }
        Ok((storage, places, of_series))
    }

    /// Returns the places of all tables of a target. Fails if another version has written the target.
    pub(crate) async fn all(storage: &FileStorage, target: &Target) -> Result<Vec<Self>, Error> {
        if let Some(file) = Self::of_file(target) {
            return Ok(vec![file]);
        }
        let found = storage.list(HOME).await?;
        let places: Vec<_> = found.iter().filter_map(|(path, _)| Self::of_state(path)).collect();
        let old = storage.find(".backfill.json").await?.map(|_| ".backfill.json".to_owned());
        let files = if places.is_empty() { storage.list("").await? } else { Vec::new() };
        // A run that was killed before it has written the first state leaves data files and a journal.
        let is_foreign =
            |path: &String| path.ends_with(".parquet") && (found.is_empty() || path_names::read_file(path).is_none());
        match old.or_else(|| files.into_iter().map(|(path, _)| path).find(is_foreign)) {
            None => Ok(places),
            Some(old) => Err(Error::invalid_input(format!(
                "{}: no state of this version; name the folder of the whole data set or, to rebuild, move {} away and \
                 run the same command again",
                storage.name(&old),
                storage.name("")
            ))),
        }
    }

    fn of_file(target: &Target) -> Option<Self> {
        let Target::File { path, format } = target else { return None };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(Self::File { name, format: *format })
    }

    /// Returns the place of the table with this state.
    fn of_state(path: &str) -> Option<Self> {
        let name = path.strip_prefix(HOME)?.strip_prefix('/')?.strip_suffix(STATE)?;
        let (endpoint, interval) = name.rsplit_once('-').filter(|_| !name.contains('/'))?;
        Some(Self::Files { endpoint: endpoint.to_owned(), interval: interval.to_owned() })
    }

    /// Returns the start of the paths of everything that is not data.
    fn home(&self) -> String {
        match self {
            Self::Files { endpoint, interval } => format!("{HOME}/{endpoint}-{interval}"),
            Self::File { name, .. } => format!("{name}.parts"),
        }
    }

    pub(crate) fn state(&self) -> String {
        let home = self.home();
        if self.is_single() { format!("{home}/state.json") } else { format!("{home}{STATE}") }
    }

    /// Returns the folder of the journal.
    pub(crate) fn journal(&self) -> String {
        self.home()
    }

    /// Returns the file that a run locks; `None` in object storage.
    #[cfg_attr(not(feature = "s3"), allow(clippy::unnecessary_wraps, reason = "only object storage has no locks"))]
    pub(crate) fn lock(&self, storage: &FileStorage) -> Option<PathBuf> {
        match (self, storage) {
            (Self::Files { .. }, FileStorage::Folder(root)) => Some(root.join(format!("{}.lock", self.home()))),
            (Self::File { name, .. }, FileStorage::Folder(root)) => Some(root.join(format!(".{name}.backfill.lock"))),
            #[cfg(feature = "s3")]
            _ => None,
        }
    }

    pub(crate) fn is_single(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Returns the name and the format of the text file that is written from the rows, if there is one.
    pub(crate) fn text(&self) -> Option<(&str, Format)> {
        match self {
            Self::File { name, format } if *format != Format::Parquet => Some((name, *format)),
            _ => None,
        }
    }

    /// Returns the file with the rows of the period that begins at a time.
    pub(crate) fn file(&self, partition: Option<Partition>, start: Timestamp) -> String {
        match self {
            Self::Files { endpoint, interval } => {
                path_names::file(endpoint, interval, &partition.unwrap_or(Partition::Year).period(start))
            }
            Self::File { name, .. } if self.text().is_none() => name.clone(),
            Self::File { .. } => format!("{}/rows.parquet", self.home()),
        }
    }

    /// Returns the only file with rows of a single file.
    pub(crate) fn only_file(&self) -> String {
        self.file(None, ALWAYS.start)
    }

    /// Returns the partition and the period of a file; `None` if the file is not one of the table.
    pub(crate) fn period_of(&self, file: &str) -> Option<(Option<Partition>, Range<Timestamp>)> {
        match self {
            Self::Files { endpoint, interval } => {
                let (found, other, period) = path_names::read_file(file)?;
                let (partition, range) = Partition::read(period)?;
                (found == endpoint && other == interval).then_some((Some(partition), range))
            }
            Self::File { .. } => Some((None, ALWAYS)),
        }
    }

    /// Returns the paths and the versions of the data files. Fails if another version has written the table, or if
    /// readers would read a Parquet file that is not part of it.
    pub(crate) async fn files(&self, storage: &FileStorage) -> Result<Vec<(String, String)>, Error> {
        let Self::Files { endpoint, .. } = self else {
            let is_ours = |path: &str| {
                [EXTENSION, ".unfinished", "/state.json", "/rows.parquet"].iter().any(|end| path.ends_with(end))
            };
            let found = storage.list(&self.home()).await?;
            if found.iter().any(|(path, _)| !is_ours(path)) {
                return Err(Error::rebuild(self.location(storage), "an older version wrote it"));
            }
            let path = self.only_file();
            return Ok(storage.open(&path).await?.map(|(_, version)| (path, version)).into_iter().collect());
        };
        let mut files = storage.list(endpoint).await?;
        let is_foreign = |path: &&String| path.ends_with(".parquet") && path_names::read_file(path).is_none();
        if let Some(foreign) = files.iter().map(|(path, _)| path).find(is_foreign) {
            return Err(not_a_part(storage, foreign));
        }
        files.retain(|(path, _)| self.period_of(path).is_some());
        Ok(files)
    }

    /// Returns the files to move away for a rebuild.
    pub(crate) fn location(&self, storage: &FileStorage) -> String {
        match self {
            Self::Files { endpoint, .. } => format!("{} and {}", storage.name(endpoint), storage.name(&self.state())),
            Self::File { name, .. } if self.text().is_none() => storage.name(name),
            Self::File { name, .. } => format!("{} and {}", storage.name(name), storage.name(&self.home())),
        }
    }
}

/// Creates the error for a Parquet file that no backfill has written.
pub(crate) fn not_a_part(storage: &FileStorage, path: &str) -> Error {
    let name = storage.name(path);
    Error::invalid_input(format!("{name}: not part of this data set, but readers would read it; move it"))
}

/// Returns the period that contains a time.
pub(crate) fn period(partition: Option<Partition>, time: Timestamp) -> Range<Timestamp> {
    let period = partition.and_then(|partition| Partition::read(&partition.period(time)));
    period.map_or(ALWAYS, |(_, range)| range)
}
