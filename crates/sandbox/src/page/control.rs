//! The form control of a param: a label, an input that fits its type, and a description.
//!
//! The form sends any value and requires no param, so that users can see the response to a wrong request.

use maud::{Markup, html};
use runtime::registry::{EndpointInfo, ParamInfo, ParamLocation, TypeInfo, ValueType};

use super::code_spans::code_spans;
use crate::query::known_values;

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

/// The maximum number of check boxes that are shown at once. A longer list is collapsed.
const MAX_SHOWN: usize = 8;

/// The initial value in the form: the first accepted value of a required param, and `None` for an optional param.
fn initial(param: &ParamInfo, mut values: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    param.required?;
    values.find(|value| is_accepted(param, value))
}

fn is_accepted(param: &ParamInfo, value: &str) -> bool {
    let is_allowed = param.allowed_values.is_empty() || param.allowed_values.contains(&value);
    let is_tested = param.tested_values.is_empty() || param.tested_values.contains(&value);
    is_allowed && is_tested && !param.rejected_values.contains(&value)
}

fn initial_of_type(param: &ParamInfo, named: &TypeInfo) -> Option<&'static str> {
    initial(param, known_values(named))
}

/// A check box for every known value.
fn several(id: &str, param: &ParamInfo, named: &TypeInfo) -> Markup {
    let checked = initial_of_type(param, named);
    let boxes = html! {
        div.boxes {
            @for known in named.values {
                label {
                    input type="checkbox" name=(param.wire_name) value=(known.value) checked[checked == Some(known.value)];
                    span { code { (known.value) } " " span.note { (known.summary.trim_end_matches('.')) } }
                }
            }
        }
    };
    html! {
        fieldset.param aria-describedby=(help_id(id)) {
            legend { div.name { (param.wire_name) " " small.evidence { (param.evidence) } } }
            @if named.values.len() > MAX_SHOWN {
                details { summary { "Choose among " (named.values.len()) } (boxes) }
            } @else {
                (boxes)
            }
            (help(id, param))
        }
    }
}

fn input(id: &str, param: &ParamInfo) -> Markup {
    let name = param.wire_name;
    let described_by = help_id(id);
    let in_path = in_path(param);
    let default = param.default;
    match param.ty {
        _ if !param.allowed_values.is_empty() && param.list_setter.is_none() => {
            let shown: Vec<_> = param.allowed_values.iter().map(|value| (*value, "")).collect();
            choice(id, param, &shown)
        }
        ValueType::Named(named) if !named.open => {
            let shown: Vec<_> = named.values.iter().map(|known| (known.value, known.summary)).collect();
            choice(id, param, &shown)
        }
        ValueType::Named(named) => html! {
            input #(id) name=(name) data-in=[in_path] list=(list_id(named)) value=[initial_of_type(param, named)]
                placeholder=[default] autocomplete="off" autocapitalize="off" spellcheck="false"
                aria-describedby=(described_by);
        },
        ValueType::Boolean => choice(id, param, &[("true", ""), ("false", "")]),
        ValueType::Timestamp(_) => html! {
            input #(id) name=(name) data-in=[in_path] type="datetime-local" aria-describedby=(described_by);
        },
        ValueType::Count | ValueType::Integer | ValueType::Number if param.list_setter.is_none() => {
            let mut min = param.range.min;
            if matches!(param.ty, ValueType::Count) {
                min = min.or(Some(0.0));
            }
            let step = if matches!(param.ty, ValueType::Number) { "any" } else { "1" };
            html! {
                input #(id) name=(name) data-in=[in_path] type="number" min=[min] max=[param.range.max] step=(step)
                    placeholder=[default] aria-describedby=(described_by);
            }
        }
        _ => html! {
            input #(id) name=(name) data-in=[in_path] placeholder=[default] autocomplete="off" autocapitalize="off"
                spellcheck="false" aria-describedby=(described_by);
        },
    }
}

/// The attribute `data-in`, which tells the script to put a value into the path.
fn in_path(param: &ParamInfo) -> Option<&'static str> {
    if param.location == ParamLocation::Path { Some("path") } else { None }
}

/// A drop-down list in which at most one value can be selected.
fn choice(id: &str, param: &ParamInfo, values: &[(&'static str, &str)]) -> Markup {
    let selected = initial(param, values.iter().map(|(value, _)| *value));
    let in_path = in_path(param);
    html! {
        select #(id) name=(param.wire_name) data-in=[in_path] aria-describedby=(help_id(id)) {
            option value="" { "not sent" }
            @for (value, summary) in values {
                option value=(value) selected[selected == Some(value)] {
                    (value) @if !summary.is_empty() { " – " (summary.trim_end_matches('.')) }
                }
            }
        }
    }
}

fn help(id: &str, param: &ParamInfo) -> Markup {
    html! {
        p.help #(help_id(id)) {
            (code_spans(param.summary))
            @if let Some(default) = param.default { " Default: " code { (default) } "." }
            @if let Some(evidence) = param.required { " Required (" (evidence) ")." }
        }
    }
}

/// The values of an open type as a list of suggestions for inputs.
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
