//! Records that are lists: each index gets its name from the catalogue or a new one; then they are handled as objects.

use codegen::model::TimeUnit;

use super::fields::Topic;
use super::guess::{TIME, name_of_place};
use super::kind::BodyKind;
use crate::change::{Editor, Refusal};
use crate::seen::Seen;
use crate::tree::Tree;

impl Topic<'_> {
    /// The records of a body, by the names of their fields.
    pub(super) fn by_names(&self, editor: &Editor, index: usize, kind: BodyKind, seen: Seen) -> Result<Seen, Refusal> {
        let known = &editor.body(self.place(index).tree(editor)).unwrap_or(Tree::Null);
        let are_lists = seen.lists > 0;
        let (listed, is_positional) = match known.get(kind.key()) {
            _ if kind == BodyKind::Value => return Ok(seen),
            Some(Tree::List(fields)) => (fields.as_slice(), is_positional(known)),
            Some(Tree::Text(name)) if name != "unknown" => {
                let Some(record) = editor.record(&self.file, name) else { return Ok(seen) };
                let record = record.tree(editor);
                (record.entries("fields"), is_positional(record))
            }
            _ if !are_lists => return Ok(seen),
            _ => return named_anew(editor, known, kind, &seen),
        };
        match (is_positional, are_lists) {
            (true, true) => Ok(named_as(listed, &seen)),
            (false, false) => Ok(seen),
            (known, _) => Err(Refusal::Message(format!(
                "its records are {}, and the catalogue says {}; give another reply, or make the body `unknown` to learn \
                 it anew",
                seen.words(),
                if known { "lists, by `positional`" } else { "objects" }
            ))),
        }
    }

    /// Whether a record is written as a list.
    pub(super) fn is_placed(&self, editor: &Editor, record: &str) -> bool {
        editor.record(&self.file, record).is_some_and(|at| is_positional(at.tree(editor)))
    }
}

/// Names for the fields of records that were not known to be lists.
fn named_anew(editor: &Editor, known: &Tree, kind: BodyKind, seen: &Seen) -> Result<Seen, Refusal> {
    if !seen.are_rows() {
        return Err(Refusal::Message(format!(
            "its records are {} and not all of one length, so that no place has a meaning; leave them `unknown`, and \
             the client hands them over as they are",
            seen.words()
        )));
    }
    let own = known.text("time").filter(|time| *time != "none");
    let shared = editor.checked.service.envelope_time().filter(|_| kind == BodyKind::Series);
    let time = own.or(shared.map(|time| time.name.as_str())).unwrap_or(TIME);
    let milliseconds = editor.checked.service.time.unit == Some(TimeUnit::Milliseconds);
    Ok(seen.named(name_of_place(seen, milliseconds, time)))
}

/// Whether a record, or a body with listed fields, states that it is written as a list.
pub(super) fn is_positional(tree: &Tree) -> bool {
    tree.get("positional") == Some(&true.into())
}

/// Converts lists to objects by field names; values after the last name are named by number.
pub(super) fn named_as(listed: &[Tree], seen: &Seen) -> Seen {
    let name = |place: usize| listed.get(place).and_then(|field| field.text("name")).map(str::to_owned);
    seen.named(|place| name(place).unwrap_or_else(|| format!("value {}", place + 1)))
}
