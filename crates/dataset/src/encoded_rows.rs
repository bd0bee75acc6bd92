//! Copies rows of the journal that are encoded as in a data file.
//!
//! A long series fills row groups of its own. The journal already encodes them as a data file does, so that each row is
//! encoded once. They are copied if no other row of the series is merged with them.

use std::iter;

use crate::changes::SharedChanges;
use crate::column_storage::has_small_times;
use crate::columns::have_same_facts;
use crate::error::Failure;
use crate::journal::JournalSection;
use crate::series_writer::SeriesWriter;

impl SeriesWriter<'_, '_> {
    /// `true` if the new rows of a series only follow its existing rows, in their order, and some of them can be copied.
    pub(crate) fn can_append(&self, new: &[JournalSection<'_>]) -> bool {
        let Some(first) = new.first() else { return false };
        let rules = self.rules(first.section);
        if !rules.ranges.lost.is_empty() || !new.iter().any(|new| self.is_encoded(new)) {
            return false;
        }
        // The catalogue may have declared the key after some of the rows were written.
        let have_same_key = new.iter().all(|new| new.section.row_facts.key == first.section.row_facts.key);
        let last_existing = rules.ranges.existing.as_ref().map(|existing| existing.end);
        let is_after_existing = rules.is_after(first.section.row_facts.first, last_existing);
        let in_order = |pair: &[JournalSection<'_>]| pair[0].section.row_facts.last < pair[1].section.row_facts.first;
        have_same_key && is_after_existing && new.windows(2).all(in_order)
    }

    /// `true` if the rows of a section are encoded as the new file encodes them.
    fn is_encoded(&self, new: &JournalSection<'_>) -> bool {
        let JournalSection { input, section } = new;
        let Some(group) = input.groups().get(section.group) else { return false };
        section.encoded.is_some()
            && have_same_facts(self.columns, &input.schema())
            && has_small_times(group) == self.has_small_times
    }

    /// Writes the new rows of a series for which [`Self::can_append`] is true. Short sections are joined until they have
    /// enough rows for a row group, if necessary with rows that could be copied.
    pub(crate) fn append(&mut self, new: &[JournalSection<'_>]) -> Result<(), Failure> {
        let changes = SharedChanges::default();
        let mut joined = Vec::new();
        let mut count = 0;
        for section in new {
            if self.is_encoded(section) && (joined.is_empty() || self.file.is_large(count)) {
                self.write_joined(&joined, &changes)?;
                joined.clear();
                count = 0;
                self.copy_encoded(*section, &changes)?;
            } else {
                joined.push(*section);
                count += section.section.count;
            }
        }
        self.write_joined(&joined, &changes)?;
        self.note_changes(changes.take());
        Ok(())
    }

    fn copy_encoded(&mut self, new: JournalSection<'_>, changes: &SharedChanges) -> Result<(), Failure> {
        self.file.copy_group(new.input, std::slice::from_ref(new.section))?;
        if let Some(encoded) = &new.section.encoded {
            changes.borrow_mut().add_new(encoded);
        }
        Ok(())
    }

    /// Decodes and writes the rows of sections, in row groups of their own.
    fn write_joined(&mut self, joined: &[JournalSection<'_>], changes: &SharedChanges) -> Result<(), Failure> {
        let Some(first) = joined.first() else { return Ok(()) };
        self.merge(first.section, usize::MAX, Box::new(iter::empty()), joined, changes)
    }
}
