//! Emits `mod.rs`: the modules and the items at the root of the crate.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::ident;
use super::render::Source;
use super::{File, Package, reference};
use crate::model::Api;

pub(super) fn file(api: &Api, package: &Package) -> File {
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.ident)).collect();
    let mut items: Vec<_> = modules.iter().map(|module| quote!(pub mod #module;)).collect();
    items.extend(examples(api, package));
    items.push(quote!(
        // The test of a group has one line for each endpoint, so it may exceed the line limit of Clippy.
        #[cfg(test)]
        #[allow(clippy::too_many_lines)]
        mod requests;
    ));
    items.push(quote!(
        mod service;
    ));
    items.push(quote!(
        pub use service::*;
    ));
    let source = Source {
        path: "mod.rs".to_owned(),
        from: String::new(),
        docs: "The generated client: one module per group, and the items that all groups share.".to_owned(),
        // A file imports all names that it may use.
        imports: "\n#![allow(unused_imports, clippy::wildcard_imports)]\n",
        items,
    };
    source.render()
}

/// Returns a module whose documentation consists of the reference pages, so that doctests compile every example
/// program.
fn examples(api: &Api, package: &Package) -> Option<TokenStream> {
    let groups = api.groups.iter().filter(|group| group.methods().next().is_some());
    let pages: Vec<_> = groups
        .map(|group| {
            let (page, name) = (format!("{}/{}", package.docs, reference::path(group)), ident(&group.ident));
            quote! {
                #[doc = include_str!(#page)]
                mod #name {}
            }
        })
        .collect();
    (!pages.is_empty()).then(|| {
        quote! {
            #[cfg(doctest)]
            mod examples {
                #(#pages)*
            }
        }
    })
}
