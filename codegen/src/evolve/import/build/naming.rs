//! Rust names for endpoints, types and records that are new: free beside what is there and what the runtime has.

use super::{Builder, SERVICE, merge};
use crate::evolve::import::plan::{PlannedBody, PlannedEndpoint};
use crate::evolve::naming::{Taken, entries};
use crate::evolve::tree::Tree;
use crate::names::{self, Case, Scope};

impl Builder<'_> {
    pub(super) fn claim_endpoint(&mut self, endpoint: &PlannedEndpoint) -> Option<String> {
        let derived = names::ident(&endpoint.name, Case::Snake).unwrap_or_default();
        let taken = self.groups.entry(endpoint.group.clone()).or_default();
        let numbered = (2..).map(|number| format!("{derived}_{number}"));
        let mut candidates = endpoint.said.ident.iter().chain([&derived]).cloned().chain(numbered);
        let is_free = |ident: &String| {
            let ty = names::ident(ident, Case::Pascal).unwrap_or_default();
            let types = [names::record(&ty), ty.clone()];
            !names::is_taken(Scope::Endpoints, ident)
                && names::is_ident(ident, Case::Snake)
                && types.iter().all(|ty| !taken.has(ty) && !self.root.has(ty) && !names::is_taken(Scope::Types, ty))
        };
        let ident = candidates.find(is_free).unwrap_or_default();
        let ty = names::ident(&ident, Case::Pascal).unwrap_or_default();
        taken.note(names::record(&ty));
        taken.note(ty);
        (ident != derived).then_some(ident)
    }

    /// Whether a name is free at the root, where it would be in the way of every group.
    fn claim_root(&mut self, name: &str, owner: &str) -> String {
        let mut all = self.root.clone();
        for taken in self.groups.values() {
            all.add(taken);
        }
        let ident = claim(&mut all, name, owner);
        self.root.note(ident.as_str());
        ident
    }

    pub(super) fn name_types(&mut self) {
        let service = self.desk.service_tree();
        for index in 0..self.plan.types.len() {
            let name = names::ident(&self.plan.types[index].name, Case::Pascal).unwrap_or_default();
            let is_same = |ty: &Tree| ty.get("name").and_then(Tree::as_text) == Some(&name);
            let known = entries(&service, "types").iter().position(is_same);
            let is_taken = self.types.iter().any(|(taken, _)| *taken == name);
            let entry = match known {
                Some(_) if !is_taken => (name, known),
                _ => {
                    (self.claim_root(&self.plan.types[index].name.clone(), &self.plan.types[index].owner.clone()), None)
                }
            };
            self.types.push(entry);
        }
    }

    pub(super) fn name_records(&mut self) {
        let bodies: Vec<usize> = self
            .plan
            .endpoints
            .iter()
            .filter_map(|endpoint| match endpoint.body {
                PlannedBody::Series(record, _) => record,
                PlannedBody::Object(record) => Some(record),
                PlannedBody::Unknown => None,
            })
            .collect();
        for index in 0..self.plan.records.len() {
            let record = &self.plan.records[index];
            let is_inline = record.uses == 1 && bodies.contains(&index) && !record.is_shared;
            let is_metadata = self.plan.metadata == Some(index);
            let is_unused = is_metadata || (record.groups.is_empty() && !record.is_shared);
            let (name, owner) = (record.name.clone(), record.owner.clone());
            let group = self.group_of(index);
            let ident = names::ident(&name, Case::Pascal).unwrap_or_default();
            let file = group.as_ref().map_or_else(|| SERVICE.to_owned(), |group| format!("{group}.yaml"));
            let is_free = !self.records.iter().any(|taken| taken.as_ref() == Some(&ident));
            if !is_inline && !is_unused && is_free && self.is_known(index, &file, &ident) {
                self.known.push((index, file));
                self.records.push(Some(ident));
                continue;
            }
            let named = match (is_inline || is_unused, group) {
                (true, _) => None,
                (false, None) => Some(self.claim_root(&name, &owner)),
                (false, Some(group)) => {
                    let mut all = self.root.clone();
                    let own = self.groups.entry(group.clone()).or_default();
                    all.add(own);
                    let ident = claim(&mut all, &name, &owner);
                    own.note(ident.as_str());
                    Some(ident)
                }
            };
            self.records.push(named);
        }
    }

    /// Whether the catalogue has a record of this name and kind.
    fn is_known(&mut self, index: usize, file: &str, name: &str) -> bool {
        let Some((.., listed, _)) = merge::named_record(self.desk, file, name) else { return false };
        let names: Vec<&str> = listed.iter().filter_map(|field| field.get("name")?.as_text()).collect();
        self.plan.records[index].fields.iter().any(|field| names.contains(&field.name.as_str()))
    }
}

/// A type's name: its own, with its owner's before it where that is taken, or with a number.
fn claim(taken: &mut Taken, name: &str, owner: &str) -> String {
    let longer = format!("{owner} {name}");
    let is_taken = names::ident(name, Case::Pascal).is_ok_and(|ident| taken.has(&ident));
    taken.claim(if is_taken && owner != name { &longer } else { name }, Case::Pascal, Scope::Types)
}
