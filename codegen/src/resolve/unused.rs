//! Reports named entries that no other entry refers to. In most cases a reference is missing or misspelt.

use std::collections::HashSet;

use super::Resolver;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::load::Catalogue;

/// The entries to which at least one other entry refers.
#[derive(Default)]
pub(super) struct Used<'a> {
    pub(super) types: HashSet<&'a str>,
    /// Records, as module and name; the module is `None` for `service.yaml`.
    pub(super) records: HashSet<(Option<&'a str>, &'a str)>,
    /// Shared params, as indices.
    pub(super) params: HashSet<usize>,
}

impl<'a> Resolver<'a> {
    /// Reports unused entries, unless the catalogue has no endpoint yet.
    pub(super) fn unused(&self, catalogue: &'a Catalogue) -> Diagnostics {
        let mut unused = Diagnostics::default();
        if catalogue.groups.iter().all(|group| group.spec.endpoints.is_empty()) {
            return unused;
        }
        let service = self.service;
        let types = service.types.iter().map(|ty| &ty.name).filter(|name| !self.used.types.contains(name.as_str()));
        let groups = catalogue.groups.iter().map(|group| (Some(group.module()), &group.spec.records));
        let records = groups.chain([(None, &service.records)]);
        let records = records.flat_map(|(module, records)| records.iter().map(move |record| (module, &record.name)));
        let records = records.filter(|(module, name)| !self.used.records.contains(&(*module, name.as_str())));
        let params = service.params.iter().enumerate().filter(|(index, _)| !self.used.params.contains(index));
        let types = types.map(|name| ("type", name));
        let records = records.map(|(_, name)| ("record", name));
        for (what, name) in types.chain(records).chain(params.map(|(_, param)| ("shared param", param.id()))) {
            let message = format!("unused {what} `{name}`");
            let error = Diagnostic::new("unused", name.at(), message);
            unused.push(error.help("refer to it, or remove it"));
        }
        unused.sorted()
    }
}
