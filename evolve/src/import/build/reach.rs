//! What endpoints have of types and records: that decides what is written, where, and whether it needs a name.

use super::Builder;
use crate::import::plan::Ty;

impl Builder<'_> {
    /// Counts the bodies that have each record, and the groups of these.
    pub(super) fn reach(&mut self) {
        self.types = vec![None; self.plan.types.len()];
        for metadata in self.plan.metadata.clone() {
            self.share(metadata);
        }
        for index in 0..self.plan.endpoints.len() {
            let endpoint = &self.plan.endpoints[index];
            let group = endpoint.group.clone();
            let params = endpoint.params.iter().flatten().map(|taken| self.plan.param(taken).ty.clone());
            let (params, record) = (params.collect::<Vec<_>>(), endpoint.body.record());
            params.iter().for_each(|ty| self.use_type(ty));
            if let Some(record) = record {
                self.plan.records[record].uses += 1;
                self.reach_record(record, &group);
            }
        }
    }

    /// The records in what all replies have beside their data.
    fn share(&mut self, record: usize) {
        for ty in self.field_types(record) {
            self.use_type(&ty);
            if let Some(record) = ty.record()
                && self.used.insert(record)
            {
                self.plan.records[record].is_shared = true;
                self.share(record);
            }
        }
    }

    fn reach_record(&mut self, record: usize, group: &str) {
        self.used.insert(record);
        if !self.plan.records[record].groups.insert(group.to_owned()) {
            return;
        }
        for ty in self.field_types(record) {
            self.use_type(&ty);
            if let Some(record) = ty.record() {
                self.reach_record(record, group);
            }
        }
    }

    fn field_types(&self, record: usize) -> Vec<Ty> {
        self.plan.records[record].fields.iter().map(|field| field.ty.clone()).collect()
    }

    fn use_type(&mut self, ty: &Ty) {
        match ty {
            Ty::Named(index) => self.types[*index] = Some(String::new()),
            Ty::List(item) => self.use_type(item),
            Ty::Builtin(_) | Ty::Record(_) => {}
        }
    }

    /// The one group that has a record; none if several do.
    pub(super) fn group_of(&self, record: usize) -> Option<String> {
        let record = &self.plan.records[record];
        record.groups.first().filter(|_| record.groups.len() == 1 && !record.is_shared).cloned()
    }
}
