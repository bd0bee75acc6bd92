//! A file or a data set whose rows a command reads, without the service.

use std::collections::BTreeSet;
use std::ops::Range;

use dataset::{SeriesStatus, Status, StoredTables, Target, quoted};
use runtime::Timestamp;

use crate::failure::{ExitKind, Failure, Result, repair_help};
use crate::log::Log;
use crate::marks;
use crate::notation::chosen;
use crate::progress::{counted, listed};
use crate::selected_series::Selection;
use crate::series_label::label_of;
use crate::time_arg;

/// Fails if a target has no series.
pub(crate) fn require_series(status: &Status, path: &str) -> Result<()> {
    if !status.series.is_empty() {
        return Ok(());
    }
    if let Some(damage) = status.damaged.first() {
        return Err(Failure::new(ExitKind::Incomplete, damage.clone()).help(repair_help(path)));
    }
    if let Some(by) = &status.running {
        let message = format!("{}: a run is in progress ({by}); it has no rows yet", quoted(path));
        return Err(Failure::new(ExitKind::Incomplete, message));
    }
    Err(Failure::nothing_at(path))
}

/// `true` if no run has fetched a part of a range of a series that is still requested.
fn lacks_part_of(series: &SeriesStatus, range: &Range<Timestamp>) -> bool {
    let mut parts = series.unfetched.iter();
    !series.is_retired && parts.any(|part| part.start < range.end && range.start < part.end)
}

/// The help about a part that was never fetched.
fn fetch_again() -> &'static str {
    chosen("run the backfill again", "call `backfill` again", "call `fetch_records` again")
}

/// The tables of a target, which are opened once, and their state.
pub(crate) struct StoredTarget<'p> {
    path: &'p str,
    pub(crate) tables: StoredTables,
    pub(crate) status: Status,
}

impl<'p> StoredTarget<'p> {
    /// Opens a target that has series. Prints what is not in its files yet.
    pub(crate) async fn open(path: &'p str, log: Log) -> Result<Self> {
        let tables = StoredTables::open(&Target::parse(path)?).await?;
        let status = tables.status()?;
        let this = Self { path, tables, status };
        require_series(&this.status, path)?;
        let running = this.status.running.as_ref().map(|by| format!("a run is in progress ({by})"));
        let pending = this.status.pending;
        let records = counted(pending, "fetched record");
        if let Some(running) = running {
            let what = if pending > 0 { records } else { "its records".to_owned() };
            log.warning(&format!("{}: {running}; {what} are not in the files yet", quoted(path)));
        } else if pending > 0 {
            log.warning(&format!("{}: {records} are not in the files yet; the next run adds them", quoted(path)));
        }
        for stray in &this.status.strays {
            log.warning(stray);
        }
        marks::warn(log, &marks::of_status(&this.status));
        Ok(this)
    }

    /// The selected series, by default all.
    pub(crate) fn selected(&self, selection: &Selection, log: Log) -> Result<Vec<SeriesStatus>> {
        let all = self.status.series.clone();
        if selection.is_empty() { Ok(all) } else { selection.of(all, self.path, log) }
    }

    /// Fails if there is no row because no run has fetched a part of the range.
    pub(crate) fn check_fetched(&self, series: &[SeriesStatus], range: &Range<Timestamp>) -> Result<()> {
        for one in series {
            if !lacks_part_of(one, range) {
                continue;
            }
            let path = quoted(self.path);
            let label = label_of(one);
            if one.rejected.is_some() {
                let message = format!("{path}: no row, because the service has rejected {label}");
                return Err(Failure::new(ExitKind::Incomplete, message));
            }
            let message = format!("{path}: no row, because a part of {label} was never fetched");
            return Err(Failure::new(ExitKind::Incomplete, message).help(fetch_again()));
        }
        Ok(())
    }

    /// Warns if no run has fetched a part of the range, so that some of its rows are missing.
    pub(crate) fn note_unfetched(&self, series: &[SeriesStatus], range: &Range<Timestamp>, log: Log) {
        let mut labels = Vec::new();
        for one in series {
            if !one.is_running && lacks_part_of(one, range) {
                labels.push(label_of(one));
            }
        }
        if labels.is_empty() {
            return;
        }
        let path = quoted(self.path);
        log.warning(&format!("{path}: a part of {} was never fetched; {}", listed(&labels), fetch_again()));
    }

    /// Warns if all rows are before or after a range, which may have a wrong year.
    pub(crate) fn note_outside(&self, series: &[SeriesStatus], range: &Range<Timestamp>, log: Log) {
        let first = series.iter().filter_map(|one| one.first).min();
        let last = series.iter().filter_map(|one| one.last).max();
        let (Some(first), Some(last)) = (first, last) else { return };
        if range.end <= first || last < range.start {
            let (first, last) = (time_arg::shown(first), time_arg::shown(last));
            log.warning(&format!("{}: no row in the range; the rows are from {first} to {last}", quoted(self.path)));
        }
    }

    /// Fails if the rows of damaged or missing files were left out, of which each has a message. `what` lacks the rows.
    pub(crate) fn check_left_out(&self, left_out: &[String], what: &str, log: Log) -> Result<()> {
        let left_out: BTreeSet<&String> = left_out.iter().collect();
        if left_out.is_empty() {
            return Ok(());
        }
        for damage in left_out {
            log.warning(damage);
        }
        let message = format!("{}: {what} has no rows of damaged or missing files", quoted(self.path));
        Err(Failure::new(ExitKind::Incomplete, message).help(repair_help(self.path)))
    }
}
