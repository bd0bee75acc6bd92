//! Merges the values of named types, and checks numbers against a range.

use codegen::names;
use codegen::spec::VALUE;

use crate::editor::Editor;
use crate::rust_names::{NamesInUse, value_names};
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// Returns the values of a type as they are on the wire.
pub(super) fn value_texts(ty: &Tree) -> Vec<&str> {
    ty.entries("values").iter().filter_map(|value| value.text("value")).collect()
}

/// Returns `true` if a number is within a range.
pub(crate) fn is_within(range: &Tree, value: f64) -> bool {
    let limit = |key: &str| range.get(key).and_then(Tree::scalar).and_then(|limit| limit.parse::<f64>().ok());
    limit("min").is_none_or(|min| value >= min) && limit("max").is_none_or(|max| value <= max)
}

/// Adds the values of `other` that are missing in a known type, and adds a note that lists them.
pub(crate) fn add_values(editor: &mut Editor, at: &YamlPath, other: &Tree) {
    let known = at.tree(editor);
    let mut idents = NamesInUse::default();
    for value in known.entries("values") {
        let name = value.text("rust_name").or(value.text("value")).unwrap_or_default();
        idents.note(names::ident(name, value_names(is_identifier(known)).0).unwrap_or_default());
    }
    let listed = value_texts(known);
    let lacks = |value: &&Tree| !value.text("value").is_some_and(|text| listed.contains(&text));
    let new: Vec<&Tree> = other.entries("values").iter().filter(lacks).collect();
    let new = with_idents(&new, known, other.text("evidence"), &mut idents);
    if !new.is_empty() {
        let texts: Vec<_> = new.iter().filter_map(|value| value.text("value")).collect();
        let note = format!("`{}` gets new values: {}", known.text("name").unwrap_or_default(), texts.join(", "));
        editor.extend(&at.key("values"), new);
        editor.note(note);
    }
}

/// Returns values for a type, each with a `rust_name` if it needs one, and with its evidence if that differs from the
/// evidence of the type.
pub(super) fn with_idents(values: &[&Tree], ty: &Tree, inherited: Option<&str>, idents: &mut NamesInUse) -> Vec<Tree> {
    let (case, scope) = value_names(is_identifier(ty));
    let named = values.iter().map(|value| {
        let mut new = (*value).clone();
        let name = value.text("value").unwrap_or_default();
        new.set(&VALUE, "rust_name", idents.chosen(name, value.text("rust_name"), case, scope));
        let evidence = value.text("evidence").or(inherited);
        new.set(&VALUE, "evidence", evidence.filter(|evidence| ty.text("evidence") != Some(*evidence)));
        new
    });
    named.collect()
}

/// Returns `true` if a type is an identifier, which may have values that it does not list.
pub(super) fn is_identifier(ty: &Tree) -> bool {
    ty.text("kind") == Some("identifier")
}
