//! Emits `service/types.rs`: enums, which keep unknown values, and identifier types, which accept any text.

use proc_macro2::TokenStream;
use quote::quote;
use runtime::registry::TypeInfo;

use super::literal::{Literal, ident};
use super::render::{self, IMPORTS};
use super::{File, markdown, sentences};
use catalogue::RegistryEntries;
use catalogue::model::{Api, Evidence, NamedType, Value};

pub(super) fn file(api: &Api, entries: &RegistryEntries) -> File {
    let mut emitted = Vec::new();
    for (ty, entry) in api.types.iter().zip(&entries.types) {
        emitted.push(items(ty, entry));
    }
    render::file("service/types.rs", "service.yaml", "The service's named types.", IMPORTS, emitted)
}

fn items(ty: &NamedType, entry: &TypeInfo) -> TokenStream {
    let name = ident(&ty.ident);
    let definition = if ty.open { identifier(ty) } else { enumeration(ty) };
    let duration = if ty.has_durations() { quote!(named_type!(duration #name);) } else { TokenStream::new() };
    let attributes = if ty.attributes.is_empty() { TokenStream::new() } else { attributes(ty) };
    let entry = entry.literal();
    quote! {
        #definition
        #duration
        #attributes
        impl NamedType for #name {
            const INFO: &'static TypeInfo = &#entry;
        }
    }
}

/// An enum, whose values are all known to the catalogue.
fn enumeration(ty: &NamedType) -> TokenStream {
    let name = ident(&ty.ident);
    let doc = markdown::doc([sentences::meaning(&ty.summary)]);
    let derives = derives();
    let mut variants = Vec::new();
    let mut texts = Vec::new();
    for value in &ty.values {
        let variant = ident(&value.ident);
        let doc = value_docs(value, ty.evidence);
        let text = &value.value;
        variants.push(quote!(#doc #variant));
        texts.push(quote!(#variant = #text));
    }
    quote! {
        #doc
        #derives
        #[non_exhaustive]
        pub enum #name {
            #(#variants,)*
            /// A value that is unknown to this version of the client.
            Unknown(UnknownValue),
        }
        named_type!(enum #name => #(#texts),*);
    }
}

/// An identifier, which has constants for the known values. They have an `impl` of their own, so that the docs list them
/// together.
fn identifier(ty: &NamedType) -> TokenStream {
    let name = ident(&ty.ident);
    let doc = markdown::doc([sentences::meaning(&ty.summary)]);
    let derives = derives();
    let mut constants = Vec::new();
    for value in &ty.values {
        let constant = ident(&value.ident);
        let doc = value_docs(value, ty.evidence);
        let text = &value.value;
        constants.push(quote!(#doc pub const #constant: Self = Self(Cow::Borrowed(#text));));
    }
    let constants = if constants.is_empty() { TokenStream::new() } else { quote!(impl #name { #(#constants)* }) };
    quote! {
        #doc
        #derives
        pub struct #name(Cow<'static, str>);
        #constants
        named_type!(identifier #name);
    }
}

fn derives() -> TokenStream {
    quote!(#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)])
}

/// One method for each attribute, which returns the attribute of a known value.
fn attributes(ty: &NamedType) -> TokenStream {
    let name = ident(&ty.ident);
    let mut methods = Vec::new();
    for attribute in &ty.attributes {
        let method = ident(attribute);
        let doc = format!(" Returns the {}, if known.", attribute.replace('_', " "));
        methods.push(quote! {
            #[doc = #doc]
            pub fn #method(&self) -> Option<&'static str> {
                <Self as NamedType>::INFO.attribute(self.as_str(), #attribute)
            }
        });
    }
    quote!(impl #name { #(#methods)* })
}

fn value_docs(value: &Value, inherited: Evidence) -> TokenStream {
    let code = markdown::code(&value.value);
    let mut text = format!("{code}.");
    if !value.summary.is_empty() {
        text = format!("{code}: {}", markdown::prose(&value.summary));
    }
    if value.evidence != inherited && value.evidence != Evidence::Documented {
        text = format!("{text} {}", markdown::sentence(value.evidence.label()));
    }
    markdown::doc([text])
}
