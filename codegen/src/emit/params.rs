//! Emits `service/params.rs`: constants for the shared params, and setters of requests for all params.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::literal::{ident, param_info, param_lists, rust_type};
use super::render::{self, IMPORTS};
use super::{File, docs, setters};
use catalogue::model::{Api, ParamSet, Passing, Setter, SharedParam, Type};
use wording::Facts;

pub(super) fn file(api: &Api) -> File {
    let params = api.shared_params_of(api.endpoints(), |_| true).into_iter().map(constant);
    let lists =
        api.endpoints().filter_map(|endpoint| endpoint.params.as_ref()).flat_map(|params| param_lists(api, params));
    let sets = used_sets(api, lists.filter_map(|(set, _)| set)).map(|set| param_set(api, set));
    let takes = api.setters.iter().map(takes);
    let takes_sets =
        used_sets(api, api.methods().filter_map(|endpoint| endpoint.param_set)).map(|set| takes_set(api, set));
    let setters = api.setters.iter().map(setter);
    let setters = (!api.setters.is_empty()).then(|| quote!(impl<E: Endpoint> Request<E> { #(#setters)* }));
    let items = params.chain(sets).chain(takes).chain(takes_sets).chain(setters);
    let docs = "The setters of requests, and one trait per setter for the endpoints that have the param.";
    render::file("service/params.rs", "", docs, IMPORTS, items)
}

/// Returns the param sets with the given indices, in the order of the catalogue.
fn used_sets(api: &Api, indices: impl Iterator<Item = usize>) -> impl Iterator<Item = &ParamSet> {
    let used: HashSet<usize> = indices.collect();
    api.param_sets.iter().enumerate().filter(move |(index, _)| used.contains(index)).map(|(_, set)| set)
}

fn param_set(api: &Api, set: &ParamSet) -> TokenStream {
    let name = ident(&set.constant);
    let params = set.params.iter().filter_map(|index| api.shared_params.get(*index));
    let params: Vec<_> = params.map(|param| ident(&param.constant)).collect();
    quote!(pub(crate) const #name: &[ParamInfo] = &[#(#params),*];)
}

/// Returns the setter traits of a param set, without the traits of setters whose value type differs between endpoints.
pub(super) fn traits(api: &Api, set: &ParamSet) -> Vec<Ident> {
    let params = set.params.iter().filter_map(|index| api.shared_params.get(*index)).map(|shared| &shared.param);
    let (alike, _) = setters::setters(api, params);
    alike.iter().map(|(_, setter)| ident(&setter.takes)).collect()
}

/// Returns the name of the macro that implements the traits of a param set for an endpoint.
pub(super) fn macro_name(set: &ParamSet) -> Ident {
    ident(&format!("takes_{}", set.constant.to_ascii_lowercase()))
}

/// Defines the macro for endpoints that use a param set. The macro implements the setter traits of the set and of the
/// endpoint's own params.
fn takes_set(api: &Api, set: &ParamSet) -> TokenStream {
    let (name, traits) = (macro_name(set), traits(api, set));
    if traits.is_empty() {
        return TokenStream::new();
    }
    quote! {
        macro_rules! #name {
            ($endpoint:ident $(=> $($own:tt)+)?) => {
                ::runtime::takes!($endpoint => #($crate::params::#traits),* $(, $($own)+)?);
            };
        }
        pub(crate) use #name;
    }
}

fn constant(shared: &SharedParam) -> TokenStream {
    let (name, info) = (ident(&shared.constant), param_info(&shared.param));
    quote!(pub(crate) const #name: ParamInfo = #info;)
}

fn takes(setter: &Setter) -> TokenStream {
    let name = ident(&setter.takes);
    let doc = docs::doc([format!("Endpoints with the param `{}`.", setter.ident)]);
    let message = format!("`{{Self}}` has no param `{}`", setter.ident);
    let ty = setter.ty.is_none().then(|| {
        let name = ident(&setter.type_ident);
        quote! {
            /// The type of the value.
            type #name: ToWire;
        }
    });
    quote! {
        #doc
        #[diagnostic::on_unimplemented(
            message = #message,
            note = "`Request::query` sends any param"
        )]
        pub trait #name: Endpoint { #ty }
    }
}

fn setter(setter: &Setter) -> TokenStream {
    let (name, takes) = (ident(&setter.ident), ident(&setter.takes));
    let wire_name = setter.param.name.as_str();
    let associated = ident(&setter.type_ident);
    let ty = setter.ty.as_ref().map_or_else(|| quote!(E::#associated), rust_type);
    let doc = docs::doc(if setter.ty.is_some() { facts(setter) } else { differing(setter) });
    // Every kind of setter accepts `None`, which omits the param.
    let passing = setter.passing();
    let (generics, argument) = match passing {
        Passing { several: false, exact: true } => (quote!(), quote!(Into<Option<#ty>>)),
        Passing { several: true, exact: true } => (quote!(<I: IntoIterator<Item = #ty>>), quote!(Into<Option<I>>)),
        Passing { several: false, exact: false } => (quote!(<Via>), quote!(IntoParam<#ty, Via>)),
        Passing { several: true, exact: false } => (quote!(<Via>), quote!(IntoParamList<#ty, Via>)),
    };
    let value = if passing.exact { quote!(#name.into()) } else { quote!(#name) };
    let with = setters::with(passing);
    quote! {
        #doc
        pub fn #name #generics (self, #name: impl #argument) -> Self where E: #takes {
            self.#with::<#ty, _>(#wire_name, #value)
        }
    }
}

/// Returns the docs of a setter, which describe the facts about the param that are the same on all endpoints.
fn facts(setter: &Setter) -> Vec<String> {
    let param = &setter.param;
    let facts = Facts {
        // The client converts a timestamp, so its unit is omitted.
        unit: if setter.ty.as_ref().and_then(Type::time_form).is_some() { "" } else { &param.unit },
        range: [param.range.min, param.range.max],
        source: param.evidence.label(),
        default: param.default.as_ref().map(|default| default.as_str()),
        allowed_values: docs::texts(&param.allowed_values),
        ..Facts::default()
    };
    let sent = match (setter.several, param.name == setter.ident) {
        (true, _) => docs::several(&param.name, setter.list_as),
        (false, false) => format!("Sent as {}.", docs::code(&param.name)),
        (false, true) => String::new(),
    };
    let facts = docs::joined([docs::stated(&facts), sent]);
    vec![docs::meaning(&param.summary), facts, docs::joined([docs::prose(&param.notes), docs::unknown(&param.unknown)])]
}

/// Returns the docs of a setter whose type differs between endpoints.
fn differing(setter: &Setter) -> Vec<String> {
    let Setter { ident, takes, type_ident, .. } = setter;
    vec![format!("Sets `{ident}`, whose type depends on the endpoint: see [`{takes}::{type_ident}`].")]
}
