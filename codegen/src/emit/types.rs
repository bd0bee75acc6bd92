//! Emits `service/types.rs`: enums, which keep unknown values, and identifier types, which accept any text.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::{self, ident};
use super::render::{self, IMPORTS};
use super::{File, docs};
use catalogue::model::{Api, Evidence, NamedType, Value};

pub(super) fn file(api: &Api) -> File {
    let items = api.types.iter().map(items);
    render::file("service/types.rs", "service.yaml", "The service's named types.", IMPORTS, items)
}

fn items(ty: &NamedType) -> TokenStream {
    let name = ident(&ty.ident);
    let definition = definition(ty);
    let has_durations = ty.values.iter().any(|value| value.seconds.is_some());
    let duration = has_durations.then(|| quote!(named_type!(duration #name);));
    let attributes = (!ty.attributes.is_empty()).then(|| attributes(ty));
    let description = description(ty);
    quote!(#definition #duration #attributes #description)
}

fn definition(ty: &NamedType) -> TokenStream {
    let name = ident(&ty.ident);
    let doc = docs::doc([docs::meaning(&ty.summary)]);
    let idents: Vec<_> = ty.values.iter().map(|value| ident(&value.ident)).collect();
    let values: Vec<_> = ty.values.iter().map(|value| &value.value).collect();
    let value_docs = ty.values.iter().map(|value| docs::doc([value_docs(value, ty.evidence)]));
    let derives = quote!(#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]);
    if !ty.open {
        return quote! {
            #doc
            #derives
            #[non_exhaustive]
            pub enum #name {
                #(#value_docs #idents,)*
                /// A value that is unknown to this version of the client.
                Unknown(UnknownValue),
            }
            named_type!(enum #name => #(#idents = #values),*);
        };
    }
    let constants = quote!(#(#value_docs pub const #idents: Self = Self(Cow::Borrowed(#values));)*);
    // The constants have a separate `impl`, so that the docs list them together.
    let constants = (!ty.values.is_empty()).then(|| quote!(impl #name { #constants }));
    quote! {
        #doc
        #derives
        pub struct #name(Cow<'static, str>);
        #constants
        named_type!(identifier #name);
    }
}

fn description(ty: &NamedType) -> TokenStream {
    let (name, text, summary) = (ident(&ty.ident), &ty.ident, literal::text("summary", &ty.summary));
    let open = literal::flag("open", ty.open);
    let values = ty.values.iter().map(|value| {
        let evidence = literal::evidence(value.evidence);
        let Value { value, summary, seconds, attributes, .. } = value;
        let duration = seconds.map(literal::duration);
        let (duration, attributes) = (literal::some("duration", duration), literal::values("attributes", attributes));
        quote!(ValueInfo::new(#value, #summary, #evidence) #duration #attributes)
    });
    let attributes = literal::values("attributes", &ty.attributes);
    quote! {
        impl NamedType for #name {
            const INFO: &'static TypeInfo = &TypeInfo::new(#text, &[#(#values),*]) #summary #open #attributes;
        }
    }
}

/// Returns the methods that return an attribute of a known value, one method for each attribute.
fn attributes(ty: &NamedType) -> TokenStream {
    let name = ident(&ty.ident);
    let methods = ty.attributes.iter().map(|attribute| {
        let (method, doc) = (ident(attribute), format!(" Returns the {}, if known.", attribute.replace('_', " ")));
        quote! {
            #[doc = #doc]
            pub fn #method(&self) -> Option<&'static str> {
                <Self as NamedType>::INFO.attribute(self.as_str(), #attribute)
            }
        }
    });
    quote!(impl #name { #(#methods)* })
}

fn value_docs(value: &Value, inherited: Evidence) -> String {
    let code = docs::code(&value.value);
    let text =
        if value.summary.is_empty() { format!("{code}.") } else { format!("{code}: {}", docs::prose(&value.summary)) };
    if value.evidence == inherited || value.evidence == Evidence::Documented {
        text
    } else {
        format!("{text} {}", docs::sentence(value.evidence.label()))
    }
}
