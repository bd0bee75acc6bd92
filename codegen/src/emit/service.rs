//! Emits `service/mod.rs` with the registry entry of the service and the list of all groups, and `service/limits.rs`.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::{Literal, ident};
use super::render::{self, IMPORTS, print_with_list};
use super::{File, Package, markdown, sentences};
use catalogue::RegistryEntries;
use catalogue::model::{Api, Limit};

pub(super) fn file(api: &Api, entries: &RegistryEntries, package: &Package) -> File {
    let service = entries.registry.service.literal();
    let types = (!api.types.is_empty()).then(|| quote! { pub use types::*; });
    let name = package.ident();
    let env = &api.service.declared.env_prefix;
    let items = quote! {
        pub mod limits;
        pub mod params;
        pub(crate) mod records;
        mod types;
        pub use records::*;
        #types
        /// The service, as the catalogue describes it.
        pub static SERVICE: ServiceInfo = #service;
        define_client!(crate #name, env #env, service crate::SERVICE, metadata crate::Metadata);
        /// The service and its groups in one value, for tools that work with any client.
        pub static REGISTRY: Registry = Registry::new(&SERVICE, GROUPS, RecordInfo::of::<Metadata>());
    };
    let docs = "Items that all groups share: the service, its params, records and named types.";
    let File { path, text } = render::file("service/mod.rs", "service.yaml", docs, IMPORTS, [items]);
    File::new(path, text + "\n" + &groups(api))
}

/// The list of all groups, with one group a line.
fn groups(api: &Api) -> String {
    let list = quote! {
        /// All groups, sorted by name, with all endpoints, including those known only by name.
        pub static GROUPS: &[&GroupInfo] = &[];
    };
    let mut groups = Vec::new();
    for group in &api.groups {
        groups.push(format!("&super::{}::GROUP", group.ident));
    }
    print_with_list(&list, &groups)
}

/// Emits `service/limits.rs`: the sets of rate limits as constants, and functions that return them.
pub(super) fn limits_file(api: &Api) -> File {
    let limits = api.service.declared.limits.iter().map(limit_set);
    let items = quote! {
        #(#limits)*
        /// Returns the limit set with this name in the catalogue. The error for an unknown name lists the known names.
        pub fn named(name: &str) -> Result<RateLimit, Error> {
            RateLimit::named(name, SERVICE.limits)
        }
        /// Returns a rate limit that enforces all sets. It is the default of a client, because it is unknown which set
        /// applies to an API key.
        pub fn all() -> RateLimit {
            RateLimit::all(SERVICE.limits)
        }
    };
    render::file("service/limits.rs", "service.yaml", "The rate limits of the service.", IMPORTS, [items])
}

/// The constant of a set of rate limits.
fn limit_set(limit: &Limit) -> TokenStream {
    let name = ident(&limit.constant());
    let doc = markdown::doc(sentences::limit(limit));
    let requests = limit.requests.literal();
    let seconds = limit.seconds.literal();
    let endpoints = sentences::texts(&limit.endpoints);
    let concurrent = limit.concurrent.known().copied().literal();
    quote! {
        #doc
        pub const #name: RateLimit =
            RateLimit::set(&[LimitWindow::of(#requests, #seconds, &[#(#endpoints),*])], #concurrent);
    }
}
