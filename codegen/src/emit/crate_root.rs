//! Emits `mod.rs`: the modules and the items at the root of the crate.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::ident;
use super::render;
use super::{File, Package, reference_pages};
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

/// A module whose documentation consists of the reference pages, so that doctests compile every example program.
fn examples(api: &Api, package: &Package) -> Option<TokenStream> {
    let mut pages = Vec::new();
    for group in &api.groups {
        if group.methods().next().is_none() {
            continue;
        }
        let name = ident(&group.ident);
        let page = format!("{}/{}", package.docs, reference_pages::path(group));
        pages.push(quote! {
            #[doc = include_str!(#page)]
            mod #name {}
        });
    }
    if pages.is_empty() {
        return None;
    }
    Some(quote! {
        #[cfg(doctest)]
        mod examples {
            #(#pages)*
        }
    })
}
