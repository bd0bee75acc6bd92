//! Merges the params of all endpoints into the setters of requests.

use std::collections::{BTreeMap, HashSet};

use crate::model::{Endpoint, Group, Param, Setter, SharedParam};
use crate::names::{self, Case};
use crate::spec;

/// Creates one setter for each method name. If a shared param has a setter with this name, the docs of the shared param
/// are used.
pub(super) fn setters(shared: &[SharedParam], groups: &[Group]) -> Vec<Setter> {
    let params = groups.iter().flat_map(Group::methods).flat_map(Endpoint::known_params);
    let with_setter: Vec<_> = params.filter(|param| param.is_set()).collect();
    // `sent` contains the setters that exist. A shared param has none if no endpoint with a path uses the param, or if
    // the param is an argument on all endpoints that use it.
    let sent: HashSet<_> =
        with_setter.iter().flat_map(|param| param.setters().map(|(ident, _)| (ident, param.name.as_str()))).collect();
    let mut setters: BTreeMap<&str, Setter> = BTreeMap::new();
    let defined = shared.iter().map(|shared| &shared.param).filter(|param| param.const_value.is_none());
    for param in defined.chain(with_setter.iter().copied()) {
        for (ident, several) in param.setters().filter(|(ident, _)| sent.contains(&(*ident, param.name.as_str()))) {
            setters.entry(ident).or_insert_with(|| setter(ident, param, several));
        }
    }
    let of_shared: HashSet<_> = shared.iter().flat_map(|shared| shared.param.setters()).collect();
    for param in &with_setter {
        for (ident, several) in param.setters() {
            let is_shared = of_shared.contains(&(ident, several));
            setters.entry(ident).and_modify(|setter| hold_for(setter, param, is_shared));
        }
    }
    setters.into_values().collect()
}

/// Clears each fact of a setter that is different for this param.
fn hold_for(setter: &mut Setter, param: &Param, is_shared: bool) {
    let Param { declared, unit, range, evidence, .. } = &mut setter.param;
    let spec::Param { notes, unknown, default, allowed_values, .. } = declared;
    // The notes of a shared param apply to every endpoint, so they are kept even if an endpoint has other notes.
    if !is_shared {
        keep_equal(notes, &param.notes);
        keep_equal(unknown, &param.unknown);
    }
    keep_equal(default, &param.default);
    keep_equal(allowed_values, &param.allowed_values);
    keep_equal(unit, &param.unit);
    keep_equal(range, &param.range);
    keep_equal(evidence, &param.evidence);
    setter.ty.take_if(|ty| *ty != param.ty);
    setter.list_as.take_if(|list_as| *list_as != param.list_as);
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
        list_as: Some(param.list_as),
        param: param.clone(),
    }
}
