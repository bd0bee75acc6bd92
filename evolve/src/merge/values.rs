//! Merges the values of named types, and checks numbers against a range.

use codegen::names;
use codegen::spec::{Evidence, Range, Type, TypeKind, Value};

use crate::editor::Editor;
use crate::rust_names::{NamesInUse, value_names};

/// Returns `true` if a number is within a range.
pub(crate) fn is_within(range: &Range, value: f64) -> bool {
    range.min.as_deref().is_none_or(|min| value >= *min) && range.max.as_deref().is_none_or(|max| value <= *max)
}

/// Returns values of a type.
pub(crate) fn values_of(texts: impl IntoIterator<Item = String>) -> Vec<Value> {
    texts.into_iter().map(|text| Value { value: text.into(), ..Value::default() }).collect()
}

/// Adds the values that are missing in a known type, and adds a note that lists them.
pub(crate) fn add_values(editor: &mut Editor, name: &str, values: &[Value], evidence: Evidence) {
    let Some(known) = editor.service.types.iter_mut().find(|ty| *ty.name == name) else { return };
    let mut idents = NamesInUse::default();
    for value in &known.values {
        let name = value.rust_name.as_ref().unwrap_or(&value.value);
        idents.note(names::ident(name, value_names(is_identifier(known)).0).unwrap_or_default());
    }
    let lacks = |value: &&Value| known.values.iter().all(|listed| listed.value != value.value);
    let new: Vec<Value> = values.iter().filter(lacks).cloned().collect();
    let new = with_idents(&new, known, evidence, &mut idents);
    if !new.is_empty() {
        let texts: Vec<_> = new.iter().map(|value| value.value.to_string()).collect();
        known.values.extend(new);
        editor.note(format!("`{name}` gets new values: {}", texts.join(", ")));
    }
}

/// Returns values for a type, each with a `rust_name` if it needs one, and with its evidence if that differs from the
/// evidence of the type.
pub(super) fn with_idents(values: &[Value], ty: &Type, inherited: Evidence, idents: &mut NamesInUse) -> Vec<Value> {
    let (case, scope) = value_names(is_identifier(ty));
    let named = values.iter().map(|value| {
        let wanted = value.rust_name.as_ref().map(|name| name.as_str());
        let evidence = Some(value.evidence.unwrap_or(inherited)).filter(|evidence| *evidence != ty.evidence);
        let rust_name = idents.chosen(&value.value, wanted, case, scope).map(Into::into);
        Value { rust_name, evidence, ..value.clone() }
    });
    named.collect()
}

/// Returns `true` if a type is an identifier, which may have values that it does not list.
pub(super) fn is_identifier(ty: &Type) -> bool {
    ty.kind == TypeKind::Identifier
}
