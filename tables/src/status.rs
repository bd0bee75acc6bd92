//! The state of a file or a data set, read without any request.

use std::ops::Range;

use arrow_schema::SchemaRef;
use runtime::Timestamp;

use crate::coverage::Coverage;
use crate::error::Error;
use crate::layout;
use crate::merge::{Invalid, times};
use crate::parquet_file::Batches;
use crate::state::{self, SeriesState};
use crate::store::{Store, file_path};
use crate::target::Target;

/// The state of a target, from [`status`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// Every series, by path.
    pub series: Vec<SeriesStatus>,
    /// Damaged files; each text names the file, the damage, and the repair.
    pub damaged: Vec<String>,
}

/// The state of one series in a target.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeriesStatus {
    /// The endpoint and its params, as the folders of a data set are named.
    pub path: String,
    /// The interval between its records, in seconds.
    pub step: u64,
    /// Number of rows.
    pub rows: u64,
    /// The first record.
    pub first: Option<Timestamp>,
    /// The last record.
    pub last: Option<Timestamp>,
    /// Ranges without records between these; adjacent times form one range.
    pub holes: Vec<Range<Timestamp>>,
    /// Number of records that are missing in all holes.
    pub missing: u64,
    /// Rows with a value that did not fit its column.
    pub invalid: u64,
    /// Rows that the last run replaced because the service had revised them.
    pub revised: u64,
}

impl SeriesStatus {
    /// Number of intervals that have closed since the last record; `None` without a record.
    pub fn behind(&self, now: Timestamp) -> Option<u64> {
        let next = self.last? + std::time::Duration::from_secs(2 * self.step);
        Some(if now < next { 0 } else { (now - next).as_secs() / self.step.max(1) + 1 })
    }
}

/// Reads the state of a target and compares all of its files with their checksums.
pub async fn status(target: &Target) -> Result<Status, Error> {
    let store = Store::of(target, None)?;
    let mut status = Status::default();
    if let Some(single) = &store.single {
        let Some(base) = &single.base else {
            return Err(Error::invalid_input(format!(
                "{target}: expected a file or folder written by a backfill, found none"
            )));
        };
        if let Err(damage) = single.verify() {
            status.damaged.push(damage.to_string());
            return Ok(status);
        }
        for state in &base.state.series {
            let mut seen = Seen::default();
            let (before, _) = base.state.series(&state.path).unwrap_or((0, state));
            let rows = usize::try_from(state.all_rows()).unwrap_or_default();
            let input = single.input()?;
            let schema = input.schema();
            seen.read(state, &schema, input.batches(before, rows)?)?;
            status.series.push(seen.status(state));
        }
        return Ok(status);
    }
    let files = store.storage.list("").await?;
    let mut series: Vec<_> = files.iter().filter_map(|file| layout::read_file(file)).map(|(path, _)| path).collect();
    series.dedup();
    for path in series {
        let stored = store.storage.find(&format!("{path}/{}", state::FILE)).await?;
        let stored = stored.and_then(|text| SeriesState::from_json(&serde_json::from_slice(&text).ok()?));
        let Some(state) = stored else {
            status.damaged.push(format!("{path}: without a state; run the backfill again, which writes it"));
            continue;
        };
        let mut seen = Seen::default();
        for partition in store.files(path).await? {
            let input = match store.input(&file_path(path, &partition)).await {
                Err(damage @ Error::Damaged { .. }) => {
                    status.damaged.push(damage.to_string());
                    continue;
                }
                input => input?,
            };
            let (schema, rows) = (input.schema(), input.rows());
            seen.read(&state, &schema, input.batches(0, rows)?)?;
        }
        status.series.push(seen.status(&state));
    }
    Ok(status)
}

/// The figures computed from the rows of a series.
#[derive(Default)]
struct Seen {
    steps: Coverage,
    rows: u64,
    invalid: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Seen {
    fn read(&mut self, state: &SeriesState, schema: &SchemaRef, batches: Batches) -> Result<(), Error> {
        for batch in batches {
            let batch = batch?;
            let (times, invalid) = (times(&batch, &state.time)?, Invalid::of(&batch, schema));
            for row in 0..batch.num_rows() {
                let time = times.get(row);
                let step = time.floor(state.step);
                self.steps.add(step..step + state.step);
                self.invalid += u64::from(invalid.is_row(row));
                (self.first, self.last) = (self.first.or(Some(time)), Some(time));
            }
            self.rows += u64::try_from(batch.num_rows()).unwrap_or_default();
        }
        Ok(())
    }

    fn status(self, state: &SeriesState) -> SeriesStatus {
        let range = self.first.zip(self.last).map(|(first, last)| first..last);
        let holes = range.map(|range| self.steps.missing(&range)).unwrap_or_default();
        let missing = holes.iter().map(|hole| crate::store::steps(hole, state.step) as u64).sum();
        SeriesStatus {
            path: state.path.clone(),
            step: state.step.as_secs(),
            rows: self.rows,
            first: self.first,
            last: self.last,
            holes,
            missing,
            invalid: self.invalid,
            revised: state.revised,
        }
    }
}
