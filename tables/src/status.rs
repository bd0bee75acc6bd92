//! The state of a file or a data set, read without any request.

use std::ops::Range;

use runtime::Timestamp;

use crate::error::Error;
use crate::existing_content::{ExistingContent, ScannedRows, steps};
use crate::path_names;
use crate::saved_state::{self, SeriesState};
use crate::target::Target;

/// The state of a target, returned by [`status`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// The states of all series, by path.
    pub series: Vec<SeriesStatus>,
    /// Damaged files; each text names the file, the damage, and the repair.
    pub damaged: Vec<String>,
}

/// The state of one series in a target.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeriesStatus {
    /// The endpoint and its params, as in the folder names of a data set.
    pub path: String,
    /// The interval between records, in seconds.
    pub step: u64,
    /// Number of rows.
    pub rows: u64,
    /// The first record.
    pub first: Option<Timestamp>,
    /// The last record.
    pub last: Option<Timestamp>,
    /// Ranges without records between the first and the last; adjacent times form one range.
    pub gaps: Vec<Range<Timestamp>>,
    /// Number of missing records in all gaps.
    pub missing: u64,
    /// Rows with a value that did not fit its column.
    pub invalid: u64,
    /// Rows that the last run replaced because the service had revised them.
    pub revised: u64,
}

impl SeriesStatus {
    /// Returns the number of intervals that have closed since the last record; `None` without a record.
    pub fn behind(&self, now: Timestamp) -> Option<u64> {
        // The time of a record is the start of its interval, so the next interval closes two steps after the last time.
        let next = self.last? + std::time::Duration::from_secs(2 * self.step);
        Some(if now < next { 0 } else { (now - next).as_secs() / self.step.max(1) + 1 })
    }

    fn new(state: &SeriesState, scanned: &ScannedRows) -> Self {
        let range = scanned.first.zip(scanned.last).map(|(first, last)| first..last);
        let gaps = range.map(|range| scanned.steps.uncovered(&range)).unwrap_or_default();
        Self {
            path: state.path.clone(),
            step: state.step().as_secs(),
            rows: scanned.steps.ranges().iter().map(|range| steps(range, state.step()) as u64).sum(),
            first: scanned.first,
            last: scanned.last,
            missing: gaps.iter().map(|gap| steps(gap, state.step()) as u64).sum(),
            gaps,
            invalid: scanned.invalid,
            revised: state.revised,
        }
    }
}

/// Reads the state of a target and compares all of its files with their checksums.
pub async fn status(target: &Target) -> Result<Status, Error> {
    let (content, _) = ExistingContent::of(target).await?;
    let mut status = Status::default();
    let all = match &content.single {
        Some(single) => {
            let base = single.base.as_ref().ok_or_else(|| {
                Error::invalid_input(format!("{target}: expected a file or folder written by a backfill, found none"))
            })?;
            if let Err(damage) = single.verify() {
                status.damaged.push(damage.to_string());
                return Ok(status);
            }
            base.state.series.clone()
        }
        None => states(&content, &mut status.damaged).await?,
    };
    for state in all {
        let scanned = content.read(&state, None).await?;
        status.damaged.extend(scanned.damaged.iter().map(Error::to_string));
        status.series.push(SeriesStatus::new(&state, &scanned));
    }
    Ok(status)
}

/// Returns the states of all series of a data set, and adds a message for each series without a readable state.
async fn states(content: &ExistingContent, damaged: &mut Vec<String>) -> Result<Vec<SeriesState>, Error> {
    let files = content.storage.list("").await?;
    let mut folders: Vec<_> = files.iter().filter_map(|file| Some(path_names::read_file(file)?.0)).collect();
    folders.dedup();
    let mut states = Vec::new();
    for folder in folders {
        let text = content.storage.find(&format!("{folder}/{}", saved_state::FILE)).await?;
        match text.and_then(|text| serde_json::from_slice::<SeriesState>(&text).ok()) {
            Some(state) => states.push(state),
            None => damaged.push(format!("{folder}: without a state; run the backfill again, which writes it")),
        }
    }
    Ok(states)
}
