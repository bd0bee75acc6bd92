//! Whole histories in files; what the files have already is not fetched again.
//!
//! Series, a range and a target come in. The names of files say what is there already; the rest is fetched, and every
//! part is written as soon as it is whole. After a run that was killed, the next one fetches what is missing: in
//! between, at the end, at the beginning.

mod agreed;
mod event;
mod inventory;
mod origin;
mod plan;
mod run;

use std::future::Future;
use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;

use crate::error::Error;
use crate::series::Series;
use crate::shard::Shard;
use crate::target::Target;
use inventory::Place;

pub(crate) use inventory::SingleFile;

pub use event::{Event, Summary};
pub use plan::{BackfillPlan, SeriesPlan};

/// Histories of several series, written to a file, a folder or a bucket.
///
/// ```no_run
/// # async fn demo(requests: Vec<runtime::Request<runtime::Listed>>) -> Result<(), tables::Error> {
/// # use runtime::Timestamp;
/// use tables::{Backfill, Event, Series, Target};
///
/// let series = requests.into_iter().map(Series::new).collect::<Result<Vec<_>, _>>()?;
/// let year = Timestamp::from(1_704_067_200)..Timestamp::from(1_735_689_600);
/// let job = Backfill::new(series, year, Target::parse("out.parquet")?);
/// println!("{} requests", job.plan().await?.windows());
/// let watch = |event: &Event| println!("{event:?}");
/// let summary = job.run(watch, std::future::pending()).await?;
/// assert!(summary.is_complete);
/// # Ok(()) }
/// ```
///
/// A later run fetches only what is missing: at the new end, at an earlier beginning, and windows that failed. A range
/// in which the service had no records counts as there, unless it is [asked for again](Self::repair).
#[derive(Clone, Debug)]
pub struct Backfill {
    series: Vec<Series>,
    range: Range<Timestamp>,
    target: Target,
    shard: Shard,
    repair: bool,
    with_open: bool,
    origin: String,
}

impl Backfill {
    /// The series in a range of time, without its end.
    pub fn new(series: Vec<Series>, range: Range<impl Into<Timestamp>>, target: Target) -> Self {
        let range = range.start.into()..range.end.into();
        let origin = origin::SERVICE.to_owned();
        Self { series, range, target, shard: Shard::WHOLE, repair: false, with_open: false, origin }
    }

    /// Does one part of the job; other machines do the others.
    ///
    /// All of them may write to one folder or bucket; if the target is a file, each needs its own.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = shard;
        self
    }

    /// Asks again for every time that should have a record and has none.
    pub fn repair(mut self) -> Self {
        self.repair = true;
        self
    }

    /// Asks also for the interval that is still open, whose record may change.
    ///
    /// A later run asks for it again, and replaces that record once the interval is over.
    pub fn with_open_interval(mut self) -> Self {
        self.with_open = true;
        self
    }

    /// Says in a word where the rows come from; `service` unless set.
    ///
    /// A target has rows of one origin. A job of another one ends with an error before anything is asked, so that rows
    /// that a test server invents never get among real ones.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = origin.into();
        self
    }

    /// The series.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The range in whole seconds, as the names of files have it.
    fn seconds(&self) -> Range<Timestamp> {
        let second = Duration::from_secs(1);
        self.range.start.floor(second)..self.range.end.floor(second)
    }

    /// The windows that a run would fetch, given what the target has already. This sends no request.
    pub async fn plan(&self) -> Result<BackfillPlan, Error> {
        let place = Place::seen(self).await?;
        plan::plan(self, &place).await
    }

    /// Fetches and writes what is missing, and reports every event to `watch`.
    ///
    /// Once `cancel` is over, no more is asked; of every series the fetched records are written, so that the next run
    /// continues from them. A single file is written at the end of a run that was not cancelled. While another run
    /// writes the same, nothing is asked, and [`Error::InUse`] says which.
    pub async fn run(&self, watch: impl FnMut(&Event), cancel: impl Future<Output = ()>) -> Result<Summary, Error> {
        self.check()?;
        let place = Place::claimed(self).await?;
        run::run(self, &place, watch, cancel).await
    }

    /// Fails for series and ranges that cannot be written together, before anything is asked.
    fn check(&self) -> Result<(), Error> {
        if self.series.is_empty() {
            return Err(Error::unfit("there is no series to ask for"));
        }
        let range = self.seconds();
        let first = Timestamp::from_unix_seconds(0);
        let Range { start, end } = range;
        if end < start {
            return Err(Error::unfit(format!("the range ends at {end}, before it begins at {start}")));
        }
        if start < first {
            return Err(Error::unfit(format!("the range begins at {start}, before {first}")));
        }
        for (index, series) in self.series.iter().enumerate() {
            let others = self.series.get(..index).unwrap_or_default();
            if others.iter().any(|other| other.path() == series.path()) {
                return Err(Error::unfit(format!("{} is asked for twice", series.path())));
            }
            // Readers of a data set need folders of the same names for all series of an endpoint.
            let names = |series: &Series| {
                series
                    .path()
                    .split('/')
                    .map(|part| part.split('=').next().unwrap_or(part).to_owned())
                    .collect::<Vec<_>>()
            };
            let other = others.iter().find(|other| other.endpoint().to_string() == series.endpoint().to_string());
            if let Some(other) = other.filter(|other| names(other) != names(series)) {
                return Err(Error::unfit(format!(
                    "{} and {} set other params; set the same for all series of an endpoint",
                    other.path(),
                    series.path()
                )));
            }
        }
        Ok(())
    }
}
