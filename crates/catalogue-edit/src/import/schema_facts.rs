//! The facts that a schema itself states, without the schemas to which it refers.

use catalogue::model::TimeFormat;
use serde_yaml::Value;

use super::schema_parts::{constants, extended};
use super::tree::{has_any, is_true, items, text};
use crate::draft::WantedName;

/// The only type of a schema, apart from `null`. If `type` is missing, the type is guessed from other keys. The result is
/// empty if the type is unknown.
pub(super) fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(one)) => one,
        Some(Value::Sequence(several)) => only_type(several),
        _ => guessed_type(schema),
    }
}

/// The only type of a list of types, apart from `null`; empty if there are several.
fn only_type(listed: &[Value]) -> &str {
    if let [only] = listed {
        return only.as_str().unwrap_or_default();
    }
    let mut types = Vec::new();
    for ty in listed {
        types.extend(ty.as_str());
    }
    types.retain(|ty| *ty != "null");
    match types.as_slice() {
        [only] => only,
        _ => "",
    }
}

/// `true` for a type of values that are neither lists nor objects.
pub(super) fn is_scalar(ty: &str) -> bool {
    matches!(ty, "boolean" | "integer" | "number" | "string")
}

fn guessed_type(schema: &Value) -> &'static str {
    if extended(schema).is_some() || has_any(schema, &["properties", "allOf"]) {
        return "object";
    }
    if has_any(schema, &["items", "prefixItems"]) {
        return "array";
    }
    let mut values: Vec<&Value> = Vec::from_iter(items(schema, "enum"));
    values.extend(schema.get("const"));
    for constant in constants(schema) {
        values.extend(constant.get("const"));
    }
    // A number can be read as a text, unlike `true` and `false`.
    if values.iter().any(|value| value.is_string()) && !values.iter().any(|value| value.is_bool()) {
        return "string";
    }
    let are_integers = !values.is_empty() && values.iter().all(|value| value.is_i64());
    if are_integers { "integer" } else { "" }
}

/// `true` if a schema itself allows `null`. In OpenAPI 3.0, `nullable` next to a reference has no effect, but authors who
/// write it mean that the value is nullable.
pub(super) fn is_nullable(schema: &Value) -> bool {
    if is_true(schema, "nullable") || items(schema, "type").iter().any(|ty| ty.as_str() == Some("null")) {
        return true;
    }
    if items(schema, "enum").iter().any(Value::is_null) {
        return true;
    }
    for key in ["anyOf", "oneOf"] {
        if items(schema, key).iter().any(|alternative| text(alternative, "type") == Some("null")) {
            return true;
        }
    }
    false
}

/// The format of timestamps that a `format` declares.
pub(super) fn written_format(format: &str) -> Option<TimeFormat> {
    match format {
        "date-time" => Some(TimeFormat::Iso8601),
        "date" => Some(TimeFormat::Date),
        _ => None,
    }
}

/// `true` if the schema at a path is a component.
pub(super) fn is_component(pointer: &str) -> bool {
    pointer.starts_with("#/components/schemas/") && pointer.matches('/').count() == 3
}

/// The name that a type or record should get: its own, or that after the component or path that contains it.
pub(super) fn wanted_name(name: &str, pointer: &str) -> WantedName {
    let owner = match pointer.strip_prefix("#/components/").and_then(|rest| rest.split('/').nth(1)) {
        Some(component) => component,
        // The path of an operation is quoted: `/books`/responses/200.
        None => pointer.trim_start_matches('`').split('`').next().unwrap_or_default(),
    };
    WantedName { name: name.to_owned(), owner: owner.to_owned(), ..WantedName::default() }
}
