//! The state of a table: the states of its series, and the versions of its files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use arrow_schema::SchemaRef;
use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::kept_revisions::KeptRevisions;
use crate::marks::Marks;
use crate::partition::Partition;
use crate::retired_series::{RetiredOne, RetiredSeries};
use crate::section::Section;
use crate::series_state::SeriesState;

/// The state of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableState {
    pub(crate) version: u64,
    /// The [label of the source](crate::Backfill::source_label) of the rows.
    #[serde(rename = "origin")]
    pub(crate) source_label: String,
    /// The period of a file; `None` if there is only one file.
    pub(crate) partition: Option<Partition>,
    /// The columns of the files; `None` before the first file.
    pub(crate) columns: Option<SchemaRef>,
    /// The version of each file, by path. After a merge has found damage in a file, its version is empty.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) series: BTreeMap<String, SeriesState>,
    /// The checksum of the text file that is written from the table.
    pub(crate) text: Option<String>,
    /// The mean duration of a request in the last run.
    pub(crate) latency: Option<Duration>,
    /// What a user should know until the user acknowledges it.
    #[serde(default)]
    pub(crate) marks: Marks,
    /// The values that later runs have replaced.
    #[serde(default)]
    pub(crate) revisions: KeptRevisions,
}

impl TableState {
    /// Replaces the facts of the rows in a range by those of a file's sections, and counts the revised rows. Rows that
    /// are no longer present need to be requested again.
    pub(crate) fn replace_row_facts(&mut self, range: &Range<Timestamp>, sections: &[Section]) {
        let known: Vec<_> =
            self.series.iter().map(|(path, series)| (path.clone(), series.row_facts.present.clone())).collect();
        self.series.values_mut().for_each(|series| series.row_facts.remove(range));
        let mut row_counts: BTreeMap<&str, u64> = BTreeMap::new();
        for Section { path, count, row_facts, changes, .. } in sections {
            let row_count = row_counts.entry(path).or_default();
            *row_count = row_count.saturating_add(*count as u64);
            let series = self.series.entry(path.clone()).or_insert_with(|| SeriesState::new(row_facts));
            series.row_facts.add_all(row_facts);
            let Some(changes) = changes else { continue };
            // The catalogue may have declared the key after the series was added.
            series.row_facts.key.clone_from(&row_facts.key);
            series.revised += changes.revised;
            series.revised_times.extend(&changes.revised_times);
            series.sent.extend(changes.sent());
            self.marks.note_found(path, &changes.found);
        }
        for (path, series) in &mut self.series {
            // The rows of a state without counts are counted when all files are written again.
            let is_new = series.row_facts.present.within(range) == series.row_facts.present;
            if is_new {
                series.counts.get_or_insert_default();
            }
            if let Some(counts) = &mut series.counts {
                counts.insert(range.start, row_counts.get(path.as_str()).copied().unwrap_or_default());
            }
        }
        for (path, known) in known {
            let Some(series) = self.series.get_mut(&path) else { continue };
            let present = series.row_facts.present_in_file(range);
            series.settled = series.settled.without(&known.without(&present));
        }
        self.marks.note_present(&self.series);
    }

    /// The retired series, for the metadata of a data file.
    pub(crate) fn retired(&self) -> RetiredSeries {
        let mut series = BTreeMap::new();
        for (path, state) in self.series.iter().filter(|(_, state)| state.retired.is_some()) {
            let row_facts = state.row_facts.emptied();
            series.insert(path.clone(), RetiredOne { since: state.retired, row_facts });
        }
        RetiredSeries { at: Some(Timestamp::now()), series }
    }

    /// Retires the series of a list.
    pub(crate) fn retire(&mut self, listed: RetiredSeries) {
        for (path, one) in listed.series {
            self.series.entry(path).or_insert_with(|| SeriesState::new(&one.row_facts)).retired = one.since;
        }
    }
}

#[cfg(test)]
mod tests {
    use runtime::Interval;
    use runtime::registry::Step;

    use super::*;
    use crate::marks::LostMark;
    use crate::row_facts::RowFacts;
    use crate::series_state::sample::{ranges, seconds, series};
    use crate::time_ranges::TimeRanges;

    #[test]
    fn rows_that_are_no_longer_in_a_file_are_not_settled() {
        let path = "e/site=B".to_owned();
        let mut state = TableState::default();
        state.series.insert(path.clone(), series());
        let row_facts = RowFacts { last: Some(seconds(0)), present: ranges(&[(0, 60)]), ..series().row_facts };
        let section = Section { path: path.clone(), row_facts, ..Section::default() };
        state.replace_row_facts(&(seconds(0)..seconds(120)), &[section]);
        let found = &state.series[&path];
        assert_eq!(
            (found.row_facts.present.clone(), found.settled.clone()),
            (ranges(&[(0, 60), (240, 360)]), ranges(&[(0, 60), (120, 200)]))
        );
        state.replace_row_facts(&(seconds(240)..seconds(400)), &[]);
        let found = &state.series[&path].row_facts;
        assert_eq!((found.extent(), found.gaps()), (Some(seconds(0)..seconds(0)), TimeRanges::default()));
    }

    /// The interval of a Friday ends on Monday, which can be in the file of the next year.
    #[test]
    fn an_interval_that_ends_in_the_file_of_the_next_year_is_no_gap() {
        let at = |day: &str| day.parse::<Timestamp>().unwrap();
        let days = |first: &str, last: &str, end: &str| {
            let row_facts = RowFacts {
                interval: Step::BusinessDays.into(),
                first: Some(at(first)),
                last: Some(at(last)),
                present: TimeRanges::from(at(first)..at(end)),
                ..RowFacts::default()
            };
            Section { path: "e".to_owned(), row_facts, ..Section::default() }
        };
        let mut state = TableState::default();
        let old_year = days("2021-12-30", "2021-12-31", "2022-01-03");
        state.replace_row_facts(&(at("2021-01-01")..at("2022-01-01")), &[old_year]);
        let new_year = days("2022-01-04", "2022-01-05", "2022-01-06");
        state.replace_row_facts(&(at("2022-01-01")..at("2023-01-01")), &[new_year]);
        let missing = TimeRanges::from(at("2022-01-03")..at("2022-01-04"));
        assert_eq!(state.series["e"].row_facts.gaps(), missing);
    }

    /// A section of a series without a regular step, with the times of its first and last row.
    fn irregular(first: i64, last: i64) -> Section {
        let row_facts = RowFacts {
            time: "at".to_owned(),
            interval: Interval::EVENTS,
            first: Some(seconds(first)),
            last: Some(seconds(last)),
            present: TimeRanges::from(seconds(first)..seconds(last) + Duration::from_micros(1)),
            ..RowFacts::default()
        };
        Section { path: "e".to_owned(), count: 2, row_facts, ..Section::default() }
    }

    #[test]
    fn other_sections_of_the_same_irregular_rows_stay_settled() {
        let file = seconds(0)..seconds(1000);
        let mut state = TableState::default();
        state.replace_row_facts(&file, &[irregular(10, 200), irregular(300, 700)]);
        let settled = ranges(&[(0, 900)]);
        state.series.get_mut("e").unwrap().settled = settled.clone();
        state.replace_row_facts(&file, &[irregular(10, 100), irregular(200, 700)]);
        assert_eq!(state.series["e"].settled, settled);
        assert_eq!(state.series["e"].row_facts.extent(), Some(seconds(10)..seconds(700)));

        // The last rows are gone.
        state.replace_row_facts(&file, &[irregular(10, 100)]);
        assert!(!state.series["e"].settled.uncovered(seconds(101)..seconds(700)).is_empty());
        assert_eq!((state.series["e"].row_count(), state.series["e"].row_facts.last), (2, Some(seconds(100))));
    }

    #[test]
    fn a_mark_of_irregular_rows_ends_when_they_were_fetched() {
        let file = seconds(0)..seconds(1000);
        let mut state = TableState::default();
        let rows = [("e".to_owned(), ranges(&[(300, 700)]))].into();
        state.marks.lost.push(LostMark { rows, is_listed: true, ..LostMark::default() });
        // Rows before and after the lost ones are in one section.
        state.replace_row_facts(&file, &[irregular(10, 900)]);
        assert_eq!(state.marks.lost.len(), 1);
        state.marks.note_fetched("e", &ranges(&[(300, 500)]));
        assert_eq!(state.marks.lost[0].rows["e"], ranges(&[(500, 700)]));
        state.marks.note_fetched("e", &ranges(&[(400, 800)]));
        assert!(state.marks.lost.is_empty());
    }
}
