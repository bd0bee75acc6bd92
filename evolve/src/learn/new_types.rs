//! Chooses types for values whose type is unknown.

use codegen::model::TimeForm;
use codegen::spec::Field;
use codegen::type_expr::TypeExpr;

use super::draft::Reader;
use super::guess_type::{Guess, TIME, guess, name_of_index};
use crate::draft_types::{ANY, TIMESTAMP, or_null};
use crate::observed_values::Observed;

impl Reader<'_> {
    /// Returns the type for new values, and the unit or format of timestamps if it differs from the default.
    pub(super) fn new_type(&mut self, name: &str, seen: &Observed) -> (String, Option<TimeForm>) {
        if let Some(ty) = self.enum_of(name, seen) {
            return (ty, None);
        }
        let ty = match guess(name, seen) {
            Guess::Builtin(ty) => {
                self.note_doubt(name, ty, seen);
                ty.to_owned()
            }
            Guess::Time(form) => {
                let form = Some(form).filter(|form| *form != self.editor.service.time_form());
                if let Some(unit) = form.and_then(TimeForm::unit) {
                    let unit = unit.word();
                    self.editor
                        .note(format!("`{name}` looks like a timestamp in {unit}, which is not the service's unit"));
                }
                return (TIMESTAMP.to_owned(), form);
            }
            Guess::List => return self.holding(name, "list", seen.items.as_deref()),
            Guess::Map => {
                self.editor.note(format!("`{name}` is a map because its key `{}` looks like data", seen.fields.0[0].0));
                return self.holding(name, "map", seen.under_keys.as_deref());
            }
            Guess::Rows => self.record(name, &seen.named(name_of_index(seen, TIME))),
            Guess::Record => self.record(name, seen),
        };
        (ty, None)
    }

    /// Adds a note that explains why a guessed type may be imprecise.
    pub(super) fn note_doubt(&mut self, name: &str, ty: &str, seen: &Observed) {
        let found;
        let doubt = match ty {
            ANY if seen.values() == 0 => "was always `null`, so its type is `any`; correct it if you know the type",
            ANY if seen.objects == seen.values() && seen.fields.0.is_empty() => {
                "was always an object without fields, so its type is `any`"
            }
            ANY => {
                found = format!("has {}, so its type is `any`", seen.describe());
                &found
            }
            "number" if seen.rounded > 0 => "has integers of more than 64 bits, which lose digits as a `number`",
            "integer" | "number" if seen.text_times > 0 && seen.numbers() > 0 => {
                "is a number or a string; the client parses both"
            }
            _ => return,
        };
        self.editor.note(format!("`{name}` {doubt}"));
    }

    /// Returns the type for lists or maps, which contains the type of their items.
    fn holding(&mut self, name: &str, holder: &str, items: Option<&Observed>) -> (String, Option<TimeForm>) {
        let any = || (ANY.to_owned(), None);
        let (item, form) = match items {
            Some(items) if items.times == 0 => {
                self.editor.note(format!("`{name}` was always empty, so the type of its items is `any`"));
                any()
            }
            Some(items) => {
                let (ty, form) = self.new_type(name, items);
                (or_null(&ty, items.nulls > 0), form)
            }
            None => any(),
        };
        let ty = format!("{holder}<{item}>");
        if TypeExpr::parse(&ty).is_some() {
            return (ty, form);
        }
        self.editor.note(format!("`{name}` is nested more deeply than the catalogue supports, so its type is `any`"));
        any()
    }

    /// Adds a note if all fields have the same record type: they may be entries of a map, for example one for each coin
    /// or exchange.
    pub(super) fn note_equal_fields(&mut self, what: &str, seen: &Observed, fields: &[Field]) {
        let are_objects = fields.len() > 1 && seen.fields.0.iter().all(|(_, field)| field.objects > 0);
        let first = fields.first().map(|field| &field.ty).filter(|ty| ty.as_str() != ANY);
        if are_objects && first.is_some() && fields.iter().all(|field| Some(&field.ty) == first) {
            let keys: Vec<_> = seen.fields.0.iter().take(2).map(|(key, _)| format!("`{key}`")).collect();
            self.editor.note(format!(
                "all fields of {what} have the same record type; if {} are data, such as coins, make {what} a map",
                keys.join(" and ")
            ));
        }
    }
}
