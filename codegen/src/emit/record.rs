//! Emits one record: the struct, the registry entry with its fields, and the conversion from a row.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::{field_info, field_literal, ident, rust_type, set, text, variant};
use super::render::{self, IMPORTS};
use super::{File, docs};
use catalogue::model::{Api, Field, Record, RecordLayout};
use wording::Facts;

/// Emits `service/records.rs`: the records that several groups share.
pub(super) fn shared_file(api: &Api) -> File {
    let items = time(api).into_iter().chain(api.records.iter().map(items)).chain([unsupported(api)]);
    let docs = "The records that groups share, and the metadata of a series.";
    render::file("service/records.rs", "service.yaml", docs, IMPORTS, items)
}

/// Returns the constant for the time field of the envelope, if a record uses it.
fn time(api: &Api) -> Option<TokenStream> {
    let field = api.service.time_field.as_ref()?;
    let mut records = api.groups.iter().flat_map(|group| &group.records);
    records.any(|record| record.fields.iter().any(|field| field.is_envelope_time)).then(|| {
        let field = field_literal(field);
        quote!(pub(crate) const TIME: FieldInfo = #field;)
    })
}

/// Returns the definition of the method `Metadata::unsupported`.
fn unsupported(api: &Api) -> TokenStream {
    let field = api.unsupported().map(|field| ident(&field.ident));
    let values =
        field.map_or_else(|| quote!(Vec::new()), |field| quote!(self.#field.iter().map(ToString::to_string).collect()));
    quote! {
        impl Metadata {
            /// Returns the requested values that the endpoint does not support.
            pub fn unsupported(&self) -> Vec<String> {
                #values
            }
        }
    }
}

pub(super) fn items(record: &Record) -> TokenStream {
    [definition(record), description(record), fields(record)].into_iter().collect()
}

fn definition(record: &Record) -> TokenStream {
    let name = ident(&record.ident);
    let doc = docs::doc([docs::meaning(&docs::sentence(&record.summary))]);
    let fields = record.fields.iter().map(|field| {
        let (name, ty) = (ident(&field.ident), field_type(field));
        let doc = docs::doc([field_docs(field)]);
        quote!(#doc pub #name: #ty)
    });
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
    let facts = docs::field_facts(field);
    // The client converts a timestamp, so its unit is omitted.
    let facts = if field.ty.time_form().is_some() { Facts { unit: "", ..facts } } else { facts };
    let facts = docs::stated(&facts);
    let unknown = docs::unknown(&field.unknown);
    docs::joined([docs::meaning(&docs::sentence(&field.summary)), facts, docs::prose(&field.notes), unknown])
}

fn field_type(field: &Field) -> TokenStream {
    let ty = rust_type(&field.ty);
    if field.is_option() { quote!(Option<#ty>) } else { quote!(#ty) }
}

fn description(record: &Record) -> TokenStream {
    let Record { ident: name, summary, fields, form, .. } = record;
    let record = ident(name);
    let summary = text("summary", summary);
    let form = (*form != RecordLayout::Object).then(|| variant("RecordLayout", form));
    let infos = fields.iter().map(field_info);
    let form = set("form", form);
    quote! {
        impl Record for #record {
            const INFO: &'static RecordInfo = &RecordInfo::new(#name, &[#(#infos),*]) #summary #form;
        }
    }
}

/// Returns the macro call that maps each struct field to its index in the registry entry.
fn fields(record: &Record) -> TokenStream {
    let name = ident(&record.ident);
    let fields = record.fields.iter().enumerate().map(|(index, field)| {
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        let name = ident(&field.ident);
        quote!(#name = #index)
    });
    let fields = (!record.fields.is_empty()).then(|| quote!(=> #(#fields),*));
    quote!(fields!(#name #fields);)
}
