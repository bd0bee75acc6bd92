//! Rust names for endpoints, types and records.

use super::Builder;
use crate::naming::{claim_endpoint, claim_type};

impl Builder<'_> {
    /// The `ident` that each endpoint needs, if its name does not make one.
    pub(super) fn endpoint_idents(&mut self) -> Vec<Option<String>> {
        let endpoints = self.plan.endpoints.iter().map(|endpoint| {
            let taken = self.groups.entry(endpoint.group.clone()).or_default();
            claim_endpoint(&endpoint.name, endpoint.said.ident.as_deref(), taken, &self.root)
        });
        endpoints.collect()
    }

    /// A name that is free at the root, where it would be in the way of every group.
    fn claim_root(&mut self, name: &str, owner: &str) -> String {
        let mut all = self.root.clone();
        self.groups.values().for_each(|taken| all.add(taken));
        let ident = claim_type(&mut all, name, owner);
        self.root.note(ident.as_str());
        ident
    }

    pub(super) fn name_types(&mut self) {
        for index in (0..self.types.len()).filter(|index| self.types[*index].is_some()).collect::<Vec<_>>() {
            let planned = &self.plan.types[index];
            let (name, owner) = (planned.name.clone(), planned.owner.clone());
            let ident = self.claim_root(&name, &owner);
            self.owners.insert(ident.clone(), owner);
            self.types[index] = Some(ident);
        }
    }

    /// Names for the records that need one.
    pub(super) fn name_records(&mut self) {
        for index in 0..self.plan.records.len() {
            let record = &self.plan.records[index];
            let (name, owner) = (record.name.clone(), record.owner.clone());
            let named =
                (self.used.contains(&index) && !self.plan.is_inline(index)).then(|| match self.group_of(index) {
                    None => self.claim_root(&name, &owner),
                    Some(group) => {
                        let mut all = self.root.clone();
                        let own = self.groups.entry(group).or_default();
                        all.add(own);
                        let ident = claim_type(&mut all, &name, &owner);
                        own.note(ident.as_str());
                        ident
                    }
                });
            self.owners.extend(named.clone().map(|ident| (ident, owner)));
            self.records.push(named);
        }
    }
}
