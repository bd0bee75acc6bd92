//! Emits the tables of the reference: one row per param, field, value, status or rate limit.

use quote::ToTokens;

use crate::emit::docs::{self, code, prose};
use crate::model::{
    Api, Builtin, Evidence, Field, Limit, ListFormat, NamedType, Param, Range, Status, Text, TimeForm, Type,
    UnknownFact,
};

/// Returns the row of a param. If a shared param has notes, its name links to the front page, which contains the notes.
pub(super) fn param(api: &Api, param: &Param, is_shared: bool) -> String {
    let setters = param.setters().map(|(setter, _)| format!("`{setter}`"));
    let setters = if param.const_value.is_some() { String::new() } else { setters.collect::<Vec<_>>().join(", ") };
    let required = match (param.in_path(), param.required) {
        (true, _) => "yes, in the path".to_owned(),
        (false, Some(Evidence::Documented)) => "yes".to_owned(),
        (false, Some(evidence)) => format!("yes ({})", evidence.label()),
        (false, None) => "no".to_owned(),
    };
    let default = param.default.as_ref().map(|default| code(default)).unwrap_or_default();
    let meaning = [
        meaning(&param.summary, &param.unit, param.range),
        known_values(api, param),
        param.const_value.as_deref().map(|fixed| format!("Always sent as {}.", code(fixed))).unwrap_or_default(),
        if param.list_as == ListFormat::Commas {
            String::new()
        } else {
            docs::several(&param.name, Some(param.list_as))
        },
        docs::values(param),
        example(param),
    ];
    let name = if is_shared && !(param.notes.is_empty() && param.unknown.is_empty()) {
        format!("[{}](../README.md#shared-params)", code(&param.name))
    } else {
        code(&param.name)
    };
    let source = param.evidence.label().to_owned();
    row([name, setters, linked(&param.ty), required, default, source, docs::joined(meaning)])
}

pub(super) fn params(rows: impl Iterator<Item = String>) -> String {
    table(["name", "Rust", "type", "required", "default", "source", "description"], rows)
}

/// Returns a table of fields. A number without a unit has the unit `undocumented` if `unit_is_unknown`, or if the notes
/// of the field list the unit as unknown.
pub(super) fn fields<'a>(fields: impl Iterator<Item = &'a Field>, unit_is_unknown: bool) -> String {
    let rows = fields.map(|field| {
        let is_unknown = unit_is_unknown || field.unknown.contains(&UnknownFact::Unit);
        let unit = if field.unit.is_empty() && is_unknown && field.ty.is_numeric() {
            "undocumented".to_owned()
        } else {
            prose(&field.unit)
        };
        let ty = rust_type(field);
        let (wire_name, ident) = (code(&field.wire_name), format!("`{}`", field.ident));
        let example = field.example.as_deref().map(code).unwrap_or_default();
        let source = field.evidence.label().to_owned();
        row([wire_name, ident, ty, unit, source, meaning(&field.summary, "", field.range), example])
    });
    table(["name", "Rust", "type", "unit", "source", "description", "example"], rows)
}

pub(super) fn values(ty: &NamedType) -> String {
    if ty.values.is_empty() {
        return String::new();
    }
    let rows = ty.values.iter().map(|value| {
        let constant = format!("`{}::{}`", ty.ident, value.ident);
        row([code(&value.value), constant, value.evidence.label().to_owned(), prose(&value.summary)])
    });
    format!("\n{}", table(["value", "Rust", "source", "description"], rows))
}

pub(super) fn statuses(statuses: &[Status]) -> String {
    let rows = statuses.iter().map(|status| {
        let label = status.label.known().map(|label| prose(label)).unwrap_or_default();
        let meaning = docs::joined([docs::meaning(&status.summary), prose(&status.advice), prose(&status.notes)]);
        row([status.status.to_string(), label, status.evidence.label().to_owned(), meaning])
    });
    table(["status", "label in the API document", "source", "description"], rows)
}

pub(super) fn limits(limits: &[Limit]) -> String {
    let rows = limits.iter().map(|limit| {
        row([
            prose(&limit.name),
            limit.requests.to_string(),
            limit.seconds.to_string(),
            limit.concurrent.known().map_or_else(|| "unknown".to_owned(), ToString::to_string),
            scope(limit),
            format!("`limits::{}`", limit.constant()),
            limit.evidence.label().to_owned(),
        ])
    });
    table(["rate limit", "requests", "window in seconds", "in flight", "applies to", "Rust", "source"], rows)
}

/// Describes the customers to which a rate limit applies, and the groups and paths whose requests count.
fn scope(limit: &Limit) -> String {
    let keys = limit.scope.known().map_or_else(|| "unknown".to_owned(), |scope| prose(scope));
    if limit.endpoints.is_empty() {
        keys
    } else {
        format!("{keys}; only requests to {}", docs::codes(&limit.endpoints))
    }
}

/// Returns a sentence with the example value; empty if the row already lists this value as tested or allowed.
fn example(param: &Param) -> String {
    let is_listed = |example: &&Text| param.tested_values.contains(example) || param.allowed_values.contains(example);
    let example = param.example.as_ref().filter(|example| !is_listed(example));
    example.map(|example| format!("Example: {}.", code(example))).unwrap_or_default()
}

/// Returns a sentence with the values of a named type; empty if the type accepts other values too, or has more than
/// eight values.
fn known_values(api: &Api, param: &Param) -> String {
    let Type::Named(name) = &param.ty else { return String::new() };
    let ty = api.types.iter().find(|ty| ty.ident == *name && !ty.open && ty.values.len() <= 8);
    ty.map(|ty| {
        let values: Vec<_> = ty.values.iter().map(|value| code(&value.value)).collect();
        format!("Values: {}.", values.join(", "))
    })
    .unwrap_or_default()
}

fn meaning(summary: &str, unit: &str, range: Range) -> String {
    let range = docs::sentence(&docs::range(range));
    let unit = if unit.is_empty() { String::new() } else { format!("Unit: {}.", prose(unit)) };
    docs::joined([docs::meaning(summary), unit, range])
}

/// Returns the type of a field in the client.
fn rust_type(field: &Field) -> String {
    let ty = field.ty.to_token_stream().to_string().replace(' ', "");
    let ty = ty.replace("::std::collections::", "").replace(',', ", ");
    if field.is_option() { format!("`Option<{ty}>`") } else { format!("`{ty}`") }
}

/// Describes a type. The name of a named type is a link to its values.
fn linked(ty: &Type) -> String {
    match ty {
        Type::Named(name) => format!("[`{name}`](../README.md#{})", name.to_lowercase()),
        Type::List(item) => format!("list of {}", linked(item)),
        Type::Map(item) => format!("map of {}", linked(item)),
        Type::Option(value) => linked(value),
        other => name(other),
    }
}

/// Returns the name of a type for readers, similar to its name in the catalogue.
pub(super) fn name(ty: &Type) -> String {
    match ty {
        Type::Builtin(Builtin::Count) => "count (`u64`)".to_owned(),
        Type::Builtin(Builtin::Timestamp(TimeForm::Written(format))) => format!("timestamp ({})", format.word()),
        Type::Builtin(builtin) => builtin.name().to_owned(),
        Type::Named(name) => format!("`{name}`"),
        Type::Record(record) | Type::Recursive(record) => format!("`{}`", record.ident),
        Type::List(item) => format!("list of {}", self::name(item)),
        Type::Map(item) => format!("map of {}", self::name(item)),
        Type::Option(given) => format!("{} or null", self::name(given)),
    }
}

pub(in crate::emit) fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = String>) -> String {
    let heads = heads.map(str::to_owned);
    let rule = format!("|{}\n", "---|".repeat(N));
    [row(heads), rule].into_iter().chain(rows).collect()
}

pub(in crate::emit) fn row<const N: usize>(cells: [String; N]) -> String {
    format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "))
}

/// Escapes each unescaped `|` in the text of a table cell, because an unescaped `|` ends the cell.
pub(in crate::emit) fn cell(text: &str) -> String {
    let mut cell = String::new();
    for character in text.chars() {
        if character == '|' && !cell.ends_with('\\') {
            cell.push('\\');
        }
        cell.push(character);
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_escaped_in_cells() {
        assert_eq!(row([code("a|b"), prose("c | d")]), "| `a\\|b` | c \\| d |\n");
    }
}
