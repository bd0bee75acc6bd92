//! The metadata around the records of every series.

use serde_yaml::Value;

use super::Reader;
use crate::numbered_types::{innermost, record_in};

impl<'d> Reader<'d> {
    /// The metadata next to the records of a body.
    pub(super) fn metadata(&mut self, schema: &'d Value, place: &str) {
        let ty = self.value(schema, "Metadata", place).ty;
        if let Some(record) = record_in(&ty).filter(|_| innermost(&ty) == ty)
            && !self.draft.metadata.contains(&record)
        {
            self.draft.metadata.push(record);
        }
    }
}
