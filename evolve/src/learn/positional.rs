//! Converts positional records to objects: each index gets a name, which is either the name in the catalogue or a new
//! name.

use codegen::spec::Field;

use super::body_kind::BodyKind;
use super::draft::Reader;
use super::guess_type::{TIME, name_of_index};
use crate::editor::Refusal;
use crate::observed_values::Observed;

impl Reader<'_> {
    /// Converts the records of a body to objects with named fields.
    pub(super) fn by_names(&self, kind: BodyKind, seen: Observed) -> Result<Observed, Refusal> {
        if kind == BodyKind::Value {
            return Ok(seen);
        }
        let are_lists = seen.lists > 0;
        let Some(known) = self.known.as_ref().and_then(|known| self.editor.fields(&self.module, known)) else {
            return if are_lists { self.newly_named(kind, &seen) } else { Ok(seen) };
        };
        match (known.positional, are_lists) {
            (true, true) => Ok(named_as(known.fields, &seen)),
            (false, false) => Ok(seen),
            (known, _) => Err(Refusal::Message(format!(
                "the records are {}, but the catalogue declares {}; use another response, or set the body to `unknown` to \
                 learn it again",
                seen.describe(),
                if known { "lists (`positional`)" } else { "objects" }
            ))),
        }
    }

    /// Names the fields of positional records whose fields are unknown.
    fn newly_named(&self, kind: BodyKind, seen: &Observed) -> Result<Observed, Refusal> {
        if !seen.are_rows() {
            return Err(Refusal::Message(format!(
                "the records are {} of different lengths, so their items cannot be named; write `body: {{series: unknown}}`, \
                 and the client returns raw JSON",
                seen.describe()
            )));
        }
        let own = self.known.as_ref().and_then(|known| known.time.as_ref()).filter(|time| time.as_str() != "none");
        let shared = self.editor.service.envelope_time().filter(|_| kind == BodyKind::Series);
        let time = own.or(shared.map(|time| &time.name)).map_or(TIME, |time| time.as_str());
        Ok(seen.named(name_of_index(seen, time)))
    }
}

/// Converts lists to objects with these fields. Values after the last field get numbered names.
pub(super) fn named_as(listed: &[Field], seen: &Observed) -> Observed {
    seen.named(|index| listed.get(index).map_or_else(|| format!("value {}", index + 1), |field| field.name.to_string()))
}
