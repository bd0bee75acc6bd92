//! Enums of texts, only for fields that the user named, since a response cannot show that a list of values is closed.

use std::collections::BTreeMap;

use codegen::names::{self, Case, Scope};
use codegen::type_expr::TypeExpr;

use super::fields::Topic;
use super::types::all_types;
use crate::change::Editor;
use crate::fill::add_values;
use crate::keys::SERVICE;
use crate::naming::{self, NamesInUse, is_value};
use crate::place::Place;
use crate::seen::{MOST_VALUES, Seen};
use crate::tree::Tree;

/// The fields of the responses, each with its values described unless they were texts.
#[derive(Debug, Default)]
pub(super) struct FieldsSeen(BTreeMap<String, Option<String>>);

impl FieldsSeen {
    /// Adds all fields at any depth.
    pub(super) fn add(&mut self, seen: &Seen) {
        seen.each_field(&mut |name, seen| {
            let holds_text = |seen: &Seen| seen.text_times > 0;
            let has_texts = holds_text(seen) || seen.items.as_deref().is_some_and(holds_text);
            let words = (!has_texts).then(|| seen.words());
            let known = self.0.entry(name.to_owned()).or_insert_with(|| words.clone());
            *known = known.take().and(words);
        });
    }

    /// Notes which named fields cannot become enums, since none of their values was text.
    pub(super) fn say_unmet(&self, editor: &mut Editor, enums: &[String]) {
        let texts = || self.0.iter().filter(|(_, words)| words.is_none()).map(|(name, _)| name);
        for wanted in enums.iter().filter(|wanted| !texts().any(|name| is_meant(wanted, name))) {
            let (field, _) = parts(wanted);
            let held = self.0.iter().find(|(name, _)| is_meant(wanted, name)).and_then(|(_, words)| words.as_deref());
            let why = match held {
                Some("`null`") => "all of its values are `null`; add a response with another value".to_owned(),
                Some(words) => format!("it has {words}, and the values of an enum are texts"),
                None => {
                    let known: Vec<_> = texts().map(|name| format!("`{name}`")).collect();
                    let known = if known.is_empty() {
                        "there are none".to_owned()
                    } else {
                        format!("they are in {}", known.join(", "))
                    };
                    format!("no response has texts in a field of that name; {known}")
                }
            };
            editor.note(format!("cannot make an enum of `{field}`, as {why}"));
        }
    }
}

/// The field that `--enum` names, and its type.
fn parts(wanted: &str) -> (&str, &str) {
    wanted.split_once('=').unwrap_or((wanted, wanted))
}

/// Whether `--enum` names a field.
fn is_meant(wanted: &str, name: &str) -> bool {
    let (field, _) = parts(wanted);
    field == name
}

impl Topic<'_> {
    /// The enum that replaces the type of a listed field, if the field was named and all its values are texts.
    pub(super) fn enum_instead(&self, editor: &mut Editor, name: &str, ty: &str, seen: &Seen) -> Option<String> {
        match (ty, seen.items.as_deref()) {
            ("string", _) => self.enum_of(editor, name, seen),
            ("list<string>", Some(items)) if seen.lists == seen.values() => {
                self.enum_of(editor, name, items).map(|ty| format!("list<{ty}>"))
            }
            _ => {
                let wanted = self.learning.enums.iter().find(|wanted| is_meant(wanted, name));
                match (wanted.map(|wanted| parts(wanted)).filter(|_| seen.text_times > 0), TypeExpr::parse(ty)) {
                    (Some(_), Some(TypeExpr::Builtin(_))) => {
                        self.note(
                            editor,
                            format!("cannot make an enum of `{name}`: it is {ty}; make it a string first"),
                        );
                    }
                    (Some((field, other)), Some(TypeExpr::Name(_)))
                        if field != other && names::ident(other, Case::Pascal).as_deref() != Ok(ty) =>
                    {
                        self.note(editor, format!("`{name}` is {ty} already and stays; make it a string first"));
                    }
                    _ => {}
                }
                None
            }
        }
    }

    /// The enum for a field, if the field was named and all its values are texts.
    pub(super) fn enum_of(&self, editor: &mut Editor, name: &str, seen: &Seen) -> Option<String> {
        let wanted = self.learning.enums.iter().find(|wanted| is_meant(wanted, name));
        let (field, ty) = wanted.map(|wanted| parts(wanted)).filter(|_| seen.text_times > 0)?;
        let Ok(ident) = names::ident(ty, Case::Pascal) else {
            self.note(
                editor,
                format!("cannot make an enum of `{name}`, as {ty:?} makes no name of a type; use `--enum {name}=Type`"),
            );
            return None;
        };
        if seen.kinds() > 1 {
            let words = seen.words();
            self.note(
                editor,
                format!("cannot make an enum of `{name}`, as it has {words}, and the values of an enum are texts"),
            );
            return None;
        }
        if seen.texts.len() > MOST_VALUES {
            self.note(
                editor,
                format!("cannot make an enum of `{name}`, as it has more than {MOST_VALUES} different texts"),
            );
            return None;
        }
        let values = self.values(editor, seen);
        if values.is_empty() {
            self.note(editor, format!("cannot make an enum of `{name}`, as none of its texts can be a value"));
            return None;
        }
        Some(self.enumerate(editor, &ident, field != ty, name, &values))
    }

    /// The enum for texts: a new one, or a known one that has some of them or was named for them.
    fn enumerate(&self, editor: &mut Editor, wanted: &str, is_chosen: bool, field: &str, values: &[&str]) -> String {
        let types = editor.tree(SERVICE).entries("types").to_vec();
        let namesake = types.iter().position(|ty| ty.text("name") == Some(wanted));
        let known = |index: usize| types[index].entries("values").iter().filter_map(|value| value.text("value"));
        if let Some(index) = namesake.filter(|index| is_chosen || naming::share_a_value(known(*index), values)) {
            self.note(editor, format!("`{field}` takes the known type `{wanted}`"));
            self.new_values(editor, index, values);
            return wanted.to_owned();
        }
        let mut taken = all_types(editor);
        let own = format!("{} {field}", self.endpoint.rsplit('.').next().unwrap_or_default());
        let ident = taken.claim(if taken.has(wanted) { &own } else { wanted }, Case::Pascal, Scope::Types);
        let mut idents = NamesInUse::default();
        let ty = Tree::map()
            .with("name", ident.as_str())
            .with("kind", "enum")
            .with("summary", "unknown")
            .with("evidence", self.learning.evidence.as_str())
            .with("values", values.iter().map(|text| value(text, &mut idents)).collect::<Vec<_>>());
        editor.extend(&Place::service().key("types"), vec![ty]);
        let why = match namesake {
            Some(_) => {
                format!(", as `{wanted}` of the catalogue has none of its values; `--enum {field}={wanted}` joins them")
            }
            None => String::new(),
        };
        self.note(editor, format!("the enum `{ident}` is new{why}"));
        ident
    }

    /// The texts that can be values.
    pub(super) fn values<'s>(&self, editor: &mut Editor, seen: &'s Seen) -> Vec<&'s str> {
        let (values, others): (Vec<&str>, Vec<&str>) =
            seen.texts.iter().map(String::as_str).partition(|text| is_value(text));
        for text in others {
            self.note(editor, format!("{text:?} cannot be a value of an enum and is left out"));
        }
        values
    }

    /// Adds values that a known enum does not have.
    pub(super) fn new_values(&self, editor: &mut Editor, index: usize, values: &[&str]) {
        let ty = editor.tree(SERVICE).entries("types")[index].clone();
        if ty.text("kind") != Some("enum") {
            return;
        }
        let values: Vec<Tree> = values.iter().map(|text| Tree::map().with("value", *text)).collect();
        let said = Tree::map().with("evidence", self.learning.evidence.as_str()).with("values", values);
        let name = ty.text("name").unwrap_or_default();
        for text in add_values(editor, &Place::service().key("types").item(index), &said) {
            self.note(editor, format!("`{text}` is a new value of `{name}`"));
        }
    }
}

/// A value of an enum, with the `rust_name` it needs.
fn value(text: &str, idents: &mut NamesInUse) -> Tree {
    Tree::map().with("value", text).with_some("rust_name", idents.ident(text, Case::Pascal, Scope::Variants))
}
