//! The HTML document around the endpoints: the header, the list with its filter, and the section for responses.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, html};
use runtime::registry::{EndpointInfo, GroupInfo, Registry, ServiceInfo, TimeUnit, TypeInfo, ValueType};

use super::article::article;
use super::code_spans::code_spans;
use super::control::suggestions;
use crate::paths::endpoints_with_path;

/// The settings of access control that the page shows; they never include a key.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) any_key: bool,
    pub(super) bearer_required: bool,
}

pub(super) fn document(registry: Registry, access: Access) -> Markup {
    let service = registry.service;
    let milliseconds = match service.time_unit {
        TimeUnit::Seconds => "1000",
        TimeUnit::Microseconds => "1e-3",
        TimeUnit::Nanoseconds => "1e-6",
        _ => "1",
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Sandbox: " (service.title) }
                link rel="icon" type="image/svg+xml" href="/page/icon.svg";
                link rel="stylesheet" href="/page/style.css";
                script type="module" src="/page/page.js" {}
            }
            body data-milliseconds=(milliseconds) data-key-header=[service.api_key_header] data-key-prefix=(service.api_key_prefix)
                data-key-query=[service.api_key_query] data-key-basic=[service.api_key_basic.then_some("")] {
                a.skip href="#main" { "Skip to content" }
                (header(service, access))
                div.columns {
                    (contents(registry))
                    main #main tabindex="-1" {
                        (introduction(registry))
                        @for group in registry.groups { (section(registry, group)) }
                        (response())
                    }
                }
                @for named in open_types(registry) { (suggestions(named)) }
            }
        }
    }
}

fn header(service: &ServiceInfo, access: Access) -> Markup {
    html! {
        header {
            h1 { a href="#" { (service.title) } " " span.tag { "sandbox" } }
            div.access.script {
                @if service.takes_api_key() {
                    label for="key" { "API key" }
                    @if access.any_key {
                        input #key value="any" autocomplete="off" spellcheck="false" aria-describedby="key-help";
                        p.help #key-help { "Any key is accepted." }
                    } @else {
                        input #key.secret autocomplete="off" spellcheck="false" aria-describedby="key-help";
                        p.help #key-help { "The key that this sandbox was started with. It is stored only in this page." }
                    }
                }
                @if access.bearer_required {
                    label for="token" { "Bearer token" }
                    input #token.secret autocomplete="off" spellcheck="false" aria-describedby="token-help";
                    p.help #token-help { "A token from the token endpoint. It is stored only in this page." }
                }
            }
        }
    }
}

fn contents(registry: Registry) -> Markup {
    html! {
        nav aria-label="Endpoints" {
            div.filter.script {
                label for="filter" { "Filter" }
                input #filter type="search" placeholder="name or path" autocomplete="off" spellcheck="false";
                p.help #matches role="status" {}
            }
            @for group in registry.groups {
                div.group {
                    p.group-name id={ "in-" (group.ident) } { (group.title) }
                    ul aria-labelledby={ "in-" (group.ident) } {
                        @for endpoint in group.endpoints { (link(endpoint)) }
                    }
                }
            }
        }
    }
}

fn link(endpoint: &EndpointInfo) -> Markup {
    let words = [endpoint.name, endpoint.path.unwrap_or_default(), &endpoint.aliases.join(" ")].join(" ");
    html! {
        li data-words=(words.to_lowercase()) {
            a href={ "#" (endpoint) } {
                (endpoint.name)
                @if endpoint.path.is_none() { " " span.tag { "name only" } }
            }
        }
    }
}

fn introduction(registry: Registry) -> Markup {
    let all = registry.endpoints().count();
    html! {
        section #introduction {
            h2 { "A mock server" }
            p { (code_spans(registry.service.summary)) " The data of this server is generated, not real." }
            p {
                (endpoints_with_path(registry).count()) " of " (all) " endpoints can be called under "
                code { (registry.service.base_url_suffix) } "; of the others only the names are known. "
                "Fields, values and sources are in the reference of the client, "
                code { "docs/README.md" } "."
            }
            noscript { p.note { "Sending requests needs JavaScript, because a plain form cannot send the key in a header." } }
        }
    }
}

fn section(registry: Registry, group: &GroupInfo) -> Markup {
    html! {
        section.group aria-labelledby={ "group-" (group.ident) } {
            h2 id={ "group-" (group.ident) } { (group.title) }
            p.group-summary { (code_spans(group.summary)) }
            @for endpoint in group.endpoints { (article(registry, endpoint)) }
        }
    }
}

/// The section for a response. The script moves it below the form that sent the request.
fn response() -> Markup {
    html! {
        section #response.script aria-labelledby="response-name" hidden {
            h4 #response-name { "Response" }
            p.request { code #request {} }
            p #status role="status" {}
            figure #plot hidden {
                figcaption { label for="field" { "Plot of" } " " select #field {} }
                svg #chart role="img" {}
                label.step for="point" { "Point" }
                input #point type="range" min="0" step="1";
                output #value for="point" {}
            }
            pre #text tabindex="0" role="region" aria-label="Text of the response" {}
            p.note #cut hidden {}
        }
    }
}

/// The open types whose values are suggested in an input, each once and sorted by name.
fn open_types(registry: Registry) -> impl Iterator<Item = &'static TypeInfo> {
    let mut open = BTreeMap::new();
    for endpoint in registry.endpoints() {
        for param in endpoint.params() {
            if let ValueType::Named(named) = param.ty
                && named.open
                && param.list_setter.is_none()
            {
                open.insert(named.name, named);
            }
        }
    }
    open.into_values()
}
