//! Rows that the state of a table lists and that are no longer in their file.

use std::collections::BTreeMap;

use crate::error::quoted;
use crate::table_state::TableState;
use crate::time_ranges::TimeRanges;

/// The present rows of series.
pub(crate) type Present = BTreeMap<String, TimeRanges>;

/// The rows of a file, as far as the state of its table knows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileRows {
    pub(crate) present: Present,
    /// Number of rows of each series without a regular step, whose ranges do not show it.
    pub(crate) counts: BTreeMap<String, u64>,
}

/// Rows that a file had, and that it has no longer, because it is missing or because another file has replaced it.
#[derive(Clone, Debug)]
pub(crate) struct VanishedRows {
    pub(crate) rows: FileRows,
    /// Number of intervals with a row; without a regular step, of rows.
    count: u64,
    /// `false` if another file has replaced it.
    pub(crate) is_missing: bool,
}

impl VanishedRows {
    /// Creates the rows of a file that is missing.
    pub(crate) fn of_missing(rows: FileRows, state: &TableState) -> Self {
        Self { count: count(&rows, state), rows, is_missing: true }
    }

    /// Creates the rows of a file that another one has replaced; `None` if that one has them too.
    pub(crate) fn of_replaced(mut before: FileRows, after: &FileRows, state: &TableState) -> Option<Self> {
        for (series, times) in &mut before.present {
            let Some(known) = before.counts.get_mut(series) else {
                if let Some(left) = after.present.get(series) {
                    *times = times.without(left);
                }
                continue;
            };
            // The ranges depend on the sections of the file. If it has fewer rows, it is unknown which.
            *known = known.saturating_sub(after.counts.get(series).copied().unwrap_or_default());
            if *known == 0 {
                *times = TimeRanges::default();
            }
        }
        before.present.retain(|_, times| !times.is_empty());
        let is_any = !before.present.is_empty();
        is_any.then(|| Self { count: count(&before, state), rows: before, is_missing: false })
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

fn count(rows: &FileRows, state: &TableState) -> u64 {
    let mut count: u64 = 0;
    for (path, times) in &rows.present {
        let Some(series) = state.series.get(path) else { continue };
        let of_series = rows.counts.get(path).copied().unwrap_or_else(|| times.steps(series.row_facts.interval));
        count = count.saturating_add(of_series);
    }
    count
}

#[cfg(test)]
mod tests {
    use runtime::Interval;

    use super::*;
    use crate::row_facts::RowFacts;
    use crate::series_state::SeriesState;
    use crate::series_state::sample::ranges;

    #[test]
    fn irregular_rows_have_vanished_if_there_are_fewer() {
        let mut state = TableState::default();
        let row_facts = RowFacts { interval: Interval::EVENTS, ..RowFacts::default() };
        state.series.insert("e".to_owned(), SeriesState::new(&row_facts));
        let file = |from: i64, to: i64, count: u64| FileRows {
            present: [("e".to_owned(), ranges(&[(from, to)]))].into(),
            counts: [("e".to_owned(), count)].into(),
        };
        // Other sections of the same rows.
        assert!(VanishedRows::of_replaced(file(0, 900, 5), &file(0, 500, 5), &state).is_none());
        let vanished = VanishedRows::of_replaced(file(0, 900, 5), &file(0, 900, 3), &state).unwrap();
        assert_eq!((vanished.count, &vanished.rows.present["e"]), (2, &ranges(&[(0, 900)])));
        let missing = VanishedRows::of_missing(file(0, 900, 5), &state);
        assert!(missing.message("x").contains("missing, with its 5 rows"));
    }
}
