//! Adapts the state of a table to its data files, which a user may have removed, replaced or added since the last run.

use std::collections::BTreeSet;
use std::ops::Range;

use runtime::Timestamp;

use crate::damage::Damage;
use crate::error::Error;
use crate::file_state::FileState;
use crate::journal;
use crate::place::FoundFiles;
use crate::retired_series::RetiredSeries;
use crate::table::Table;
use crate::vanished_rows::{FileRows, VanishedRows};

impl Table {
    /// Adapts the state to the data files, which may have been replaced or removed.
    pub(crate) async fn adapt_to_files(&mut self) -> Result<(), Error> {
        let FoundFiles { data: found, strays } = self.place.files().await?;
        self.strays = strays;
        let listed: Vec<_> = self.state.files.keys().cloned().collect();
        for path in listed.into_iter().filter(|path| !found.contains_key(path)) {
            let vanished = VanishedRows::of_missing(self.file_rows(&path), &self.state);
            self.state.files.remove(&path);
            if let Some((_, range)) = self.place.period_of(&path) {
                self.state.replace_row_facts(&range, &[]);
            }
            self.state.text = None;
            self.vanished.insert(path, vanished);
        }
        let mut retired = RetiredSeries::default();
        for (path, version) in found {
            let Some((partition, range)) = self.place.period_of(&path) else { continue };
            if self.state.files.is_empty() && self.stored.is_none() {
                self.state.partition = partition;
            }
            if partition != self.state.partition {
                // Without a state, nothing shows which of both is the partition of the data set.
                if self.stored.is_none() {
                    return Err(Error::invalid_input(self.place.not_a_part(&path)));
                }
                self.strays.push(path);
                continue;
            }
            if self.state.files.get(&path) == Some(&version) {
                continue;
            }
            let Some(input) = self.open_file(&path).await? else { continue };
            if let Some(foreign) = input.state.sections.iter().find(|section| self.place.is_foreign(&path, section)) {
                let why = format!("it has the place of another file, and rows of {}", foreign.path);
                self.damaged.push(Damage { name: input.name.clone(), path, why });
                continue;
            }
            let schema = input.schema();
            let mut file = input.state;
            if let Some(listed) = file.retired.take().filter(|_| self.stored.is_none()) {
                retired = retired.max_by_time(listed);
            }
            self.replace_file(&path, &range, file);
            self.state.columns = Some(schema);
            self.state.files.insert(path, version);
        }
        self.state.retire(retired);
        if self.stored.is_none() && self.place.is_single && !self.state.files.is_empty() {
            self.stored = Some(self.state.clone());
        }
        Ok(())
    }

    /// Adapts the state to a data file that it does not list, or lists with another version.
    fn replace_file(&mut self, path: &str, range: &Range<Timestamp>, file: FileState) {
        // The file of a table with one file also has the state, so that the file can be moved.
        let table = file.table_of_file();
        let is_foreign = !self.state.source_label.is_empty() && self.state.source_label != file.source_label;
        match table {
            Some(table) if self.stored.is_none() || is_foreign => {
                self.state = table;
            }
            table => {
                let before = self.file_rows(path);
                // The file may have the rows of other series than the one before.
                if let Some(table) = table {
                    for (path, series) in table.series {
                        self.state.series.entry(path).or_insert(series);
                    }
                }
                self.state.replace_row_facts(range, &file.sections);
                self.state.text = None;
                self.note_replaced(path, before);
            }
        }
        if self.state.source_label.is_empty() {
            self.state.source_label = file.source_label;
        }
    }

    /// The rows of a file, as far as the state knows them.
    pub(crate) fn file_rows(&self, path: &str) -> FileRows {
        let mut rows = FileRows::default();
        let Some((_, range)) = self.place.period_of(path) else { return rows };
        for (series, state) in &self.state.series {
            rows.present.insert(series.clone(), state.row_facts.present.within(&range));
            if !state.row_facts.interval.has_steps()
                && let Some(counts) = &state.counts
            {
                rows.counts.insert(series.clone(), counts.get(&range.start).copied().unwrap_or_default());
            }
        }
        rows
    }

    /// Notes the rows that a file had before it was replaced, and has no longer. A merge that was interrupted may have
    /// replaced rows by those of the journal.
    fn note_replaced(&mut self, path: &str, mut before: FileRows) {
        let mut merged: BTreeSet<&str> = BTreeSet::new();
        for section in journal::sections(&self.journal) {
            merged.insert(section.path.as_str());
            if let Some(rows) = before.present.get_mut(&section.path) {
                *rows = rows.without(&section.fetched);
            }
        }
        let after = self.file_rows(path);
        let name = self.place.name(path);
        for (series, count) in &after.counts {
            // Rows of the journal are no copy of lost rows.
            if merged.contains(series.as_str()) {
                continue;
            }
            let known = before.counts.get(series).copied().unwrap_or_default();
            self.state.marks.note_brought_back(&name, series, count.saturating_sub(known));
        }
        if let Some(vanished) = VanishedRows::of_replaced(before, &after, &self.state) {
            self.vanished.insert(path.to_owned(), vanished);
        }
    }
}
