//! The document around the endpoints: its head, the filter, and the place for replies.

use generated_client::registry::{EndpointInfo, GroupInfo, TimeUnit, TypeInfo, ValueType};
use generated_client::{GROUPS, SERVICE};
use maud::{DOCTYPE, Markup, html};

use super::Access;
use super::control::suggestions;
use super::entry::entry;
use super::prose::prose;

pub(super) fn document(access: Access) -> Markup {
    let milliseconds = match SERVICE.time_unit {
        TimeUnit::Seconds => 1000,
        TimeUnit::Milliseconds | TimeUnit::Iso8601 | TimeUnit::Date => 1,
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Sandbox: " (SERVICE.title) }
                link rel="icon" type="image/svg+xml" href="/page/icon.svg";
                link rel="stylesheet" href="/page/style.css";
                script type="module" src="/page/page.js" {}
            }
            body data-milliseconds=(milliseconds) data-key-header=[SERVICE.api_key_header] {
                a.skip href="#main" { "Skip to content" }
                (header(access))
                div.columns {
                    (contents())
                    main #main tabindex="-1" {
                        (introduction())
                        @for group in GROUPS { (section(group)) }
                        (reply())
                    }
                }
                @for named in open_types() { (suggestions(named)) }
            }
        }
    }
}

fn header(access: Access) -> Markup {
    html! {
        header {
            h1 { a href="#" { (SERVICE.title) } " " span.tag { "sandbox" } }
            div.access.script {
                @if SERVICE.api_key_header.is_some() {
                    label for="key" { "API key" }
                    @if access.any_key {
                        input #key value="any" autocomplete="off" spellcheck="false" aria-describedby="key-help";
                        p.help #key-help { "Any key will do." }
                    } @else {
                        input #key.secret autocomplete="off" spellcheck="false" aria-describedby="key-help";
                        p.help #key-help { "The one this sandbox was started with. It stays in this page." }
                    }
                }
                @if access.bearer_required {
                    label for="token" { "Bearer token" }
                    input #token.secret autocomplete="off" spellcheck="false" aria-describedby="token-help";
                    p.help #token-help { "From the token endpoint. It stays in this page." }
                }
            }
        }
    }
}

fn contents() -> Markup {
    html! {
        nav aria-label="Endpoints" {
            div.filter.script {
                label for="filter" { "Filter" }
                input #filter type="search" placeholder="name or path" autocomplete="off" spellcheck="false";
                p.help #matches role="status" {}
            }
            @for group in GROUPS {
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

fn introduction() -> Markup {
    let all = GROUPS.iter().flat_map(|group| group.endpoints);
    let callable = all.clone().filter(|endpoint| endpoint.path.is_some()).count();
    html! {
        section #introduction {
            h2 { "An invented market" }
            p { (prose(SERVICE.summary)) " This server answers as the catalogue says, with invented data." }
            p {
                (callable) " of " (all.count()) " endpoints can be called under " code { (SERVICE.base_url_suffix) }
                "; of the others only the name is known. Every fact says how it is known: from the interface "
                small.evidence { "document" } ", from what the provider " small.evidence { "published" }
                ", as public clients " small.evidence { "reported" } " it, or from the "
                small.evidence { "former" } " version of the interface."
            }
            noscript { p.note { "Without JavaScript this page is for reading: the key goes into a header, which a plain form cannot send." } }
            dl.script {
                @for group in GROUPS {
                    dt { (group.title) " " span.tag { (group.endpoints.len()) } }
                    dd { (prose(group.summary)) }
                }
            }
        }
    }
}

fn section(group: &GroupInfo) -> Markup {
    html! {
        section.group aria-labelledby={ "group-" (group.ident) } {
            h2 id={ "group-" (group.ident) } { (group.title) }
            p.group-summary { (prose(group.summary)) }
            @for endpoint in group.endpoints { (entry(endpoint)) }
        }
    }
}

/// Where the script shows a reply; it moves to the endpoint that was asked.
fn reply() -> Markup {
    html! {
        section #reply.script aria-labelledby="reply-name" hidden {
            h4 #reply-name { "Reply" }
            p.request { code #request {} }
            p #status role="status" {}
            figure #plot hidden {
                figcaption { label for="field" { "Plot of" } " " select #field {} }
                svg #chart role="img" {}
                label.step for="point" { "Point" }
                input #point type="range" min="0" step="1";
                output #value for="point" {}
            }
            pre #text tabindex="0" role="region" aria-label="Text of the reply" {}
            p.note #cut hidden {}
        }
    }
}

/// The types whose values inputs suggest, each once.
fn open_types() -> Vec<&'static TypeInfo> {
    let endpoints = GROUPS.iter().flat_map(|group| group.endpoints);
    let params = endpoints.flat_map(|endpoint| endpoint.params.unwrap_or_default());
    let mut types: Vec<&TypeInfo> = Vec::new();
    for param in params.filter(|param| param.list.is_none()) {
        if let ValueType::Named(named) = param.ty
            && named.open
            && types.iter().all(|known| known.name != named.name)
        {
            types.push(named);
        }
    }
    types
}
