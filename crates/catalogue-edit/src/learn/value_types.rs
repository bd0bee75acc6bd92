//! Chooses types for new values, by their names and their content.

use catalogue::model::TimeForm;
use catalogue::type_expr::TypeExpr;

use super::endpoint_reader::EndpointReader;
use super::guess_type::TIME;
use super::guess_type::{Guess, guess};
use super::row_names::name_of_index;
use crate::drafted_type::{ANY, TIMESTAMP, or_null};
use crate::observed_values::Observed;

/// The type for new values.
pub(super) struct LearnedType {
    pub(super) ty: String,
    /// The unit or format of timestamps, if it differs from the default.
    pub(super) form: Option<TimeForm>,
}

impl LearnedType {
    /// A type that has no unit or format.
    fn plain(ty: impl Into<String>) -> Self {
        Self { ty: ty.into(), form: None }
    }
}

impl EndpointReader<'_> {
    pub(super) fn new_type(&mut self, name: &str, seen: &Observed) -> LearnedType {
        if let Some(ty) = self.enum_of(name, seen) {
            return LearnedType::plain(ty);
        }
        match guess(name, seen) {
            Guess::Builtin(ty) => {
                self.note_doubt(name, ty, seen);
                LearnedType::plain(ty)
            }
            Guess::Time(form) => self.timestamp(name, form),
            Guess::List => self.holder("list", name, seen.items.as_deref()),
            Guess::Map => {
                let key = seen.fields.keys().next().map_or("", String::as_str);
                self.editor.note(format!("`{name}` is a map because its key `{key}` looks like data"));
                self.holder("map", name, seen.under_keys.as_deref())
            }
            Guess::Rows => {
                let rows = seen.named(name_of_index(seen, TIME));
                LearnedType::plain(self.record(name, &rows))
            }
            Guess::Record => LearnedType::plain(self.record(name, seen)),
        }
    }

    fn timestamp(&mut self, name: &str, form: TimeForm) -> LearnedType {
        if form == self.editor.content.service.time_form() {
            return LearnedType::plain(TIMESTAMP);
        }
        if let Some(unit) = form.unit() {
            let word = unit.word();
            self.editor.note(format!("`{name}` looks like a timestamp in {word}, which is not the service's unit"));
        }
        LearnedType { ty: TIMESTAMP.to_owned(), form: Some(form) }
    }

    /// Adds a note that explains why a guessed type may be imprecise.
    fn note_doubt(&mut self, name: &str, ty: &str, seen: &Observed) {
        if ty != ANY {
            return;
        }
        let is_empty = seen.objects == seen.values() && seen.fields.is_empty();
        let doubt = if seen.values() == 0 {
            "was always `null`, so its type is `any`; correct it if you know the type".to_owned()
        } else if is_empty {
            "was always an object without fields, so its type is `any`".to_owned()
        } else {
            format!("has {}, so its type is `any`", seen.describe())
        };
        self.editor.note(format!("`{name}` {doubt}"));
    }

    /// The type for lists or maps, which contains the type of their items.
    fn holder(&mut self, holder: &str, name: &str, items: Option<&Observed>) -> LearnedType {
        let outside = std::mem::replace(&mut self.open_around_list, self.open.len());
        let item = self.item_type(name, items);
        self.open_around_list = outside;
        let ty = format!("{holder}<{}>", item.ty);
        if TypeExpr::parse(&ty).is_some() {
            return LearnedType { ty, form: item.form };
        }
        self.editor.note(format!("`{name}` is nested more deeply than the catalogue supports, so its type is `any`"));
        LearnedType::plain(ANY)
    }

    fn item_type(&mut self, name: &str, items: Option<&Observed>) -> LearnedType {
        let Some(items) = items else { return LearnedType::plain(ANY) };
        if items.times == 0 {
            self.editor.note(format!("`{name}` was always empty, so the type of its items is `any`"));
            return LearnedType::plain(ANY);
        }
        let item = self.new_type(name, items);
        LearnedType { ty: or_null(&item.ty, items.nulls > 0), form: item.form }
    }
}
