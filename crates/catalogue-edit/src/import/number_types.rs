//! The types of numbers, by their `format` and their limits.

use serde_yaml::Value;

/// Above this number, `integer` cannot represent an integer. Descriptions round its maximum to it.
const BEYOND_INTEGER: f64 = 9_223_372_036_854_775_808.0;
/// Above this number, `count` cannot represent an integer. Descriptions round it to 18446744073709552000.
const BEYOND_COUNT: f64 = 18_446_744_073_709_551_616.0;

/// The type of integers with a `format` and limits.
pub(super) fn integer_type(schema: &Value, format: &str) -> &'static str {
    let max = limit(schema, ["maximum", "exclusiveMaximum"]);
    let min = limit(schema, ["minimum", "exclusiveMinimum"]);
    let is_beyond = max > BEYOND_COUNT || min < -BEYOND_INTEGER || min < 0.0 && max > BEYOND_INTEGER;
    match format {
        "bigint" | "decimal" | "int128" | "int256" | "uint128" | "uint256" => "decimal",
        _ if is_beyond => "decimal",
        "uint16" | "uint32" | "uint64" | "uint8" => "count",
        _ if max > BEYOND_INTEGER => "count",
        _ => "integer",
    }
}

/// The limit under the first of two keys that has a number; 0 if there is none.
fn limit(schema: &Value, keys: [&str; 2]) -> f64 {
    for key in keys {
        if let Some(limit) = schema.get(key).and_then(Value::as_f64) {
            return limit;
        }
    }
    0.0
}

/// The type of numbers with a `format`, which may declare that they have no fraction or keep all digits.
pub(super) fn number_type(schema: &Value, format: &str) -> &'static str {
    match format {
        "bigdecimal" | "big-decimal" | "decimal" | "decimal128" => "decimal",
        "bigint" | "int16" | "int32" | "int64" | "int8" | "integer" | "uint16" | "uint32" | "uint64" | "uint8" => {
            integer_type(schema, format)
        }
        _ => "number",
    }
}

/// The type of the numbers that strings of a `format` contain.
pub(super) fn number_in_quotes(format: &str) -> Option<&'static str> {
    match format {
        "bigdecimal" | "big-decimal" | "bigint" | "decimal" | "decimal128" | "int128" | "int256" | "uint128"
        | "uint256" => Some("decimal"),
        "double" | "float" => Some("number"),
        "int32" | "int64" => Some("integer"),
        "uint32" | "uint64" => Some("count"),
        _ => None,
    }
}

/// `true` if a type cannot represent numbers beyond a limit, so that the limit is no further fact.
pub(super) fn is_beyond_type(ty: &str, limit: f64) -> bool {
    match ty {
        "count" => limit >= BEYOND_COUNT,
        "integer" => limit.abs() >= BEYOND_INTEGER,
        _ => false,
    }
}
