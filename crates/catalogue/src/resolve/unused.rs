//! Reports named entries to which no other entry refers. In most cases a reference is missing or misspelt.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::spanned::Text;

impl Resolver<'_> {
    /// Reports unused entries, unless the catalogue has no endpoint yet.
    pub(super) fn unused(&self) -> Diagnostics {
        let service = self.service;
        let groups = &self.catalogue.groups;
        let mut unused = Diagnostics::default();
        if groups.iter().all(|group| group.spec.endpoints.is_empty()) {
            return unused;
        }
        let mut entries: Vec<(&str, Option<&str>, &Text)> = Vec::new();
        for ty in &service.types {
            entries.push(("type", None, &ty.name));
        }
        for record in &service.records {
            entries.push(("record", None, &record.name));
        }
        for group in groups {
            for record in &group.spec.records {
                entries.push(("record", Some(group.module()), &record.name));
            }
        }
        for param in &service.params {
            entries.push(("shared param", None, param.id()));
        }
        for set in &service.param_sets {
            entries.push(("param set", None, &set.name));
        }
        let used = self.used.all();
        for (what, module, name) in entries {
            if !used.contains(&(what, module, name.as_str())) {
                unused.push(Diagnostic::new("unused", name.at(), &[&what, name]));
            }
        }
        unused.sorted()
    }
}
