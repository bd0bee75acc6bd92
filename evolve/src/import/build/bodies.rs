//! Bodies as the catalogue writes them: the fields or the record of a series or an object, and where the time is.

use codegen::model::TimeUnit;

use super::Builder;
use super::entries::record_name;
use crate::import::plan::{PlannedBody, PlannedEndpoint, PlannedField, Ty};
use crate::tree::Tree;

impl Builder<'_> {
    /// A body as the catalogue writes it.
    pub(super) fn body(&self, endpoint: &PlannedEndpoint, inherited: &str) -> Tree {
        let evidence = endpoint.body_evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let own = (evidence != inherited).then_some(evidence.as_str());
        match &endpoint.body {
            PlannedBody::Unknown => "unknown".into(),
            PlannedBody::Value(ty) => Tree::map().with_some("evidence", own).with("type", self.ty(ty)),
            PlannedBody::Series(None, time) => {
                let time = time.clone().filter(|time| Some(time) != self.envelope_time.as_ref() && time == "none");
                let unit = endpoint.time_unit.clone().filter(|_| time.is_none());
                let format = endpoint.time_format.clone().filter(|_| time.is_none());
                let body = Tree::map().with("series", "unknown").with_some("time", time).with_some("unit", unit);
                body.with_some("format", format).with("evidence", evidence)
            }
            PlannedBody::Object(record) => {
                let fields = self.record_or_fields(*record, &evidence, None);
                let positional = self.is_listed_by_place(*record).then_some(true);
                Tree::map().with_some("evidence", own).with_some("positional", positional).with("object", fields)
            }
            PlannedBody::Series(Some(record), time) => {
                let time = self.time(*record, time.as_deref());
                let is_shared = time.is_none();
                let positional = self.is_listed_by_place(*record);
                let skip = self.envelope_time.as_deref().filter(|_| is_shared && !positional);
                let unit = skip.and_then(|shared| self.unit_of_time(*record, shared));
                let format = skip.and_then(|shared| self.format_of_time(*record, shared));
                let fields = self.record_or_fields(*record, &evidence, skip);
                let body = Tree::map().with_some("evidence", own).with_some("time", time).with_some("unit", unit);
                let positional = positional.then_some(true);
                body.with_some("format", format).with_some("positional", positional).with("series", fields)
            }
        }
    }

    /// What is said of the time that all series have, which none of them repeats.
    pub(super) fn said_time(&self, endpoint: &PlannedEndpoint) -> Option<Tree> {
        let PlannedBody::Series(Some(record), _) = endpoint.body else { return None };
        let mut fields = self.fields(&self.plan.records[record].fields, "", None).into_iter();
        fields.find(|field| field.text("name") == self.envelope_time.as_deref())
    }

    /// The unit that the envelope's time is said to have in a record that is listed with its endpoint.
    fn unit_of_time(&self, record: usize, time: &str) -> Option<String> {
        let mut fields = self.plan.records[record].fields.iter();
        let unit = fields.find(|field| field.name == time)?.said.unit.clone()?;
        (self.inline.contains(&record) && TimeUnit::of(&unit).is_some()).then_some(unit)
    }

    /// The same of its format.
    fn format_of_time(&self, record: usize, time: &str) -> Option<String> {
        let mut fields = self.plan.records[record].fields.iter().filter(|_| self.inline.contains(&record));
        fields.find(|field| field.name == time)?.said.format.clone()
    }

    /// Whether a record's fields are listed with its endpoint, by their places.
    fn is_listed_by_place(&self, record: usize) -> bool {
        self.inline.contains(&record) && self.plan.records[record].positional
    }

    fn record_or_fields(&self, record: usize, evidence: &str, skip: Option<&str>) -> Tree {
        if self.inline.contains(&record) {
            return Tree::List(self.fields(&self.plan.records[record].fields, evidence, skip));
        }
        record_name(record).into()
    }

    /// The time of a series, where it is not that of the envelope.
    fn time(&self, record: usize, said: Option<&str>) -> Option<String> {
        let fields = &self.plan.records[record].fields;
        let is_moment = |field: &&PlannedField| field.ty == Ty::Builtin("timestamp");
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        let is_inline = self.inline.contains(&record);
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
