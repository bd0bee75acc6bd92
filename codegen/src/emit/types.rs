//! `service/types.rs`: enums that keep what they do not know, and identifiers open to anything.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::literal::{self, ident};
use super::render::{Imports, Source};
use super::{File, docs};
use crate::model::{Api, Evidence, NamedType, Shapes, Value};

pub(super) fn file(api: &Api) -> File {
    let source = Source {
        path: "service/types.rs".to_owned(),
        from: "service.yaml".to_owned(),
        docs: "The service's named types.".to_owned(),
        items: api.types.iter().flat_map(items),
    };
    let mut imports = Imports::from([
        ("Evidence", "::runtime::registry"),
        ("TypeInfo", "::runtime::registry"),
        ("ValueInfo", "::runtime::registry"),
        ("NamedType", "::runtime::wire"),
        ("UnknownValue", "::runtime::wire"),
        ("named_type", "::runtime"),
    ]);
    // A variant may be called like these, which is no reason to import them.
    if api.types.iter().any(|ty| ty.open) {
        imports.insert("Cow", "std::borrow");
    }
    if api.types.iter().any(|ty| ty.shapes.is_some()) {
        imports.insert("SuffixInfo", "::runtime::registry");
    }
    source.render(&imports)
}

fn items(ty: &NamedType) -> Vec<TokenStream> {
    let mut items = if ty.open { identifier(ty) } else { enumeration(ty) };
    if ty.values.iter().any(|value| value.seconds.is_some()) {
        let name = ident(&ty.ident);
        items.push(quote!(named_type!(duration #name);));
    }
    items.push(description(ty));
    items.extend(ty.shapes.as_ref().map(answers));
    items
}

fn enumeration(ty: &NamedType) -> Vec<TokenStream> {
    let name = ident(&ty.ident);
    let doc = docs::doc([docs::prose(&ty.summary)]);
    let idents = ty.values.iter().map(|value| ident(&value.ident));
    let values = ty.values.iter().map(|value| &value.value);
    let variants = ty.values.iter().map(|value| {
        let (name, doc) = (ident(&value.ident), docs::doc([value_docs(value, ty.evidence)]));
        quote!(#doc #name)
    });
    vec![
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[non_exhaustive]
            pub enum #name {
                #(#variants,)*
                /// A value that this version does not know.
                Unknown(UnknownValue),
            }
        },
        quote!(named_type!(enum #name => #(#idents = #values),*);),
    ]
}

fn identifier(ty: &NamedType) -> Vec<TokenStream> {
    let name = ident(&ty.ident);
    let doc = docs::doc([docs::prose(&ty.summary)]);
    let constants = ty.values.iter().map(|value| {
        let (name, text) = (ident(&value.ident), &value.value);
        let doc = docs::doc([value_docs(value, ty.evidence)]);
        quote!(#doc pub const #name: Self = Self(Cow::Borrowed(#text));)
    });
    // Apart from the methods, so that the constants read as a list.
    let constants = if ty.values.is_empty() { TokenStream::new() } else { quote!(impl #name { #(#constants)* }) };
    let questions = ty.shapes.as_ref().map(|shapes| questions(&name, shapes)).unwrap_or_default();
    vec![
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct #name(Cow<'static, str>);
        },
        constants,
        questions,
        quote!(named_type!(identifier #name);),
    ]
}

fn description(ty: &NamedType) -> TokenStream {
    let (name, text, summary) = (ident(&ty.ident), &ty.ident, literal::text("summary", &ty.summary));
    let open = ty.open.then(|| quote!(.open()));
    let values = ty.values.iter().map(|value| {
        let Value { value, summary, seconds, evidence, .. } = value;
        let duration = literal::link("duration", seconds.map(literal::integer));
        quote!(ValueInfo::new(#value, #summary, #evidence) #duration)
    });
    let suffixes = ty.shapes.as_ref().map(|shapes| {
        let suffixes = shapes.suffixes.iter().map(|suffix| {
            let (suffix, summary, evidence) = (&suffix.suffix, &suffix.summary, suffix.evidence);
            quote!(SuffixInfo::new(#suffix, #summary, #evidence))
        });
        quote!(.suffixes(&[#(#suffixes),*]))
    });
    quote! {
        impl NamedType for #name {
            const INFO: &'static TypeInfo = &TypeInfo::new(#text, &[#(#values),*]) #summary #open #suffixes;
        }
    }
}

/// The methods that take an identifier apart.
fn questions(name: &Ident, shapes: &Shapes) -> TokenStream {
    let (part, question, answers) = (ident(&shapes.part), ident(&shapes.question), ident(&shapes.answers));
    let suffixes = shapes.suffixes.iter().map(|suffix| &suffix.suffix);
    let answered = shapes.suffixes.iter().filter_map(|suffix| {
        let (suffix, answer) = (&suffix.suffix, ident(suffix.answer.as_ref()?));
        Some(quote!(if self.0.ends_with(#suffix) { return Some(#answers::#answer); }))
    });
    let part_doc = format!(" The {}, if the identifier ends as expected.", shapes.part);
    let question_doc = format!(" The {}, if the identifier says so.", shapes.question.replace('_', " "));
    quote! {
        impl #name {
            #[doc = #part_doc]
            pub fn #part(&self) -> Option<&str> {
                [#(#suffixes),*].iter().find_map(|suffix| self.0.strip_suffix(suffix))
            }

            #[doc = #question_doc]
            pub fn #question(&self) -> Option<#answers> {
                #(#answered)*
                None
            }
        }
    }
}

fn answers(shapes: &Shapes) -> TokenStream {
    let name = ident(&shapes.answers);
    let doc = docs::doc([format!("What an identifier says about its {}.", shapes.question.replace('_', " "))]);
    let variants = shapes.variants().map(|(answer, suffix)| {
        let (answer, doc) = (ident(answer), docs::doc([docs::prose(&suffix.summary)]));
        quote!(#doc #answer)
    });
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum #name {
            #(#variants,)*
        }
    }
}

fn value_docs(value: &Value, inherited: Evidence) -> String {
    let code = docs::code(&value.value);
    let text =
        if value.summary.is_empty() { format!("{code}.") } else { format!("{code}: {}", docs::prose(&value.summary)) };
    if value.evidence == inherited || value.evidence == Evidence::Document {
        text
    } else {
        format!("{text} {}", docs::sentence(value.evidence.told()))
    }
}
