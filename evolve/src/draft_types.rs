//! The types of a draft. A draft is new content for a catalogue. Its types are written as in the catalogue, but named
//! types and records have provisional names with numbers, such as `record 3`.

use codegen::spec::{Field, Param, ParamLocation};
use codegen::type_expr::TypeExpr;
use heck::ToSnakeCase;

pub(crate) const ANY: &str = "any";
pub(crate) const TIMESTAMP: &str = "timestamp";

/// The provisional `list_setter` of a param that accepts several values.
pub(crate) const SEVERAL: &str = "several values";

/// Returns the provisional name of a type.
pub(crate) fn type_name(index: usize) -> String {
    format!("type {index}")
}

/// Returns the provisional name of a record.
pub(crate) fn record_name(index: usize) -> String {
    format!("record {index}")
}

/// Returns the index of the type that a provisional name refers to.
pub(crate) fn type_of_name(name: &str) -> Option<usize> {
    name.strip_prefix("type ")?.parse().ok()
}

/// Returns the index of the record that a type is or contains.
pub(crate) fn record_in(ty: &str) -> Option<usize> {
    innermost(ty).strip_prefix("record ")?.parse().ok()
}

/// Returns the innermost item type of a list or map, or the type itself if it is neither.
pub(crate) fn innermost(ty: &str) -> &str {
    ty.rsplit('<').next().unwrap_or(ty).trim_end_matches(['>', '?'])
}

/// Returns the item type of a list.
pub(crate) fn item(ty: &str) -> Option<&str> {
    ty.strip_prefix("list<")?.strip_suffix('>')
}

/// Returns a type in which the innermost type is replaced by `value`.
pub(crate) fn holding(ty: &str, value: &str) -> String {
    ty.replace(innermost(ty), value)
}

/// Returns the type for the items of a list or map: `ty`, with `?` if items can be null. `any` gets no `?`, because it
/// includes null.
pub(crate) fn or_null(ty: &str, is_nullable: bool) -> String {
    if is_nullable && ty != ANY { format!("{ty}?") } else { ty.to_owned() }
}

/// Returns the definition of a param in a path about which nothing else is known.
pub(crate) fn path_param(name: &str) -> Param {
    Param { name: name.into(), ty: "string".into(), location: ParamLocation::Path, ..Param::default() }
}

/// Returns `true` if a type can have a range.
pub(crate) fn is_number(ty: &str) -> bool {
    matches!(TypeExpr::parse(ty), Some(TypeExpr::Builtin(builtin)) if builtin.is_numeric())
}

/// Returns `true` if a timestamp is presumably the time of its record, and not the time of an event, such as
/// `expires_at`.
pub(crate) fn is_time_of_record(field: &Field) -> bool {
    const WORDS: &str = "at begin bucket candle created date datetime day effective epoch funding hour interval minute month open \
        period price rate stamp start started t time timestamp trade ts utc week";
    let name = field.name.to_snake_case();
    !field.optional && name.split('_').all(|word| WORDS.split(' ').any(|known| known == word))
}
