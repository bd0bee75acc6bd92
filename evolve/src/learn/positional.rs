//! Converts positional records to objects: each index gets a name, which is either the name in the catalogue or a new
//! name.

use super::body_kind::BodyKind;
use super::draft::Reader;
use super::guess_type::{TIME, name_of_index};
use crate::editor::{Editor, Refusal};
use crate::observed_values::Observed;
use crate::yaml_tree::Tree;

impl Reader<'_> {
    /// Converts the records of a body to objects with named fields.
    pub(super) fn by_names(&self, kind: BodyKind, seen: Observed) -> Result<Observed, Refusal> {
        if kind == BodyKind::Value {
            return Ok(seen);
        }
        let known = &self.endpoint.tree(self.editor).get("body").cloned().unwrap_or(Tree::Null);
        let are_lists = seen.lists > 0;
        let Some((owner, listed)) = self.editor.fields(&self.file, known) else {
            return if are_lists { newly_named(self.editor, known, kind, &seen) } else { Ok(seen) };
        };
        match (is_positional(owner), are_lists) {
            (true, true) => Ok(named_as(listed, &seen)),
            (false, false) => Ok(seen),
            (known, _) => Err(Refusal::Message(format!(
                "the records are {}, but the catalogue declares {}; use another response, or set the body to `unknown` to \
                 learn it again",
                seen.describe(),
                if known { "lists (`positional`)" } else { "objects" }
            ))),
        }
    }

    /// Returns `true` if a record is positional.
    pub(super) fn is_list(&self, record: &str) -> bool {
        self.editor.record(&self.file, record).is_some_and(|at| is_positional(at.tree(self.editor)))
    }
}

/// Names the fields of positional records whose fields are unknown.
fn newly_named(editor: &Editor, known: &Tree, kind: BodyKind, seen: &Observed) -> Result<Observed, Refusal> {
    if !seen.are_rows() {
        return Err(Refusal::Message(format!(
            "the records are {} of different lengths, so their items cannot be named; leave the records `unknown`, and \
             the client returns raw JSON",
            seen.describe()
        )));
    }
    let own = known.text("time").filter(|time| *time != "none");
    let shared = editor.service.envelope_time().filter(|_| kind == BodyKind::Series);
    let time = own.or(shared.map(|time| time.name.as_str())).unwrap_or(TIME);
    Ok(seen.named(name_of_index(seen, editor.service.time_form().word(), time)))
}

/// Returns `true` if the catalogue declares a record, or a body with listed fields, as positional.
pub(super) fn is_positional(tree: &Tree) -> bool {
    tree.get("positional") == Some(&true.into())
}

/// Converts lists to objects with these fields. Values after the last field get numbered names.
pub(super) fn named_as(listed: &[Tree], seen: &Observed) -> Observed {
    let name = |index: usize| listed.get(index).and_then(|field| field.text("name")).map(str::to_owned);
    seen.named(|index| name(index).unwrap_or_else(|| format!("value {}", index + 1)))
}
