//! `service/params.rs`: the shared params, and a setter on requests for every param that some endpoint takes.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::{ident, param_info};
use super::render::Source;
use super::{File, docs, endpoint, record};
use crate::model::{Api, Evidence, ParamSet, Setter, SharedParam};

pub(super) fn file(api: &Api) -> File {
    let mut items: Vec<_> = used(api).into_iter().map(constant).collect();
    items.extend(used_sets(api).map(|set| param_set(api, set)));
    items.extend(api.setters.iter().map(takes));
    if !api.setters.is_empty() {
        let setters = api.setters.iter().map(setter);
        items.push(quote!(impl<E: Endpoint> Request<E> { #(#setters)* }));
    }
    let source = Source {
        path: "service/params.rs".to_owned(),
        from: String::new(),
        docs: "The setters of requests, and which endpoints have them.".to_owned(),
        items,
    };
    let mut imports = record::imports(api);
    imports.extend([
        ("ParamInfo", "crate::registry"),
        ("ParamLocation", "crate::registry"),
        ("Endpoint", "crate::request"),
        ("Request", "crate::request"),
        ("ToWire", "crate::wire"),
    ]);
    source.render(&imports)
}

/// The shared params that some endpoint takes.
fn used(api: &Api) -> Vec<&SharedParam> {
    let endpoints = api.groups.iter().flat_map(|group| &group.endpoints);
    let params = endpoints.flat_map(|endpoint| endpoint.params.iter().flatten());
    let used: HashSet<usize> = params.filter_map(|param| Some(param.shared?.0)).collect();
    api.shared_params.iter().enumerate().filter(|(index, _)| used.contains(index)).map(|(_, param)| param).collect()
}

/// The param sets that some endpoint's params begin with.
pub(super) fn used_sets(api: &Api) -> impl Iterator<Item = &ParamSet> {
    let endpoints = api.groups.iter().flat_map(|group| &group.endpoints);
    let used: HashSet<usize> = endpoints.filter_map(|endpoint| endpoint.param_set).collect();
    api.param_sets.iter().enumerate().filter(move |(index, _)| used.contains(index)).map(|(_, set)| set)
}

fn param_set(api: &Api, set: &ParamSet) -> TokenStream {
    let name = ident(&set.constant);
    let params = set.params.iter().filter_map(|index| api.shared_params.get(*index));
    let params = params.map(|param| ident(&param.constant));
    quote!(pub(crate) const #name: &[ParamInfo] = &[#(#params),*];)
}

fn constant(shared: &SharedParam) -> TokenStream {
    let (name, info) = (ident(&shared.constant), param_info(&shared.param));
    quote!(pub(crate) const #name: ParamInfo = #info;)
}

fn takes(setter: &Setter) -> TokenStream {
    let name = ident(&setter.takes);
    let doc = docs::doc([format!("Endpoints that take `{}`.", setter.ident)]);
    let message = format!("`{{Self}}` takes no `{}`", setter.ident);
    let ty = setter.ty.is_none().then(|| {
        let name = ident(&setter.type_ident);
        quote! {
            /// What the endpoint takes.
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
    let wire_name = &setter.wire_name;
    let (argument, call) = if let Some(ty) = &setter.ty {
        endpoint::value(&setter.ident, wire_name, ty, setter.several)
    } else {
        let associated = ident(&setter.type_ident);
        endpoint::value(&setter.ident, wire_name, &quote!(E::#associated), setter.several)
    };
    let doc = docs::doc(if setter.ty.is_some() { facts(setter) } else { differing(setter) });
    quote! {
        #doc
        pub fn #name(self, #argument) -> Self where E: #takes {
            self #call
        }
    }
}

/// What is known of the param wherever it is taken.
fn facts(setter: &Setter) -> Vec<String> {
    let facts = docs::value_facts(&setter.unit, setter.range, setter.evidence.unwrap_or(Evidence::Document));
    let default =
        setter.default.as_ref().map(|default| format!("Left out, it is {}.", docs::code(default))).unwrap_or_default();
    let wire_name = docs::code(&setter.wire_name);
    let sent = match (setter.several, setter.ident == setter.wire_name) {
        (true, _) => format!("Takes several, sent as {wire_name} with commas between them."),
        (false, false) => format!("Sent as {wire_name}."),
        (false, true) => String::new(),
    };
    let facts = [facts, default, docs::served(&setter.served), sent]
        .into_iter()
        .filter(|fact| !fact.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    vec![docs::prose(&setter.summary), facts, docs::prose(&setter.notes)]
}

/// Where endpoints differ, what one says of it does not hold for all.
fn differing(setter: &Setter) -> Vec<String> {
    let Setter { ident, takes, type_ident, .. } = setter;
    vec![format!("Sets `{ident}`, which each endpoint takes in its own way: see [`{takes}::{type_ident}`].")]
}
