//! Chooses types for values whose type is unknown.

use codegen::type_expr::TypeExpr;

use super::draft::Reader;
use super::guess_type::{Guess, TIME, guess, name_of_index};
use crate::draft_types::or_null;
use crate::observed_values::Observed;
use crate::yaml_tree::Tree;

impl Reader<'_> {
    /// Returns the type for new values, and the unit or format of timestamps if it differs from the default.
    pub(super) fn new_type(&mut self, name: &str, seen: &Observed) -> (String, Option<&'static str>) {
        if let Some(ty) = self.enum_of(name, seen) {
            return (ty, None);
        }
        let default = self.editor.service.time_form().word();
        let ty = match guess(name, seen, default) {
            Guess::Builtin(ty) => {
                self.note_doubt(name, ty, seen);
                ty.to_owned()
            }
            Guess::TimeInUnit(unit) => {
                self.editor.note(format!("`{name}` looks like a timestamp in {unit}, which is not the service's unit"));
                return ("timestamp".to_owned(), Some(unit));
            }
            Guess::TimeAsText(format) => {
                return ("timestamp".to_owned(), Some(format).filter(|format| *format != default));
            }
            Guess::List => return self.holding(name, "list", seen.items.as_deref()),
            Guess::Map => {
                self.editor.note(format!("`{name}` is a map because its key `{}` looks like data", seen.fields.0[0].0));
                return self.holding(name, "map", seen.under_keys.as_deref());
            }
            Guess::Rows => self.record(name, &seen.named(name_of_index(seen, default, TIME))),
            Guess::Record => self.record(name, seen),
        };
        (ty, None)
    }

    /// Adds a note that explains why a guessed type may be imprecise.
    pub(super) fn note_doubt(&mut self, name: &str, ty: &str, seen: &Observed) {
        let found;
        let doubt = match ty {
            "any" if seen.values() == 0 => "was always `null`, so its type is `any`; correct it if you know the type",
            "any" if seen.objects == seen.values() && seen.fields.0.is_empty() => {
                "was always an object without fields, so its type is `any`"
            }
            "any" => {
                found = format!("has {}, so its type is `any`", seen.describe());
                &found
            }
            "number" if seen.rounded > 0 => "has integers of more than 64 bits, which lose digits as a `number`",
            "string" if seen.are_numbers() => {
                "has strings that look like numbers; if they are numbers, use `number`, which the client also parses from strings"
            }
            "integer" | "number" if seen.text_times > 0 => "is a number or a string; the client parses both",
            _ => return,
        };
        self.editor.note(format!("`{name}` {doubt}"));
    }

    /// Returns the type for lists or maps, which contains the type of their items.
    fn holding(&mut self, name: &str, holder: &str, items: Option<&Observed>) -> (String, Option<&'static str>) {
        let (item, unit) = match items {
            Some(items) if items.times == 0 => {
                self.editor.note(format!("`{name}` was always empty, so the type of its items is `any`"));
                ("any".to_owned(), None)
            }
            Some(items) => {
                let (ty, unit) = self.new_type(name, items);
                (or_null(&ty, items.nulls > 0), unit)
            }
            None => ("any".to_owned(), None),
        };
        let ty = format!("{holder}<{item}>");
        if TypeExpr::parse(&ty).is_some() {
            return (ty, unit);
        }
        self.editor.note(format!("`{name}` is nested more deeply than the catalogue supports, so its type is `any`"));
        ("any".to_owned(), None)
    }

    /// Adds a note if all fields have the same record type: they may be entries of a map, for example one for each coin
    /// or exchange.
    pub(super) fn note_equal_fields(&mut self, what: &str, seen: &Observed, fields: &[Tree]) {
        let are_objects = fields.len() > 1 && seen.fields.0.iter().all(|(_, field)| field.objects > 0);
        let first = fields.first().and_then(|field| field.text("type")).filter(|ty| *ty != "any");
        if are_objects && first.is_some() && fields.iter().all(|field| field.text("type") == first) {
            let keys: Vec<_> = seen.fields.0.iter().take(2).map(|(key, _)| format!("`{key}`")).collect();
            self.editor.note(format!(
                "all fields of {what} have the same record type; if {} are data, such as coins, make {what} a map",
                keys.join(" and ")
            ));
        }
    }
}
