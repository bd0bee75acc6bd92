//! Finds out whether the earlier values of rows are gone, because the folder of the state was not copied or was deleted.

use runtime::Timestamp;

use crate::error::quoted;
use crate::table::Table;
use crate::vanished_rows::FileRows;

impl Table {
    /// Whether the file with the earlier values is missing.
    fn lacks_revisions(&self) -> bool {
        self.state.revisions.has_file && !self.has_revisions
    }

    /// Returns the time from which on all values that were replaced are known; `None` if they always were.
    pub(crate) fn revisions_since(&self) -> Option<Timestamp> {
        let is_unknown = self.is_without_state() && !self.has_revisions;
        if is_unknown || self.lacks_revisions() { Some(Timestamp::now()) } else { self.state.revisions.since }
    }

    /// Describes the missing file with the earlier values.
    pub(crate) fn missing_revisions(&self) -> Option<String> {
        if !self.lacks_revisions() {
            return None;
        }
        let name = quoted(self.place.name(&self.place.revisions()));
        Some(format!("{name}: missing, with the earlier values of rows; put a copy back before the next run"))
    }

    /// Marks the earlier values as lost if their file is missing. Returns a message.
    pub(crate) fn note_missing_revisions(&mut self) -> Option<String> {
        let message = self.missing_revisions();
        if message.is_some() {
            let name = self.place.name(&self.place.revisions());
            self.state.revisions.since = Some(Timestamp::now());
            self.note_lost(&name, String::new(), FileRows::default(), false);
        }
        self.state.revisions.has_file = self.has_revisions;
        message
    }
}
