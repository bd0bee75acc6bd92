//! The setters of params, by whether their types are the same on all endpoints.

use proc_macro2::Ident;

use super::literal::ident;
use catalogue::model::{Api, Param, Passing, Setter};

/// Returns the method of a request that adds a param.
pub(super) fn with(passing: Passing) -> Ident {
    ident(if passing.several { "with_list" } else { "with" })
}

/// A param and one of its setters.
type Set<'a> = (&'a Param, &'a Setter);

/// Returns the setters of the given params, each with its param. The first list contains the setters whose values have
/// the same type on all endpoints, and the second list contains the others.
pub(super) fn setters<'a>(api: &'a Api, params: impl Iterator<Item = &'a Param>) -> (Vec<Set<'a>>, Vec<Set<'a>>) {
    let setters = params
        .filter(|param| param.is_set())
        .flat_map(|param| param.setters().filter_map(move |(ident, _)| Some((param, api.setter(ident)?))));
    setters.partition(|(_, setter)| setter.ty.is_some())
}
