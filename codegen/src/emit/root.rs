//! `mod.rs`: the modules and what stands at the root of the crate.

use quote::quote;

use super::File;
use super::literal::ident;
use super::render::{Imports, Source};
use crate::model::Api;

pub(super) fn file(api: &Api) -> File {
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.ident)).collect();
    let mut items: Vec<_> = modules.iter().map(|module| quote!(pub mod #module;)).collect();
    items.push(quote!(
        #[cfg(test)]
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
        docs: "The client as the catalogue describes it: one module a group, and what they share.".to_owned(),
        items,
    };
    source.render(&Imports::new())
}
