//! Bodies as the catalogue writes them: the fields or the record of a series or an object, and where the time is.

use super::Builder;
use crate::evolve::import::plan::{PlannedBody, PlannedEndpoint, PlannedField, Ty};
use crate::evolve::tree::Tree;
use crate::time_unit::TimeUnit;

impl Builder<'_> {
    /// A body as the catalogue writes it.
    pub(super) fn body(&self, endpoint: &PlannedEndpoint, inherited: &str) -> Tree {
        let evidence = endpoint.body_evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let own = (evidence != inherited).then_some(evidence.as_str());
        match &endpoint.body {
            PlannedBody::Unknown => "unknown".into(),
            PlannedBody::Series(None, time) => {
                let time = time.clone().filter(|time| Some(time) != self.envelope_time.as_ref() && time == "none");
                let unit = endpoint.time_unit.clone().filter(|_| time.is_none());
                let body = Tree::map().with("series", "unknown").with_some("time", time).with_some("unit", unit);
                body.with("evidence", evidence)
            }
            PlannedBody::Object(record) => {
                let fields = self.record_or_fields(*record, &evidence, None);
                Tree::map().with_some("evidence", own).with("object", fields)
            }
            PlannedBody::Series(Some(record), time) => {
                let time = self.time(*record, time.as_deref());
                let is_shared = time.is_none();
                let skip = self.envelope_time.as_deref().filter(|_| is_shared);
                let unit = skip.and_then(|shared| self.unit_of_time(*record, shared));
                let fields = self.record_or_fields(*record, &evidence, skip);
                let body = Tree::map().with_some("evidence", own).with_some("time", time).with_some("unit", unit);
                body.with("series", fields)
            }
        }
    }

    /// The unit that the envelope's time is said to have in a record that is listed with its endpoint.
    fn unit_of_time(&self, record: usize, time: &str) -> Option<String> {
        let mut fields = self.plan.records[record].fields.iter();
        let unit = fields.find(|field| field.name == time)?.said.unit.clone()?;
        (self.records[record].is_none() && TimeUnit::by_word(&unit).is_some()).then_some(unit)
    }

    fn record_or_fields(&self, record: usize, evidence: &str, skip: Option<&str>) -> Tree {
        match &self.records[record] {
            Some(name) => name.as_str().into(),
            None => Tree::List(self.fields(&self.plan.records[record].fields, evidence, skip)),
        }
    }

    /// The time of a series, where it is not that of the envelope.
    fn time(&self, record: usize, said: Option<&str>) -> Option<String> {
        let fields = &self.plan.records[record].fields;
        let is_moment = |field: &&PlannedField| field.ty == Ty::Builtin("timestamp");
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        let is_inline = self.records[record].is_none();
        let shared = self.envelope_time.as_deref();
        if shared.is_some_and(|shared| said.is_none_or(|said| said == shared) && has(shared)) {
            let is_time = fields.iter().any(|field| Some(field.name.as_str()) == shared && is_moment(&field));
            return (!is_inline && !is_time).then(|| "none".to_owned());
        }
        if let Some(said) = said {
            let is_field = fields.iter().any(|field| field.name == said && is_moment(&field));
            return if is_field || shared.is_some() {
                Some(if is_field { said } else { "none" }.to_owned())
            } else {
                None
            };
        }
        let moments: Vec<&PlannedField> = fields.iter().filter(is_moment).collect();
        match (moments.as_slice(), shared) {
            ([one], _) => Some(one.name.clone()),
            (_, Some(_)) => Some("none".to_owned()),
            _ => None,
        }
    }
}
