//! The values of named types: their Rust names, and the values that a known type lacks.

use catalogue::is_line;
use catalogue::names::{self, Case, Scope};
use catalogue::spec::{Evidence, Type, TypeKind, Value};

use crate::editor::Editor;
use crate::names_in_use::NamesInUse;

/// `true` if a type is an identifier, which may have values that it does not list.
pub(crate) fn is_identifier(ty: &Type) -> bool {
    ty.kind == TypeKind::Identifier
}

/// `true` if a text is valid as a value of a type. Commas are invalid, because they separate values on the wire.
pub(super) fn is_value(text: &str) -> bool {
    is_line(text) && !text.contains(',')
}

/// The values with these texts, and without any other fact.
pub(crate) fn values_of(texts: impl IntoIterator<Item = String>) -> Vec<Value> {
    let mut values = Vec::new();
    for text in texts {
        values.push(Value { value: text.into(), ..Value::default() });
    }
    values
}

/// The case of the Rust names for the values of a type.
fn case_of_values(ty: &Type) -> Case {
    if is_identifier(ty) { Case::Shouty } else { Case::Pascal }
}

/// The scope of the Rust names for the values of a type.
fn scope_of_values(ty: &Type) -> Scope {
    if is_identifier(ty) { Scope::Constants } else { Scope::Variants }
}

/// Adds the values that are missing in a known type, and adds a note that lists them.
pub(crate) fn add_values(editor: &mut Editor, name: &str, values: &[Value], evidence: Evidence) {
    let Some(known) = editor.content.service.types.iter_mut().find(|ty| *ty.name == name) else { return };
    let mut missing = Vec::new();
    for value in values {
        if known.values.iter().all(|listed| listed.value != value.value) {
            missing.push(value.clone());
        }
    }
    if missing.is_empty() {
        return;
    }
    let mut idents = names_of_values(known);
    let new = with_idents(&missing, known, evidence, &mut idents);
    let texts: Vec<_> = new.iter().map(|value| value.value.to_string()).collect();
    known.values.extend(new);
    editor.note(format!("`{name}` gets new values: {}", texts.join(", ")));
}

fn names_of_values(ty: &Type) -> NamesInUse {
    let mut idents = NamesInUse::default();
    for value in &ty.values {
        let name = value.rust_name.as_ref().unwrap_or(&value.value);
        idents.note(names::ident(name, case_of_values(ty)).unwrap_or_default());
    }
    idents
}

/// The values for a type, each with a `rust_name` if it needs one, and with its evidence if that differs from the
/// evidence of the type.
pub(crate) fn with_idents(values: &[Value], ty: &Type, inherited: Evidence, idents: &mut NamesInUse) -> Vec<Value> {
    let mut named = Vec::with_capacity(values.len());
    for value in values {
        let wanted = value.rust_name.as_ref().map(|name| name.as_str());
        let rust_name = idents.chosen(&value.value, wanted, case_of_values(ty), scope_of_values(ty));
        let evidence = value.evidence.unwrap_or(inherited);
        named.push(Value {
            rust_name: rust_name.map(Into::into),
            evidence: if evidence == ty.evidence { None } else { Some(evidence) },
            ..value.clone()
        });
    }
    named
}
