//! Emits one group: the handle with one method per endpoint, the endpoints with their records, and the registry entry.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use runtime::registry::{EndpointInfo, RecordInfo};

use super::literal::ident;
use super::render::{self, IMPORTS, print_expression, print_with_list};
use super::{File, endpoint, markdown, record, sentences};
use catalogue::model::{Api, Body, Endpoint, Group, Record};
use catalogue::{GroupEntries, RegistryEntries};

pub(super) fn file(api: &Api, entries: &RegistryEntries, group: &Group, group_entries: &GroupEntries) -> File {
    let own = own_items(group, group_entries).into_iter().map(|item| match item {
        Item::Endpoint(endpoint, entry) => endpoint::items(api, entries, group, endpoint, entry),
        Item::Record(record, entry) => record::items(record, entry),
    });
    let items = [handle(group), accessor(group), methods(group)].into_iter().chain(own);
    let imports = format!("{IMPORTS}use crate::params::*;\n");
    let path = format!("{}.rs", group.ident);
    let File { path, text } = render::file(&path, &group.file, &title(group), &imports, items);
    File::new(path, text + "\n" + &registry(api, entries, group, group_entries))
}

/// An endpoint or a record, with its entry in the registry.
enum Item<'a> {
    Endpoint(&'a Endpoint, &'a EndpointInfo),
    Record(&'a Record, &'a RecordInfo),
}

/// The endpoints with a path and the records, in the order of the file: a record is emitted after the first endpoint that
/// uses it.
fn own_items<'a>(group: &'a Group, entries: &'a GroupEntries) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    let mut records: HashMap<&str, (&Record, &RecordInfo)> = HashMap::new();
    for (record, entry) in group.records.iter().zip(&entries.records) {
        records.insert(&record.ident, (record, entry));
    }
    for (endpoint, entry) in group.endpoints.iter().zip(entries.group.endpoints) {
        if endpoint.path.is_none() {
            continue;
        }
        items.push(Item::Endpoint(endpoint, entry));
        if let Some(name) = own_record(&endpoint.body)
            && let Some((record, entry)) = records.remove(name)
        {
            items.push(Item::Record(record, entry));
        }
    }
    for record in &group.records {
        if let Some((record, entry)) = records.remove(record.ident.as_str()) {
            items.push(Item::Record(record, entry));
        }
    }
    items
}

/// The title and the summary of a group as a sentence.
fn title(group: &Group) -> String {
    let title = markdown::prose(&group.title);
    match group.summary.as_str() {
        "" => format!("{title}."),
        summary => format!("{title}: {}", markdown::lower_first(&markdown::prose(summary))),
    }
}

fn handle(group: &Group) -> TokenStream {
    let handle = ident(&group.handle);
    let client = client_field(group);
    let doc = markdown::doc([format!("The endpoints of [`Client::{}`].", group.ident)]);
    quote! {
        #doc
        #[derive(Clone, Copy, Debug)]
        pub struct #handle<'a> {
            #client: &'a Client,
        }
    }
}

/// The name of the field in which the handle stores the client. If the handle has no methods, the field is unused, and a
/// leading underscore avoids a warning.
fn client_field(group: &Group) -> Ident {
    ident(if group.methods().next().is_some() { "client" } else { "_client" })
}

fn accessor(group: &Group) -> TokenStream {
    let handle = ident(&group.handle);
    let accessor = ident(&group.ident);
    let client = client_field(group);
    let doc = markdown::doc([
        title(group),
        sentences::aliases(&group.aliases),
        other_host(group),
        markdown::prose(&group.notes),
    ]);
    quote! {
        impl Client {
            #doc
            pub fn #accessor(&self) -> #handle<'_> {
                #handle { #client: self }
            }
        }
    }
}

/// The setting without which the requests of a group on another host fail; empty for any other group.
fn other_host(group: &Group) -> String {
    match &group.base_url {
        Some(base_url) => format!("The endpoints are on another host: set its base URL, `{}`.", base_url.name),
        None => String::new(),
    }
}

fn methods(group: &Group) -> TokenStream {
    let handle = ident(&group.handle);
    let methods: Vec<_> = group.methods().map(endpoint::method).collect();
    if methods.is_empty() {
        return TokenStream::new();
    }
    quote! {
        impl #handle<'_> {
            #(#methods)*
        }
    }
}

/// The name of the record of a body, if the record belongs to the group.
fn own_record(body: &Body) -> Option<&str> {
    let reference = body.record()?;
    if reference.module.is_some() { Some(&reference.ident) } else { None }
}

/// The registry entry of a group as text, with one endpoint a line.
fn registry(api: &Api, entries: &RegistryEntries, group: &Group, group_entries: &GroupEntries) -> String {
    let mut endpoints = Vec::new();
    for (endpoint, entry) in group.endpoints.iter().zip(group_entries.group.endpoints) {
        endpoints.push(match endpoint.path {
            Some(_) => format!("{}::INFO", endpoint.type_ident),
            None => print_expression(&endpoint::info(api, entries, endpoint, entry)),
        });
    }
    let Group { ident: name, title, summary, aliases, notes, .. } = group;
    let entry = quote! {
        pub(crate) static GROUP: GroupInfo = GroupInfo {
            ident: #name, title: #title, summary: #summary, aliases: &[#(#aliases),*], notes: #notes, endpoints: &[],
        };
    };
    print_with_list(&entry, &endpoints)
}
