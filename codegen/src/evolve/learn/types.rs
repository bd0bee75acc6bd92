//! Types for values nobody knew: what the values show, and records for objects within records.

use super::fields::{SERVICE, Topic};
use super::guess::{Guess, guess};
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::naming::{self, entries, singular};
use crate::evolve::seen::Seen;
use crate::evolve::tree::Tree;
use crate::format;
use crate::names::{self, Case, Scope};
use crate::spec::TimeUnit;
use crate::type_expr::TypeExpr;

impl Topic<'_> {
    /// The type of values nobody knew, and their unit if that can be told.
    pub(super) fn new_type(
        &self,
        desk: &mut Desk,
        name: &str,
        seen: &Seen,
    ) -> Result<(String, Option<&'static str>), Refusal> {
        if let Some(wanted) = self.enum_for(name)
            && seen.kinds() == 1
            && !seen.texts.is_empty()
        {
            return Ok((self.enumerate(desk, &wanted, seen)?, None));
        }
        let milliseconds = desk.checked.service.time.unit == TimeUnit::Milliseconds;
        let ty = match guess(name, seen, milliseconds) {
            Guess::Builtin(ty) => ty.to_owned(),
            Guess::OtherMoment(unit) => {
                desk.say(format!(
                    "{}: `{name}` looks like a moment in {unit}, which is not the service's unit",
                    self.endpoint
                ));
                return Ok(("integer".to_owned(), Some(unit)));
            }
            Guess::WrittenMoment => {
                desk.say(format!("{}: `{name}` is a moment written as text, which stays text", self.endpoint));
                "string".to_owned()
            }
            Guess::List => self.list_type(desk, name, seen)?,
            Guess::Record => self.new_record(desk, name, seen)?,
        };
        Ok((ty, None))
    }

    fn list_type(&self, desk: &mut Desk, name: &str, seen: &Seen) -> Result<String, Refusal> {
        let inner = match &seen.items {
            // An item that can be null has no type of its own to be.
            Some(items) if items.nulls == 0 => self.new_type(desk, &singular(name), items)?.0,
            _ => "any".to_owned(),
        };
        let list = format!("list<{inner}>");
        Ok(if TypeExpr::parse(&list).is_some() { list } else { "any".to_owned() })
    }

    /// A record for objects within a record: one that is there already if it has the same fields.
    fn new_record(&self, desk: &mut Desk, name: &str, seen: &Seen) -> Result<String, Refusal> {
        let fields = self.list(desk, seen, None)?;
        let service = desk.tree(SERVICE)?;
        let group = desk.tree(&self.file)?;
        let is_same = |record: &&Tree| signature(entries(record, "fields")) == signature(&fields);
        let known = entries(&group, "records").iter().chain(entries(&service, "records")).find(is_same);
        if let Some(known) = known.and_then(|record| record.get("name")?.as_text()) {
            return Ok(known.to_owned());
        }
        let mut taken = naming::root_types(&service);
        naming::group_types(self.file.trim_end_matches(".yaml"), &group, &mut taken);
        let own = singular(name);
        let wanted = match names::ident(&own, Case::Pascal) {
            Ok(ident) if !taken.has(&ident) => own,
            _ => format!("{} {own}", self.endpoint.rsplit('.').next().unwrap_or_default()),
        };
        let ident = taken.claim(&wanted, Case::Pascal, Scope::Types);
        let record = Tree::map()
            .with("name", ident.as_str())
            .with("summary", "unknown")
            .with("evidence", self.learning.evidence.as_str())
            .with("fields", fields);
        desk.extend_top(&self.file, &format::GROUP, "records", vec![record])?;
        desk.say(format!("{}: the objects under `{name}` become the record `{ident}`", self.endpoint));
        Ok(ident)
    }
}

/// Names and types, by which two records are the same.
fn signature(fields: &[Tree]) -> Vec<(Option<&str>, Option<&str>)> {
    fields
        .iter()
        .map(|field| (field.get("name").and_then(Tree::as_text), field.get("type").and_then(Tree::as_text)))
        .collect()
}
