//! What is there already: of each series the ranges that are covered, and the files that have them.
//!
//! A target comes in; nothing is asked of the service.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow_schema::SchemaRef;
use runtime::Timestamp;

use super::agreed::Agreed;
use super::{Backfill, origin};
use crate::base::{self, Base};
use crate::coverage::Coverage;
use crate::error::Error;
use crate::layout;
use crate::lock::{Claim, Lock};
use crate::parquet_file::ParquetInput;
use crate::part::Division;
use crate::series::Series;
use crate::storage::{self, Storage};
use crate::table::Table;
use crate::target::{Format, Target};

/// Where the parts of a job are, and the one file that they become, if it is to be one.
pub(super) struct Place {
    pub(super) storage: Storage,
    pub(super) division: Division,
    pub(super) file: Option<SingleFile>,
}

/// The one file that the parts become.
pub(crate) struct SingleFile {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// Where the parts are.
    pub(crate) parts: PathBuf,
    /// Where it is until it is whole.
    pub(crate) unfinished: PathBuf,
    /// The file of an earlier run, if it says itself what it covers.
    pub(crate) base: Option<Base>,
    /// Where the rows come from.
    pub(crate) origin: String,
}

/// What is there of one series.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub(super) covered: Coverage,
    /// The paths of its parts.
    pub(super) parts: Vec<String>,
    /// The paths of parts of intervals that were open.
    pub(super) open: Vec<String>,
    /// The columns of the existing files, if the catalogue does not know the fields.
    pub(super) schema: Option<SchemaRef>,
}

impl Place {
    /// A place to look at.
    pub(super) async fn seen(job: &Backfill) -> Result<Self, Error> {
        Self::with(job, None).await
    }

    /// A place to write to, claimed so that no other run writes the same series there.
    pub(super) async fn claimed(job: &Backfill) -> Result<Self, Error> {
        let Some(hidden) = job.target.hidden() else { return Self::seen(job).await };
        let series = job.series.iter().map(|series| series.path().to_owned()).collect();
        let claim = Claim { series, shard: job.shard, is_sole: matches!(job.target, Target::File { .. }) };
        let name = job.target.to_string();
        let lock = storage::beside(move || Lock::take(&name, &hidden, &claim)).await?;
        Self::with(job, Some(Arc::new(lock))).await
    }

    async fn with(job: &Backfill, lock: Option<Arc<Lock>>) -> Result<Self, Error> {
        let place = match &job.target {
            Target::Folder(path) => Self::data_set(Storage::folder(path, lock)),
            #[cfg(feature = "s3")]
            Target::Bucket { bucket, prefix } => Self::data_set(Storage::bucket(bucket, prefix)?),
            Target::File { path, format } => Self::single(job, path, *format, lock).await?,
        };
        origin::check(job, &place).await?;
        Ok(place)
    }

    fn data_set(storage: Storage) -> Self {
        Self { storage, division: Division::Days, file: None }
    }

    async fn single(job: &Backfill, path: &Path, format: Format, lock: Option<Arc<Lock>>) -> Result<Self, Error> {
        let unfinished = lock.as_ref().map_or(Path::new(""), |lock| lock.folder()).to_owned();
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".parts");
        let parts = path.with_file_name(name);
        let storage = Storage::folder(&parts, lock);
        let base = match (format, path.exists()) {
            (_, false) => None,
            (Format::Parquet, true) => Some(Base::open(path)?),
            _ if storage.list("").await?.is_empty() => {
                return Err(Error::unfit(format!(
                    "{}: the file exists, but without {}, which is needed to continue it; name another file",
                    path.display(),
                    parts.display()
                )));
            }
            _ => None,
        };
        let origin = job.origin.clone();
        let file = SingleFile { path: path.to_owned(), format, parts, unfinished, base, origin };
        Ok(Self { storage, division: Division::Rows, file: Some(file) })
    }

    /// What there is of a series.
    pub(super) async fn inventory(&self, series: &Series) -> Result<Inventory, Error> {
        let paths = self.storage.list(series.path()).await?;
        let mut found = Inventory::default();
        let base = self.file.as_ref().and_then(|file| file.base.as_ref());
        if let Some(known) = base.and_then(|base| base.series(series.path())) {
            known.covered().for_each(|range| found.covered.add(range));
        }
        for path in paths {
            if let Some(range) = layout::read_part(&path) {
                found.covered.add(range);
                found.parts.push(path);
            } else if layout::read_open_part(&path).is_some() {
                found.open.push(path);
            }
        }
        // Columns that were found in records stay as they are; a table has its own.
        if Table::of(series.endpoint()).is_none() {
            found.schema = match base.filter(|base| base.has_endpoint(series)) {
                Some(base) => Some(base.schema()),
                None => Agreed::find(&self.storage, series).await?,
            };
        }
        Ok(found)
    }

    /// Where a covered range has no record.
    pub(super) async fn gaps(
        &self,
        series: &Series,
        inventory: &Inventory,
    ) -> Result<Vec<std::ops::Range<Timestamp>>, Error> {
        let mut present = Present { step: series.step(), steps: Coverage::default() };
        let base = self.file.as_ref().and_then(|file| Some((file, file.base.as_ref()?)));
        if let Some((file, base)) = base
            && let Some((skip, rows)) = base.rows(series.path())
        {
            base::input(&file.path)?.times(series.time().name, skip, rows, &mut |time| present.add(time))?;
        }
        for path in &inventory.parts {
            let input = ParquetInput::open(self.storage.name(path), self.storage.get(path).await?)?;
            let rows = input.rows();
            input.times(series.time().name, 0, rows, &mut |time| present.add(time))?;
        }
        let whole = |range: &std::ops::Range<Timestamp>| ceil(range.start, present.step)..range.end.floor(present.step);
        let ranges = inventory.covered.ranges().iter().map(whole).filter(|range| range.start < range.end);
        Ok(ranges.flat_map(|range| present.steps.missing(&range)).collect())
    }
}

/// The steps that have a record.
struct Present {
    step: Duration,
    steps: Coverage,
}

impl Present {
    fn add(&mut self, time: Timestamp) {
        let from = time.floor(self.step);
        self.steps.add(from..from + self.step);
    }
}

fn ceil(time: Timestamp, step: Duration) -> Timestamp {
    let floor = time.floor(step);
    if floor == time { time } else { floor + step }
}
