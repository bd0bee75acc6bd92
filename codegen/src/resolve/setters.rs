//! Merges the params of all endpoints into the setters of requests.

use std::collections::{BTreeMap, HashSet};

use crate::model::{Group, Param, Range, Setter, SharedParam};
use crate::names::{self, Case};

/// Creates one setter for each method name. If a shared param has a setter with this name, the docs of the shared param
/// are used.
pub(super) fn setters(shared: &[SharedParam], groups: &[Group]) -> Vec<Setter> {
    let endpoints = groups.iter().flat_map(Group::methods);
    let with_setter = endpoints.flat_map(|endpoint| endpoint.params.iter().flatten()).map(|param| &param.param);
    let with_setter: Vec<_> = with_setter.filter(|param| param.is_set()).collect();
    // `sent` contains the setters that exist. A shared param has none if no endpoint with a path uses the param, or if
    // the param is an argument on all endpoints that use it.
    let sent: HashSet<_> = with_setter.iter().flat_map(|param| names_of(param)).collect();
    let mut setters: BTreeMap<&str, Setter> = BTreeMap::new();
    let defined = shared.iter().map(|shared| &shared.param).filter(|param| param.const_value.is_none());
    for param in defined.chain(with_setter.iter().copied()) {
        for (ident, several) in setter_idents(param).filter(|(ident, _)| sent.contains(&(*ident, &*param.wire_name))) {
            setters.entry(ident).or_insert_with(|| setter(ident, param, several));
        }
    }
    let of_shared: HashSet<_> = shared.iter().flat_map(|shared| setter_idents(&shared.param)).collect();
    for param in &with_setter {
        for (ident, several) in setter_idents(param) {
            let is_shared = of_shared.contains(&(ident, several));
            setters.entry(ident).and_modify(|setter| hold_for(setter, param, is_shared));
        }
    }
    setters.into_values().collect()
}

/// Clears each fact of a setter that is different for this param.
fn hold_for(setter: &mut Setter, param: &Param, is_shared: bool) {
    // The notes of a shared param apply to every endpoint, so they are kept even if an endpoint has other notes.
    if !is_shared && setter.notes != param.notes {
        setter.notes.clear();
    }
    if !is_shared && setter.unknown != param.unknown {
        setter.unknown.clear();
    }
    if setter.ty.as_ref() != Some(&param.ty) {
        setter.ty = None;
    }
    if setter.default != param.default {
        setter.default = None;
    }
    if setter.allowed_values != param.allowed_values {
        setter.allowed_values.clear();
    }
    if setter.unit != param.unit {
        setter.unit.clear();
    }
    if setter.range != param.range {
        setter.range = Range::default();
    }
    if setter.list_as != Some(param.list_as) {
        setter.list_as = None;
    }
    if setter.evidence != Some(param.evidence) {
        setter.evidence = None;
    }
}

/// Returns the names of the setters of a param, each with the wire name of the param.
fn names_of(param: &Param) -> impl Iterator<Item = (&str, &str)> {
    setter_idents(param).map(|(ident, _)| (ident, param.wire_name.as_str()))
}

/// Returns the names of the setters of a param, each with `true` if the setter accepts several values.
fn setter_idents(param: &Param) -> impl Iterator<Item = (&str, bool)> {
    std::iter::once((param.ident.as_str(), false)).chain(param.list_setter.iter().map(|list| (list.as_str(), true)))
}

fn setter(ident: &str, param: &Param, several: bool) -> Setter {
    Setter {
        ident: ident.to_owned(),
        takes: names::takes(ident),
        type_ident: names::ident(ident, Case::Pascal).unwrap_or_default(),
        wire_name: param.wire_name.clone(),
        summary: param.summary.clone(),
        unit: param.unit.clone(),
        range: param.range,
        default: param.default.clone(),
        allowed_values: param.allowed_values.clone(),
        evidence: Some(param.evidence),
        notes: param.notes.clone(),
        unknown: param.unknown.clone(),
        ty: Some(param.ty.clone()),
        several,
        list_as: Some(param.list_as),
    }
}
