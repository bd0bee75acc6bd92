//! Reports named entries to which no other entry refers. In most cases a reference is missing or misspelt.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Diagnostics};

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
