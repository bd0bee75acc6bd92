//! Texts as enums: only for fields that somebody named, since no reply shows that a list is closed.

use super::fields::{SERVICE, Topic, is_writable};
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::naming::{self, Taken, entries, singular};
use crate::evolve::seen::Seen;
use crate::evolve::tree::Tree;
use crate::format;
use crate::names::{self, Case, Scope};

/// The field that `--enum` names, and the type that it is to become.
pub(super) fn parts(wanted: &str) -> (&str, &str) {
    wanted.split_once('=').unwrap_or((wanted, wanted))
}

/// Whether `--enum` names a field.
pub(super) fn is_meant(wanted: &str, name: &str) -> bool {
    let (field, _) = parts(wanted);
    field == name || singular(field) == name
}

impl Topic<'_> {
    /// Whether a field's texts are to become an enum, and the name of that.
    pub(super) fn enum_for(&self, name: &str) -> Option<String> {
        let wanted = self.learning.enums.iter().find(|wanted| is_meant(wanted, name))?;
        names::ident(parts(wanted).1, Case::Pascal).ok()
    }

    /// Texts as an enum: a new one, or the values that a known one does not have yet.
    pub(super) fn enumerate(&self, desk: &mut Desk, name: &str, seen: &Seen) -> Result<String, Refusal> {
        let service = desk.tree(SERVICE)?;
        let index =
            entries(&service, "types").iter().position(|ty| ty.get("name").and_then(Tree::as_text) == Some(name));
        if let Some(index) = index {
            self.new_values(desk, index, seen)?;
            return Ok(name.to_owned());
        }
        let mut taken = naming::root_types(&service);
        let modules: Vec<String> = desk.checked.groups.iter().map(|(module, _)| module.clone()).collect();
        for module in modules {
            naming::group_types(&module, &desk.tree(&format!("{module}.yaml"))?, &mut taken);
        }
        let ident = taken.claim(name, Case::Pascal, Scope::Types);
        let mut idents = Taken::default();
        let values = self.values(desk, seen).into_iter().map(|text| value(text, &mut idents)).collect::<Vec<_>>();
        let ty = Tree::map()
            .with("name", ident.as_str())
            .with("kind", "enum")
            .with("summary", "unknown")
            .with("evidence", self.learning.evidence.as_str())
            .with("values", values);
        desk.extend_top(SERVICE, &format::SERVICE, "types", vec![ty])?;
        desk.say(format!("{}: the enum `{ident}` is new", self.endpoint));
        Ok(ident)
    }

    /// The texts that can be values.
    fn values<'s>(&self, desk: &mut Desk, seen: &'s Seen) -> Vec<&'s str> {
        let (values, others): (Vec<&str>, Vec<&str>) =
            seen.texts.iter().map(String::as_str).partition(|text| is_value(text));
        for text in others {
            desk.say(format!("{}: {text:?} cannot be a value of an enum and is left out", self.endpoint));
        }
        values
    }

    /// Values that a known enum does not have yet.
    pub(super) fn new_values(&self, desk: &mut Desk, index: usize, seen: &Seen) -> Result<(), Refusal> {
        let service = desk.tree(SERVICE)?;
        let ty = &entries(&service, "types")[index];
        if ty.get("kind").and_then(Tree::as_text) != Some("enum") {
            return Ok(());
        }
        let mut idents = Taken::default();
        let known: Vec<_> = entries(ty, "values").iter().filter_map(|value| value.get("value")?.as_text()).collect();
        for known in entries(ty, "values") {
            let name = ["ident", "value"].iter().find_map(|key| known.get(key)?.as_text()).unwrap_or_default();
            idents.note(names::ident(name, Case::Pascal).unwrap_or_default());
        }
        let new: Vec<_> = self.values(desk, seen).into_iter().filter(|text| !known.contains(text)).collect();
        let new: Vec<_> = new
            .into_iter()
            .map(|text| {
                desk.say(format!(
                    "{}: `{text}` is a new value of `{}`",
                    self.endpoint,
                    ty.get("name").and_then(Tree::as_text).unwrap_or_default()
                ));
                value(text, &mut idents).with("evidence", self.learning.evidence.as_str())
            })
            .collect();
        desk.extend(SERVICE, &[Step::Key("types"), Step::Item(index), Step::Key("values")], new)
    }
}

/// Whether a text can be a value: a comma separates values on the wire.
fn is_value(text: &str) -> bool {
    is_writable(text) && !text.contains(',')
}

/// A value of an enum, with the `ident` it needs.
fn value(text: &str, idents: &mut Taken) -> Tree {
    Tree::map().with("value", text).with_some("ident", idents.ident(text, Case::Pascal, Scope::Variants))
}
