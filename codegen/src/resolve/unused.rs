//! Reports named entries to which no other entry refers. In most cases a reference is missing or misspelt.

use std::collections::{HashMap, HashSet};

use super::Resolver;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::load::Catalogue;

/// A record, identified by module and name. The module is `None` for `service.yaml`.
pub(super) type RecordKey<'a> = (Option<&'a str>, &'a str);

/// The entries to which at least one other entry refers.
#[derive(Default)]
pub(super) struct Used<'a> {
    pub(super) types: HashSet<&'a str>,
    /// For each record, the records to which it refers. The entry for the key `None` contains the records to which
    /// bodies and metadata refer.
    pub(super) records: HashMap<Option<RecordKey<'a>>, Vec<RecordKey<'a>>>,
    /// The record that is being resolved.
    pub(super) within: Option<RecordKey<'a>>,
    /// The indices of the shared params.
    pub(super) params: HashSet<usize>,
    /// The indices of the param sets.
    pub(super) sets: HashSet<usize>,
}

impl<'a> Used<'a> {
    /// Returns the records that bodies and metadata contain, directly or inside other records.
    fn contained_records(&self) -> HashSet<RecordKey<'a>> {
        let (mut contained, mut waiting) = (HashSet::new(), vec![None]);
        while let Some(user) = waiting.pop() {
            let records = self.records.get(&user).into_iter().flatten();
            waiting.extend(records.filter(|record| contained.insert(**record)).copied().map(Some));
        }
        contained
    }
}

impl<'a> Resolver<'a> {
    /// Reports repeated evidence and, unless the catalogue has no endpoint yet, unused entries.
    pub(super) fn superfluous(&self, catalogue: &'a Catalogue) -> Diagnostics {
        let mut unused = self.repeated.clone();
        if catalogue.groups.iter().all(|group| group.spec.endpoints.is_empty()) {
            return unused;
        }
        let service = self.service;
        let types = service.types.iter().map(|ty| &ty.name).filter(|name| !self.used.types.contains(name.as_str()));
        let groups = catalogue.groups.iter().map(|group| (Some(group.module()), &group.spec.records));
        let records = groups.chain([(None, &service.records)]);
        let records = records.flat_map(|(module, records)| records.iter().map(move |record| (module, &record.name)));
        let contained = self.used.contained_records();
        let records = records.filter(|(module, name)| !contained.contains(&(*module, name.as_str())));
        let params = service.params.iter().enumerate().filter(|(index, _)| !self.used.params.contains(index));
        let sets = service.param_sets.iter().enumerate().filter(|(index, _)| !self.used.sets.contains(index));
        let types = types.map(|name| ("type", name));
        let records = records.map(|(_, name)| ("record", name));
        let params = params.map(|(_, param)| ("shared param", param.id()));
        let sets = sets.map(|(_, set)| ("param set", &set.name));
        for (what, name) in types.chain(records).chain(params).chain(sets) {
            let message = format!("unused {what} `{name}`");
            let error = Diagnostic::new("unused", name.at(), message);
            unused.push(error.help("refer to it, or remove it"));
        }
        unused.sorted()
    }
}
