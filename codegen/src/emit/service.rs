//! Emits `service/mod.rs` with the registry entry of the service and the list of all groups, and `service/limits.rs`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::literal::{
    evidence, field_info, flag, history_info, ident, integer, option, set, some, status_info, strings, text, texts,
    time_unit, values, variant,
};
use super::render::{self, IMPORTS, print_list};
use super::{File, Package, docs};
use catalogue::model::{
    Api, ApiKey, ClientCredentials, Envelope, ErrorBody, Header, KeyCarrier, Limit, RateLimitHeaders, Service,
    TimeForm, TimeUnit,
};

pub(super) fn file(api: &Api, package: &Package) -> File {
    let service = info(&api.service);
    let types = (!api.types.is_empty()).then(|| quote! { pub use types::*; });
    let (name, env) = (package.ident(), &api.service.env_prefix);
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
    let groups = quote! {
        /// All groups, sorted by name, with all endpoints, including those known only by name.
        pub static GROUPS: &[&GroupInfo] = ENTRIES;
    };
    let groups = print_list(&groups, api.groups.iter().map(|group| format!("&super::{}::GROUP", group.ident)));
    let docs = "Items that all groups share: the service, its params, records and named types.";
    let File { path, text } = render::file("service/mod.rs", "service.yaml", docs, IMPORTS, [items]);
    File { path, text: text + "\n" + &groups }
}

fn info(service: &Service) -> TokenStream {
    let title = &service.title;
    let unit = (service.time_form() != TimeForm::Counted(TimeUnit::Seconds)).then_some(service.time_form());
    let error_body = (service.error_body != ErrorBody::default()).then(|| error_body(&service.error_body));
    let facts: [&dyn ToTokens; 14] = [
        &text("version", &service.version),
        &text("summary", &service.summary),
        &text("env_prefix", &service.env_prefix),
        &text("base_url_suffix", service.base_url_suffix()),
        &set("time_unit", unit.map(time_unit)),
        &service.api_key.as_ref().map(api_key).unwrap_or_default(),
        &values("headers", &service.headers.iter().map(header).collect::<Vec<_>>()),
        &some("client_credentials", client_credentials(service)),
        &values("errors", &service.errors.iter().map(status_info).collect::<Vec<_>>()),
        &set("error_body", error_body),
        &values("limits", &service.limits.iter().map(limit).collect::<Vec<_>>()),
        &some("rate_limit_headers", service.rate_limit_headers.as_ref().map(rate_limit_headers)),
        &some("envelope", service.envelope.as_ref().map(envelope)),
        &some("history", service.history.as_ref().map(history_info)),
    ];
    quote!(ServiceInfo::new(#title) #(#facts)*)
}

fn error_body(body: &ErrorBody) -> TokenStream {
    let message = &body.message;
    let statuses: Vec<_> = body.no_data_statuses.iter().copied().map(integer).collect();
    let name = body.named().map(|(name, source)| {
        let source = evidence(source);
        quote!((#name, #source))
    });
    let facts = [
        some("name", name),
        values("code", &body.code),
        texts("success", &body.success),
        texts("rate_limited", &body.rate_limited),
        texts("no_data", &body.no_data),
        values("no_data_statuses", &statuses),
    ];
    quote!(ErrorBodyInfo::new(&[#(#message),*]) #(#facts)*)
}

/// Returns the name and the value of a header. HTTP ignores the case of the name.
fn header(header: &Header) -> TokenStream {
    let (name, value) = (header.name.to_ascii_lowercase(), &header.value);
    quote!((#name, #value))
}

fn api_key(key: &ApiKey) -> TokenStream {
    let carrier = match &key.carrier {
        KeyCarrier::Header { name, prefix } => {
            let prefix = text("api_key_prefix", prefix);
            quote!(#prefix .api_key_header(Some(#name)))
        }
        KeyCarrier::Basic => {
            quote!(.api_key_header(Some("authorization")).api_key_prefix("Basic ").api_key_basic(true))
        }
        KeyCarrier::Query(name) => quote!(.api_key_query(Some(#name))),
    };
    let optional = flag("api_key_optional", key.optional);
    quote!(#carrier #optional)
}

fn rate_limit_headers(headers: &RateLimitHeaders) -> TokenStream {
    // HTTP ignores the case of a name.
    let remaining = headers.remaining.to_ascii_lowercase();
    let reset = headers.reset.to_ascii_lowercase();
    let unit = variant("ResetUnit", headers.reset_is);
    quote!(RateLimitHeadersInfo { remaining: #remaining, reset: #reset, reset_is: #unit })
}

fn envelope(envelope: &Envelope) -> TokenStream {
    let data = &envelope.data;
    let metadata = option(envelope.metadata.as_ref().map(|metadata| metadata.name.as_str()));
    let time = option(envelope.time.as_ref().map(|time| time.name.as_str()));
    quote!(EnvelopeInfo { data: #data, metadata: #metadata, time: #time })
}

fn client_credentials(service: &Service) -> Option<TokenStream> {
    let flow = service.credentials.client_credentials.as_ref()?;
    let ClientCredentials { path, label, notes, .. } = flow;
    let (path, label, notes) = (path.as_str(), label.as_str(), notes.as_str());
    let evidence = evidence(flow.evidence);
    let (reply, errors) = (service.token_fields.iter().map(field_info), flow.errors.iter().map(status_info));
    Some(quote! {
        ClientCredentialsInfo {
            path: #path, label: #label, evidence: #evidence, reply: &[#(#reply),*], errors: &[#(#errors),*], notes: #notes
        }
    })
}

fn limit(limit: &Limit) -> TokenStream {
    let (name, evidence) = (limit.name.as_str(), evidence(limit.evidence));
    let (requests, seconds) = (integer(limit.requests), integer(limit.seconds));
    let (scope, endpoints) = (option(limit.scope.known()), strings(&limit.endpoints));
    let concurrent = option(limit.concurrent.known().copied().map(integer));
    quote! {
        LimitInfo {
            name: #name, requests: #requests, seconds: #seconds, concurrent: #concurrent, scope: #scope,
            endpoints: &[#(#endpoints),*], evidence: #evidence
        }
    }
}

/// Emits `service/limits.rs`: the sets of rate limits as constants, and functions that return them.
pub(super) fn limits_file(api: &Api) -> File {
    let limits = api.service.limits.iter().map(limit_set);
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

/// Returns the constant for a set of rate limits.
fn limit_set(limit: &Limit) -> TokenStream {
    let name = ident(&limit.constant());
    let (requests, seconds) = (integer(limit.requests), integer(limit.seconds));
    let names = strings(&limit.endpoints);
    let concurrent = option(limit.concurrent.known().copied().map(integer));
    let set = quote!(RateLimit::set(&[LimitWindow::of(#requests, #seconds, &[#(#names),*])], #concurrent));
    let doc = docs::doc(docs::limit(limit));
    quote! {
        #doc
        pub const #name: RateLimit = #set;
    }
}
