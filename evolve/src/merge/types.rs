//! Compares types of two catalogues, and describes them in messages.

use codegen::type_expr::{Builtin, TypeExpr};

use super::Merger;
use super::places;
use super::report::some_of;
use super::values::{bare, holds, number};
use crate::change::Desk;
use crate::tree::Tree;

impl Merger<'_> {
    /// The difference between the types of two params or fields, with facts that depend on the type that is not taken.
    pub(super) fn differing(&self, here: &Tree, new_file: &str, said: &Tree) -> Option<String> {
        let [known, new] = [here, said].map(|tree| tree.text("type").unwrap_or_default());
        let (known_ty, new_ty) = (TypeExpr::parse(known)?, TypeExpr::parse(new)?);
        let bound = |key: &str| said.get("range").and_then(|range| range.get(key));
        if self.agrees(&known_ty, &new_ty, new_file, bound("min").and_then(number)) {
            return None;
        }
        let default = said.get("default");
        let more = [("min", bound("min")), ("max", bound("max")), ("default", default)];
        let more: Vec<_> = more.iter().filter_map(|(key, value)| Some(format!("{key} {}", bare((*value)?)))).collect();
        let more = if more.is_empty() { String::new() } else { format!(" with {}", more.join(", ")) };
        let new = in_words(&self.new.desk, &new_ty, true);
        Some(format!("{new}{more} in the description, {} here", in_words(self.desk, &known_ty, false)))
    }

    /// The difference between two known bodies.
    pub(super) fn differing_bodies(&self, here: &Tree, new_file: &str, said: &Tree) -> Option<String> {
        let (known, new) = (body_in_words(self.desk, here, false)?, body_in_words(&self.new.desk, said, true)?);
        match (places::kind(here), places::kind(said)) {
            (None, None) => self.differing(here, new_file, said),
            (here, said) => (here != said).then(|| format!("{new} in the description, {known} here")),
        }
    }

    fn agrees(&self, known: &TypeExpr<'_>, new: &TypeExpr<'_>, new_file: &str, min: Option<f64>) -> bool {
        let kind = |name: &str| self.desk.named_type(name).and_then(|(_, ty)| ty.text("kind"));
        match (known, new) {
            // The loss of a type that the catalogue cannot express is noted by the import.
            (_, TypeExpr::Builtin(Builtin::Any)) => true,
            (TypeExpr::List(known), TypeExpr::List(new)) | (TypeExpr::Map(known), TypeExpr::Map(new)) => {
                self.agrees(known, new, new_file, min)
            }
            (TypeExpr::Option(known), TypeExpr::Option(new)) => self.agrees(known, new, new_file, min),
            (TypeExpr::Name(known), TypeExpr::Name(new)) => {
                let is_record = self.new.desk.record(new_file, new).is_some();
                match kind(known) {
                    None => is_record,
                    Some(kind) => !is_record && (kind == "identifier" || self.is_known_as(new, known)),
                }
            }
            // An identifier is text, and OpenAPI has no keyword for times and counts.
            (TypeExpr::Name(known), TypeExpr::Builtin(Builtin::String)) => kind(known) == Some("identifier"),
            (TypeExpr::Builtin(Builtin::Count), TypeExpr::Builtin(Builtin::Integer)) => {
                min.is_none_or(|min| min >= 0.0)
            }
            (TypeExpr::Builtin(known), TypeExpr::Builtin(new)) => {
                known == new || (*known, *new) == (Builtin::Timestamp, Builtin::Integer)
            }
            _ => false,
        }
    }

    /// Whether a new type was matched with a known one, or all of its values are there.
    fn is_known_as(&self, new: &str, known: &str) -> bool {
        let values = |desk: &Desk, name: &str| -> Vec<String> {
            let ty = desk.named_type(name).map(|(_, ty)| ty.entries("values")).unwrap_or_default();
            ty.iter().filter_map(|value| value.text("value")).map(str::to_owned).collect()
        };
        let is_met = self.matches.types.get(new).is_some_and(|(name, _)| name == known);
        let here = values(self.desk, known);
        is_met || values(&self.new.desk, new).iter().all(|value| here.contains(value))
    }

    /// Whether a default is a value of a known param.
    pub(super) fn fits(&self, here: &Tree, text: &str) -> bool {
        let range = here.get("range");
        let is_within = range.zip(text.parse().ok()).is_none_or(|(range, number)| holds(range, number));
        let has = |ty: &Tree| ty.entries("values").iter().any(|value| value.text("value") == Some(text));
        let is_one = match TypeExpr::parse(here.text("type").unwrap_or_default()) {
            Some(TypeExpr::Builtin(builtin)) => builtin.is_written(text),
            Some(TypeExpr::Name(name)) => {
                let known = self.desk.named_type(name);
                let met = self.matches.types.iter().filter(|(_, (met, _))| met == name);
                known.is_some_and(|(_, ty)| ty.text("kind") == Some("identifier") || has(ty))
                    || met.filter_map(|(new, _)| self.new.desk.named_type(new)).any(|(_, ty)| has(ty))
            }
            _ => false,
        };
        is_within && is_one
    }
}

/// A body in words; `None` if it is unknown.
fn body_in_words(desk: &Desk, body: &Tree, is_new: bool) -> Option<String> {
    match places::kind(body) {
        Some("series") => Some("a series".to_owned()),
        Some(_) => Some("an object".to_owned()),
        None => Some(in_words(desk, &TypeExpr::parse(body.text("type")?)?, is_new)),
    }
}

fn in_words(desk: &Desk, ty: &TypeExpr<'_>, is_new: bool) -> String {
    match ty {
        TypeExpr::Builtin(_) => ty.to_string(),
        TypeExpr::List(item) => format!("a list of {}", in_words(desk, item, is_new)),
        TypeExpr::Map(item) => format!("a map of {}", in_words(desk, item, is_new)),
        TypeExpr::Option(given) => format!("{} or null", in_words(desk, given, is_new)),
        TypeExpr::Name(name) if is_new => match desk.named_type(name) {
            Some((_, ty)) => {
                let values: Vec<&str> = ty.entries("values").iter().filter_map(|value| value.text("value")).collect();
                format!("one of {}", some_of(&values))
            }
            None => "an object".to_owned(),
        },
        TypeExpr::Name(name) => {
            let kind = desk.named_type(name).and_then(|(_, ty)| ty.text("kind"));
            format!("{} `{name}`", kind.unwrap_or("record"))
        }
    }
}
