//! Bodies in the format of the catalogue: the fields or record of a series or an object, and the time field.

use super::Finisher;
use crate::numbered_types::{TIMESTAMP, record_in, record_name};
use crate::yaml_tree::Tree;

impl Finisher {
    /// A body in the format of the catalogue, with the fields of a record that only this body has.
    pub(super) fn body(&self, body: &Tree) -> Tree {
        let Some((kind, record)) = record_of(body).filter(|(kind, _)| *kind != "type") else { return body.clone() };
        let positional = self.is_listed_by_position(record);
        let (mut shared, mut new) = (None, Tree::map());
        if kind == "series" {
            let time = self.time(record);
            shared = self.envelope_time.as_deref().filter(|_| time.is_none() && !positional);
            new = new.with_some("time", time).or(shared.map_or_else(Tree::map, |time| self.form_of_time(record, time)));
        }
        new.with_some("positional", positional.then_some(true)).with(kind, self.record_or_fields(record, shared))
    }

    /// The format of the envelope's time in a record whose fields are listed in the body.
    fn form_of_time(&self, record: usize, time: &str) -> Tree {
        let field = self.draft.records[record].field(time).filter(|_| self.inline.contains(&record));
        Tree::map().with_some("format", field.and_then(|field| field.text("format")))
    }

    /// Returns whether a record's fields are listed by position in the body.
    fn is_listed_by_position(&self, record: usize) -> bool {
        self.inline.contains(&record) && self.draft.records[record].is_positional()
    }

    fn record_or_fields(&self, record: usize, but: Option<&str>) -> Tree {
        if self.inline.contains(&record) {
            return self.listed(record, but).into();
        }
        record_name(record).into()
    }

    /// The time field of a series, if it is not the envelope's.
    fn time(&self, record: usize) -> Option<String> {
        let is_inline = self.inline.contains(&record);
        let record = &self.draft.records[record];
        let is_moment = |field: &&Tree| field.text("type") == Some(TIMESTAMP);
        let has_moment = |name: &str| record.field(name).as_ref().is_some_and(is_moment);
        let shared = self.envelope_time.as_deref();
        if let Some(shared) = shared.filter(|shared| record.field(shared).is_some()) {
            return (!is_inline && !has_moment(shared)).then(|| "none".to_owned());
        }
        let moments: Vec<&Tree> = record.named.tree.entries("fields").iter().filter(is_moment).collect();
        match (moments.as_slice(), shared) {
            ([one], _) => one.text("name").map(str::to_owned),
            (_, Some(_)) => Some("none".to_owned()),
            _ => None,
        }
    }
}

/// The kind of a body, and the record of its entries or of the entire body.
pub(super) fn record_of(body: &Tree) -> Option<(&'static str, usize)> {
    ["series", "object", "type"].into_iter().find_map(|kind| Some((kind, record_in(body.text(kind)?)?)))
}
