//! The entries to which other entries refer.

use std::collections::{HashMap, HashSet};

/// A named entry: its kind, its module (`None` for `service.yaml`) and its name.
pub(super) type Entry<'a> = (&'static str, Option<&'a str>, &'a str);

/// The references between entries.
#[derive(Default)]
pub(super) struct UsedEntries<'a> {
    /// For each record, the entries to which it refers. The key `None` has the references of all other entries.
    references: HashMap<Option<Entry<'a>>, Vec<Entry<'a>>>,
    /// The record that is being resolved.
    pub(super) within: Option<Entry<'a>>,
}

impl<'a> UsedEntries<'a> {
    /// Adds a reference to an entry.
    pub(super) fn add(&mut self, what: &'static str, module: Option<&'a str>, name: &'a str) {
        self.references.entry(self.within).or_default().push((what, module, name));
    }

    /// The entries to which other entries refer. A reference within an unused record does not count.
    pub(super) fn all(&self) -> HashSet<Entry<'a>> {
        let mut used = HashSet::new();
        let mut waiting = vec![None];
        while let Some(user) = waiting.pop() {
            for entry in self.references.get(&user).into_iter().flatten() {
                if used.insert(*entry) {
                    waiting.push(Some(*entry));
                }
            }
        }
        used
    }
}
