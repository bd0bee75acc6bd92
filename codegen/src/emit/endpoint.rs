//! Emits one endpoint with a path: its method on the handle of its group, and the traits of its marker type, which is
//! the type parameter of its requests.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::literal::{body_type, endpoint_info, ident, rust_type};
use super::setters::{setters, with};
use super::{docs, params};
use catalogue::model::{Api, Body, Endpoint, Evidence, Group, Param, Passing, Type};
use catalogue::url_path;

/// Returns the method that creates a request; its arguments are the required params.
pub(super) fn method(endpoint: &Endpoint) -> TokenStream {
    let (name, marker) = (ident(&endpoint.ident), ident(&endpoint.type_ident));
    let arguments = endpoint.known_params().filter(|param| param.is_argument());
    let (arguments, values): (Vec<_>, Vec<_>) =
        arguments.map(|param| value(param.argument(), &param.name, &param.ty, param.passing())).unzip();
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

/// Returns an argument of a method or setter, and the call that passes the argument to the request.
pub(super) fn value(name: &str, wire_name: &str, ty: &Type, passing: Passing) -> (TokenStream, TokenStream) {
    let name = ident(name);
    let ty = rust_type(ty);
    let argument = match passing {
        Passing { several: false, exact: true } => quote!(#name: #ty),
        Passing { several: false, exact: false } => quote!(#name: impl Into<#ty>),
        Passing { several: true, exact: true } => quote!(#name: impl IntoIterator<Item = #ty>),
        Passing { several: true, exact: false } => quote!(#name: impl IntoIterator<Item: Into<#ty>>),
    };
    let with = with(passing);
    (argument, quote!(.#with::<#ty, _>(#wire_name, #name)))
}

/// Returns the marker type of an endpoint, and the implementations of `Endpoint` and of the setter traits for it.
pub(super) fn items(api: &Api, group: &Group, endpoint: &Endpoint) -> TokenStream {
    let (handle, marker, method) = (ident(&group.handle), ident(&endpoint.type_ident), ident(&endpoint.ident));
    let history = endpoint.has_history.then(|| quote!(: HasHistory));
    let body = body_type(&endpoint.body);
    let info = endpoint_info(api, &group.ident, endpoint);
    let takes = takes(api, &marker, endpoint);
    quote! {
        marker!(#handle: #marker #method #history);
        impl Endpoint for #marker {
            type Body = #body;
            const INFO: &EndpointInfo = #info;
        }
        #takes
    }
}

fn method_docs(endpoint: &Endpoint) -> Vec<String> {
    let path = url_path::without_fragment(endpoint.path.as_deref().unwrap_or_default());
    let returns = match &endpoint.body {
        Body::Series { record: Some(record), .. } => format!("a series of [`{}`]", record.ident),
        Body::Series { record: None, .. } => "a series of JSON records".to_owned(),
        Body::Object { record, .. } => format!("one [`{}`]", record.ident),
        Body::Unknown => "JSON of unknown form".to_owned(),
    };
    let request = docs::code(&format!("GET {path}"));
    let mut facts = vec![format!("**Endpoint:** {request} ({}), returns {returns}", sources(endpoint))];
    facts.extend(params_lines(endpoint));
    if endpoint.has_history {
        facts.push("**History:** [`Request::history`], [`Request::follow`]".to_owned());
    }
    facts.extend(docs::weight(endpoint).map(|weight| format!("**Weight:** {weight}")));
    let unknown: Vec<_> = docs::unknown_of(endpoint).into_iter().map(docs::prose).collect();
    if !unknown.is_empty() {
        facts.push(format!("**Undocumented:** {}", unknown.join("; ")));
    }
    let notes = docs::prose(&endpoint.notes);
    vec![docs::meaning(&endpoint.summary), docs::aliases(&endpoint.aliases), notes, format!("- {}", facts.join("\n- "))]
}

/// Returns the source of the path, and the source of the fields if it differs.
fn sources(endpoint: &Endpoint) -> String {
    let path = endpoint.evidence.label();
    match endpoint.body.evidence() {
        Some(body) if body != endpoint.evidence => format!("{path}, fields {}", body.label()),
        _ => path.to_owned(),
    }
}

/// Returns the doc lines about the params: first the arguments, then other required params by source, then optional
/// params, then params with a constant value.
fn params_lines(endpoint: &Endpoint) -> Vec<String> {
    let names = |is_named: &dyn Fn(&Param) -> bool| {
        let params = endpoint.known_params().filter(|param| param.const_value.is_none() && is_named(param));
        let name = |param: &Param| match param.single_value {
            Some(_) if param.is_set() => docs::code(&param.ident),
            _ => docs::code(param.argument()),
        };
        params.map(name).collect::<Vec<_>>().join(", ")
    };
    let reported = |evidence| names(&move |param| !param.is_argument() && param.required == Some(evidence));
    let lines = [
        ("Arguments", names(&Param::is_argument)),
        ("Required (reported)", reported(Evidence::Reported)),
        ("Required by the previous API version", reported(Evidence::PreviousVersion)),
        ("Optional", names(&|param| !param.is_argument() && param.required.is_none())),
    ];
    let fixed = endpoint.known_params().filter_map(|param| {
        let fixed = format!("{}={}", param.name, param.const_value.as_ref()?);
        Some(format!("**Always sent:** {}", docs::code(&fixed)))
    });
    let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
    lines.map(|(title, names)| format!("**{title}:** {names}")).chain(fixed).collect()
}

/// Returns the macro call that implements the setter traits for an endpoint. For an endpoint that uses a param set, the
/// result is a call of the macro of that set, which also implements the traits of the set. If the type of a setter
/// differs between endpoints, the call contains the type.
fn takes(api: &Api, marker: &Ident, endpoint: &Endpoint) -> Option<TokenStream> {
    let (alike, differing) = setters(api, endpoint.known_params());
    let set = endpoint.param_set.and_then(|set| api.param_sets.get(set));
    let of_set = set.map_or(0, |set| params::traits(api, set).len());
    // The first setters belong to the param set. They are skipped, because the macro of the set implements their
    // traits.
    let own = alike.iter().skip(of_set).map(|(_, setter)| ident(&setter.takes).into_token_stream());
    let differing = differing.iter().map(|(param, setter)| {
        let (takes, associated, ty) = (ident(&setter.takes), ident(&setter.type_ident), rust_type(&param.ty));
        quote!(#takes { type #associated = #ty; })
    });
    let own: Vec<_> = own.chain(differing).collect();
    match set.filter(|_| of_set > 0).map(params::macro_name) {
        Some(set) if own.is_empty() => Some(quote!(#set!(#marker);)),
        Some(set) => Some(quote!(#set!(#marker => #(#own),*);)),
        None if own.is_empty() => None,
        None => Some(quote!(takes!(#marker => #(#own),*);)),
    }
}
