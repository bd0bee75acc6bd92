//! Chooses setter names for params. A setter must have the same wire name on all endpoints, and keep its type.

use std::collections::{BTreeSet, HashMap};

use catalogue::names::{self, Case, Scope};
use catalogue::spec::{Evidence, Param, ParamEntry, ParamLocation};

use crate::content::Content;
use crate::draft::SEVERAL;
use crate::rust_names::{NamesInUse, singular};

/// The setters of the client. The keys of `all` are the names of the setters' traits.
#[derive(Debug, Default)]
pub(super) struct Setters {
    all: HashMap<String, Setter>,
}

#[derive(Debug)]
struct Setter {
    ident: String,
    /// `true` if the setter accepts several values.
    is_list: bool,
    wire_name: String,
    /// The types of the setter on all endpoints, before the first edit.
    types: BTreeSet<String>,
}

/// A param that needs a setter.
#[derive(Clone, Copy)]
struct Wish<'a> {
    wire_name: &'a str,
    ty: &'a str,
    is_argument: bool,
    is_list: bool,
}

impl Setters {
    /// Collects the setters of a catalogue.
    pub(super) fn of(content: &Content) -> Self {
        let mut setters = Self::default();
        let own = content.endpoints().filter_map(|(_, endpoint)| endpoint.params.known()).flatten();
        let own = own.filter_map(|entry| if let ParamEntry::Own(param) = entry { Some(&**param) } else { None });
        for param in content.service.params.iter().chain(own).filter(|param| !is_argument(param)) {
            for (ident, is_list) in [(ident_of(param), false), (param.list_setter.as_deref().cloned(), true)] {
                let Some(ident) = ident else { continue };
                setters.insert(&ident, &param.name, is_list).types.insert(param.ty.to_string());
            }
        }
        setters
    }

    fn insert(&mut self, ident: &str, wire_name: &str, is_list: bool) -> &mut Setter {
        let (ident, wire_name, types) = (ident.to_owned(), wire_name.to_owned(), BTreeSet::new());
        self.all.entry(names::takes(&ident)).or_insert(Setter { ident, is_list, wire_name, types })
    }

    /// Adds the setter names of a shared param to the names in use on an endpoint.
    pub(super) fn note(&self, wire_name: &str, idents: &mut NamesInUse) {
        let known = self.all.values().filter(|setter| setter.wire_name == wire_name);
        let derived = names::ident(wire_name, Case::Snake);
        known.map(|setter| setter.ident.clone()).chain(derived).for_each(|ident| idents.note(ident));
    }

    /// The `rust_name` of a param, and the name of its setter for several values. Each is `None` if the param does not
    /// need it. `idents` contains the names in use on the endpoint of the param.
    pub(super) fn choose(&mut self, param: &Param, ty: &str, idents: &mut NamesInUse) -> [Option<String>; 2] {
        let wire_name = param.name.as_str();
        let wish = Wish { wire_name, ty, is_argument: is_argument(param), is_list: false };
        let derived = names::ident(wire_name, Case::Snake).ok();
        let is_unnamed = param.list_setter.as_ref().is_some_and(|setter| setter.as_str() == SEVERAL);
        // The wire name of a param for several values is often in the plural, such as `coins`. The setter for one value
        // then gets the singular, `coin`.
        let single = is_unnamed.then(|| names::ident(&singular(wire_name), Case::Snake).ok());
        let first = param.rust_name.as_deref().cloned().or(single.flatten()).or(derived.clone());
        let ident = self.claim(first.as_ref(), wish, idents);
        let plural = if is_unnamed {
            let other = derived.clone().filter(|derived| *derived != ident);
            let longer = |one: &str| if one.ends_with('s') { format!("{one}_list") } else { format!("{one}s") };
            Some(other.unwrap_or_else(|| longer(&ident)))
        } else {
            param.list_setter.as_deref().cloned()
        };
        let list = plural.map(|plural| self.claim(Some(&plural), Wish { is_list: true, ..wish }, idents));
        [(derived.as_ref() != Some(&ident)).then_some(ident), list]
    }

    fn claim(&mut self, wanted: Option<&String>, wish: Wish<'_>, idents: &mut NamesInUse) -> String {
        let scope = if wish.is_argument { Scope::Arguments } else { Scope::Setters };
        // An escaped keyword, such as `type_`, is allowed only if it is derived from the wire name.
        let derived = names::ident(wish.wire_name, Case::Snake).ok();
        let is_usable = |ident: &String| {
            let is_name = names::is_ident(ident, Case::Snake) || wanted == Some(ident) && derived.as_ref() == wanted;
            is_name && !names::is_taken(scope, ident) && !idents.has(ident) && self.fits(ident, wish)
        };
        let by_type = wanted.filter(|ident| self.has_other_type(ident, wish));
        let by_type = by_type.and_then(|ident| with_type(ident, wish.ty));
        let mut tried = NamesInUse::default();
        let others = std::iter::repeat_with(|| tried.claim(wish.wire_name, Case::Snake, scope));
        let mut candidates = wanted.into_iter().cloned().chain(by_type).chain(others);
        let ident = candidates.find(is_usable).unwrap_or_default();
        idents.note(ident.as_str());
        if !wish.is_argument {
            self.insert(&ident, wish.wire_name, wish.is_list);
        }
        ident
    }

    /// `true` if a param can use this name: the param is an argument, the name is new, or the setter with this name is
    /// for the same param and type.
    fn fits(&self, ident: &str, wish: Wish<'_>) -> bool {
        let is_same =
            |known: &Setter| known.ident == ident && known.is_list == wish.is_list && known.wire_name == wish.wire_name;
        let is_usable = || self.all.get(&names::takes(ident)).is_none_or(is_same) && !self.has_other_type(ident, wish);
        wish.is_argument || is_usable()
    }

    /// `true` if a setter has the same type on all endpoints, and this type differs from the type of the param. A
    /// second type would change the setter for all its users.
    fn has_other_type(&self, ident: &str, wish: Wish<'_>) -> bool {
        let known = self.all.get(&names::takes(ident)).filter(|_| !wish.is_argument);
        known.is_some_and(|known| known.types.len() == 1 && !known.types.contains(wish.ty))
    }

    /// The type of a param's setter, if it is the same on all endpoints.
    pub(super) fn only_type(&self, param: &Param) -> Option<&str> {
        let known = self.all.get(&names::takes(&ident_of(param)?)).filter(|_| !is_argument(param))?;
        let is_its = known.types.len() == 1 && known.wire_name == *param.name;
        known.types.first().filter(|_| is_its).map(String::as_str)
    }
}

fn ident_of(param: &Param) -> Option<String> {
    names::chosen(param.rust_name.as_deref(), &param.name, Case::Snake)
}

/// A setter name that contains the type.
fn with_type(ident: &str, ty: &str) -> Option<String> {
    let ty = names::ident(ty, Case::Snake).ok()?;
    let longer = || if ty.ends_with(ident) { ty.clone() } else { format!("{ident}_{ty}") };
    Some(if ty == ident { format!("{ident}_enum") } else { longer() })
}

/// `true` if a param is an argument of the method. An argument has no setter.
pub(super) fn is_argument(param: &Param) -> bool {
    param.location == ParamLocation::Path || param.required.is_some_and(Evidence::is_enforced)
}
