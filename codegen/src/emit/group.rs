//! Emits one group: the handle with one method per endpoint, the endpoints with their records, and the registry entry.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::literal::{endpoint_info, ident};
use super::render::{self, IMPORTS, print, print_list};
use super::{File, docs, endpoint, record};
use catalogue::model::{Api, Body, Group, Record};

pub(super) fn file(api: &Api, group: &Group) -> File {
    let mut records: HashMap<&str, &Record> =
        group.records.iter().map(|record| (record.ident.as_str(), record)).collect();
    let mut items: Vec<_> = [handle(group), accessor(group)].into_iter().chain(methods(group)).collect();
    // A record is emitted after the first endpoint that uses it.
    for endpoint in group.methods() {
        let own = own_record(&endpoint.body).and_then(|name| records.remove(name));
        items.extend([endpoint::items(api, group, endpoint)].into_iter().chain(own.map(record::items)));
    }
    let others = group.records.iter().filter(|record| records.contains_key(record.ident.as_str()));
    items.extend(others.map(record::items));
    let imports = format!("{IMPORTS}use crate::params::*;\n");
    let path = format!("{}.rs", group.ident);
    let File { path, text } = render::file(&path, &group.file, &title(group), &imports, items);
    File { path, text: text + "\n" + &registry(api, group) }
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
    let doc = docs::doc([format!("The endpoints of [`Client::{}`].", group.ident)]);
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

/// Returns the name of the record of a body, if the record belongs to the group.
fn own_record(body: &Body) -> Option<&str> {
    let reference = body.record()?;
    reference.module.is_some().then_some(&reference.ident)
}

/// Returns the registry entry of a group as text.
fn registry(api: &Api, group: &Group) -> String {
    let Group { ident: name, title, summary, aliases, notes, .. } = group;
    let entries = group.endpoints.iter().map(|endpoint| match endpoint.path {
        Some(_) => format!("{}::INFO", endpoint.type_ident),
        None => expression(&endpoint_info(api, &group.ident, endpoint)),
    });
    let entry = quote! {
        pub(crate) static GROUP: GroupInfo = GroupInfo {
            ident: #name, title: #title, summary: #summary, aliases: &[#(#aliases),*], notes: #notes, endpoints: ENTRIES,
        };
    };
    print_list(&entry, entries)
}

/// Prints an expression.
fn expression(tokens: &TokenStream) -> String {
    let item = print(&quote!(const E: T = #tokens;));
    item.trim_start_matches("const E: T = ").trim_end().trim_end_matches(';').to_owned()
}
