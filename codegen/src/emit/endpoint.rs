//! One endpoint with a path: the method on its group's handle, its marker type, and the params it takes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::literal::{endpoint_info, ident};
use super::{docs, params};
use crate::model::{Api, Body, Endpoint, EndpointParam, Evidence, Group, Param, Passing, Setter};

/// The method; required params are its arguments.
pub(super) fn method(endpoint: &Endpoint) -> TokenStream {
    let (name, marker) = (ident(&endpoint.ident), ident(&endpoint.type_ident));
    let arguments = params_of(endpoint).map(|param| &param.param).filter(|param| param.is_argument());
    let (arguments, values): (Vec<_>, Vec<_>) =
        arguments.map(|param| value(param.argument(), &param.wire_name, &param.ty, param.passing())).unzip();
    let doc = docs::doc(method_docs(endpoint));
    let deprecated = endpoint.deprecated.as_ref().map(|note| quote!(#[deprecated(note = #note)]));
    quote! {
        #doc
        #deprecated
        pub fn #name(&self, #(#arguments),*) -> Request<#marker> {
            Request::new(self.client) #(#values)*
        }
    }
}

/// A value that a method takes, and the call that hands it to the request.
pub(super) fn value(name: &str, wire_name: &str, ty: &impl ToTokens, passing: Passing) -> (TokenStream, TokenStream) {
    let name = ident(name);
    let argument = match passing {
        Passing { several: false, exact: true } => quote!(#name: #ty),
        Passing { several: false, exact: false } => quote!(#name: impl Into<#ty>),
        Passing { several: true, exact: true } => quote!(#name: impl IntoIterator<Item = #ty>),
        Passing { several: true, exact: false } => quote!(#name: impl IntoIterator<Item: Into<#ty>>),
    };
    let with = if passing.several { quote!(with_list) } else { quote!(with) };
    (argument, quote!(.#with::<#ty, _>(#wire_name, #name)))
}

/// `Endpoint` for the marker, and the traits of the setters.
pub(super) fn items(api: &Api, group: &Group, endpoint: &Endpoint) -> Vec<TokenStream> {
    let marker = ident(&endpoint.type_ident);
    let body = &endpoint.body;
    let info = endpoint_info(api, &group.ident, endpoint);
    let mut items = vec![quote! {
        impl Endpoint for #marker {
            type Body = #body;
            const INFO: &'static EndpointInfo = #info;
        }
    }];
    items.extend(takes(api, &marker, endpoint));
    items
}

fn params_of(endpoint: &Endpoint) -> impl Iterator<Item = &EndpointParam> {
    endpoint.params.iter().flatten()
}

/// A param and one of the setters that set it.
type Set<'a> = (&'a Param, &'a Setter);

/// Params with their setters, apart from arguments: those of one type everywhere, then those whose type differs.
pub(super) fn setters<'a>(api: &'a Api, params: impl Iterator<Item = &'a Param>) -> (Vec<Set<'a>>, Vec<Set<'a>>) {
    let params = params.filter(|param| param.is_set());
    let setters = params.flat_map(|param| {
        let idents = std::iter::once(&param.ident).chain(&param.list);
        idents.filter_map(move |ident| Some((param, api.setter(ident)?)))
    });
    setters.partition(|(_, setter)| setter.ty.is_some())
}

fn method_docs(endpoint: &Endpoint) -> Vec<String> {
    let path = endpoint.path.as_deref().unwrap_or_default();
    let body = match &endpoint.body {
        Body::Series { record: Some(record), .. } => format!("a series of [`{}`]", record.ident),
        Body::Series { record: None, .. } => "a series of records".to_owned(),
        Body::Object { record, .. } => format!("one [`{}`]", record.ident),
        Body::Unknown => "any body".to_owned(),
    };
    let history = if endpoint.has_history { "It has a [history](Request::history)." } else { "" };
    let call = format!("{}: {body}.", docs::code(&format!("GET {path}")));
    let call = [call, evidence(endpoint), params_line(endpoint), history.to_owned(), docs::weight(endpoint)];
    let notes = [docs::prose(docs::unknown(&endpoint.notes).0), docs::unknowns(&docs::unknown_of(endpoint))];
    vec![docs::prose(&endpoint.summary), docs::aliases(&endpoint.aliases), docs::joined(call), docs::joined(notes)]
}

/// What is not known from the interface document itself.
fn evidence(endpoint: &Endpoint) -> String {
    let body = match &endpoint.body {
        Body::Series { record: Some(_), evidence, .. } | Body::Object { evidence, .. } => Some(*evidence),
        _ => None,
    };
    let path = endpoint.evidence;
    match (path, body) {
        (Evidence::Document, None | Some(Evidence::Document)) => String::new(),
        (Evidence::Document, Some(body)) => format!("The fields are {}.", body.told()),
        (path, Some(body)) if path == body => format!("Path and fields are {}.", path.told()),
        (path, Some(body)) => format!("The path is {}, the fields are {}.", path.told(), body.told()),
        (path, None) => format!("The path is {}.", path.told()),
    }
}

/// The params as code, with those that are reported as required marked.
fn params_line(endpoint: &Endpoint) -> String {
    let Some(params) = &endpoint.params else {
        return String::new();
    };
    if params.is_empty() {
        return "It takes no params.".to_owned();
    }
    let named = |is_named: &dyn Fn(&EndpointParam) -> bool| {
        let params = params.iter().filter(|param| param.param.fixed.is_none());
        let names = params.filter(|param| is_named(param)).map(|param| docs::code(param.param.argument()));
        names.collect::<Vec<_>>().join(", ")
    };
    let all = named(&|_| true);
    let mut line = if all.is_empty() { String::new() } else { format!("Params: {all}.") };
    let fixed = params.iter().filter_map(|param| Some((&param.param.wire_name, param.param.fixed.as_ref()?)));
    for (name, value) in fixed {
        line += &format!(" {} is always {}.", docs::code(name), docs::code(value));
    }
    let values = params.iter().filter(|param| param.shared.is_none_or(|(_, anew)| anew)).filter_map(|param| {
        let values = docs::values(&param.param);
        let name = docs::code(param.param.argument());
        (!values.is_empty()).then(|| format!(" Of {name}, {}", docs::lower_first(&values)))
    });
    let values: String = values.collect();
    for (known, how) in [(Evidence::Reported, "Reported as required"), (Evidence::Former, "Required formerly")] {
        let required = named(&|param| param.param.required == Some(known));
        if !required.is_empty() {
            line += &format!(" {how}: {required}.");
        }
    }
    line + &values
}

/// The setters that the endpoint has: a list of their traits, those of its param set by one macro, and an `impl` for
/// each whose type differs by endpoint.
fn takes(api: &Api, marker: &Ident, endpoint: &Endpoint) -> Vec<TokenStream> {
    let (alike, differing) = setters(api, params_of(endpoint).map(|param| &param.param));
    let set = endpoint.param_set.and_then(|set| api.param_sets.get(set));
    let of_set = set.map_or(0, |set| params::traits(api, set).len());
    let own: Vec<_> = alike.iter().skip(of_set).map(|(_, setter)| ident(&setter.takes)).collect();
    let mut items = Vec::new();
    match set.filter(|_| of_set > 0).map(params::macro_name) {
        Some(set) if own.is_empty() => items.push(quote!(#set!(#marker);)),
        Some(set) => items.push(quote!(#set!(#marker => #(#own),*);)),
        None if own.is_empty() => {}
        None => items.push(quote!(takes!(#marker => #(#own),*);)),
    }
    items.extend(differing.iter().map(|(param, setter)| {
        let (takes, associated, ty) = (ident(&setter.takes), ident(&setter.type_ident), &param.ty);
        quote!(impl #takes for #marker { type #associated = #ty; })
    }));
    items
}
