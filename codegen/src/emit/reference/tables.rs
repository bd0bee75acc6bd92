//! Tables of the reference: one line a param, a field, a value, a status or a limit.

use crate::emit::docs::{self, code, prose};
use crate::model::{Evidence, Field, Limit, ListStyle, NamedType, Param, Range, RecordRef, Status, TimeForm, Type};

pub(super) fn params<'a>(params: impl Iterator<Item = &'a Param>) -> String {
    let rows = params.map(|param| {
        let setters = std::iter::once(&param.ident).chain(&param.list).map(|setter| format!("`{setter}`"));
        let setters = if param.fixed.is_some() { String::new() } else { setters.collect::<Vec<_>>().join(", ") };
        let required = match (param.in_path, param.required) {
            (true, _) => "in the path".to_owned(),
            (false, Some(evidence)) => evidence.told().to_owned(),
            (false, None) => String::new(),
        };
        let default = param.default.as_deref().map(code).unwrap_or_default();
        let meaning = [
            meaning(&param.summary, &param.unit, param.range, ""),
            param.fixed.as_deref().map(|fixed| format!("Always sent as {}.", code(fixed))).unwrap_or_default(),
            list_as(param).to_owned(),
            docs::values(param),
            example(param),
            prose(&param.notes),
        ];
        let (known, meaning) = (known(param.evidence), docs::joined(meaning));
        row([code(&param.wire_name), setters, name(&param.ty), required, default, known, meaning])
    });
    table(["param", "in Rust", "type", "required", "default", "known", "meaning"], rows)
}

pub(super) fn fields<'a>(fields: impl Iterator<Item = &'a Field>) -> String {
    let rows = fields.map(|field| {
        let absent = if field.optional { "can be absent" } else { "" };
        let meaning = meaning(&field.summary, "", field.range, &field.notes);
        let (wire_name, ident) = (code(&field.wire_name), format!("`{}`", field.ident));
        let example = field.example.as_deref().map(code).unwrap_or_default();
        let (unit, known) = (prose(&field.unit), known(field.evidence));
        row([wire_name, ident, name(&field.ty), unit, absent.into(), known, meaning, example])
    });
    table(["field", "in Rust", "type", "unit", "", "known", "meaning", "such as"], rows)
}

pub(super) fn values(ty: &NamedType) -> String {
    if ty.values.is_empty() {
        return String::new();
    }
    let rows = ty.values.iter().map(|value| {
        let constant = format!("`{}::{}`", ty.ident, value.ident);
        row([code(&value.value), constant, known(value.evidence), prose(&value.summary)])
    });
    format!("\n{}", table(["value", "in Rust", "known", "meaning"], rows))
}

pub(super) fn statuses(statuses: &[Status]) -> String {
    let rows = statuses.iter().map(|status| {
        let label = status.label.as_deref().map(prose).unwrap_or_default();
        let meaning = docs::joined([status.meaning(), &status.advice, &status.notes].map(prose));
        row([status.status.to_string(), label, known(status.evidence), meaning])
    });
    table(["status", "printed as", "known", "meaning"], rows)
}

pub(super) fn limits(limits: &[Limit]) -> String {
    let rows = limits.iter().map(|limit| {
        row([
            prose(&limit.name),
            limit.requests.to_string(),
            limit.seconds.to_string(),
            limit.concurrent.map_or_else(|| "unknown".to_owned(), |concurrent| concurrent.to_string()),
            applies_to(limit),
            format!("`limits::{}`", limit.constant),
            known(limit.evidence),
        ])
    });
    table(["rate limit", "requests", "in seconds", "at a time", "for", "in Rust", "known"], rows)
}

/// For whom a limit set holds, and which endpoints it counts.
fn applies_to(limit: &Limit) -> String {
    let whom = limit.applies_to.as_deref().map_or_else(|| "unknown".to_owned(), prose);
    if limit.endpoints.is_empty() { whom } else { format!("{whom}; counts {} alone", docs::codes(&limit.endpoints)) }
}

/// How several values are written, if not with commas between them.
fn list_as(param: &Param) -> &'static str {
    match param.list_as {
        ListStyle::Commas => "",
        ListStyle::Repeated => "Several are sent one by one.",
        ListStyle::Json => "Several are sent as a list in JSON.",
    }
}

/// The record that a type is or holds.
pub(super) fn record_of(ty: &Type) -> Option<&RecordRef> {
    match ty {
        Type::Record(record) => Some(record),
        Type::List(item) | Type::Map(item) | Type::Option(item) => record_of(item),
        _ => None,
    }
}

/// An example, where none of the values that work is one already.
fn example(param: &Param) -> String {
    let is_said = |example: &&String| param.works.contains(example) || param.served.contains(example);
    let example = param.example.as_ref().filter(|example| !is_said(example));
    example.map(|example| format!("Such as {}.", code(example))).unwrap_or_default()
}

fn meaning(summary: &str, unit: &str, range: Range, notes: &str) -> String {
    let bounds = docs::sentence(&docs::bounds(range));
    let unit = if unit.is_empty() { String::new() } else { docs::sentence(&format!("in {}", prose(unit))) };
    docs::joined([prose(summary), unit, bounds, prose(notes)])
}

/// A type in the catalogue's words.
pub(super) fn name(ty: &Type) -> String {
    match ty {
        Type::String => "string".to_owned(),
        Type::Integer => "integer".to_owned(),
        Type::Count => "count".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Timestamp(TimeForm::Counted(_)) => "timestamp".to_owned(),
        Type::Timestamp(TimeForm::Written(format)) => format!("timestamp ({})", format.word()),
        Type::Any => "any".to_owned(),
        Type::Named(name) => format!("`{name}`"),
        Type::Record(record) => format!("`{}`", record.ident),
        Type::List(item) => format!("list of {}", self::name(item)),
        Type::Map(item) => format!("map of {}", self::name(item)),
        Type::Option(given) => format!("{} or null", self::name(given)),
    }
}

fn known(evidence: Evidence) -> String {
    evidence.told().to_owned()
}

pub(in crate::emit) fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = String>) -> String {
    let heads = heads.map(str::to_owned);
    let rule = format!("|{}\n", "---|".repeat(N));
    [row(heads), rule].into_iter().chain(rows).collect()
}

pub(in crate::emit) fn row<const N: usize>(cells: [String; N]) -> String {
    format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "))
}

/// Text in a cell, which a bar would end; prose has its bars escaped, code has not.
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
    fn a_bar_ends_no_cell() {
        assert_eq!(row([code("a|b"), prose("c | d")]), "| `a\\|b` | c \\| d |\n");
    }
}
