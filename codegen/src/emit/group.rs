//! Emits one group: the handle with one method per endpoint, the endpoints with their records, and the registry entry.

use std::collections::HashMap;
use std::iter;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::literal::{endpoint_info, ident};
use super::render::{Imports, Source, names_of};
use super::{File, docs, endpoint, params, record};
use crate::model::{Api, Body, Endpoint, Group, Record};

pub(super) fn file(api: &Api, group: &Group) -> File {
    let mut owners = HashMap::new();
    for endpoint in group.methods() {
        if let Some(record) = own_record(&endpoint.body) {
            owners.entry(record).or_insert(&endpoint.ident);
        }
    }
    let records: HashMap<&str, &Record> = group.records.iter().map(|record| (record.ident.as_str(), record)).collect();
    // A record is emitted after the first endpoint that uses it.
    let own = |endpoint: &Endpoint| {
        let name = own_record(&endpoint.body).filter(|name| owners.get(name) == Some(&&endpoint.ident))?;
        records.get(name).copied()
    };
    let others = group.records.iter().filter(|record| !owners.contains_key(record.ident.as_str()));
    let items = [handle(group), accessor(group)].into_iter().chain(methods(group)).chain(markers(group));
    let items = items.chain(group.methods().flat_map(|endpoint| {
        endpoint::items(api, group, endpoint).into_iter().chain(own(endpoint).into_iter().flat_map(record::items))
    }));
    let items = items.chain(others.flat_map(record::items)).chain(iter::once_with(|| registry(api, group)));
    let source = Source { path: format!("{}.rs", group.ident), from: group.file.clone(), docs: title(group), items };
    let sets: Vec<_> = api.param_sets.iter().map(|set| params::macro_name(set).to_string()).collect();
    source.render(&imports(api, &sets))
}

/// Returns the title and the summary of a group as a sentence.
fn title(group: &Group) -> String {
    let title = docs::prose(&group.title);
    match group.summary.as_str() {
        "" => format!("{title}."),
        summary => format!("{title}: {}", docs::lower_first(&docs::prose(summary))),
    }
}

fn handle(group: &Group) -> TokenStream {
    let handle = ident(&group.handle);
    let client = client_field(group);
    let unknown = group.known_by_name().map(|endpoint| docs::prose(&endpoint.name)).collect::<Vec<_>>().join(", ");
    let unknown = if unknown.is_empty() { unknown } else { format!("Known by name only: {unknown}.") };
    let doc = docs::doc([format!("The endpoints of [`Client::{}`].", group.ident), unknown]);
    quote! {
        #doc
        #[derive(Clone, Copy, Debug)]
        pub struct #handle<'a> {
            #client: &'a Client,
        }
    }
}

/// Returns the name of the field in which the handle stores the client. If the handle has no methods, the field is
/// unused, and a leading underscore avoids a warning.
fn client_field(group: &Group) -> Ident {
    ident(if group.methods().next().is_some() { "client" } else { "_client" })
}

fn accessor(group: &Group) -> TokenStream {
    let (handle, accessor) = (ident(&group.handle), ident(&group.ident));
    let aliases = docs::aliases(&group.aliases);
    let client = client_field(group);
    let doc = docs::doc([title(group), aliases, docs::prose(&group.notes)]);
    quote! {
        impl Client {
            #doc
            pub fn #accessor(&self) -> #handle<'_> {
                #handle { #client: self }
            }
        }
    }
}

fn methods(group: &Group) -> Option<TokenStream> {
    let methods: Vec<_> = group.methods().map(endpoint::method).collect();
    let handle = ident(&group.handle);
    (!methods.is_empty()).then(|| {
        quote! {
            impl #handle<'_> {
                #(#methods)*
            }
        }
    })
}

/// Returns the macro call that declares the marker types. Each type is listed with the method that returns its request,
/// and with `HasHistory` if the endpoint has a history.
fn markers(group: &Group) -> Option<TokenStream> {
    let handle = ident(&group.handle);
    let marker = |endpoint: &Endpoint| {
        let (marker, method) = (ident(&endpoint.type_ident), ident(&endpoint.ident));
        let history = endpoint.has_history.then(|| quote!(: HasHistory));
        quote!(#marker #method #history)
    };
    let markers: Vec<_> = group.methods().map(marker).collect();
    (!markers.is_empty()).then(|| quote!(markers!(#handle: #(#markers),*);))
}

/// Returns the name of the record of a body, if the record belongs to the group.
fn own_record(body: &Body) -> Option<&str> {
    let reference = body.record()?;
    reference.module.is_some().then_some(&reference.ident)
}

fn registry(api: &Api, group: &Group) -> TokenStream {
    let Group { ident: name, title, summary, aliases, notes, .. } = group;
    let endpoints = group.endpoints.iter().map(|endpoint| {
        if endpoint.path.is_some() {
            let marker = ident(&endpoint.type_ident);
            quote!(#marker::INFO)
        } else {
            endpoint_info(api, &group.ident, endpoint)
        }
    });
    quote! {
        pub(crate) static GROUP: GroupInfo = GroupInfo {
            ident: #name, title: #title, summary: #summary, aliases: &[#(#aliases),*], notes: #notes,
            endpoints: &[#(#endpoints),*]
        };
    }
}

fn imports<'a>(api: &'a Api, sets: &'a [String]) -> Imports<'a> {
    let mut imports = record::imports(api);
    let registry = "BodyInfo EndpointInfo GroupInfo HistoryInfo HistorySource ListFormat ParamInfo ParamLocation";
    imports.extend(names_of("::runtime::registry", registry));
    imports.extend(names_of("::runtime", "Endpoint markers takes").chain(names_of("crate", "Client Request Series")));
    imports.extend(names_of("super::service", "params records").chain([("HasHistory", "::runtime::history")]));
    imports.extend(api.records.iter().map(|record| (record.ident.as_str(), "super::service")));
    imports.extend(api.setters.iter().map(|setter| (setter.takes.as_str(), "super::service::params")));
    imports.extend(sets.iter().map(|set| (set.as_str(), "super::service::params")));
    imports
}

impl ToTokens for Body {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Series { record: Some(record), .. } => {
                let record = ident(&record.ident);
                quote!(Series<#record>)
            }
            Self::Series { record: None, .. } => quote!(Series<Value>),
            Self::Object { record, .. } => ident(&record.ident).into_token_stream(),
            Self::Unknown => quote!(Value),
        });
    }
}
