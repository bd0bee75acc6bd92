//! Makes enums from strings. Only fields that the user listed become enums, because responses do not prove that a list
//! of values is complete.

use catalogue::names::{self, Case};
use catalogue::spec::{Type, TypeKind};
use catalogue::type_expr::TypeExpr;

use super::reader::Reader;
use crate::draft::{Draft, WantedName};
use crate::editor::Editor;
use crate::observed_values::{MAX_VALUES, Observed};
use crate::rust_names::{add_values, is_value, values_of};

/// Splits an argument of `--enum` into the field and its type.
fn parts(wanted: &str) -> (&str, &str) {
    wanted.split_once('=').unwrap_or((wanted, wanted))
}

/// Adds a note for each field in `--enum` for which no response has a string.
pub(super) fn note_unused(editor: &mut Editor, enums: &[String]) {
    for field in enums.iter().map(|wanted| parts(wanted).0) {
        if !editor.enum_fields.contains(field) {
            editor.note(format!("cannot make an enum of `{field}`: no response has a string in a field of that name"));
        }
    }
}

impl<'a> Reader<'a> {
    /// The type that `--enum` sets for a field with strings, and `true` if the name of the type differs from the name
    /// of the field.
    fn wanted_enum(&mut self, name: &str, seen: &Observed) -> Option<(&'a str, bool)> {
        let mut wanted = self.options.enums.iter().map(|wanted| parts(wanted)).filter(|_| seen.text_times > 0);
        let (field, ty) = wanted.find(|(field, _)| *field == name)?;
        self.editor.enum_fields.insert(field.to_owned());
        Some((ty, field != ty))
    }

    /// The enum that replaces the type of a field in the catalogue, if `--enum` contains the field and all values are
    /// strings.
    pub(super) fn enum_instead(&mut self, name: &str, ty: &str, seen: &Observed) -> Option<String> {
        match (ty, seen.items.as_deref()) {
            ("string", _) => return self.enum_of(name, seen),
            ("list<string>", Some(items)) if seen.lists == seen.values() => {
                return self.enum_of(name, items).map(|ty| format!("list<{ty}>"));
            }
            _ => {}
        }
        let (wanted, is_chosen) = self.wanted_enum(name, seen)?;
        let is_other = is_chosen && names::ident(wanted, Case::Pascal).as_deref() != Ok(ty);
        let why = match TypeExpr::parse(ty)? {
            TypeExpr::Builtin(_) => {
                format!("cannot make an enum of `{name}`: change its type `{ty}` to `string` first")
            }
            TypeExpr::Name(_) if is_other => {
                format!("`{name}` keeps its type {ty}; to make it an enum, change it to `string` first")
            }
            TypeExpr::Name(_) | TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::Option(_) => return None,
        };
        self.editor.note(why);
        None
    }

    /// The enum for a field, if `--enum` contains the field and all values are strings.
    pub(super) fn enum_of(&mut self, name: &str, seen: &Observed) -> Option<String> {
        let (ty, is_chosen) = self.wanted_enum(name, seen)?;
        let ident = names::ident(ty, Case::Pascal);
        let why = match &ident {
            Err(_) => format!("{ty:?} cannot be converted to a type name; use `--enum {name}=Type`"),
            Ok(_) if seen.kinds() > 1 => format!("it has {}, but enum values must be strings", seen.describe()),
            Ok(_) if seen.texts.len() > MAX_VALUES => format!("it has more than {MAX_VALUES} different strings"),
            Ok(ident) => {
                let wanted =
                    WantedName { name: ident.clone(), owner: self.owner(), is_chosen, ..WantedName::default() };
                let values = self.values(seen);
                if !values.is_empty() {
                    return Some(self.draft_enum(wanted, name, values));
                }
                "none of its strings is valid as a value".to_owned()
            }
        };
        self.editor.note(format!("cannot make an enum of `{name}`: {why}"));
        None
    }

    /// Adds an enum with these values to the draft. If an enum with the same name is already drafted, the values are
    /// added to that enum.
    fn draft_enum(&mut self, wanted: WantedName, field: &str, values: Vec<String>) -> String {
        let namesake = self.editor.ty(&wanted.name).map(|known| &known.values);
        let is_known = |text: &String| namesake.is_some_and(|known| known.iter().any(|value| value.value == *text));
        if namesake.is_some() && !wanted.is_chosen && !values.iter().any(is_known) {
            let name = &wanted.name;
            self.editor.note(format!(
                "the known type `{name}` has none of the values of `{field}`; to merge them, use `--enum {field}={name}`"
            ));
        }
        let Draft { content, names, .. } = &mut self.draft;
        let is_same = |ty: &&mut Type| names.get(ty.name.as_str()).is_some_and(|known| known.name == wanted.name);
        let values = values_of(values);
        let Some(ty) = content.service.types.iter_mut().find(is_same) else {
            let ty = Type { evidence: self.options.evidence, values, ..Type::default() };
            return self.draft.add_type(ty, wanted);
        };
        ty.values.extend(values);
        ty.values.sort_by(|one, other| one.value.cmp(&*other.value));
        ty.values.dedup();
        ty.name.to_string()
    }

    /// The strings that are valid as values of an enum.
    fn values(&mut self, seen: &Observed) -> Vec<String> {
        let (values, others): (Vec<&String>, Vec<&String>) = seen.texts.iter().partition(|text| is_value(text));
        for text in others {
            self.editor.note(format!("the string {text:?} is omitted: a value must be one line without commas"));
        }
        values.into_iter().cloned().collect()
    }

    /// Adds new values to a known enum.
    pub(super) fn new_values(&mut self, name: &str, seen: &Observed) {
        let values = self.values(seen);
        if self.editor.ty(name).is_some_and(|ty| ty.kind == TypeKind::Enum) {
            add_values(self.editor, name, &values_of(values), self.options.evidence);
        }
    }
}
