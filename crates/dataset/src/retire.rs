//! Retires series: their rows stay, and no run requests them.

use std::collections::BTreeSet;

use runtime::Timestamp;

use crate::error::Error;
use crate::locked_tables::LockedTables;
use crate::series_state::SeriesState;
use crate::table::Table;
use crate::target::Target;
use crate::text_file::TextState;

/// The result of [`retire`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Retired {
    /// The paths of the series that have changed.
    pub series: Vec<String>,
    /// `true` if an earlier call was interrupted before it had written the text file, and this call has written it.
    pub is_restored: bool,
    /// The errors of the tables whose series may not have changed. A second call changes only these.
    pub failed: Vec<Error>,
}

/// Retires series of a target, or ends that.
///
/// The rows of a retired series stay, no run requests it, even if a job lists it, and its age is not judged.
/// `is_selected` gets the [path](crate::SeriesStatus::path) of each series.
pub async fn retire(target: &Target, is_selected: impl Fn(&str) -> bool, is_retired: bool) -> Result<Retired, Error> {
    let locked = LockedTables::open(target).await?;
    let mut retired = Retired { failed: locked.failed, ..Retired::default() };
    for mut table in locked.tables {
        // A call that was interrupted before the text file was written is finished.
        let is_outdated = table.text_state()? == TextState::Outdated;
        let changed = change(&mut table, &is_selected, is_retired);
        if changed.is_empty() && !is_outdated {
            continue;
        }
        match save(&mut table, is_outdated).await {
            Ok(is_restored) => {
                retired.series.extend(changed);
                retired.is_restored |= is_restored;
            }
            Err(error) => retired.failed.push(error),
        }
    }
    Ok(retired)
}

/// Retires the selected series of a table, and returns the paths of those that have changed.
fn change(table: &mut Table, is_selected: impl Fn(&str) -> bool, is_retired: bool) -> Vec<String> {
    let now = Timestamp::now();
    let mut changed = Vec::new();
    for (path, known) in table.states_with_journal() {
        if !is_selected(&path) {
            continue;
        }
        let state = table.state.series.entry(path.clone()).or_insert_with(|| SeriesState::new(&known.all_row_facts));
        if state.retired.is_some() != is_retired {
            state.retired = if is_retired { Some(now) } else { None };
            changed.push(path);
        }
    }
    changed
}

/// Writes the list of retired series to the metadata of a data file and to the state. The file of a damaged table gets
/// the list when a run repairs it. An outdated text file is written again; returns whether it was.
async fn save(table: &mut Table, is_outdated: bool) -> Result<bool, Error> {
    if !table.damaged.is_empty() {
        table.save().await?;
        return Ok(false);
    }
    match table.write_retired().await {
        Err(Error::Damaged { .. }) => {
            table.save().await?;
            return Ok(false);
        }
        noted => noted?,
    }
    if is_outdated {
        table.merge_journal(&BTreeSet::new()).await?;
        // A table whose damage is found now was not written.
        if let Some(error) = table.damage() {
            return Err(error);
        }
    }
    Ok(is_outdated)
}
