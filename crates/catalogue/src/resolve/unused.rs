//! Reports named entries to which no other entry refers. In most cases a reference is missing or misspelt.

use std::collections::{HashMap, HashSet};

use super::Resolver;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A named entry: its kind, its module (`None` for `service.yaml`) and its name.
pub(super) type Entry<'a> = (&'static str, Option<&'a str>, &'a str);

/// The references between entries.
#[derive(Default)]
pub(super) struct Used<'a> {
    /// For each record, the entries to which it refers. The key `None` has the references of all other entries.
    references: HashMap<Option<Entry<'a>>, Vec<Entry<'a>>>,
    /// The record that is being resolved.
    pub(super) within: Option<Entry<'a>>,
}

impl<'a> Used<'a> {
    /// Adds a reference to an entry.
    pub(super) fn add(&mut self, what: &'static str, module: Option<&'a str>, name: &'a str) {
        self.references.entry(self.within).or_default().push((what, module, name));
    }

    /// Returns the entries to which other entries refer. A reference within an unused record does not count.
    fn all(&self) -> HashSet<Entry<'a>> {
        let (mut used, mut waiting) = (HashSet::new(), vec![None]);
        while let Some(user) = waiting.pop() {
            let entries = self.references.get(&user).into_iter().flatten();
            waiting.extend(entries.filter(|entry| used.insert(**entry)).copied().map(Some));
        }
        used
    }
}

impl Resolver<'_> {
    /// Reports unused entries, unless the catalogue has no endpoint yet.
    pub(super) fn unused(&self) -> Diagnostics {
        let (service, catalogue) = (self.service, self.catalogue);
        let mut unused = Diagnostics::default();
        if catalogue.groups.iter().all(|group| group.spec.endpoints.is_empty()) {
            return unused;
        }
        let types = service.types.iter().map(|ty| ("type", None, &ty.name));
        let records = service.records.iter().map(|record| ("record", None, &record.name));
        let of_groups = catalogue
            .groups
            .iter()
            .flat_map(|group| group.spec.records.iter().map(|record| ("record", Some(group.module()), &record.name)));
        let params = service.params.iter().map(|param| ("shared param", None, param.id()));
        let sets = service.param_sets.iter().map(|set| ("param set", None, &set.name));
        let used = self.used.all();
        for (what, module, name) in types.chain(records).chain(of_groups).chain(params).chain(sets) {
            if !used.contains(&(what, module, name.as_str())) {
                unused.push(Diagnostic::new("unused", name.at(), &[&what, name]));
            }
        }
        unused.sorted()
    }
}
