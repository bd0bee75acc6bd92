//! Bodies as the catalogue writes them: the fields or the record of a series or an object, and where the time is.

use codegen::model::TimeUnit;

use super::Finisher;
use crate::import::body::{DraftBody, DraftReply};
use crate::import::numbered_types::{TIMESTAMP, record_name};
use crate::tree::Tree;

impl Finisher {
    /// A body as the catalogue writes it.
    pub(super) fn body(&self, reply: &DraftReply, inherited: &str) -> Tree {
        let evidence = reply.evidence.as_str();
        let own = (evidence != inherited).then_some(evidence);
        match &reply.body {
            DraftBody::Unknown => "unknown".into(),
            DraftBody::Value(ty) => Tree::map().with_some("evidence", own).with("type", ty.as_str()),
            DraftBody::Series(None, time) => {
                let time =
                    time.as_deref().filter(|time| Some(*time) != self.envelope_time.as_deref() && *time == "none");
                let body = Tree::map().with("series", "unknown").with_some("time", time);
                let form = Some(reply.time_form.clone()).filter(|_| time.is_none());
                body.or(form.unwrap_or_else(Tree::map)).with("evidence", evidence)
            }
            DraftBody::Object(record) => {
                let fields = self.record_or_fields(*record, evidence, None);
                let positional = self.is_listed_by_place(*record).then_some(true);
                Tree::map().with_some("evidence", own).with_some("positional", positional).with("object", fields)
            }
            DraftBody::Series(Some(record), time) => {
                let time = self.time(*record, time.as_deref());
                let is_shared = time.is_none();
                let positional = self.is_listed_by_place(*record);
                let shared = self.envelope_time.as_deref().filter(|_| is_shared && !positional);
                let fields = self.record_or_fields(*record, evidence, shared);
                let body = Tree::map().with_some("evidence", own).with_some("time", time);
                let body = body.or(shared.map_or_else(Tree::map, |time| self.form_of_time(*record, time)));
                body.with_some("positional", positional.then_some(true)).with("series", fields)
            }
        }
    }

    /// The unit or format of the envelope's time in a record that is listed with its endpoint.
    fn form_of_time(&self, record: usize, time: &str) -> Tree {
        let field = self.draft.records[record].field(time).filter(|_| self.inline.contains(&record));
        let said = |key: &str| field.and_then(|field| field.text(key));
        let unit = said("unit").filter(|unit| TimeUnit::of(unit).is_some());
        Tree::map().with_some("unit", unit).with_some("format", said("format"))
    }

    /// Whether a record's fields are listed with its endpoint, by their places.
    fn is_listed_by_place(&self, record: usize) -> bool {
        self.inline.contains(&record) && self.draft.records[record].is_positional()
    }

    fn record_or_fields(&self, record: usize, evidence: &str, but: Option<&str>) -> Tree {
        if self.inline.contains(&record) {
            return self.listed(record, evidence, but).into();
        }
        record_name(record).into()
    }

    /// The time of a series, if it is not the envelope's.
    fn time(&self, record: usize, said: Option<&str>) -> Option<String> {
        let is_inline = self.inline.contains(&record);
        let record = &self.draft.records[record];
        let is_moment = |field: &&Tree| field.text("type") == Some(TIMESTAMP);
        let has_moment = |name: &str| record.field(name).as_ref().is_some_and(is_moment);
        let shared = self.envelope_time.as_deref();
        if let Some(shared) = shared.filter(|shared| record.field(shared).is_some())
            && said.is_none_or(|said| said == shared)
        {
            return (!is_inline && !has_moment(shared)).then(|| "none".to_owned());
        }
        if let Some(said) = said {
            let none = shared.map(|_| "none");
            return if has_moment(said) { Some(said) } else { none }.map(str::to_owned);
        }
        let moments: Vec<&Tree> = record.named.tree.entries("fields").iter().filter(is_moment).collect();
        match (moments.as_slice(), shared) {
            ([one], _) => one.text("name").map(str::to_owned),
            (_, Some(_)) => Some("none".to_owned()),
            _ => None,
        }
    }
}
