//! Names for the setters of params: one name stands for one wire name on whichever endpoints.

use std::collections::HashMap;

use super::plan::{PlannedParam, Several};
use crate::evolve::change::Desk;
use crate::evolve::naming::{Taken, singular};
use crate::names::{self, Case, Scope};
use crate::spec::{self, Evidence, Known, ParamEntry, ParamLocation};

/// Setters by the trait that they become.
#[derive(Debug, Default)]
pub(super) struct Setters(HashMap<String, Setter>);

/// What a setter stands for.
#[derive(Clone, Debug, PartialEq)]
struct Setter {
    ident: String,
    several: bool,
    wire_name: String,
}

impl Setters {
    /// Those that are there already.
    pub(super) fn of(desk: &Desk) -> Self {
        let mut setters = Self::default();
        for param in &desk.checked.service.params {
            setters.add(param);
        }
        for endpoint in desk.checked.groups.iter().flat_map(|(_, group)| &group.endpoints) {
            let Known::Known(entries) = &endpoint.params else { continue };
            for entry in entries {
                if let ParamEntry::Own(param) = entry {
                    setters.add(param);
                }
            }
        }
        setters
    }

    fn add(&mut self, param: &spec::Param) {
        let is_enforced = param.required.is_some_and(|required| required != Evidence::Reported);
        if param.location == ParamLocation::Path || is_enforced {
            return;
        }
        let ident = param.ident.clone().or_else(|| names::ident(&param.name, Case::Snake).ok()).unwrap_or_default();
        for (ident, several) in [(Some(ident), false), (param.list.clone(), true)] {
            let Some(ident) = ident else { continue };
            let setter = Setter { ident: ident.clone(), several, wire_name: param.name.clone() };
            self.0.insert(names::takes(&ident), setter);
        }
    }

    /// Notes the names that a shared param has on an endpoint.
    pub(super) fn note(&self, wire_name: &str, idents: &mut Taken) {
        for setter in self.0.values().filter(|setter| setter.wire_name == wire_name) {
            idents.note(setter.ident.as_str());
        }
        if let Ok(ident) = names::ident(wire_name, Case::Snake) {
            idents.note(ident);
        }
    }

    /// The `ident` that a param needs, and the name of the setter that takes several, if there is to be one.
    ///
    /// `idents` are the names on its endpoint so far.
    pub(super) fn choose(&mut self, param: &PlannedParam, idents: &mut Taken) -> (Option<String>, Option<String>) {
        let is_enforced = param.required.as_deref().is_some_and(|required| required != "reported");
        let is_argument = param.in_path || is_enforced;
        let derived = names::ident(&param.name, Case::Snake).ok();
        let said = param.said.ident.clone();
        // Where several can be sent, the wire name is often the plural.
        let single = (param.several == Several::Yes).then(|| names::ident(&singular(&param.name), Case::Snake).ok());
        let first = said.or(single.flatten()).or(derived.clone());
        let ident = self.claim(first, &param.name, false, is_argument, idents);
        let plural = match &param.several {
            Several::No => None,
            Several::By(list) => Some(list.clone()),
            Several::Yes => derived
                .clone()
                .filter(|derived| *derived != ident)
                .or_else(|| derived.clone().map(|one| if one.ends_with('s') { one + "_list" } else { one + "s" })),
        };
        let list = plural.map(|plural| self.claim(Some(plural), &param.name, true, is_argument, idents));
        ((derived.as_ref() != Some(&ident)).then_some(ident), list)
    }

    fn claim(
        &mut self,
        wanted: Option<String>,
        wire_name: &str,
        several: bool,
        is_argument: bool,
        idents: &mut Taken,
    ) -> String {
        let scope = if is_argument { Scope::Arguments } else { Scope::Setters };
        let is_mine = |setters: &HashMap<String, Setter>, ident: &str| {
            let setter = Setter { ident: ident.to_owned(), several, wire_name: wire_name.to_owned() };
            is_argument || setters.get(&names::takes(ident)).is_none_or(|known| *known == setter)
        };
        let fits = |setters: &HashMap<String, Setter>, idents: &Taken, ident: &str| {
            names::is_ident(ident, Case::Snake)
                && !names::is_taken(scope, ident)
                && !idents.has(ident)
                && is_mine(setters, ident)
        };
        // The name as it stands may be a keyword with its escape, which only a derived name can be.
        let usable = wanted.filter(|ident| {
            let is_derived = names::ident(wire_name, Case::Snake).as_ref() == Ok(ident);
            (is_derived || names::is_ident(ident, Case::Snake))
                && !names::is_taken(scope, ident)
                && !idents.has(ident)
                && is_mine(&self.0, ident)
        });
        let ident = usable.unwrap_or_else(|| {
            // Names are tried until one is free here and stands for nothing else elsewhere.
            let mut tried = Taken::default();
            loop {
                let candidate = tried.claim(wire_name, Case::Snake, scope);
                if fits(&self.0, idents, &candidate) {
                    return candidate;
                }
            }
        });
        idents.note(ident.as_str());
        if !is_argument {
            let setter = Setter { ident: ident.clone(), several, wire_name: wire_name.to_owned() };
            self.0.insert(names::takes(&ident), setter);
        }
        ident
    }
}
