//! Emits one record: the struct, the registry entry with its fields, and the conversion from a row.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use runtime::registry::RecordInfo;

use super::literal::{Literal, ident, rust_type};
use super::params::unit_in_docs;
use super::registry_entry::record_entry;
use super::render::{self, IMPORTS};
use super::{File, markdown, sentences};
use catalogue::RegistryEntries;
use catalogue::model::{Api, Field, Record};
use wording::Facts;

/// Emits `service/records.rs`: the records that several groups share.
pub(super) fn shared_file(api: &Api, entries: &RegistryEntries) -> File {
    let mut emitted = Vec::new();
    if let Some(field) = &entries.time_field
        && is_time_field_used(api)
    {
        let field = field.literal();
        emitted.push(quote!(pub(crate) const TIME: FieldInfo = #field;));
    }
    for (record, entry) in api.records.iter().zip(&entries.records) {
        emitted.push(items(record, entry));
    }
    emitted.push(unsupported(api));
    let docs = "The records that groups share, and the metadata of a series.";
    render::file("service/records.rs", "service.yaml", docs, IMPORTS, emitted)
}

fn is_time_field_used(api: &Api) -> bool {
    let mut records = api.groups.iter().flat_map(|group| &group.records);
    records.any(|record| record.fields.iter().any(|field| field.is_envelope_time))
}

/// The method `Metadata::unsupported`.
fn unsupported(api: &Api) -> TokenStream {
    let mut values = quote!(Vec::new());
    if let Some(field) = api.unsupported() {
        let field = ident(&field.ident);
        values = quote!(self.#field.iter().map(ToString::to_string).collect());
    }
    quote! {
        impl Metadata {
            /// Returns the requested values that the endpoint does not support.
            pub fn unsupported(&self) -> Vec<String> {
                #values
            }
        }
    }
}

pub(super) fn items(record: &Record, entry: &RecordInfo) -> TokenStream {
    let definition = definition(record);
    let registry_entry = registry_entry(record, entry);
    let indices = indices(record);
    quote!(#definition #registry_entry #indices)
}

fn definition(record: &Record) -> TokenStream {
    let name = ident(&record.ident);
    let doc = markdown::doc([sentences::meaning(&markdown::sentence(&record.summary))]);
    let mut fields = Vec::new();
    for field in &record.fields {
        let name = ident(&field.ident);
        let ty = field_type(field);
        let doc = markdown::doc([field_docs(field)]);
        fields.push(quote!(#doc pub #name: #ty));
    }
    quote! {
        #doc
        #[derive(Clone)]
        #[non_exhaustive]
        pub struct #name {
            #(#fields,)*
            /// Fields that the catalogue does not list.
            pub unknown_fields: UnknownFields,
        }
    }
}

fn field_docs(field: &Field) -> String {
    let facts = sentences::field_facts(field);
    let facts = sentences::stated(&Facts { unit: unit_in_docs(&field.ty, facts.unit), ..facts });
    let unknown = sentences::unknown(&field.unknown);
    markdown::joined([
        sentences::meaning(&markdown::sentence(&field.summary)),
        facts,
        markdown::prose(&field.notes),
        unknown,
    ])
}

fn field_type(field: &Field) -> TokenStream {
    let ty = rust_type(&field.ty);
    if field.is_option() { quote!(Option<#ty>) } else { ty }
}

/// The registry entry. All records with the time field of the envelope share its constant.
fn registry_entry(record: &Record, entry: &RecordInfo) -> TokenStream {
    let name = ident(&record.ident);
    let mut fields = Vec::new();
    for (field, entry) in record.fields.iter().zip(entry.fields) {
        fields.push(if field.is_envelope_time { quote!(records::TIME) } else { entry.literal() });
    }
    let entry = record_entry(entry, &fields);
    quote! {
        impl Record for #name {
            const INFO: &'static RecordInfo = &#entry;
        }
    }
}

/// The macro call that maps each struct field to its index in the registry entry.
fn indices(record: &Record) -> TokenStream {
    let name = ident(&record.ident);
    if record.fields.is_empty() {
        return quote!(fields!(#name););
    }
    let mut indices = Vec::new();
    for (index, field) in record.fields.iter().enumerate() {
        let index = Token::usize_unsuffixed(index);
        let name = ident(&field.ident);
        indices.push(quote!(#name = #index));
    }
    quote!(fields!(#name => #(#indices),*);)
}
