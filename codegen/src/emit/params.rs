//! Emits `service/params.rs`: constants for the shared params, and setters of requests for all params.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use runtime::registry::ParamInfo;

use super::literal::{Literal, ident, rust_type};
use super::param_lists::{ParamList, param_lists};
use super::render::{self, IMPORTS};
use super::setters::{ParamSetters, adding_method};
use super::{File, markdown, sentences};
use catalogue::RegistryEntries;
use catalogue::model::{Api, Param, ParamSet, Passing, Setter, SharedParam, Type};
use wording::Facts;

pub(super) fn file(api: &Api, entries: &RegistryEntries) -> File {
    let mut items = constants(api, entries);
    for set in emitted_sets(api) {
        items.push(set_constant(api, set));
    }
    for setter in &api.setters {
        items.push(setter_trait(setter));
    }
    for set in implemented_sets(api) {
        items.push(set_macro(api, set));
    }
    if !api.setters.is_empty() {
        let setters: Vec<_> = api.setters.iter().map(setter_method).collect();
        items.push(quote!(impl<E: Endpoint> Request<E> { #(#setters)* }));
    }
    let docs = "The setters of requests, and one trait per setter for the endpoints that have the param.";
    render::file("service/params.rs", "", docs, IMPORTS, items)
}

/// The constants of the shared params that an endpoint uses.
fn constants(api: &Api, entries: &RegistryEntries) -> Vec<TokenStream> {
    let used = api.shared_params_of(api.endpoints(), |_| true);
    let mut constants = Vec::new();
    for (shared, entry) in api.shared_params.iter().zip(&entries.shared_params) {
        if used.iter().any(|other| std::ptr::eq(*other, shared)) {
            constants.push(constant(shared, entry));
        }
    }
    constants
}

fn constant(shared: &SharedParam, entry: &ParamInfo) -> TokenStream {
    let name = ident(&shared.constant);
    let entry = entry.literal();
    quote!(pub(crate) const #name: ParamInfo = #entry;)
}

/// The param sets to which the entry of an endpoint refers.
fn emitted_sets(api: &Api) -> Vec<&ParamSet> {
    let mut used = BTreeSet::new();
    for endpoint in api.endpoints() {
        for list in param_lists(api, endpoint.params.as_deref().unwrap_or_default()) {
            if let ParamList::Set(index) = list {
                used.insert(index);
            }
        }
    }
    sets(api, &used)
}

/// The param sets of methods, whose macros implement the traits of setters.
fn implemented_sets(api: &Api) -> Vec<&ParamSet> {
    let mut used = BTreeSet::new();
    for endpoint in api.methods() {
        used.extend(endpoint.param_set);
    }
    sets(api, &used)
}

fn sets<'a>(api: &'a Api, indices: &BTreeSet<usize>) -> Vec<&'a ParamSet> {
    indices.iter().filter_map(|index| api.param_sets.get(*index)).collect()
}

fn set_constant(api: &Api, set: &ParamSet) -> TokenStream {
    let name = ident(&set.constant);
    let mut params = Vec::new();
    for shared in shared_params(api, set) {
        params.push(ident(&shared.constant));
    }
    quote!(pub(crate) const #name: &[ParamInfo] = &[#(#params),*];)
}

fn shared_params<'a>(api: &'a Api, set: &'a ParamSet) -> impl Iterator<Item = &'a SharedParam> {
    set.params.iter().filter_map(|index| api.shared_params.get(*index))
}

/// The setter traits of a param set, without those of setters whose values have a type of the endpoint.
pub(super) fn traits(api: &Api, set: &ParamSet) -> Vec<Ident> {
    let params: Vec<&Param> = shared_params(api, set).map(|shared| &*shared.param).collect();
    let mut traits = Vec::new();
    for alike in ParamSetters::of(api, params.into_iter()).alike {
        traits.push(ident(&alike.setter.takes));
    }
    traits
}

/// The name of the macro that implements the traits of a param set for an endpoint.
pub(super) fn macro_name(set: &ParamSet) -> Ident {
    ident(&format!("takes_{}", set.constant.to_ascii_lowercase()))
}

/// Defines the macro for endpoints that use a param set. The macro implements the setter traits of the set and of the
/// endpoint's own params.
fn set_macro(api: &Api, set: &ParamSet) -> TokenStream {
    let name = macro_name(set);
    let traits = traits(api, set);
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

/// The trait of the endpoints that have a setter.
fn setter_trait(setter: &Setter) -> TokenStream {
    let name = ident(&setter.takes);
    let doc = markdown::doc([format!("Endpoints with the param `{}`.", setter.ident)]);
    let message = format!("`{{Self}}` has no param `{}`", setter.ident);
    let mut associated_type = TokenStream::new();
    if setter.ty.is_none() {
        let name = ident(&setter.type_ident);
        associated_type = quote! {
            /// The type of the value.
            type #name: ToWire;
        };
    }
    quote! {
        #doc
        #[diagnostic::on_unimplemented(
            message = #message,
            note = "`Request::query` sends any param"
        )]
        pub trait #name: Endpoint { #associated_type }
    }
}

fn setter_method(setter: &Setter) -> TokenStream {
    let name = ident(&setter.ident);
    let takes = ident(&setter.takes);
    let wire_name = setter.param.declared.name.as_str();
    let doc = markdown::doc(setter_docs(setter));
    let ty = setter_type(setter);
    // Every kind of setter accepts `None`, which omits the param.
    let passing = setter.passing();
    let (generics, argument) = match passing {
        Passing { several: false, exact: true } => (quote!(), quote!(Into<Option<#ty>>)),
        Passing { several: true, exact: true } => (quote!(<I: IntoIterator<Item = #ty>>), quote!(Into<Option<I>>)),
        Passing { several: false, exact: false } => (quote!(<Via>), quote!(IntoParam<#ty, Via>)),
        Passing { several: true, exact: false } => (quote!(<Via>), quote!(IntoParamList<#ty, Via>)),
    };
    let value = if passing.exact { quote!(#name.into()) } else { quote!(#name) };
    let adding = adding_method(passing);
    quote! {
        #doc
        pub fn #name #generics (self, #name: impl #argument) -> Self where E: #takes {
            self.#adding::<#ty, _>(#wire_name, #value)
        }
    }
}

fn setter_type(setter: &Setter) -> TokenStream {
    if let Some(ty) = &setter.ty {
        return rust_type(ty);
    }
    let associated = ident(&setter.type_ident);
    quote!(E::#associated)
}

/// The docs of a setter, which describe the facts about the param that are the same on all endpoints.
fn setter_docs(setter: &Setter) -> Vec<String> {
    let Some(ty) = &setter.ty else {
        let Setter { ident, takes, type_ident, .. } = setter;
        return vec![format!("Sets `{ident}`, whose type depends on the endpoint: see [`{takes}::{type_ident}`].")];
    };
    let param = &setter.param;
    let declared = &param.declared;
    let facts = Facts {
        unit: unit_in_docs(ty, &param.unit),
        range: [param.range.min, param.range.max],
        source: param.evidence.label(),
        default: param.default_value(),
        allowed_values: sentences::texts(&declared.allowed_values),
        ..Facts::default()
    };
    let facts = markdown::joined([sentences::stated(&facts), wire_format(setter)]);
    let notes = markdown::joined([markdown::prose(&declared.notes), sentences::unknown(&declared.unknown)]);
    vec![sentences::meaning(&declared.summary), facts, notes]
}

/// The client converts a timestamp, so its unit is omitted.
pub(super) fn unit_in_docs<'a>(ty: &Type, unit: &'a str) -> &'a str {
    if ty.time_form().is_some() { "" } else { unit }
}

/// A sentence about the name and the format in which a value is sent, if the setter does not show it.
fn wire_format(setter: &Setter) -> String {
    let wire_name = &setter.param.declared.name;
    if setter.several {
        sentences::several(wire_name, setter.list_as)
    } else if *wire_name != setter.ident {
        format!("Sent as {}.", markdown::code(wire_name))
    } else {
        String::new()
    }
}
