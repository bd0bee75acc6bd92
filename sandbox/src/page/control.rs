//! The form control of a param: a label, an input that fits its type, and its meaning.
//!
//! No param is required and any value can be sent, so that users can see the error for a wrong one.

use maud::{Markup, html};
use runtime::registry::{EndpointInfo, ParamInfo, ParamLocation, TypeInfo, ValueInfo, ValueType};

use super::prose::prose;

pub(super) fn control(endpoint: &EndpointInfo, param: &ParamInfo) -> Markup {
    let id = format!("{endpoint}-{}", param.wire_name);
    match param.ty {
        ValueType::Named(named) if param.list_setter.is_some() => several(&id, param, named),
        _ => html! {
            div.param {
                div.name {
                    label for=(id) { (param.wire_name) @if matches!(param.ty, ValueType::Timestamp(_)) { " (UTC)" } }
                    small.evidence { (param.evidence) }
                }
                (input(&id, param))
                (help(&id, param))
            }
        },
    }
}

/// The number of check boxes to show at once; more are folded.
const MOST_SHOWN: usize = 8;

/// A check box for every known value; the first accepted one is checked if the param is required.
fn several(id: &str, param: &ParamInfo, named: &TypeInfo) -> Markup {
    let lacks = |list: &[&str], value: &str| !list.is_empty() && !list.contains(&value);
    let is_accepted = |value: &str| {
        !(param.rejected_values.contains(&value)
            || lacks(param.allowed_values, value)
            || lacks(param.tested_values, value))
    };
    let accepted = named.values.iter().find(|known| is_accepted(known.value));
    let checked = accepted.filter(|_| param.required.is_some()).map(|known| known.value);
    let boxes = html! {
        div.boxes { @for known in named.values { (tick(param, known, checked == Some(known.value))) } }
    };
    html! {
        fieldset.param aria-describedby=(help_id(id)) {
            legend { div.name { (param.wire_name) " " small.evidence { (param.evidence) } } }
            @if named.values.len() > MOST_SHOWN {
                details { summary { "Choose among " (named.values.len()) } (boxes) }
            } @else {
                (boxes)
            }
            (help(id, param))
        }
    }
}

fn tick(param: &ParamInfo, known: &ValueInfo, is_checked: bool) -> Markup {
    html! {
        label {
            input type="checkbox" name=(param.wire_name) value=(known.value) checked[is_checked];
            span { code { (known.value) } " " span.note { (known.summary.trim_end_matches('.')) } }
        }
    }
}

fn input(id: &str, param: &ParamInfo) -> Markup {
    let (name, described_by) = (param.wire_name, help_id(id));
    let in_path = (param.location == ParamLocation::Path).then_some("path");
    let (min, max) = (param.range.min, param.range.max);
    let default = param.default;
    let first = |named: &TypeInfo| param.required.and_then(|_| named.values.first()).map(|known| known.value);
    match param.ty {
        _ if !param.allowed_values.is_empty() && param.list_setter.is_none() => {
            choice(id, param, &param.allowed_values.iter().map(|value| (*value, "")).collect::<Vec<_>>())
        }
        ValueType::Named(named) if !named.open => {
            let shown = named.values.iter().map(|known| (known.value, known.summary)).collect::<Vec<_>>();
            choice(id, param, &shown)
        }
        ValueType::Named(named) => html! {
            input #(id) name=(name) data-in=[in_path] list=(list_id(named)) value=[first(named)] placeholder=[default]
                autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby=(described_by);
        },
        ValueType::Boolean => choice(id, param, &[("true", ""), ("false", "")]),
        ValueType::Timestamp(_) => html! {
            input #(id) name=(name) data-in=[in_path] type="datetime-local" aria-describedby=(described_by);
        },
        ValueType::Count | ValueType::Integer | ValueType::Number if param.list_setter.is_none() => {
            let min = min.or(matches!(param.ty, ValueType::Count).then_some(0.0));
            let step = if matches!(param.ty, ValueType::Number) { "any" } else { "1" };
            html! {
                input #(id) name=(name) data-in=[in_path] type="number" min=[min] max=[max] step=(step)
                    placeholder=[default] aria-describedby=(described_by);
            }
        }
        _ => html! {
            input #(id) name=(name) data-in=[in_path] placeholder=[default] autocomplete="off" autocapitalize="off"
                spellcheck="false" aria-describedby=(described_by);
        },
    }
}

/// One of a few values, or none; the first is chosen if the param is required.
fn choice(id: &str, param: &ParamInfo, values: &[(&str, &str)]) -> Markup {
    let in_path = (param.location == ParamLocation::Path).then_some("path");
    html! {
        select #(id) name=(param.wire_name) data-in=[in_path] aria-describedby=(help_id(id)) {
            option value="" { "not sent" }
            @for (index, (value, summary)) in values.iter().enumerate() {
                option value=(value) selected[index == 0 && param.required.is_some()] {
                    (value) @if !summary.is_empty() { " – " (summary.trim_end_matches('.')) }
                }
            }
        }
    }
}

fn help(id: &str, param: &ParamInfo) -> Markup {
    html! {
        p.help #(help_id(id)) {
            (prose(param.summary))
            @if let Some(default) = param.default { " Default: " code { (default) } "." }
            @if let Some(evidence) = param.required { " Required (" (evidence) ")." }
        }
    }
}

/// The values of an open type, as suggestions of an input.
pub(super) fn suggestions(named: &TypeInfo) -> Markup {
    html! {
        datalist #(list_id(named)) {
            @for known in named.values { option value=(known.value) { (known.summary) } }
        }
    }
}

fn list_id(named: &TypeInfo) -> String {
    format!("values-{}", named.name)
}

fn help_id(id: &str) -> String {
    format!("{id}-help")
}
