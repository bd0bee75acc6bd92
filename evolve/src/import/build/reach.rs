//! Which bodies and groups have a record: that decides where it is written, and whether it needs a name.

use super::{Builder, Slot};

impl Builder<'_> {
    /// Counts the bodies that have each record, and the groups of these.
    pub(super) fn count_uses(&mut self, slots: &[Slot]) {
        for metadata in self.plan.metadata.clone() {
            self.share(metadata);
        }
        for index in 0..self.plan.endpoints.len() {
            let endpoint = &self.plan.endpoints[index];
            let record = endpoint.body.record();
            // One that is there already stands where it stands, whatever the description calls its group.
            let group = match slots.get(index) {
                Some(Slot::Known(group, _)) => self.desk.checked.groups[*group].0.clone(),
                _ => endpoint.group.clone(),
            };
            if let Some(record) = record {
                self.plan.records[record].uses += 1;
                self.reach(record, &group);
            }
        }
    }

    /// The records in what all replies have beside their data.
    fn share(&mut self, record: usize) {
        let inner: Vec<_> = self.plan.records[record].fields.iter().filter_map(|field| field.ty.record()).collect();
        for record in inner {
            if !std::mem::replace(&mut self.plan.records[record].is_shared, true) {
                self.share(record);
            }
        }
    }

    fn reach(&mut self, record: usize, group: &str) {
        if !self.plan.records[record].groups.insert(group.to_owned()) {
            return;
        }
        let inner: Vec<_> = self.plan.records[record].fields.iter().filter_map(|field| field.ty.record()).collect();
        for record in inner {
            self.reach(record, group);
        }
    }

    /// The one group that has a record; none if several do.
    pub(super) fn group_of(&self, record: usize) -> Option<String> {
        let record = &self.plan.records[record];
        record.groups.first().filter(|_| record.groups.len() == 1 && !record.is_shared).cloned()
    }
}
