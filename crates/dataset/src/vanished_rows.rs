//! Rows that the state of a table lists and that are no longer in their file.

use std::collections::BTreeMap;

use crate::error::quoted;
use crate::table_state::TableState;
use crate::time_ranges::TimeRanges;

/// The present rows of series.
pub(crate) type Present = BTreeMap<String, TimeRanges>;

/// Rows that a file had, and that it has no longer, because it is missing or because another file has replaced it.
#[derive(Clone, Debug)]
pub(crate) struct VanishedRows {
    pub(crate) rows: Present,
    /// Number of intervals with a row.
    count: u64,
    /// `false` if another file has replaced it.
    pub(crate) is_missing: bool,
}

impl VanishedRows {
    /// Creates the rows of a file that is missing.
    pub(crate) fn of_missing(rows: Present, state: &TableState) -> Self {
        Self { count: count(&rows, state), rows, is_missing: true }
    }

    /// Creates the rows of a file that another one has replaced; `None` if that one has them too.
    pub(crate) fn of_replaced(mut rows: Present, left: &Present, state: &TableState) -> Option<Self> {
        for (series, times) in &mut rows {
            if let Some(left) = left.get(series) {
                *times = times.without(left);
            }
        }
        rows.retain(|_, times| !times.is_empty());
        let is_any = !rows.is_empty();
        is_any.then(|| Self { count: count(&rows, state), rows, is_missing: false })
    }

    /// Describes the loss; `name` is the file.
    pub(crate) fn message(&self, name: &str) -> String {
        let count = self.count;
        let name = quoted(name);
        let what = match (self.is_missing, count) {
            (true, 1) => "missing, with its row".to_owned(),
            (true, _) => format!("missing, with its {count} rows"),
            (false, 1) => "replaced by a file without 1 of its rows".to_owned(),
            (false, _) => format!("replaced by a file without {count} of its rows"),
        };
        format!("{name}: {what}; a backfill of their range fetches them again, if the service still has them")
    }
}

fn count(rows: &Present, state: &TableState) -> u64 {
    let mut count: u64 = 0;
    for (path, times) in rows {
        let Some(series) = state.series.get(path) else { continue };
        count = count.saturating_add(times.steps(series.rows.interval));
    }
    count
}
