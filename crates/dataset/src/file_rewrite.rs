//! Writes the data file of a period again, with the new rows of the journal.
//!
//! Row groups whose rows do not change are copied without decoding them, except those after the first new row of their
//! series. All other rows are read once, in batches.

use std::cmp::Ordering;
use std::collections::{BTreeSet, btree_map};
use std::iter::Peekable;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::changes::SharedChanges;
use crate::column_storage::has_small_times;
use crate::columns::{converted, have_same_facts};
use crate::cursor::{Cursor, Rows};
use crate::error::{Error, Failure};
use crate::journal::{JournalSection, SectionsBySeries};
use crate::parquet_file::RowGroupSizes;
use crate::parquet_input::ParquetInput;
use crate::section::Section;
use crate::series_writer::SeriesWriter;

/// A data file that is written again, and what it is written from in addition to the existing file.
pub(crate) struct FileRewrite<'r, 'o> {
    pub(crate) writer: SeriesWriter<'r, 'o>,
    /// The series with new rows that are not written yet, in order.
    pub(crate) new_sections: Peekable<btree_map::Iter<'r, &'r str, Vec<JournalSection<'r>>>>,
    /// Series that are omitted.
    pub(crate) removed: &'r BTreeSet<String>,
}

/// The first rows of a file that is written again: of the existing file if there is one, or of the journal.
pub(crate) fn first_rows(
    old: Option<&ParquetInput>,
    new_sections: &SectionsBySeries<'_>,
    columns: &SchemaRef,
) -> Result<Option<RecordBatch>, Error> {
    if let Some(old) = old
        && let Some(rows) = old.rows(..)?.next()
    {
        return Ok(Some(converted(&rows?, columns)?));
    }
    let Some(first) = new_sections.values().flatten().next() else { return Ok(None) };
    first.rows(columns).next().transpose()
}

impl FileRewrite<'_, '_> {
    /// Writes all sections, in the order of their paths.
    pub(crate) fn write_sections(&mut self, old: Option<&ParquetInput>) -> Result<(), Failure> {
        let sections = old.map_or(&[][..], |old| &old.state.sections);
        let mut groups = sections.chunk_by(|one, next| one.group == next.group).peekable();
        while let (Some(old), Some(group)) = (old, groups.next()) {
            self.write_new_series_before(group.first())?;
            let is_continued = groups.peek().is_some_and(|next| is_rest(next, group));
            let is_stored_alike =
                have_same_facts(self.writer.columns, &old.schema()) && self.has_same_times(old, group);
            if is_stored_alike && !self.is_changed(group, is_continued) {
                self.writer.file.copy_group(old, group)?;
                continue;
            }
            let mut sections = group.to_vec();
            while let Some(rest) = groups.next_if(|next| is_rest(next, &sections)) {
                sections.extend_from_slice(rest);
            }
            self.merge_sections(old, &sections)?;
        }
        self.write_new_series_before(None)
    }

    /// `true` if the times of the row group with these sections are stored as in the new file.
    fn has_same_times(&self, old: &ParquetInput, sections: &[Section]) -> bool {
        let Some(first) = sections.first() else { return true };
        match old.groups().get(first.group) {
            Some(group) => has_small_times(group) == self.writer.has_small_times,
            None => true,
        }
    }

    /// `true` if the row group with these sections is decoded: if it has a new or a removed row, or if it is so
    /// small that its series share a row group with others. If it `is_continued`, the next row group has later rows of
    /// its last series.
    fn is_changed(&mut self, sections: &[Section], is_continued: bool) -> bool {
        let Some(last) = sections.last() else { return true };
        let mut count = 0;
        for section in sections {
            if self.removed.contains(&section.path) {
                return true;
            }
            count += section.count;
        }
        if !self.writer.file.is_large(count) {
            return true;
        }
        let Some((path, new)) = self.new_sections.peek().copied() else { return false };
        match (**path).cmp(&last.path) {
            Ordering::Less => true,
            // The new rows of a long series may all be after the rows of this row group.
            Ordering::Equal => {
                let rules = self.writer.rules(last);
                let mut firsts = new.iter().map(|new| new.section.row_facts.first);
                let are_later = firsts.all(|first| rules.is_after(first, last.row_facts.last));
                let is_kept = are_later && (is_continued || self.writer.can_append(new));
                !is_kept
            }
            Ordering::Greater => false,
        }
    }

    /// Writes sections, with their new rows. The sections of a long series are joined, and divided again.
    fn merge_sections(&mut self, old: &ParquetInput, sections: &[Section]) -> Result<(), Failure> {
        let (Some(first), Some(last)) = (sections.first(), sections.last()) else { return Ok(()) };
        let mut rows = Cursor::new(old.rows(first.group..=last.group)?)?;
        let columns = self.writer.columns;
        for of_series in sections.chunk_by(|one, next| one.path == next.path) {
            let Some(first) = of_series.first() else { continue };
            self.write_new_series_before(Some(first))?;
            let count = of_series.iter().map(|section| section.count).sum();
            let old = rows.part(count).map(|batch| converted(&batch?, columns));
            if self.removed.contains(&first.path) {
                for batch in old {
                    batch?;
                }
            } else {
                self.write_series(first, count, Box::new(old))?;
            }
        }
        Ok(())
    }

    /// Writes the new series that precede a section.
    fn write_new_series_before(&mut self, next: Option<&Section>) -> Result<(), Failure> {
        while let Some((path, new)) = self.new_sections.peek().copied()
            && let Some(first) = new.first()
            && next.is_none_or(|next| **path < *next.path)
        {
            if self.writer.can_append(new) {
                self.new_sections.next();
                self.writer.append(new)?;
            } else {
                self.write_series(first.section, 0, Box::new(std::iter::empty()))?;
            }
        }
        Ok(())
    }

    /// Writes the existing rows of the series of a section, and its new rows.
    fn write_series(&mut self, section: &Section, count: usize, old: Rows<'_>) -> Result<(), Failure> {
        let new_sections: &[JournalSection<'_>] = match self.new_sections.next_if(|(path, _)| **path == section.path) {
            Some((_, new_sections)) => new_sections,
            None => &[],
        };
        let changes = SharedChanges::default();
        let new_count: usize = new_sections.iter().map(|new| new.section.count).sum();
        self.writer.merge(section, count + new_count, old, new_sections, &changes)?;
        if !new_sections.is_empty() {
            self.writer.note_changes(changes.take());
        }
        Ok(())
    }
}

/// `true` if a row group of the new file has the rows of four series or more, as far as the rows of the old file and those
/// of the journal tell.
pub(crate) fn has_shared_row_groups(old: Option<&ParquetInput>, new_sections: &SectionsBySeries<'_>) -> bool {
    let mut series = BTreeSet::new();
    let mut rows = 0;
    if let Some(old) = old {
        for section in &old.state.sections {
            series.insert(section.path.as_str());
            rows += section.count;
        }
    }
    for (path, sections) in new_sections {
        series.insert(path);
        rows += sections.iter().map(|new| new.section.count).sum::<usize>();
    }
    series.len() >= 4 && rows / series.len() <= RowGroupSizes::DATA.shared / 4
}

/// `true` if a row group begins with the remaining rows of the last of these sections.
fn is_rest(group: &[Section], sections: &[Section]) -> bool {
    match (group.first(), sections.last()) {
        (Some(next), Some(last)) => next.path == last.path,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write;
    use std::sync::Arc;
    use std::time::Duration;

    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, TimestampMicrosecondType};
    use arrow_array::{Int64Array, RecordBatch, TimestampMicrosecondArray};
    use arrow_schema::{DataType, Field, Schema, TimeUnit};

    use super::*;
    use crate::changes::Changes;
    use crate::column_storage::{DataStorage, Purpose};
    use crate::file_state::FileState;
    use crate::journal;
    use crate::merge_rules::MergeRanges;
    use crate::parquet_file::ParquetFile;
    use crate::partial_intervals::LastTimes;
    use crate::revisions::RevisionLog;
    use crate::row_facts::RowFacts;
    use crate::timestamps::timestamp;

    /// A second in microseconds.
    const SECOND: i64 = 1_000_000;

    /// The values of series by time, in seconds. Intervals have a minute.
    type Model = BTreeMap<String, BTreeMap<i64, i64>>;

    fn schema() -> SchemaRef {
        let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        Arc::new(Schema::new(vec![Field::new("at", time, true), Field::new("n", DataType::Int64, true)]))
    }

    /// Writes a file with row groups of 100 rows.
    fn input(content: impl FnOnce(ParquetFile<'_>) -> ParquetFile<'_>) -> ParquetInput {
        let mut bytes = Vec::new();
        let sizes = RowGroupSizes { shared: 100, long: 100 };
        let file = ParquetFile::new(&mut bytes, schema(), sizes, Purpose::Data(DataStorage::default())).unwrap();
        content(file).finish(FileState::default()).unwrap();
        let mut source = tempfile::tempfile().unwrap();
        source.write_all(&bytes).unwrap();
        ParquetInput::open("x.parquet", "x.parquet".to_owned(), (source, String::new()), true, None).unwrap()
    }

    /// Writes a file of the journal. If it `has_encoded` rows, long sections can be copied.
    fn journal(new: &Model, has_encoded: bool) -> ParquetInput {
        input(|mut file| {
            for (path, rows) in new {
                let encoded = (has_encoded && rows.len() >= 100).then(Changes::default);
                let row_facts =
                    RowFacts { time: "at".to_owned(), interval: Duration::from_secs(60).into(), ..RowFacts::default() };
                let section = Section { path: path.clone(), row_facts, encoded, ..Section::default() };
                file.begin_section(section, rows.len()).unwrap();
                let times = TimestampMicrosecondArray::from_iter_values(rows.keys().map(|time| time * SECOND));
                let values = Arc::new(rows.values().copied().collect::<Int64Array>());
                let columns: Vec<arrow_array::ArrayRef> = vec![Arc::new(times.with_timezone("UTC")), values];
                let all = RecordBatch::try_new(schema(), columns).unwrap();
                for from in (0..rows.len()).step_by(100) {
                    file.write(&all.slice(from, 100.min(rows.len() - from))).unwrap();
                }
            }
            file
        })
    }

    /// Merges a journal with a data file, whose rows are known if an earlier run has written them. Returns the new file, and
    /// the changes of each series.
    fn merge_into(
        old: Option<&ParquetInput>,
        journal: &[ParquetInput],
        known: &Model,
        removed: &BTreeSet<String>,
    ) -> (ParquetInput, BTreeMap<String, Changes>) {
        let columns = schema();
        let periods = journal::by_period(journal, None, removed);
        let none = SectionsBySeries::new();
        let mut ranges = BTreeMap::new();
        for (path, rows) in known {
            let time = |second: &i64| timestamp(second * SECOND);
            let existing = rows.keys().next().map(time).zip(rows.keys().next_back().map(time));
            let existing = existing.map(|(first, last)| first..last);
            ranges.insert(path.clone(), MergeRanges { existing, ..MergeRanges::default() });
        }
        for section in journal::sections(journal) {
            if let Some((first, last)) = section.row_facts.first.zip(section.row_facts.last) {
                ranges.entry(section.path.clone()).or_default().fetched.add(first - Duration::from_secs(60)..last);
            }
        }
        let revisions = RevisionLog::default();
        let mut changes = BTreeMap::new();
        let merged = input(|file| {
            let writer = SeriesWriter {
                file,
                columns: &columns,
                ranges: &ranges,
                revisions: &revisions,
                has_small_times: false,
            };
            let new_sections = periods.values().next().unwrap_or(&none).iter().peekable();
            let mut new = FileRewrite { writer, new_sections, removed };
            new.write_sections(old).unwrap();
            assert!(new.new_sections.next().is_none());
            for section in &new.writer.file.sections {
                if let Some(found) = &section.changes {
                    assert_eq!(changes.insert(section.path.clone(), found.clone()), None);
                }
            }
            new.writer.file
        });
        (merged, changes)
    }

    /// Reads all rows, and compares them with the facts of their sections.
    fn read(input: &ParquetInput) -> Model {
        let (mut all, mut rows) = (Model::new(), Cursor::new(input.rows(..).unwrap()).unwrap());
        for section in &input.state.sections {
            let mut found = section.row_facts.emptied();
            let mut last_times = LastTimes::default();
            for batch in rows.part(section.count).map(Result::unwrap) {
                found.add(&batch, &schema(), &mut last_times).unwrap();
                let times = batch.column(0).as_primitive::<TimestampMicrosecondType>().values();
                let pairs = times.iter().zip(batch.column(1).as_primitive::<Int64Type>().values());
                for (time, value) in pairs.map(|(time, value)| (time / SECOND, *value)) {
                    let of_series = all.entry(section.path.clone()).or_default();
                    assert!(of_series.last_key_value().is_none_or(|(last, _)| *last < time), "{section:?}");
                    of_series.insert(time, value);
                }
            }
            assert_eq!(found, section.row_facts);
        }
        assert!(input.state.sections.is_sorted_by_key(|section| &section.path));
        all
    }

    #[test]
    fn files_have_all_rows_after_every_merge() {
        let mut dice = 1_u64;
        let mut next = move |below: i64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(dice >> 33).unwrap() % below
        };
        let mut kept = 0;
        let mut copied = 0;
        for _ in 0..40 {
            let mut old = None;
            let mut model = Model::new();
            for merge in 0..8 {
                let mut new = Model::new();
                for _ in 0..=next(3) {
                    let (path, from) = (format!("e/{}", next(6)), if next(2) == 0 { next(900) } else { merge * 110 });
                    let count = [1, 30, 250][usize::try_from(next(3)).unwrap()];
                    new.entry(path).or_default().extend((from..from + count).map(|minute| (minute * 60, next(1000))));
                }
                let removed: BTreeSet<_> = (next(8) == 0).then(|| "e/2".to_owned()).into_iter().collect();
                new.retain(|path, _| !removed.contains(path));
                let encoded = [journal(&new, true)];
                let (merged, changes) = merge_into(old.as_ref(), &encoded, &model, &removed);
                let (_, expected) = merge_into(old.as_ref(), &[journal(&new, false)], &model, &removed);
                assert_eq!(changes, expected);
                model.retain(|path, _| !removed.contains(path));
                for (path, rows) in new {
                    model.entry(path).or_default().extend(rows);
                }
                assert_eq!(read(&merged), model);
                merged.verify().unwrap();
                let before = old.map(|old: ParquetInput| old.state.checksums).unwrap_or_default();
                kept += merged.state.checksums.iter().filter(|sum| before.contains(sum)).count();
                copied += merged.state.checksums.iter().filter(|sum| encoded[0].state.checksums.contains(sum)).count();
                old = Some(merged);
            }
        }
        assert!(kept > 200, "{kept} row groups were kept");
        assert!(copied > 100, "{copied} row groups of the journal were copied");
    }

    /// Rows of one series, one a minute from a time on.
    fn minutes(from: i64, count: i64) -> Model {
        Model::from([("e".to_owned(), (0..count).map(|minute| (from + minute * 60, minute)).collect())])
    }

    #[test]
    fn a_row_of_the_journal_can_correct_the_time_of_the_last_existing_row() {
        let stored = minutes(0, 200);
        // A run that merges its journal twice does not know the rows of the first merge.
        for known in [stored.clone(), Model::new()] {
            for (from, added) in [(199 * 60 + 30, 199), (200 * 60, 200)] {
                let (old, _) = merge_into(None, &[journal(&stored, true)], &Model::new(), &BTreeSet::new());
                let new = [journal(&minutes(from, 200), true)];
                let (merged, changes) = merge_into(Some(&old), &new, &known, &BTreeSet::new());
                assert_eq!(changes["e"].added, added);
                assert_eq!(read(&merged)["e"].len(), 200 + usize::try_from(added).unwrap());
            }
        }
    }

    #[test]
    fn a_row_of_the_journal_can_correct_the_time_of_the_last_row_of_a_row_group() {
        let known = minutes(0, 250);
        let (old, _) = merge_into(None, &[journal(&known, true)], &Model::new(), &BTreeSet::new());
        let last = old.state.sections[0].row_facts.last.and_then(crate::timestamps::microseconds).unwrap();
        let corrected = [journal(&minutes(last / SECOND + 30, 1), false)];
        let (merged, changes) = merge_into(Some(&old), &corrected, &known, &BTreeSet::new());
        assert_eq!((changes["e"].revised, read(&merged)["e"].len()), (1, 250));
    }

    #[test]
    fn rows_that_were_written_before_the_catalogue_declared_a_key_have_it_after_the_merge() {
        let mut files = [journal(&minutes(0, 200), true), journal(&minutes(200 * 60, 200), true)];
        for section in &mut files[1].state.sections {
            section.row_facts.key = vec!["n".to_owned()];
        }
        let (merged, _) = merge_into(None, &files, &Model::new(), &BTreeSet::new());
        for section in &merged.state.sections {
            assert_eq!(section.row_facts.key, ["n"]);
        }
    }
}
