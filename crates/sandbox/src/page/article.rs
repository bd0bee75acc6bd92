//! The article of one endpoint on the page: its summary, and a form for its params.

use maud::{Markup, html};
use runtime::registry::{BodyInfo, EndpointInfo, Registry};

use super::code_spans::code_spans;
use super::control::control;
use crate::paths::{full_of, sent_path};

pub(super) fn article(registry: Registry, endpoint: &EndpointInfo) -> Markup {
    html! {
        article #(endpoint) aria-labelledby={ (endpoint) "-name" } {
            h3 id={ (endpoint) "-name" } tabindex="-1" { (endpoint.name) }
            @if let Some(path) = endpoint.path {
                p.path { code { "GET " (full_of(registry, endpoint, path)) } " " small.evidence { (endpoint.evidence) } }
            } @else {
                p.path { strong { "Known by name only" } ": its path is unknown, so it cannot be called." }
            }
            p { (code_spans(endpoint.summary)) }
            p.note { "Details: " code { "docs/reference/" (endpoint.group) ".md" } "." }
            @if let Some(path) = sent_path(endpoint) { (form(registry, endpoint, path)) }
        }
    }
}

fn form(registry: Registry, endpoint: &EndpointInfo, path: &str) -> Markup {
    let (list, time) = match endpoint.body {
        BodyInfo::Series { time, .. } => (registry.service.envelope.as_ref().map(|envelope| envelope.data), time),
        _ => (None, None),
    };
    let params = endpoint.params().map(|param| control(endpoint, param)).collect::<Vec<_>>();
    html! {
        form novalidate data-path=(full_of(registry, endpoint, path)) data-list=[list] data-time=[time] {
            h4 { "Params" }
            @if endpoint.param_lists.is_none() { p.note { "Not known." } }
            @else if params.is_empty() { p.note { "None." } }
            div.params { @for param in params { (param) } }
            button.script type="submit" { "Send request" }
        }
    }
}
