//! What the catalogue has and the description has not, which may be gone from the service.
//!
//! It stays, as descriptions leave things out; but whoever imports the next version of one is to learn of it.

use super::Comparison;
use crate::import::build::Slot;
use crate::import::build::known::{self, FieldsAt};
use crate::import::plan::PlannedEndpoint;

const ABSENT: &str = "not in the description";

impl Comparison<'_> {
    /// Endpoints, their params, and fields.
    pub(super) fn absent(&mut self, slots: &[Slot]) {
        let groups = self.checked.groups.iter().enumerate();
        let endpoints = groups.flat_map(|(group, (_, spec))| {
            spec.endpoints.iter().enumerate().map(move |(index, endpoint)| (group, index, endpoint))
        });
        // Without a path there is nothing that a description could have.
        for (group, index, endpoint) in endpoints.filter(|(.., endpoint)| endpoint.path.known().is_some()) {
            let is_it = |slot: &Slot| matches!(slot, Slot::Known(of, at) if (*of, *at) == (group, index));
            if !slots.iter().any(is_it) {
                self.facts.differ(&known::label(endpoint), "", ABSENT.to_owned());
            }
        }
        for (said, slot) in self.plan.endpoints.iter().zip(slots) {
            if let Slot::Known(group, index) = slot {
                self.absent_params(*group, *index, said);
            }
        }
        let places = &self.met.fields;
        for (place, (_, at)) in places.iter().enumerate() {
            if !places[..place].iter().any(|(_, met)| met == at) {
                self.absent_fields(at);
            }
        }
    }

    fn absent_params(&mut self, group: usize, index: usize, said: &PlannedEndpoint) {
        let (checked, met) = (self.checked, self.met);
        if said.params.is_none() {
            return;
        }
        let of = known::label(&checked.groups[group].1.endpoints[index]);
        for (at, _) in known::params(checked, group, index).into_iter().flatten() {
            let mut all = met.params.iter().filter(|met| met.at == at).flat_map(|met| &met.users);
            let is_met = all.any(|user| user.endpoint == Some((group, index)));
            // One that could not be taken over is there all the same.
            let Some(param) = at.param(checked).filter(|param| !is_met && !said.told.contains(&param.name)) else {
                continue;
            };
            self.facts.differ(&format!("`{}`", param.name), &of, ABSENT.to_owned());
        }
    }

    /// Several records of the description can stand at one place, each with a part of the fields.
    fn absent_fields(&mut self, at: &FieldsAt) {
        let (checked, plan, met) = (self.checked, self.plan, self.met);
        let Some(list) = at.list(checked) else { return };
        let time = checked.service.envelope.as_ref().and_then(|envelope| envelope.time.as_ref());
        for field in list.fields.iter().filter(|field| time.is_none_or(|time| time.name != field.name)) {
            let mut records = met.fields.iter().filter(|(_, there)| there == at);
            let has = |record: usize| plan.records[record].fields.iter().any(|said| said.name == field.name);
            if !records.any(|(record, _)| has(*record)) {
                self.facts.differ(&format!("`{}`", field.name), &list.label, ABSENT.to_owned());
            }
        }
    }
}
