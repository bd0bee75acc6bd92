//! The state of a file or a data set, read without any request.

use std::collections::BTreeSet;
use std::ops::Range;

use runtime::Timestamp;

use crate::error::Error;
use crate::existing_content::{ExistingContent, ScannedRows, steps};
use crate::saved_state::{self, SeriesState};
use crate::single_file::SingleFile;
use crate::target::Target;
use crate::time_ranges::TimeRanges;

/// The state of a target, returned by [`status`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// The states of all series, by path.
    pub series: Vec<SeriesStatus>,
    /// Damaged and changed files. Each message names the file, the damage and the repair.
    pub damaged: Vec<String>,
    /// Number of records that a run has fetched but not written to the single file yet. Either the run is still in
    /// progress, or it was stopped and the next run writes them.
    pub pending: u64,
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
    /// The time of the first record.
    pub first: Option<Timestamp>,
    /// The time of the last record.
    pub last: Option<Timestamp>,
    /// Ranges without records between the first and the last record; adjacent intervals form one range.
    pub gaps: Vec<Range<Timestamp>>,
    /// Ranges without records that a run has planned to fetch, but no run has fetched.
    pub unfetched: Vec<Range<Timestamp>>,
    /// The maximum number of records that are missing in gaps and unfetched ranges.
    pub missing: u64,
    /// Number of rows with a value that did not fit its column.
    pub invalid: u64,
    /// Number of rows that the last run replaced because the service had revised them.
    pub revised: u64,
}

impl SeriesStatus {
    /// Returns the number of intervals that have closed since the last record; `None` without a record.
    pub fn behind(&self, now: Timestamp) -> Option<u64> {
        // The time of a record is the start of its interval, so the next interval closes two steps after that time.
        let next = self.last? + std::time::Duration::from_secs(2 * self.step);
        Some(if now < next { 0 } else { (now - next).as_secs() / self.step.max(1) + 1 })
    }

    fn new(state: &SeriesState, scanned: &ScannedRows) -> Self {
        let range = scanned.first.zip(scanned.last).map(|(first, last)| first..last);
        let gaps = range.map(|range| scanned.steps.uncovered(&range)).unwrap_or_default();
        let mut unfetched = state.unfetched.until(Timestamp::now());
        scanned.steps.ranges().iter().for_each(|range| unfetched.remove(range));
        let missing: TimeRanges = gaps.iter().chain(unfetched.ranges()).cloned().collect();
        Self {
            path: state.path.clone(),
            step: state.step().as_secs(),
            rows: scanned.steps.ranges().iter().map(|range| steps(range, state.step()) as u64).sum(),
            first: scanned.first,
            last: scanned.last,
            missing: missing.ranges().iter().map(|range| steps(range, state.step()) as u64).sum(),
            gaps,
            unfetched: unfetched.ranges().to_vec(),
            invalid: scanned.invalid,
            revised: state.revised,
        }
    }
}

/// Reads the state of a target and compares all of its files with their checksums.
pub async fn status(target: &Target) -> Result<Status, Error> {
    let content = ExistingContent::of(target).await?;
    let mut status = Status::default();
    let mut paths = BTreeSet::new();
    if content.single.is_none() {
        content.check_unknown().await?;
    }
    if let Some(Err(lost)) = content.single.as_ref().map(SingleFile::check_rows) {
        status.damaged.push(lost.to_string());
    }
    if let Some((single, base)) = content.single.as_ref().and_then(|single| Some((single, single.base.as_ref()?))) {
        if let Err(damage) = single.verify() {
            status.damaged.push(damage.to_string());
            return Ok(status);
        }
        // If an unfinished file exists, a run was killed before it stored the checksum. The checksum is then outdated
        // although nobody has changed the text.
        if !single.unfinished().exists() && !single.is_unchanged(content.head.text.as_ref())? {
            let changed = "missing or changed since a backfill wrote it; the next run writes it again";
            status.damaged.push(format!("{target}: {changed}"));
        }
        paths.extend(base.state.series.iter().map(|state| state.path.clone()));
    }
    series(&content, &mut paths, &mut status).await?;
    for path in paths {
        let Some(state) = content.state(&path).await? else { continue };
        let scanned = content.read(&state, None, false).await?;
        status.damaged.extend(scanned.damaged.iter().map(Error::to_string));
        status.series.push(SeriesStatus::new(&state, &scanned));
    }
    Ok(status)
}

/// Adds the series of a data set, or of the rows next to a single file. Files and folders that no backfill has written
/// are reported as damage, because readers of the data set would read them too.
async fn series(content: &ExistingContent, paths: &mut BTreeSet<String>, status: &mut Status) -> Result<(), Error> {
    let files = content.storage.list("").await?;
    let folder = |file| -> Option<&str> {
        let (folder, name) = str::rsplit_once(file, '/')?;
        if name == saved_state::FILE { Some(folder) } else { Some(folder.rsplit_once('/')?.0) }
    };
    let is_ours = |file: &&String| file.ends_with(".parquet") || file.ends_with(saved_state::FILE);
    let folders: BTreeSet<_> = files.iter().filter(is_ours).filter_map(|file| folder(file)).collect();
    for folder in folders {
        let text = content.storage.find(&format!("{folder}/{}", saved_state::FILE)).await?;
        let state = text.and_then(|text| serde_json::from_slice::<SeriesState>(&text).ok());
        let why = match state {
            Some(state) if content.folder(&state.path) == folder => match content.partitions(&state.path).await {
                Ok(partitions) => {
                    for partition in partitions.iter().filter(|_| content.single.is_some()) {
                        match content.input(&content.file(&state.path, partition)).await {
                            Ok(input) => status.pending += u64::try_from(input.rows()).unwrap_or_default(),
                            Err(error) => status.damaged.push(error.to_string()),
                        }
                    }
                    let is_lost = |name: &&String| content.single.is_none() && !partitions.contains(name);
                    let lost = state.rows.keys().filter(is_lost).map(|name| content.file(&state.path, name));
                    let missing = "missing; the next run for its range fetches the rows again";
                    status.damaged.extend(lost.map(|file| format!("{}: {missing}", content.storage.name(&file))));
                    paths.insert(state.path);
                    continue;
                }
                Err(error) => error.to_string(),
            },
            Some(state) => format!("{}: a copy of {}; move it away", content.storage.name(folder), state.path),
            None => {
                format!("{}: no state found; run the backfill again, or move this folder", content.storage.name(folder))
            }
        };
        status.damaged.push(why);
    }
    Ok(())
}
