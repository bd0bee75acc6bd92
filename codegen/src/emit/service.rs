//! `service/mod.rs`: what all groups share, as the registry's entry, and the list of all groups.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::{field_info, ident, option, status_info};
use super::render::{Imports, Source};
use super::{File, docs};
use crate::model::{Api, ClientCredentials, ErrorBody, Limit, Service};

pub(super) fn file(api: &Api) -> File {
    let groups = api.groups.iter().map(|group| {
        let module = ident(&group.ident);
        quote!(&super::#module::GROUP)
    });
    let service = info(&api.service);
    let mut items = vec![
        quote!(
            pub mod params;
        ),
        quote!(
            pub(crate) mod records;
        ),
        quote!(
            mod types;
        ),
        quote!(
            pub use records::*;
        ),
    ];
    if !api.types.is_empty() {
        items.push(quote!(
            pub use types::*;
        ));
    }
    items.push(quote! {
        /// The service, as the catalogue describes it.
        pub static SERVICE: ServiceInfo = #service;
    });
    if !api.service.limits.is_empty() {
        let sets = api.service.limits.iter().map(limit_set);
        items.push(quote!(impl RateLimit { #(#sets)* }));
    }
    items.push(quote! {
        /// Every group, sorted by name, with every endpoint that is known, if only by name.
        pub static GROUPS: &[&GroupInfo] = &[#(#groups),*];
    });
    let source = Source {
        path: "service/mod.rs".to_owned(),
        from: "service.yaml".to_owned(),
        docs: "What all groups share: the service itself, its params, records and named types.".to_owned(),
        items,
    };
    source.render(&imports())
}

fn info(service: &Service) -> TokenStream {
    let Service { title, version, summary, env_prefix, base_url_suffix, .. } = service;
    let ErrorBody { message, code, .. } = &service.error_body;
    let unit = if service.milliseconds { quote!(TimeUnit::Milliseconds) } else { quote!(TimeUnit::Seconds) };
    let api_key_header = option(service.api_key.as_ref().map(|key| &key.header));
    let client_credentials = option(service.client_credentials.as_ref().map(client_credentials));
    let errors = service.errors.iter().map(status_info);
    let limits = service.limits.iter().map(limit);
    let envelope = option(service.envelope.as_ref().map(|envelope| {
        let data = &envelope.data;
        let metadata = option(envelope.metadata.as_ref());
        let time = option(envelope.time.as_ref().map(|time| &time.wire_name));
        quote!(EnvelopeInfo { data: #data, metadata: #metadata, time: #time })
    }));
    quote! {
        ServiceInfo {
            title: #title,
            version: #version,
            summary: #summary,
            env_prefix: #env_prefix,
            base_url_suffix: #base_url_suffix,
            time_unit: #unit,
            api_key_header: #api_key_header,
            client_credentials: #client_credentials,
            errors: &[#(#errors),*],
            error_body: ErrorBodyInfo { message: &[#(#message),*], code: &[#(#code),*] },
            limits: &[#(#limits),*],
            envelope: #envelope,
        }
    }
}

fn client_credentials(flow: &ClientCredentials) -> TokenStream {
    let ClientCredentials { path, label, evidence, .. } = flow;
    let reply = flow.reply.iter().map(field_info);
    let errors = flow.errors.iter().map(status_info);
    quote! {
        ClientCredentialsInfo {
            path: #path,
            label: #label,
            evidence: #evidence,
            reply: &[#(#reply),*],
            errors: &[#(#errors),*],
        }
    }
}

fn limit(limit: &Limit) -> TokenStream {
    let (name, evidence) = (&limit.name, limit.evidence);
    let number = proc_macro2::Literal::u32_unsuffixed;
    let (requests, seconds, concurrent) = (number(limit.requests), number(limit.seconds), number(limit.concurrent));
    let applies_to = option(limit.applies_to.as_ref());
    quote! {
        LimitInfo {
            name: #name,
            requests: #requests,
            seconds: #seconds,
            concurrent: #concurrent,
            applies_to: #applies_to,
            evidence: #evidence,
        }
    }
}

/// A set of limits as a constant.
fn limit_set(limit: &Limit) -> TokenStream {
    let name = ident(&limit.constant);
    let number = proc_macro2::Literal::u32_unsuffixed;
    let (requests, seconds, concurrent) = (number(limit.requests), number(limit.seconds), number(limit.concurrent));
    let what = format!("{} requests in any {} s, {} at once.", limit.requests, limit.seconds, limit.concurrent);
    let applies_to = limit.applies_to.as_ref().map(|what| format!("For {}", docs::prose(&docs::sentence(what))));
    let doc = docs::doc([format!("Limit set {}: {what}", docs::prose(&limit.name)), applies_to.unwrap_or_default()]);
    quote! {
        #doc
        pub const #name: Self = Self::set(&[Window::of(#requests, #seconds)], #concurrent);
    }
}

fn imports() -> Imports<'static> {
    let registry = [
        "ClientCredentialsInfo",
        "EnvelopeInfo",
        "ErrorBodyInfo",
        "Evidence",
        "FieldInfo",
        "GroupInfo",
        "LimitInfo",
        "Range",
        "ServiceInfo",
        "StatusInfo",
        "TimeUnit",
        "ValueType",
    ];
    let registry = registry.map(|name| (name, "crate::registry"));
    registry.into_iter().chain([("RateLimit", "crate"), ("Window", "crate::gate")]).collect()
}
