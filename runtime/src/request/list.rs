//! Several values of one param, in the format that the catalogue declares.
//!
//! The values of a list are written as one string, or as one string per value for a repeated param.

use crate::registry::{ListFormat, ParamInfo, ParamLocation, ValueType};
use crate::values::Value;

/// Returns the strings to send for several values in their wire form: one string for each value if each value is a
/// separate param, otherwise one string for all values. A list without values becomes an empty string, which `check`
/// rejects.
///
/// Also returns whether a value contains the separator, so that the service would read it as two values. `info` is
/// `None` for an unknown param.
pub(super) fn list_texts(info: Option<&ParamInfo>, values: Vec<String>) -> (Vec<String>, bool) {
    // In a path, the values of a list are always separated by commas, like the style `simple` of OpenAPI.
    let of_query = info.filter(|info| info.location == ParamLocation::Query);
    match of_query.map(|info| (info.list_as, info.ty)) {
        _ if values.is_empty() => (vec![String::new()], false),
        Some((ListFormat::Repeated, _)) => (values, false),
        Some((ListFormat::Json, ty)) => {
            let quoted = |value| if is_bare(ty) { value } else { Value::from(value).to_string() };
            let items: Vec<_> = values.into_iter().map(quoted).collect();
            (vec![format!("[{}]", items.join(","))], false)
        }
        Some((ListFormat::Commas, _)) | None => {
            (vec![values.join(",")], values.iter().any(|value| value.contains(',')))
        }
    }
}

/// Returns whether JSON writes values of this type without quotes.
fn is_bare(ty: ValueType) -> bool {
    match ty {
        ValueType::Integer | ValueType::Count | ValueType::Number | ValueType::Boolean => true,
        ValueType::Timestamp(unit) => !unit.is_text(),
        _ => false,
    }
}
