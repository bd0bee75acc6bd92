//! Edits that fill in what was unknown, each key where the format has it.

use super::Builder;
use super::compare::{Edit, Fill};
use crate::edit::Step;

impl Builder<'_> {
    /// Makes edits.
    pub(super) fn fill(&mut self, fills: Vec<Fill>) {
        for Fill { file, path, edit } in fills {
            match (edit, path.split_last()) {
                (Edit::Replace(value), _) => self.desk.replace(&file, &path, value),
                (Edit::Extend(items), Some((Step::Key(list), map))) => self.desk.extend(&file, map, list, items),
                (Edit::Insert(key, value), _) => self.desk.set(&file, &path, key, value),
                (Edit::Extend(_), _) => {}
            }
        }
    }
}
