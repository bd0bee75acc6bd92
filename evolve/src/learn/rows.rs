//! Records that are lists: each place gets the name from the catalogue, or a new one; then they are handled as objects.

use codegen::model::TimeUnit;

use super::fields::Topic;
use super::guess::{TIME, name_of_place};
use super::kind::BodyKind;
use crate::change::{Desk, Refusal};
use crate::seen::Seen;
use crate::tree::Tree;

impl Topic<'_> {
    /// The records of a body, by the names of their fields.
    pub(super) fn by_names(&self, desk: &Desk, index: usize, kind: BodyKind, seen: Seen) -> Result<Seen, Refusal> {
        let known = &desk.body(self.place(index).tree(desk)).unwrap_or(Tree::Null);
        let are_lists = seen.lists > 0;
        let (listed, is_positional) = match known.get(kind.key()) {
            _ if kind == BodyKind::Value => return Ok(seen),
            Some(Tree::List(fields)) => (fields.as_slice(), is_positional(known)),
            Some(Tree::Text(name)) if name != "unknown" => {
                let Some(record) = desk.record(&self.file, name) else { return Ok(seen) };
                let record = record.tree(desk);
                (record.entries("fields"), is_positional(record))
            }
            _ if !are_lists => return Ok(seen),
            _ => return named_anew(desk, known, kind, &seen),
        };
        match (is_positional, are_lists) {
            (true, true) => Ok(named_as(listed, &seen)),
            (false, false) => Ok(seen),
            (known, _) => Err(Refusal::Said(format!(
                "its records are {}, and the catalogue says {}; give another reply, or make the body `unknown` to learn \
                 it anew",
                seen.words(),
                if known { "lists, by `positional`" } else { "objects" }
            ))),
        }
    }

    /// Whether a record is written as a list.
    pub(super) fn is_placed(&self, desk: &Desk, record: &str) -> bool {
        desk.record(&self.file, record).is_some_and(|at| is_positional(at.tree(desk)))
    }
}

/// Names for the places of records that were not known to be lists.
fn named_anew(desk: &Desk, known: &Tree, kind: BodyKind, seen: &Seen) -> Result<Seen, Refusal> {
    if !seen.are_rows() {
        return Err(Refusal::Said(format!(
            "its records are {} and not all of one length, so that no place has a meaning; leave them `unknown`, and \
             the client hands them over as they are",
            seen.words()
        )));
    }
    let own = known.text("time").filter(|time| *time != "none");
    let shared = desk.checked.service.envelope_time().filter(|_| kind == BodyKind::Series);
    let time = own.or(shared.map(|time| time.name.as_str())).unwrap_or(TIME);
    let milliseconds = desk.checked.service.time.unit == Some(TimeUnit::Milliseconds);
    Ok(seen.named(name_of_place(seen, milliseconds, time)))
}

/// Whether a record, or a body with listed fields, states that it is written as a list.
pub(super) fn is_positional(tree: &Tree) -> bool {
    tree.get("positional") == Some(&true.into())
}

/// Lists by the names of their places; places after the last name are named by numbers.
pub(super) fn named_as(listed: &[Tree], seen: &Seen) -> Seen {
    let name = |place: usize| listed.get(place).and_then(|field| field.text("name")).map(str::to_owned);
    seen.named(|place| name(place).unwrap_or_else(|| format!("value {}", place + 1)))
}
