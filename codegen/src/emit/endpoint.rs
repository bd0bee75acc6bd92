//! Emits one endpoint with a path: its method on the handle of its group, and the traits of its marker type, which is
//! the type parameter of its requests.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use runtime::registry::EndpointInfo;

use super::literal::{body_type, ident, rust_type};
use super::param_lists::lists_expression;
use super::registry_entry::endpoint_entry;
use super::setters::{ParamSetters, adding_method};
use super::{markdown, params, sentences};
use catalogue::RegistryEntries;
use catalogue::model::{Api, Body, Endpoint, Evidence, Group, Param, Passing};
use catalogue::url_path;

/// The method that creates a request; its arguments are the required params.
pub(super) fn method(endpoint: &Endpoint) -> TokenStream {
    let name = ident(&endpoint.ident);
    let marker = ident(&endpoint.type_ident);
    let mut arguments = Vec::new();
    let mut calls = Vec::new();
    for param in endpoint.arguments() {
        arguments.push(argument(param));
        calls.push(call_with_argument(param));
    }
    let doc = markdown::doc(method_docs(endpoint));
    let deprecated = endpoint.declared.deprecated.as_ref().map(|note| quote!(#[deprecated(note = #note)]));
    quote! {
        #doc
        #deprecated
        pub fn #name(&self, #(#arguments),*) -> Request<#marker> {
            Request::new(self.client) #(#calls)*
        }
    }
}

fn argument(param: &Param) -> TokenStream {
    let name = ident(param.argument());
    let ty = rust_type(&param.ty);
    match param.passing() {
        Passing { several: false, exact: true } => quote!(#name: #ty),
        Passing { several: false, exact: false } => quote!(#name: impl Into<#ty>),
        Passing { several: true, exact: true } => quote!(#name: impl IntoIterator<Item = #ty>),
        Passing { several: true, exact: false } => quote!(#name: impl IntoIterator<Item: Into<#ty>>),
    }
}

/// The call that passes an argument to the request.
fn call_with_argument(param: &Param) -> TokenStream {
    let name = ident(param.argument());
    let ty = rust_type(&param.ty);
    let wire_name = param.declared.name.as_str();
    let adding = adding_method(param.passing());
    quote!(.#adding::<#ty, _>(#wire_name, #name))
}

/// The marker type of an endpoint, and the implementations of `Endpoint` and of the setter traits for it.
pub(super) fn items(
    api: &Api,
    entries: &RegistryEntries,
    group: &Group,
    endpoint: &Endpoint,
    entry: &EndpointInfo,
) -> TokenStream {
    let handle = ident(&group.handle);
    let marker = ident(&endpoint.type_ident);
    let method = ident(&endpoint.ident);
    let history = if endpoint.has_history { quote!(: HasHistory) } else { TokenStream::new() };
    let body = body_type(&endpoint.body);
    let info = info(api, entries, endpoint, entry);
    let setter_traits = setter_traits(api, &marker, endpoint);
    quote! {
        marker!(#handle: #marker #method #history);
        impl Endpoint for #marker {
            type Body = #body;
            const INFO: &EndpointInfo = #info;
        }
        #setter_traits
    }
}

/// The registry entry of an endpoint.
pub(super) fn info(api: &Api, entries: &RegistryEntries, endpoint: &Endpoint, entry: &EndpointInfo) -> TokenStream {
    let Some(params) = &endpoint.params else { return endpoint_entry(entry, None) };
    let param_entries: Vec<_> = entry.params().copied().collect();
    let lists = lists_expression(api, entries, params, &param_entries);
    endpoint_entry(entry, Some(&lists))
}

fn method_docs(endpoint: &Endpoint) -> Vec<String> {
    let declared = &endpoint.declared;
    let notes = markdown::prose(&declared.notes);
    let facts = format!("- {}", fact_lines(endpoint).join("\n- "));
    vec![sentences::meaning(&declared.summary), sentences::aliases(&declared.aliases), notes, facts]
}

fn fact_lines(endpoint: &Endpoint) -> Vec<String> {
    let mut lines = vec![request_line(endpoint)];
    add_params_lines(endpoint, &mut lines);
    if endpoint.has_history {
        lines.push("**History:** [`Request::history`], [`Request::follow`]".to_owned());
    }
    if let Some(pages) = sentences::pages(endpoint) {
        lines.push(format!("**Pages:** [`Request::all_pages`]; {pages}"));
    }
    if let Some(weight) = sentences::weight(endpoint) {
        lines.push(format!("**Weight:** {weight}"));
    }
    let unknown: Vec<_> = sentences::unknown_of(endpoint).into_iter().map(markdown::prose).collect();
    if !unknown.is_empty() {
        lines.push(format!("**Undocumented:** {}", unknown.join("; ")));
    }
    lines
}

fn request_line(endpoint: &Endpoint) -> String {
    let path = url_path::without_fragment(endpoint.path.as_deref().unwrap_or_default());
    let request = markdown::code(&format!("GET {path}"));
    let returns = match &endpoint.body {
        Body::Series { record: Some(record), format, .. } => {
            format!("a series of [`{}`]{}", record.ident, sentences::sent_as(*format))
        }
        Body::Series { record: None, format, .. } => format!("a series of JSON records{}", sentences::sent_as(*format)),
        Body::Object { record, .. } => format!("one [`{}`]", record.ident),
        Body::Unknown => "JSON of unknown form".to_owned(),
    };
    format!("**Endpoint:** {request} ({}), returns {returns}", sources(endpoint))
}

/// The source of the path, and the source of the fields if it differs.
fn sources(endpoint: &Endpoint) -> String {
    let path = endpoint.declared.evidence;
    match endpoint.body.evidence() {
        Some(fields) if fields != path => format!("{}, fields {}", path.label(), fields.label()),
        _ => path.label().to_owned(),
    }
}

/// Adds the lines about the params: first the arguments, then other required params by source, then optional params,
/// then params with a constant value.
fn add_params_lines(endpoint: &Endpoint, lines: &mut Vec<String>) {
    let mut arguments = Vec::new();
    let mut reported = Vec::new();
    let mut previous_version = Vec::new();
    let mut optional = Vec::new();
    let mut constant = Vec::new();
    for param in endpoint.known_params() {
        if let Some(value) = &param.declared.const_value {
            let sent = format!("{}={value}", param.declared.name);
            constant.push(format!("**Always sent:** {}", markdown::code(&sent)));
            continue;
        }
        let name = name_in_docs(param);
        match param.declared.required {
            _ if param.is_argument() => arguments.push(name),
            Some(Evidence::PreviousVersion) => previous_version.push(name),
            Some(Evidence::Reported) => reported.push(name),
            Some(Evidence::Documented | Evidence::Published) => {}
            None => optional.push(name),
        }
    }
    let titled = [
        ("Arguments", arguments),
        ("Required (reported)", reported),
        ("Required by the previous API version", previous_version),
        ("Optional", optional),
    ];
    for (title, names) in titled {
        if !names.is_empty() {
            lines.push(format!("**{title}:** {}", names.join(", ")));
        }
    }
    lines.extend(constant);
}

/// If a param accepts only one value, its setter for several is not named.
fn name_in_docs(param: &Param) -> String {
    let accepts_one = param.declared.single_value.is_some() && param.is_set();
    markdown::code(if accepts_one { &param.ident } else { param.argument() })
}

/// The macro call that implements the setter traits for an endpoint. For an endpoint that uses a param set, it is a call
/// of the macro of that set, which also implements the traits of the set. If the type of a setter differs between
/// endpoints, the call contains the type.
fn setter_traits(api: &Api, marker: &Ident, endpoint: &Endpoint) -> TokenStream {
    let set = endpoint.param_set.and_then(|set| api.param_sets.get(set));
    let count_of_set = match set {
        Some(set) => params::traits(api, set).len(),
        None => 0,
    };
    let setters = ParamSetters::of(api, endpoint.known_params());
    let mut own = Vec::new();
    // The first setters belong to the param set. They are skipped, because the macro of the set implements their
    // traits.
    for alike in &setters.alike[count_of_set..] {
        own.push(ident(&alike.setter.takes).into_token_stream());
    }
    for differing in &setters.differing {
        let takes = ident(&differing.setter.takes);
        let associated = ident(&differing.setter.type_ident);
        let ty = rust_type(&differing.param.ty);
        own.push(quote!(#takes { type #associated = #ty; }));
    }
    let implementing = match set {
        Some(set) if count_of_set > 0 => params::macro_name(set),
        _ if own.is_empty() => return TokenStream::new(),
        _ => ident("takes"),
    };
    if own.is_empty() { quote!(#implementing!(#marker);) } else { quote!(#implementing!(#marker => #(#own),*);) }
}
