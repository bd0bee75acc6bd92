//! A file or a data set whose rows a command reads, without the service.

use std::collections::BTreeSet;
use std::ops::Range;

use dataset::{Quality, SeriesStatus, Status, StoredTables, Target, quoted};
use runtime::Timestamp;

use crate::failure::{ExitKind, Failure, Result, brief_text, repair_help};
use crate::find_endpoint::find;
use crate::log::Log;
use crate::marks;
use crate::notation::chosen;
use crate::progress::{counted, listed};
use crate::record_columns::fields;
use crate::selected_series::Selection;
use crate::series_label::label_of;
use crate::status_check::is_continued;
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

/// The error with which the service has rejected a series, unless all of a range was requested before that.
pub(crate) fn rejection<'s>(series: &'s SeriesStatus, range: &Range<Timestamp>) -> Option<&'s str> {
    let is_requested = series.asked.as_ref().is_some_and(|asked| range.end <= asked.end);
    let why = series.rejected.as_deref()?;
    let is_affected = !series.is_retired && (!is_requested || lacks_part_of(series, range));
    is_affected.then_some(why)
}

/// The parts of a range of a series that no run has requested, except those that no run can fetch any more.
pub(crate) fn never_requested(series: &SeriesStatus, range: &Range<Timestamp>) -> Vec<Range<Timestamp>> {
    if is_continued(series) { series.unrequested_within(range) } else { Vec::new() }
}

/// The number of intervals in the parts of a range of a series that no run has fetched.
pub(crate) fn never_fetched(series: &SeriesStatus, range: &Range<Timestamp>) -> u64 {
    let parts = series.unfetched.iter().map(|part| part.start.max(range.start)..part.end.min(range.end));
    let parts: Vec<_> = parts.filter(|part| part.start < part.end).collect();
    time_arg::steps(&parts, series.interval)
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

    /// Figures about the values. A series has no figures of the fields that only other endpoints in its file have.
    pub(crate) async fn quality(&self) -> Result<Quality> {
        let mut quality = dataset::quality(&self.tables).await?;
        for one in &mut quality.series {
            // A later version of the catalogue may not have the endpoint.
            let Ok(endpoint) = find(one.status.endpoint()) else { continue };
            let is_known = |name: &str| fields(endpoint).any(|field| field.wire_name == name);
            one.fields.retain(|field| field.values > 0 || field.is_missing || is_known(&field.field));
        }
        Ok(quality)
    }

    /// The selected series, by default all.
    pub(crate) fn selected(&self, selection: &Selection, log: Log) -> Result<Vec<SeriesStatus>> {
        let all = self.status.series.clone();
        if selection.is_empty() { Ok(all) } else { selection.of(all, self.path, log) }
    }

    /// Fails if there is no row because the service has rejected a series, or because no run has fetched a part of the range.
    pub(crate) fn check_fetched(&self, series: &[SeriesStatus], range: &Range<Timestamp>) -> Result<()> {
        let path = quoted(self.path);
        for one in series {
            let label = label_of(one);
            if let Some(why) = rejection(one, range) {
                let why = brief_text(why);
                let message = format!("{path}: no row, because the service has rejected {label}: {why}");
                return Err(Failure::new(ExitKind::Incomplete, message));
            }
            if lacks_part_of(one, range) {
                let message = format!("{path}: no row, because a part of {label} was never fetched");
                return Err(Failure::new(ExitKind::Incomplete, message).help(fetch_again()));
            }
        }
        Ok(())
    }

    /// Warns if some rows of a range are missing, because the service has rejected a series, or because no run has fetched
    /// or requested a part of the range.
    pub(crate) fn note_missing(&self, series: &[SeriesStatus], range: &Range<Timestamp>, log: Log) {
        let mut rejected = Vec::new();
        let mut unfetched = Vec::new();
        let mut unrequested = Vec::new();
        let mut parts = Vec::new();
        for one in series {
            if rejection(one, range).is_some() {
                rejected.push(label_of(one));
            } else if !one.is_running && lacks_part_of(one, range) {
                unfetched.push(label_of(one));
            }
            let never_requested = never_requested(one, range);
            if !never_requested.is_empty() {
                unrequested.push(label_of(one));
                parts.extend(never_requested);
            }
        }
        let path = quoted(self.path);
        if !rejected.is_empty() {
            log.warning(&format!("{path}: the service has rejected {}, so its rows are missing", listed(&rejected)));
        }
        if !unfetched.is_empty() {
            log.warning(&format!("{path}: a part of {} was never fetched; {}", listed(&unfetched), fetch_again()));
        }
        let what = format!("{path}: a part of {} was never requested", listed(&unrequested));
        if let Some(warning) = time_arg::absent(&what, parts.iter(), time_arg::OPEN) {
            log.warning(&warning);
        }
    }

    /// Warns if there is no row because nothing of these series was fetched before a time.
    pub(crate) fn note_before_first(
        &self,
        series: &[SeriesStatus],
        first: Option<Timestamp>,
        as_of: Timestamp,
        log: Log,
    ) {
        let Some(first) = first.filter(|first| as_of < *first) else { return };
        let labels: Vec<_> = series.iter().map(label_of).collect();
        log.warning(&format!(
            "{}: no row of {}, because nothing was fetched before {}",
            quoted(self.path),
            listed(&labels),
            time_arg::shown(first)
        ));
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
