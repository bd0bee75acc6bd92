//! One endpoint with a path: the method on its group's handle, its marker type, and the params it takes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::docs;
use super::literal::{endpoint_info, ident};
use crate::model::{Api, Body, Endpoint, EndpointParam, Evidence, Group, Passing};

/// The method; what cannot be left out is an argument.
pub(super) fn method(endpoint: &Endpoint) -> TokenStream {
    let (name, marker) = (ident(&endpoint.ident), ident(&endpoint.type_ident));
    let arguments = params(endpoint).map(|param| &param.param).filter(|param| param.is_argument());
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

/// Marker, `Endpoint` and the traits of the setters.
pub(super) fn items(api: &Api, group: &Group, endpoint: &Endpoint) -> Vec<TokenStream> {
    let marker = ident(&endpoint.type_ident);
    let body = &endpoint.body;
    let info = endpoint_info(api, &group.ident, endpoint);
    let doc = docs::doc([format!("The endpoint of [`{}::{}`].", group.handle, endpoint.ident)]);
    let mut items = vec![
        quote! {
            #doc
            #[derive(Clone, Copy, Debug)]
            pub struct #marker;
        },
        quote! {
            impl Endpoint for #marker {
                type Body = #body;
                const INFO: &'static EndpointInfo = #info;
            }
        },
    ];
    items.extend(takes(api, &marker, endpoint));
    items
}

fn params(endpoint: &Endpoint) -> impl Iterator<Item = &EndpointParam> {
    endpoint.params.iter().flatten()
}

fn method_docs(endpoint: &Endpoint) -> Vec<String> {
    let path = endpoint.path.as_deref().unwrap_or_default();
    let body = match &endpoint.body {
        Body::Series { record: Some(record), .. } => format!("a series of [`{}`]", record.ident),
        Body::Series { record: None, .. } => "a series of records whose fields are unknown".to_owned(),
        Body::Object { record, .. } => format!("one [`{}`]", record.ident),
        Body::Unknown => "a body of which nothing is known".to_owned(),
    };
    vec![
        docs::prose(&endpoint.summary),
        docs::aliases(&endpoint.aliases),
        format!("{}: {body}.{} {}", docs::code(&format!("GET {path}")), evidence(endpoint), params_line(endpoint)),
        docs::prose(&endpoint.notes),
    ]
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
        (Evidence::Document, Some(body)) => format!(" The fields are {}.", body.told()),
        (path, Some(body)) if path == body => format!(" Path and fields are {}.", path.told()),
        (path, Some(body)) => format!(" The path is {}, the fields are {}.", path.told(), body.told()),
        (path, None) => format!(" The path is {}.", path.told()),
    }
}

/// The params as code, with those that are reported as required marked.
fn params_line(endpoint: &Endpoint) -> String {
    let Some(params) = &endpoint.params else {
        return "Its params are unknown.".to_owned();
    };
    if params.is_empty() {
        return "It takes no params.".to_owned();
    }
    let named = |filter: fn(&&EndpointParam) -> bool| {
        let names = params.iter().filter(filter).map(|param| docs::code(param.param.argument()));
        names.collect::<Vec<_>>().join(", ")
    };
    let required = named(|param| param.param.required == Some(Evidence::Reported));
    let mut line = format!("Params: {}.", named(|_| true));
    if !required.is_empty() {
        line += &format!(" Reported as required: {required}.");
    }
    line
}

/// The setters that the endpoint has: a list of their traits, and an `impl` for each whose type differs by endpoint.
fn takes(api: &Api, marker: &Ident, endpoint: &Endpoint) -> Vec<TokenStream> {
    let params = params(endpoint).map(|param| &param.param).filter(|param| !param.is_argument());
    let setters = params.flat_map(|param| {
        let idents = std::iter::once(&param.ident).chain(&param.list);
        idents.filter_map(move |ident| Some((param, api.setter(ident)?)))
    });
    let (alike, differing): (Vec<_>, Vec<_>) = setters.partition(|(_, setter)| setter.ty.is_some());
    let traits = alike.iter().map(|(_, setter)| ident(&setter.takes));
    let mut items = Vec::new();
    let traits = (!alike.is_empty()).then(|| quote!(=> #(#traits),*));
    items.push(quote!(takes!(#marker #traits);));
    items.extend(differing.iter().map(|(param, setter)| {
        let (takes, associated, ty) = (ident(&setter.takes), ident(&setter.type_ident), &param.ty);
        quote!(impl #takes for #marker { type #associated = #ty; })
    }));
    items
}
