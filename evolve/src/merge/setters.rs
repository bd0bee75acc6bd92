//! Names for the setters of params: one name stands for one wire name on all endpoints.

use std::collections::{BTreeSet, HashMap};

use codegen::names::{self, Case, Scope};
use codegen::spec::Evidence;

use super::places;
use crate::change::Desk;
use crate::keys::SERVICE;
use crate::naming::{NamesInUse, singular};
use crate::tree::Tree;

/// Setters by the trait that they become.
#[derive(Debug, Default)]
pub(super) struct Setters {
    all: HashMap<String, KnownSetter>,
    /// The types that each takes in the catalogue, with its name.
    types: HashMap<String, BTreeSet<String>>,
    /// Notes on names that were chosen because a type would have changed a setter for all endpoints.
    said: Vec<String>,
}

/// The target of a setter.
#[derive(Clone, Debug, PartialEq)]
struct KnownSetter {
    ident: String,
    several: bool,
    wire_name: String,
}

impl Setters {
    /// The setters of the catalogue.
    pub(super) fn of(desk: &Desk) -> Self {
        let mut setters = Self::default();
        desk.tree(SERVICE).entries("params").iter().for_each(|param| setters.add(param));
        for (_, endpoint) in places::endpoints(desk) {
            let own = endpoint.entries("params").iter().filter(|entry| entry.text("name").is_some());
            own.for_each(|param| setters.add(param));
        }
        setters
    }

    fn add(&mut self, param: &Tree) {
        if is_argument(param) {
            return;
        }
        let name = param.text("name").unwrap_or_default();
        let ident = names::chosen(param.text("ident").map(str::to_owned).as_ref(), name, Case::Snake);
        let list = param.text("list").map(str::to_owned);
        for (ident, several) in [(ident, false), (list, true)] {
            let Some(ident) = ident else { continue };
            let setter = KnownSetter { ident: ident.clone(), several, wire_name: name.to_owned() };
            let ty = param.text("type").unwrap_or_default().to_owned();
            self.types.entry(names::takes(&ident)).or_default().insert(ty);
            self.all.insert(names::takes(&ident), setter);
        }
    }

    /// The notes on names that a type made necessary.
    pub(super) fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// The type that the setter of a param takes on all endpoints, if it is one.
    pub(super) fn only_type(&self, ident: &str, wire_name: &str) -> Option<&str> {
        let takes = names::takes(ident);
        let is_its = self.all.get(&takes).is_some_and(|setter| setter.wire_name == wire_name);
        let types = self.types.get(&takes).filter(|types| is_its && types.len() == 1)?;
        types.first().map(String::as_str)
    }

    /// Notes the setter names of a shared param on an endpoint.
    pub(super) fn note(&self, wire_name: &str, idents: &mut NamesInUse) {
        for setter in self.all.values().filter(|setter| setter.wire_name == wire_name) {
            idents.note(setter.ident.as_str());
        }
        if let Ok(ident) = names::ident(wire_name, Case::Snake) {
            idents.note(ident);
        }
    }

    /// The `ident` that a param of a type needs, and the name of the setter that takes several values, if there should
    /// be one.
    ///
    /// `idents` are the names on its endpoint so far.
    pub(super) fn choose(
        &mut self,
        param: &Tree,
        ty: &str,
        idents: &mut NamesInUse,
    ) -> (Option<String>, Option<String>) {
        let wire_name = param.text("name").unwrap_or_default();
        let is_argument = is_argument(param);
        let wish = |several| NewSetter { wire_name, ty, several, is_argument };
        let derived = names::ident(wire_name, Case::Snake).ok();
        let is_unnamed = param.get("list") == Some(&true.into());
        // If several values can be sent, the wire name is often a plural.
        let single = is_unnamed.then(|| names::ident(&singular(wire_name), Case::Snake).ok());
        let first = param.text("ident").map(str::to_owned).or(single.flatten()).or(derived.clone());
        let ident = self.claim(first, &wish(false), idents);
        let plural = if is_unnamed {
            let other = derived.clone().filter(|derived| *derived != ident);
            let longer = |one: &str| if one.ends_with('s') { format!("{one}_list") } else { format!("{one}s") };
            Some(other.unwrap_or_else(|| longer(&ident)))
        } else {
            param.text("list").map(str::to_owned)
        };
        let list = plural.map(|plural| self.claim(Some(plural), &wish(true), idents));
        ((derived.as_ref() != Some(&ident)).then_some(ident), list)
    }

    fn claim(&mut self, wanted: Option<String>, wish: &NewSetter<'_>, idents: &mut NamesInUse) -> String {
        let scope = if wish.is_argument { Scope::Arguments } else { Scope::Setters };
        let is_free = |ident: &str| !names::is_taken(scope, ident) && !idents.has(ident) && self.is_mine(ident, wish);
        let fits = |ident: &str| names::is_ident(ident, Case::Snake) && is_free(ident);
        // Only a derived name may be a keyword with its escape.
        let is_derived = |ident: &String| names::ident(wish.wire_name, Case::Snake).as_ref() == Ok(ident);
        let usable = wanted.clone().filter(|ident| if is_derived(ident) { is_free(ident) } else { fits(ident) });
        let other =
            wanted.filter(|_| !wish.is_argument).and_then(|ident| Some((self.other_type(&ident, wish)?, ident)));
        let by_type = other.as_ref().and_then(|(_, wanted)| with_type(wanted, wish.ty)).filter(|ident| fits(ident));
        let ident = usable.or(by_type).unwrap_or_else(|| {
            // Tries names until one is free on this endpoint and stands for no other param elsewhere.
            let mut tried = NamesInUse::default();
            loop {
                let candidate = tried.claim(wish.wire_name, Case::Snake, scope);
                if fits(&candidate) {
                    return candidate;
                }
            }
        });
        if let Some((known, wanted)) = other {
            let (wire_name, ty) = (wish.wire_name, wish.ty);
            let line = format!("`{wire_name}` has the setter `{ident}` where it is {ty}, as `{wanted}` takes {known}");
            if !self.said.contains(&line) {
                self.said.push(line);
            }
        }
        idents.note(ident.as_str());
        if !wish.is_argument {
            let (several, wire_name) = (wish.several, wish.wire_name.to_owned());
            self.all.insert(names::takes(&ident), KnownSetter { ident: ident.clone(), several, wire_name });
        }
        ident
    }

    /// Whether a setter can have a name: the name is new, or does the same on other endpoints.
    fn is_mine(&self, ident: &str, wish: &NewSetter<'_>) -> bool {
        let is_same = |known: &KnownSetter| {
            known.ident == ident && known.several == wish.several && known.wire_name == wish.wire_name
        };
        wish.is_argument
            || (self.all.get(&names::takes(ident)).is_none_or(is_same) && self.other_type(ident, wish).is_none())
    }

    /// The one type that a setter takes on all endpoints, if the wanted one differs.
    ///
    /// A second type would change the setter for all its users.
    fn other_type(&self, ident: &str, wish: &NewSetter<'_>) -> Option<String> {
        let types = self.types.get(&names::takes(ident)).filter(|types| types.len() == 1)?;
        types.first().filter(|known| *known != wish.ty).cloned()
    }
}

/// A setter name that contains the type.
fn with_type(ident: &str, ty: &str) -> Option<String> {
    let ty = names::ident(ty, Case::Snake).ok()?;
    if ty == ident {
        return Some(format!("{ident}_enum"));
    }
    Some(if ty.ends_with(ident) { ty } else { format!("{ident}_{ty}") })
}

/// A setter that is needed for a param.
struct NewSetter<'a> {
    wire_name: &'a str,
    ty: &'a str,
    several: bool,
    is_argument: bool,
}

/// Whether a param is an argument, and so has no setter.
fn is_argument(param: &Tree) -> bool {
    let required = param.text("required").and_then(Evidence::of);
    param.text("in") == Some("path") || required.is_some_and(Evidence::is_enforced)
}
