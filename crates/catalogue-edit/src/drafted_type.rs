//! The types in a draft. They are written as in the catalogue, but named types and records have provisional names with
//! numbers, such as `record 3`.

use std::collections::HashMap;

use catalogue::type_expr::{Builtin, TypeExpr};

pub(crate) const ANY: &str = "any";
pub(crate) const TIMESTAMP: &str = "timestamp";

const TYPE: &str = "type ";
const RECORD: &str = "record ";

/// The provisional name of a type.
pub(crate) fn type_name(index: usize) -> String {
    format!("{TYPE}{index}")
}

/// The provisional name of a record.
pub(crate) fn record_name(index: usize) -> String {
    format!("{RECORD}{index}")
}

/// The index of the type that a provisional name refers to.
pub(crate) fn type_index(name: &str) -> Option<usize> {
    name.strip_prefix(TYPE)?.parse().ok()
}

/// The index of the record that a type is or contains.
pub(crate) fn record_index(ty: &str) -> Option<usize> {
    index_of_record(innermost_name(ty)?)
}

fn index_of_record(name: &str) -> Option<usize> {
    name.strip_prefix(RECORD)?.parse().ok()
}

/// The innermost item type of a list or map, or the type itself if it is neither.
pub(crate) fn innermost(ty: &str) -> &str {
    let Some(expr) = TypeExpr::parse(ty) else { return ty };
    match expr.innermost() {
        TypeExpr::Name(name) => name,
        TypeExpr::Builtin(builtin) => builtin.name(),
        TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::Option(_) => ty,
    }
}

/// The name of the innermost type; `None` if the innermost type is built in.
pub(crate) fn innermost_name(ty: &str) -> Option<&str> {
    TypeExpr::parse(ty)?.innermost().name()
}

/// The item type of a list.
pub(crate) fn item(ty: &str) -> Option<&str> {
    ty.strip_prefix("list<")?.strip_suffix('>')
}

/// A type in which the innermost type is replaced by the type `value`.
pub(crate) fn replace_innermost(ty: &str, value: &str) -> String {
    match (TypeExpr::parse(ty), TypeExpr::parse(value)) {
        (Some(expr), Some(value)) => with_innermost(expr, value).to_string(),
        _ => value.to_owned(),
    }
}

fn with_innermost<'t>(expr: TypeExpr<'t>, value: TypeExpr<'t>) -> TypeExpr<'t> {
    match expr {
        TypeExpr::Builtin(_) | TypeExpr::Name(_) => value,
        TypeExpr::List(item) => TypeExpr::List(Box::new(with_innermost(*item, value))),
        TypeExpr::Map(item) => TypeExpr::Map(Box::new(with_innermost(*item, value))),
        TypeExpr::Option(inner) => match with_innermost(*inner, value) {
            // `any` includes null, so it never has a `?`.
            any @ TypeExpr::Builtin(Builtin::Any) => any,
            inner => TypeExpr::Option(Box::new(inner)),
        },
    }
}

/// The type for the items of a list or map: `ty`, with `?` if items can be null. `any` gets no `?`, because it includes
/// null.
pub(crate) fn or_null(ty: &str, is_nullable: bool) -> String {
    if is_nullable && ty != ANY { format!("{ty}?") } else { ty.to_owned() }
}

/// A type with the name of the catalogue instead of a provisional name. A record without a name becomes `any`.
pub(crate) fn with_names(ty: &str, names: &HashMap<String, String>) -> String {
    let Some(provisional) = innermost_name(ty) else { return ty.to_owned() };
    if let Some(name) = names.get(provisional) {
        return replace_innermost(ty, name);
    }
    if index_of_record(provisional).is_some() {
        return replace_innermost(ty, ANY);
    }
    ty.to_owned()
}

/// `true` if a type can have a range.
pub(crate) fn is_number(ty: &str) -> bool {
    matches!(TypeExpr::parse(ty), Some(TypeExpr::Builtin(builtin)) if builtin.is_numeric())
}

/// `true` if the values of a type are numbers, also if they can have any number of digits.
pub(crate) fn has_digits(ty: &str) -> bool {
    matches!(TypeExpr::parse(ty), Some(TypeExpr::Builtin(builtin)) if builtin.has_digits())
}
