//! Rust names for endpoints, types and records that are new: free beside what is there and what the runtime has.

use super::{Builder, TypeName};
use crate::evolve::import::plan::PlannedEndpoint;
use crate::evolve::naming::{Taken, numbered};
use crate::names::{self, Case, Scope};

impl Builder<'_> {
    pub(super) fn claim_endpoint(&mut self, endpoint: &PlannedEndpoint) -> Option<String> {
        let derived = names::ident(&endpoint.name, Case::Snake).unwrap_or_default();
        let taken = self.groups.entry(endpoint.group.clone()).or_default();
        let numbered = numbered(&derived, Case::Snake);
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

    /// Types have the names that they have already, by their places, or by name and a value that both have.
    pub(super) fn name_types(&mut self) {
        for index in 0..self.plan.types.len() {
            let planned = &self.plan.types[index];
            let types = &self.desk.checked.service.types;
            let position = |name: &str| types.iter().position(|ty| ty.name == name);
            let is_wanted = self.met.wanted_types.contains_key(&index);
            let ident = names::ident(&planned.name, Case::Pascal).unwrap_or_default();
            let by_name = || {
                let known = position(&ident).filter(|known| planned.can_be(&types[*known]));
                known.filter(|_| is_wanted)
            };
            let met = self.met.types.get(&index).map(|(name, _)| name.clone());
            let known = met.as_deref().and_then(position);
            let name = match (met, known.or_else(by_name)) {
                (Some(name), known) => TypeName { name, known, is_new: false },
                (None, Some(known)) => TypeName { name: ident, known: Some(known), is_new: false },
                (None, None) if is_wanted => {
                    let name = self.claim_root(&planned.name.clone(), &planned.owner.clone());
                    TypeName { name, known: None, is_new: true }
                }
                (None, None) => TypeName { name: ident, known: None, is_new: false },
            };
            if let (Some(_), None, Some(label)) =
                (name.known, self.met.types.get(&index), self.met.wanted_types.get(&index))
            {
                self.met.types.insert(index, (name.name.clone(), label.clone()));
            }
            self.types.push(name);
        }
    }

    /// Records have the names that they have already, or new ones where they are to be written and need one.
    pub(super) fn name_records(&mut self) {
        for index in 0..self.plan.records.len() {
            let record = &self.plan.records[index];
            let (name, owner) = (record.name.clone(), record.owner.clone());
            let named = match self.met.wanted_records.get(&index) {
                Some(Some(at)) => at.record(&self.desk.checked).map(|record| record.name.to_string()),
                Some(None) if self.plan.is_inline(index) => None,
                Some(None) => Some(match self.group_of(index) {
                    None => self.claim_root(&name, &owner),
                    Some(group) => {
                        let mut all = self.root.clone();
                        let own = self.groups.entry(group).or_default();
                        all.add(own);
                        let ident = claim(&mut all, &name, &owner);
                        own.note(ident.as_str());
                        ident
                    }
                }),
                None => None,
            };
            self.records.push(named);
        }
    }
}

/// A type's name: its own, with its owner's before it where that is taken, or with a number.
fn claim(taken: &mut Taken, name: &str, owner: &str) -> String {
    let longer = format!("{owner} {name}");
    let is_taken = names::ident(name, Case::Pascal).is_ok_and(|ident| taken.has(&ident));
    taken.claim(if is_taken && owner != name { &longer } else { name }, Case::Pascal, Scope::Types)
}
