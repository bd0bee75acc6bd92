//! Types for unknown values, and records for nested objects.

use codegen::model::TimeUnit;
use codegen::names::{self, Case, Scope};
use codegen::type_expr::TypeExpr;

use super::fields::Topic;
use super::guess::{Guess, TIME, guess, name_of_place};
use super::rows::is_positional;
use crate::change::{Editor, Refusal};
use crate::keys::SERVICE;
use crate::naming::{self, NamesInUse, singular};
use crate::place::Place;
use crate::seen::Seen;
use crate::tree::Tree;

impl Topic<'_> {
    /// The type of unknown values, and their unit or format if it can be determined.
    pub(super) fn new_type(
        &self,
        editor: &mut Editor,
        name: &str,
        seen: &Seen,
    ) -> Result<(String, Option<&'static str>), Refusal> {
        if let Some(ty) = self.enum_of(editor, name, seen) {
            return Ok((ty, None));
        }
        let milliseconds = editor.checked.service.time.unit == Some(TimeUnit::Milliseconds);
        let ty = match guess(name, seen, milliseconds) {
            Guess::Builtin(ty) => {
                self.say_doubts(editor, name, ty, seen);
                ty.to_owned()
            }
            Guess::OtherMoment(unit) => {
                self.note(
                    editor,
                    format!("`{name}` looks like a timestamp in {unit}, which is not the service's unit"),
                );
                let ty = if TimeUnit::of(unit).is_some() { "timestamp" } else { "integer" };
                return Ok((ty.to_owned(), Some(unit)));
            }
            Guess::WrittenMoment(format) => {
                let is_default = editor.checked.service.time_form().word() == format;
                return Ok(("timestamp".to_owned(), Some(format).filter(|_| !is_default)));
            }
            Guess::List => return self.holding(editor, name, "list", seen.items.as_deref()),
            Guess::Map => {
                self.note(editor, format!("`{name}` has keys that are data, like `{}`", seen.fields.0[0].0));
                return self.holding(editor, name, "map", seen.under_keys.as_deref());
            }
            Guess::Rows => self.new_record(editor, name, &seen.named(name_of_place(seen, milliseconds, TIME)))?,
            Guess::Record => self.new_record(editor, name, seen)?,
        };
        Ok((ty, None))
    }

    /// Notes where a type is weaker than it could be, and why.
    pub(super) fn say_doubts(&self, editor: &mut Editor, name: &str, ty: &str, seen: &Seen) {
        let doubt = match ty {
            "any" if seen.values() == 0 => "was `null` wherever it came, so that it is `any` until it is corrected",
            "any" if seen.objects == seen.values() && seen.fields.0.is_empty() => {
                "was always an object without fields, so it is `any`"
            }
            "any" => {
                return self.note(editor, format!("`{name}` has {}, so that it is `any`", seen.words()));
            }
            "number" if seen.rounded > 0 => {
                "has whole numbers that are too large for an integer and lose digits as a number"
            }
            "string" if seen.are_numbers() => {
                "has texts that read as numbers; write `number` if they are some, as the client reads both"
            }
            "integer" | "number" if seen.text_times > 0 => "comes as a number and as text, and the client reads both",
            _ => return,
        };
        self.note(editor, format!("`{name}` {doubt}"));
    }

    /// The type of lists or maps, from their items.
    fn holding(
        &self,
        editor: &mut Editor,
        name: &str,
        holder: &str,
        held: Option<&Seen>,
    ) -> Result<(String, Option<&'static str>), Refusal> {
        let (inner, unit) = match held {
            Some(held) if held.times == 0 => {
                self.note(editor, format!("`{name}` was always empty, so its items are `any`"));
                ("any".to_owned(), None)
            }
            Some(held) => {
                let (ty, unit) = self.new_type(editor, name, held)?;
                (if held.nulls > 0 && ty != "any" { format!("{ty}?") } else { ty }, unit)
            }
            None => ("any".to_owned(), None),
        };
        let whole = format!("{holder}<{inner}>");
        if TypeExpr::parse(&whole).is_some() {
            return Ok((whole, unit));
        }
        self.note(editor, format!("`{name}` has lists within lists, more than the catalogue has words for"));
        Ok(("any".to_owned(), None))
    }

    /// Notes where fields with one record each may be entries by key, as of coins or venues.
    pub(super) fn doubt_keys(&self, editor: &mut Editor, what: &str, seen: &Seen, fields: &[Tree]) {
        let are_objects = fields.len() > 1 && seen.fields.0.iter().all(|(_, field)| field.objects > 0);
        let first = fields.first().and_then(|field| field.text("type")).filter(|ty| *ty != "any");
        if are_objects && first.is_some() && fields.iter().all(|field| field.text("type") == first) {
            let keys: Vec<_> = seen.fields.0.iter().take(2).map(|(key, _)| format!("`{key}`")).collect();
            let (keys, record) = (keys.join(" and "), first.unwrap_or_default());
            self.note(
                editor,
                format!("{what} has one record under all of its keys; it is a `map<{record}>` if {keys} are data"),
            );
        }
    }

    /// A record for nested objects: a known one with the same fields, or a new one.
    fn new_record(&self, editor: &mut Editor, name: &str, seen: &Seen) -> Result<String, Refusal> {
        let fields = self.list(editor, seen, None)?;
        self.doubt_keys(editor, &format!("`{name}`"), seen, &fields);
        let service = editor.tree(SERVICE);
        let group = editor.tree(&self.file);
        let is_same = |record: &&Tree| {
            is_positional(record) == seen.by_place && signature(record.entries("fields")) == signature(&fields)
        };
        let known = group.entries("records").iter().chain(service.entries("records")).find(is_same);
        if let Some(known) = known.and_then(|record| record.text("name")).map(str::to_owned) {
            // The known record may list a field as always there that is absent here.
            self.merge_record(editor, &known, seen)?;
            return Ok(known);
        }
        let mut taken = naming::root_types(service);
        if self.file == SERVICE {
            taken = all_types(editor);
        } else {
            naming::group_types(self.file.trim_end_matches(".yaml"), group, &mut taken);
        }
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
            .with_some("positional", seen.by_place.then_some(true))
            .with("fields", fields);
        editor.extend(&Place::file(&self.file).key("records"), vec![record]);
        let what = if seen.by_place { "lists" } else { "objects" };
        self.note(editor, format!("the {what} under `{name}` become the record `{ident}`"));
        Ok(ident)
    }
}

/// The types of the client and of all its groups.
pub(super) fn all_types(editor: &Editor) -> NamesInUse {
    let mut taken = naming::root_types(editor.tree(SERVICE));
    for (module, _) in editor.modules() {
        naming::group_types(&module, editor.tree(&format!("{module}.yaml")), &mut taken);
    }
    taken
}

/// Names and types of fields, by which records are compared.
fn signature(fields: &[Tree]) -> Vec<(Option<&str>, Option<&str>)> {
    fields.iter().map(|field| (field.text("name"), field.text("type"))).collect()
}
