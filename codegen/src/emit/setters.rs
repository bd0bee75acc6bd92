//! The setters of params, by whether their types are the same on all endpoints.

use proc_macro2::Ident;

use super::literal::ident;
use catalogue::model::{Api, Param, Passing, Setter};

/// The method of a request that adds a param.
pub(super) fn adding_method(passing: Passing) -> Ident {
    ident(if passing.several { "with_list" } else { "with" })
}

/// A param and one of its setters.
pub(super) struct ParamSetter<'a> {
    pub(super) param: &'a Param,
    pub(super) setter: &'a Setter,
}

/// The setters of some params.
#[derive(Default)]
pub(super) struct ParamSetters<'a> {
    /// Those whose values have the same type on all endpoints.
    pub(super) alike: Vec<ParamSetter<'a>>,
    /// Those whose values have a type of the endpoint.
    pub(super) differing: Vec<ParamSetter<'a>>,
}

impl<'a> ParamSetters<'a> {
    pub(super) fn of(api: &'a Api, params: impl Iterator<Item = &'a Param>) -> Self {
        let mut setters = Self::default();
        for param in params.filter(|param| param.is_set()) {
            for (name, _) in param.setters() {
                if let Some(setter) = api.setter(name) {
                    let list = if setter.ty.is_some() { &mut setters.alike } else { &mut setters.differing };
                    list.push(ParamSetter { param, setter });
                }
            }
        }
        setters
    }
}
