//! Makes enums from strings. Only fields that the user listed become enums, because responses do not prove that a list
//! of values is complete.

use catalogue::names::{self, Case};
use catalogue::spec::{Type, TypeKind};
use catalogue::type_expr::TypeExpr;

use super::endpoint_reader::EndpointReader;
use crate::draft::{Draft, WantedName};
use crate::editor::Editor;
use crate::enum_values::{add_values, is_value, values_of};
use crate::observed_values::{MAX_VALUES, Observed};

/// An argument of `--enum`.
#[derive(Clone, Copy)]
struct WantedEnum<'a> {
    field: &'a str,
    /// The name of the type; that of the field, unless the user chose another.
    ty: &'a str,
}

impl<'a> WantedEnum<'a> {
    fn parse(argument: &'a str) -> Self {
        match argument.split_once('=') {
            Some((field, ty)) => Self { field, ty },
            None => Self { field: argument, ty: argument },
        }
    }

    /// `true` if the user chose the name of the type.
    fn is_chosen(self) -> bool {
        self.field != self.ty
    }
}

/// Adds a note for each field in `--enum` for which no response has a string.
pub(super) fn note_unused(editor: &mut Editor, enums: &[String]) {
    for argument in enums {
        let field = WantedEnum::parse(argument).field;
        if !editor.enum_fields.contains(field) {
            editor.note(format!("cannot make an enum of `{field}`: no response has a string in a field of that name"));
        }
    }
}

impl<'a> EndpointReader<'a> {
    /// The enum that the user wants for a field with strings.
    fn wanted_enum(&mut self, name: &str, seen: &Observed) -> Option<WantedEnum<'a>> {
        if seen.text_times == 0 {
            return None;
        }
        for argument in &self.options.enums {
            let wanted = WantedEnum::parse(argument);
            if wanted.field == name {
                self.editor.enum_fields.insert(name.to_owned());
                return Some(wanted);
            }
        }
        None
    }

    /// The enum that replaces the type of a field in the catalogue, if `--enum` contains the field and all values are
    /// strings.
    pub(super) fn enum_instead(&mut self, name: &str, ty: &str, seen: &Observed) -> Option<String> {
        match (ty, seen.items.as_deref()) {
            ("string", _) => self.enum_of(name, seen),
            ("list<string>", Some(items)) if seen.lists == seen.values() => {
                let item = self.enum_of(name, items)?;
                Some(format!("list<{item}>"))
            }
            _ => {
                self.note_unsuitable_type(name, ty, seen);
                None
            }
        }
    }

    /// Adds a note if the user wants an enum for a field of another type than `string`.
    fn note_unsuitable_type(&mut self, name: &str, ty: &str, seen: &Observed) {
        let Some(wanted) = self.wanted_enum(name, seen) else { return };
        let is_other = wanted.is_chosen() && names::ident(wanted.ty, Case::Pascal).as_deref() != Ok(ty);
        match TypeExpr::parse(ty) {
            Some(TypeExpr::Builtin(_)) => {
                let remedy = format!("change its type `{ty}` to `string` first");
                self.editor.note(format!("cannot make an enum of `{name}`: {remedy}"));
            }
            Some(TypeExpr::Name(_)) if is_other => {
                let remedy = "to make it an enum, change it to `string` first";
                self.editor.note(format!("`{name}` keeps its type {ty}; {remedy}"));
            }
            _ => {}
        }
    }

    /// The enum for a field, if `--enum` contains the field and all values are strings.
    pub(super) fn enum_of(&mut self, name: &str, seen: &Observed) -> Option<String> {
        let wanted = self.wanted_enum(name, seen)?;
        match self.new_enum(wanted, seen) {
            Ok(ty) => Some(ty),
            Err(why) => {
                self.editor.note(format!("cannot make an enum of `{name}`: {why}"));
                None
            }
        }
    }

    /// Drafts an enum, or returns why the values cannot be those of an enum.
    fn new_enum(&mut self, wanted: WantedEnum<'_>, seen: &Observed) -> Result<String, String> {
        let WantedEnum { field, ty } = wanted;
        let Ok(ident) = names::ident(ty, Case::Pascal) else {
            return Err(format!("{ty:?} cannot be converted to a type name; use `--enum {field}=Type`"));
        };
        if seen.kinds() > 1 {
            return Err(format!("it has {}, but enum values must be strings", seen.describe()));
        }
        if seen.texts.len() > MAX_VALUES {
            return Err(format!("it has more than {MAX_VALUES} different strings"));
        }
        let values = self.values(seen);
        if values.is_empty() {
            return Err("none of its strings is valid as a value".to_owned());
        }
        let name =
            WantedName { name: ident, owner: self.owner(), is_chosen: wanted.is_chosen(), ..WantedName::default() };
        Ok(self.draft_enum(name, field, values))
    }

    /// Adds an enum with these values to the draft. If an enum with the same name is already drafted, the values are
    /// added to that enum.
    fn draft_enum(&mut self, wanted: WantedName, field: &str, values: Vec<String>) -> String {
        self.note_other_type(&wanted, field, &values);
        let Draft { content, names, .. } = &mut self.draft;
        let drafted = content.service.types.iter_mut().find(|ty| {
            let known = names.get(ty.name.as_str());
            known.is_some_and(|known| known.name == wanted.name)
        });
        let values = values_of(values);
        let Some(ty) = drafted else {
            let ty = Type { evidence: self.options.evidence, values, ..Type::default() };
            return self.draft.add_type(ty, wanted);
        };
        ty.values.extend(values);
        ty.values.sort_by(|one, other| one.value.cmp(&*other.value));
        ty.values.dedup();
        ty.name.to_string()
    }

    /// Adds a note if a known type has the name of an enum, and none of its values.
    fn note_other_type(&mut self, wanted: &WantedName, field: &str, values: &[String]) {
        let name = &wanted.name;
        let Some(known) = self.editor.content.ty(name) else { return };
        let has_common_value = known.values.iter().any(|value| values.contains(&value.value));
        if !wanted.is_chosen && !has_common_value {
            self.editor.note(format!(
                "the known type `{name}` has none of the values of `{field}`; to merge them, use `--enum {field}={name}`"
            ));
        }
    }

    /// The strings that are valid as values of an enum.
    fn values(&mut self, seen: &Observed) -> Vec<String> {
        let mut values = Vec::new();
        for text in &seen.texts {
            if is_value(text) {
                values.push(text.clone());
            } else {
                self.editor.note(format!("the string {text:?} is omitted: a value must be one line without commas"));
            }
        }
        values
    }

    /// Adds new values to a known enum.
    pub(super) fn new_values(&mut self, name: &str, seen: &Observed) {
        let values = self.values(seen);
        if self.editor.content.ty(name).is_some_and(|ty| ty.kind == TypeKind::Enum) {
            add_values(self.editor, name, &values_of(values), self.options.evidence);
        }
    }
}
