//! Ends the marks of a target: fields that the service no longer sends, rows that were lost, requested ranges that the
//! service ignores, and ranges that nobody needs.

use std::collections::BTreeMap;
use std::ops::Range;

use runtime::Timestamp;

use crate::error::Error;
use crate::locked_tables::LockedTables;
use crate::marks::Marks;
use crate::series_state::SeriesState;
use crate::target::Target;

/// The marks that [`acknowledge`] has ended.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Acknowledged {
    /// Fields that the service no longer sends, or has never sent, as `ENDPOINT FIELD`.
    pub fields: Vec<String>,
    /// Damaged and missing files with lost rows.
    pub files: Vec<String>,
    /// The paths of series whose requested range the service seems to ignore.
    pub ignored_ranges: Vec<String>,
    /// The paths of series with ranges that a run has planned and no run has fetched, and these ranges.
    pub unfetched: Vec<(String, Vec<Range<Timestamp>>)>,
    /// The errors of the tables whose marks may not have ended. A second call ends only these.
    pub failed: Vec<Error>,
}

/// Ends all marks of a target, or only that of a field. A field that the service sends again and that vanishes later is
/// marked again.
pub async fn acknowledge(target: &Target, field: Option<&str>) -> Result<Acknowledged, Error> {
    let locked = LockedTables::open(target).await?;
    let now = Timestamp::now();
    let mut ended = Acknowledged { failed: locked.failed, ..Acknowledged::default() };
    for mut table in locked.tables {
        let marks = &mut table.state.marks;
        let fields = marks.end_fields(field, now);
        let files = if field.is_none() { marks.end_lost(now) } else { Vec::new() };
        let ignored_ranges = if field.is_none() { end_ignored_ranges(&mut table.state.series) } else { Vec::new() };
        match table.save().await {
            Ok(()) => {
                ended.fields.extend(fields);
                ended.files.extend(files);
                ended.ignored_ranges.extend(ignored_ranges);
            }
            Err(error) => ended.failed.push(error),
        }
    }
    ended.fields.sort();
    ended.fields.dedup();
    Ok(ended)
}

/// Forgets the ranges that runs have planned and that no run has fetched, because nobody needs them any more. Those between
/// the first and the last record of a series then count as never requested. Series without a record, and those that the
/// service rejects, keep theirs.
pub async fn acknowledge_unfetched(target: &Target) -> Result<Acknowledged, Error> {
    let locked = LockedTables::open(target).await?;
    let mut ended = Acknowledged { failed: locked.failed, ..Acknowledged::default() };
    for mut table in locked.tables {
        let mut forgotten = Vec::new();
        // The fetched rows may be only in the journal.
        for (path, known) in table.states_with_journal() {
            let unfetched = known.state.unfetched();
            let has_rows = known.all_row_facts.first.is_some();
            let Some(series) = table.state.series.get_mut(&path) else { continue };
            if unfetched.is_empty() || !has_rows || series.rejected.is_some() {
                continue;
            }
            series.requested = series.requested.without(&unfetched);
            series.unfetched = series.unfetched.without(&unfetched);
            forgotten.push((path, unfetched.ranges().collect()));
        }
        if forgotten.is_empty() {
            continue;
        }
        match table.save().await {
            Ok(()) => ended.unfetched.extend(forgotten),
            Err(error) => ended.failed.push(error),
        }
    }
    Ok(ended)
}

/// Ends the marks of series whose requested range the service seems to ignore. Returns their paths.
fn end_ignored_ranges(series: &mut BTreeMap<String, SeriesState>) -> Vec<String> {
    let mut ended = Vec::new();
    for (path, state) in series {
        if std::mem::take(&mut state.ignores_range) {
            ended.push(path.clone());
        }
    }
    ended
}

impl Marks {
    /// Ends the marks of all fields, or of one. Returns the endpoint and the field of each of them.
    fn end_fields(&mut self, field: Option<&str>, now: Timestamp) -> Vec<String> {
        let mut ended = self.missing.acknowledge(field, now);
        ended.extend(self.unsent.acknowledge(field, now));
        ended
    }

    /// Ends the marks of lost rows. Returns the files.
    fn end_lost(&mut self, now: Timestamp) -> Vec<String> {
        let mut ended = Vec::new();
        for mark in self.lost.iter_mut().filter(|mark| mark.acknowledged.is_none()) {
            mark.acknowledged = Some(now);
            ended.push(mark.file.clone());
        }
        ended
    }
}
