//! Merges the params of all endpoints into the setters of requests.

use std::collections::{BTreeMap, HashSet};

use crate::model::{Group, Param, Setter, SharedParam};
use crate::names::{self, Case};
use crate::spec;

/// Creates one setter for each method name. If a shared param has a setter with this name, the docs of the shared param
/// are used.
pub(super) fn setters(shared: &[SharedParam], groups: &[Group]) -> Vec<Setter> {
    let mut with_setter = Vec::new();
    for group in groups {
        for endpoint in group.methods() {
            with_setter.extend(endpoint.known_params().filter(|param| param.is_set()));
        }
    }
    let sent = setters_of(&with_setter);
    let mut defined: Vec<&Param> = Vec::new();
    for shared in shared {
        if shared.param.declared.const_value.is_none() {
            defined.push(&shared.param);
        }
    }
    defined.extend(&with_setter);
    let mut setters: BTreeMap<&str, Setter> = BTreeMap::new();
    for param in defined {
        for (ident, several) in param.setters() {
            // A shared param has no setter if no endpoint with a path uses the param, or if the param is an argument on
            // all endpoints that use it.
            if sent.contains(&(ident.as_str(), param.declared.name.as_str())) {
                setters.entry(ident).or_insert_with(|| setter(ident, param, several));
            }
        }
    }
    let of_shared: HashSet<_> = shared.iter().flat_map(|shared| shared.param.setters()).collect();
    for param in with_setter {
        for (ident, several) in param.setters() {
            if let Some(setter) = setters.get_mut(ident.as_str()) {
                hold_for(setter, param, of_shared.contains(&(ident, several)));
            }
        }
    }
    setters.into_values().collect()
}

/// The setters of params, each with the wire name of the param.
fn setters_of<'a>(params: &[&'a Param]) -> HashSet<(&'a str, &'a str)> {
    let mut setters = HashSet::new();
    for param in params {
        for (ident, _) in param.setters() {
            setters.insert((ident.as_str(), param.declared.name.as_str()));
        }
    }
    setters
}

/// Clears each fact of a setter that is different for this param.
fn hold_for(setter: &mut Setter, param: &Param, is_shared: bool) {
    let Param { declared, unit, range, evidence, .. } = &mut setter.param;
    let spec::Param { notes, unknown, default, allowed_values, .. } = declared;
    // The notes of a shared param apply to every endpoint, so they are kept even if an endpoint has other notes.
    if !is_shared {
        keep_equal(notes, &param.declared.notes);
        keep_equal(unknown, &param.declared.unknown);
    }
    keep_equal(default, &param.declared.default);
    keep_equal(allowed_values, &param.declared.allowed_values);
    keep_equal(unit, &param.unit);
    keep_equal(range, &param.range);
    keep_equal(evidence, &param.evidence);
    setter.ty.take_if(|ty| *ty != param.ty);
    setter.list_as.take_if(|list_as| *list_as != param.declared.list_as);
}

fn keep_equal<T: PartialEq + Default>(fact: &mut T, other: &T) {
    if fact != other {
        *fact = T::default();
    }
}

fn setter(ident: &str, param: &Param, several: bool) -> Setter {
    Setter {
        ident: ident.to_owned(),
        takes: names::takes(ident),
        type_ident: names::ident(ident, Case::Pascal).unwrap_or_default(),
        several,
        ty: Some(param.ty.clone()),
        list_as: Some(param.declared.list_as),
        param: param.clone(),
    }
}
