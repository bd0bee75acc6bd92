//! One endpoint on the page: its summary, its params as a form, and the fields of its body as a table.

use generated_client::registry::{BodyInfo, EndpointInfo, FieldInfo};
use maud::{Markup, html};

use super::control::control;
use super::prose::{bounds, kind, prose};
use crate::{fields, routes};

pub(super) fn entry(endpoint: &EndpointInfo) -> Markup {
    html! {
        article #(endpoint) aria-labelledby={ (endpoint) "-name" } {
            h3 id={ (endpoint) "-name" } tabindex="-1" { (endpoint.name) }
            @if let Some(path) = endpoint.path {
                p.path { code { "GET " (routes::full(path)) } " " small.evidence { (endpoint.evidence) } }
            } @else {
                p.path { strong { "Known by name only" } ": its path is not known, so it cannot be called." }
            }
            p { (prose(endpoint.summary)) }
            @if !endpoint.aliases.is_empty() { p.note { "Also in print: " (endpoint.aliases.join(", ")) "." } }
            @if !endpoint.notes.is_empty() { p.note { (prose(endpoint.notes)) } }
            @if let Some(why) = endpoint.deprecated { p.note { strong { "Deprecated." } " " (prose(why)) } }
            @if let Some(path) = endpoint.path { (form(endpoint, path)) (body(endpoint)) }
        }
    }
}

fn form(endpoint: &EndpointInfo, path: &str) -> Markup {
    let (list, time) = match endpoint.body {
        BodyInfo::Series { time, .. } => (fields::envelope().map(|(data, _)| data), time),
        _ => (None, None),
    };
    let params = endpoint.params.unwrap_or_default();
    html! {
        form novalidate data-path=(routes::full(path)) data-list=[list] data-time=[time] {
            h4 { "Params" }
            @if endpoint.params.is_none() { p.note { "Not known." } } @else if params.is_empty() { p.note { "None." } }
            div.params { @for param in params.iter() { (control(endpoint, param)) } }
            button.script type="submit" { "Send request" }
        }
    }
}

fn body(endpoint: &EndpointInfo) -> Markup {
    html! {
        h4 { "What comes back" }
        @match endpoint.body {
            BodyInfo::Series { record: Some(record), evidence, .. } => {
                p { "A series of records. " small.evidence { (evidence) } }
                (table(endpoint, record.fields))
            }
            BodyInfo::Object { record, evidence, .. } => {
                p { "One object. " small.evidence { (evidence) } }
                (table(endpoint, record.fields))
            }
            BodyInfo::Series { evidence, .. } => {
                p { "A series of records whose fields are not known. " small.evidence { (evidence) } }
                p.note { "The sandbox invents " (invented(endpoint)) " and says so in a header." }
            }
            _ => p { "Not known. What the sandbox sends is invented, and it says so in a header." },
        }
    }
}

fn invented(endpoint: &EndpointInfo) -> Markup {
    let fields = fields::of_series(endpoint).unwrap_or_default();
    html! {
        @for (index, field) in fields.iter().enumerate() {
            @if index > 0 { ", " }
            code { (field.name) }
        }
    }
}

fn table(endpoint: &EndpointInfo, fields: &[FieldInfo]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Fields of " (endpoint.name) } {
            table {
                thead { tr { th scope="col" { "Field" } th scope="col" { "Is" } th scope="col" { "Means" } } }
                tbody { @for field in fields { (row(field)) } }
            }
        }
    }
}

fn row(field: &FieldInfo) -> Markup {
    let bounds = bounds(field.range, field.unit);
    html! {
        tr {
            th scope="row" { code { (field.wire_name) } }
            td { (kind(field.ty)) @if field.optional { ", may be absent" } }
            td {
                (prose(field.summary))
                @if !bounds.is_empty() { " " (bounds) }
                @if !field.notes.is_empty() { " " (prose(field.notes)) }
                " " small.evidence { (field.evidence) }
            }
        }
    }
}
