//! Emits `mod.rs`: the modules and the items at the root of the crate.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::ident;
use super::render;
use super::{File, Package, reference};
use catalogue::model::Api;

pub(super) fn file(api: &Api, package: &Package) -> File {
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.ident)).collect();
    let examples = examples(api, package);
    let items = quote! {
        #(pub mod #modules;)*
        #examples
        // The test of a group has one line for each endpoint, so it may exceed the line limit of Clippy.
        #[cfg(test)]
        #[allow(clippy::too_many_lines)]
        mod requests;
        mod service;
        pub use service::*;
    };
    let docs = "The generated client: one module per group, and the items that all groups share.";
    // A file imports all names that it may use.
    render::file("mod.rs", "", docs, "\n#![allow(unused_imports, clippy::wildcard_imports)]\n", [items])
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
