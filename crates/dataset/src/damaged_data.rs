//! The rows of a damaged data file: those that its table has known, and those that can be read again.

use std::collections::BTreeSet;

use crate::data_set_paths::JOURNAL;
use crate::error::Error;
use crate::parquet_input::ParquetInput;
use crate::section::Section;
use crate::table::Table;
use crate::vanished_rows::FileRows;

/// A damaged data file that the state of its table no longer lists.
pub(crate) struct DamagedData {
    /// The file, as far as it can be read.
    pub(crate) input: Option<ParquetInput>,
    /// The indices of its intact row groups, without those whose rows belong into another file.
    pub(crate) intact: BTreeSet<usize>,
    /// The rows that the state has listed.
    pub(crate) before: FileRows,
    /// Whether the state has listed the rows. One that was rebuilt does not list those of a damaged file.
    pub(crate) was_listed: bool,
    /// Whether it has rows that belong into another file.
    pub(crate) is_misplaced: bool,
}

impl DamagedData {
    /// The sections of the intact row groups.
    fn intact_sections(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        for section in self.input.iter().flat_map(|input| &input.state.sections) {
            if self.intact.contains(&section.group) {
                sections.push(section.clone());
            }
        }
        sections
    }
}

impl Table {
    /// Takes a damaged data file out of the state. Changes no file.
    pub(crate) async fn take_damaged(&mut self, path: &str) -> Result<DamagedData, Error> {
        let salvaged = ParquetInput::salvage(&self.place.storage, path, self.state.columns.as_ref()).await?;
        // A single file has the only state of its table.
        if self.stored.is_none()
            && let Some(table) = salvaged.as_ref().and_then(|(input, _)| input.state.table_of_file())
        {
            self.state = table;
        }
        let was_listed = self.place.is_single || self.state.files.contains_key(path);
        let before = self.file_rows(path);
        self.state.files.remove(path);
        self.state.text = None;
        if let Some((_, range)) = self.place.period_of(path) {
            self.state.replace_row_facts(&range, &[]);
        }
        let Some((input, readable)) = salvaged else {
            return Ok(DamagedData { input: None, intact: BTreeSet::new(), before, was_listed, is_misplaced: false });
        };
        let mut intact: BTreeSet<usize> = readable.into_iter().collect();
        let mut is_misplaced = false;
        for section in input.state.sections.iter().filter(|section| self.place.is_foreign(path, section)) {
            is_misplaced = true;
            intact.remove(&section.group);
        }
        Ok(DamagedData { input: Some(input), intact, before, was_listed, is_misplaced })
    }

    /// The rows that a file had before, and has no longer.
    pub(crate) fn lost_since(&self, path: &str, before: FileRows) -> FileRows {
        let after = self.file_rows(path);
        let mut lost = FileRows::default();
        for (series, present) in before.present {
            let left = match after.present.get(&series) {
                Some(left) => present.without(left),
                None => present,
            };
            lost.present.insert(series, left);
        }
        for (series, count) in before.counts {
            let left = after.counts.get(&series).copied().unwrap_or_default();
            lost.counts.insert(series, count.saturating_sub(left));
        }
        lost
    }

    /// Changes the state to that of the repaired table, so that a plan has the requests of the run that repairs it.
    /// Changes no file, and keeps the list of damaged files.
    pub(crate) async fn assume_repaired(&mut self) -> Result<(), Error> {
        let mut paths = Vec::new();
        for damage in &self.damaged {
            paths.push(damage.path.clone());
        }
        for path in paths {
            if path == self.place.state() {
                self.adopt();
            } else if !path.ends_with(JOURNAL) && path != self.place.revisions() {
                let damaged = self.take_damaged(&path).await?;
                if let Some((_, range)) = self.place.period_of(&path) {
                    self.state.replace_row_facts(&range, &damaged.intact_sections());
                }
                let lost = self.lost_since(&path, damaged.before);
                self.request_again(&lost.present);
            }
        }
        self.note_vanished();
        Ok(())
    }
}
