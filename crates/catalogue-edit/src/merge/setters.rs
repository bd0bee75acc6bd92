//! Chooses setter names for params. A setter must have the same wire name on all endpoints, and keep its type.

use std::collections::{BTreeSet, HashMap};

use catalogue::names::{self, Case, Scope};
use catalogue::spec::{Evidence, Param, ParamEntry, ParamLocation};

use crate::content::Content;
use crate::draft::SEVERAL;
use crate::names_in_use::NamesInUse;
use crate::rust_names::singular;

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

/// The names that are written for a param. Each is `None` if the param does not need it.
pub(super) struct SetterNames {
    pub(super) rust_name: Option<String>,
    /// The name of the setter for several values.
    pub(super) list_setter: Option<String>,
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
        for param in &content.service.params {
            setters.add_known(param);
        }
        for (_, endpoint) in content.endpoints() {
            for entry in endpoint.params.known().into_iter().flatten() {
                if let ParamEntry::Own(param) = entry {
                    setters.add_known(param);
                }
            }
        }
        setters
    }

    fn add_known(&mut self, param: &Param) {
        if is_argument(param) {
            return;
        }
        if let Some(ident) = ident_of(param) {
            self.insert(&ident, &param.name, false).types.insert(param.ty.to_string());
        }
        if let Some(ident) = &param.list_setter {
            self.insert(ident, &param.name, true).types.insert(param.ty.to_string());
        }
    }

    fn insert(&mut self, ident: &str, wire_name: &str, is_list: bool) -> &mut Setter {
        self.all.entry(names::takes(ident)).or_insert_with(|| Setter {
            ident: ident.to_owned(),
            is_list,
            wire_name: wire_name.to_owned(),
            types: BTreeSet::new(),
        })
    }

    /// Adds the setter names of a shared param to the names in use on an endpoint.
    pub(super) fn note(&self, wire_name: &str, idents: &mut NamesInUse) {
        for setter in self.all.values() {
            if setter.wire_name == wire_name {
                idents.note(setter.ident.clone());
            }
        }
        if let Ok(derived) = names::ident(wire_name, Case::Snake) {
            idents.note(derived);
        }
    }

    /// The names for a param of the type `ty`. `idents` contains the names in use on the endpoint of the param.
    pub(super) fn choose(&mut self, param: &Param, ty: &str, idents: &mut NamesInUse) -> SetterNames {
        let wire_name = param.name.as_str();
        let wish = Wish { wire_name, ty, is_argument: is_argument(param), is_list: false };
        let derived = names::ident(wire_name, Case::Snake).ok();
        let wanted = wanted_name(param, derived.as_deref());
        let ident = self.claim(wanted.as_deref(), wish, idents);
        let mut list_setter = param.list_setter.as_deref().cloned();
        if needs_list_setter(param) {
            list_setter = Some(plural(&ident, derived.as_deref()));
        }
        if let Some(plural) = list_setter {
            list_setter = Some(self.claim(Some(&plural), Wish { is_list: true, ..wish }, idents));
        }
        let rust_name = if derived.as_ref() == Some(&ident) { None } else { Some(ident) };
        SetterNames { rust_name, list_setter }
    }

    /// A free name, which is then in use: the wanted name, or a similar one.
    fn claim(&mut self, wanted: Option<&str>, wish: Wish<'_>, idents: &mut NamesInUse) -> String {
        let ident = self.free_name(wanted, wish, idents);
        idents.note(ident.as_str());
        if !wish.is_argument {
            self.insert(&ident, wish.wire_name, wish.is_list);
        }
        ident
    }

    fn free_name(&self, wanted: Option<&str>, wish: Wish<'_>, idents: &NamesInUse) -> String {
        if let Some(wanted) = wanted {
            // An escaped keyword, such as `type_`, is allowed only if it is derived from the wire name.
            let is_derived = names::ident(wish.wire_name, Case::Snake).as_deref() == Ok(wanted);
            let is_name = names::is_ident(wanted, Case::Snake) || is_derived;
            if is_name && self.is_free(wanted, wish, idents) {
                return wanted.to_owned();
            }
            if self.has_other_type(wanted, wish)
                && let Some(with_type) = with_type(wanted, wish.ty)
                && names::is_ident(&with_type, Case::Snake)
                && self.is_free(&with_type, wish, idents)
            {
                return with_type;
            }
        }
        let scope = wish.scope();
        let mut tried = NamesInUse::default();
        loop {
            let candidate = tried.claim(wish.wire_name, Case::Snake, scope);
            if names::is_ident(&candidate, Case::Snake) && self.is_free(&candidate, wish, idents) {
                return candidate;
            }
        }
    }

    fn is_free(&self, ident: &str, wish: Wish<'_>, idents: &NamesInUse) -> bool {
        !names::is_taken(wish.scope(), ident) && !idents.has(ident) && self.fits(ident, wish)
    }

    /// `true` if a param can use this name: the param is an argument, the name is new, or the setter with this name is
    /// for the same param and type.
    fn fits(&self, ident: &str, wish: Wish<'_>) -> bool {
        if wish.is_argument {
            return true;
        }
        let Some(known) = self.all.get(&names::takes(ident)) else { return true };
        let is_same = known.ident == ident && known.is_list == wish.is_list && known.wire_name == wish.wire_name;
        is_same && !self.has_other_type(ident, wish)
    }

    /// `true` if a setter has the same type on all endpoints, and this type differs from the type of the param. A
    /// second type would change the setter for all its users.
    fn has_other_type(&self, ident: &str, wish: Wish<'_>) -> bool {
        if wish.is_argument {
            return false;
        }
        match self.all.get(&names::takes(ident)) {
            Some(known) => known.types.len() == 1 && !known.types.contains(wish.ty),
            None => false,
        }
    }

    /// The type of a param's setter, if it is the same on all endpoints.
    pub(super) fn only_type(&self, param: &Param) -> Option<&str> {
        if is_argument(param) {
            return None;
        }
        let known = self.all.get(&names::takes(&ident_of(param)?))?;
        if known.types.len() != 1 || known.wire_name != *param.name {
            return None;
        }
        known.types.first().map(String::as_str)
    }
}

impl Wish<'_> {
    fn scope(self) -> Scope {
        if self.is_argument { Scope::Arguments } else { Scope::Setters }
    }
}

/// `true` if a param accepts several values, and the draft does not name the setter for them.
fn needs_list_setter(param: &Param) -> bool {
    param.list_setter.as_ref().is_some_and(|setter| setter.as_str() == SEVERAL)
}

/// The preferred name of the setter for one value. The wire name of a param for several values is often in the plural,
/// such as `coins`. The setter for one value then gets the singular, `coin`.
fn wanted_name(param: &Param, derived: Option<&str>) -> Option<String> {
    if let Some(chosen) = param.rust_name.as_deref() {
        return Some(chosen.clone());
    }
    if needs_list_setter(param)
        && let Ok(single) = names::ident(&singular(&param.name), Case::Snake)
    {
        return Some(single);
    }
    derived.map(str::to_owned)
}

/// The preferred name of the setter for several values: the name derived from the wire name, or the plural of the name
/// of the setter for one value.
fn plural(single: &str, derived: Option<&str>) -> String {
    match derived {
        Some(derived) if derived != single => derived.to_owned(),
        _ if single.ends_with('s') => format!("{single}_list"),
        _ => format!("{single}s"),
    }
}

fn ident_of(param: &Param) -> Option<String> {
    names::chosen(param.rust_name.as_deref(), &param.name, Case::Snake)
}

/// A setter name that contains the type.
fn with_type(ident: &str, ty: &str) -> Option<String> {
    let ty = names::ident(ty, Case::Snake).ok()?;
    Some(if ty == ident {
        format!("{ident}_enum")
    } else if ty.ends_with(ident) {
        ty
    } else {
        format!("{ident}_{ty}")
    })
}

/// `true` if a param is an argument of the method. An argument has no setter.
pub(super) fn is_argument(param: &Param) -> bool {
    param.location == ParamLocation::Path || param.required.is_some_and(Evidence::is_enforced)
}
