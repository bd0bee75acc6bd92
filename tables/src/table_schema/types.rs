//! The Arrow types of fields, and arrays of their values.
//!
//! The values of a field are converted to an array. Timestamps are in UTC. Records, lists, maps and values of unknown
//! type are written as JSON text.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, TimeUnit};
use runtime::Timestamp;
use runtime::record::FieldValue;
use runtime::registry::{FieldInfo, ValueType};

use super::metadata;

/// Creates the column of a field.
pub(super) fn field(info: &FieldInfo) -> Field {
    let meaning = [info.summary, info.notes].join(" ");
    let facts = [("meaning", meaning.trim()), ("unit", info.unit), ("evidence", info.evidence.as_str())];
    described(info.wire_name, info.ty, &facts)
}

/// Creates a nullable column with these facts in its metadata. A value that does not fit the column becomes null.
pub(super) fn described(name: &str, ty: ValueType, facts: &[(&str, &str)]) -> Field {
    let format = ("format", if is_json(ty) { "json" } else { "" });
    Field::new(name, data_type(ty), true).with_metadata(metadata(&[facts, &[format]].concat()))
}

fn data_type(ty: ValueType) -> DataType {
    match ty {
        // Counts are signed too, because not every reader supports unsigned integers.
        ValueType::Integer | ValueType::Count => DataType::Int64,
        ValueType::Number => DataType::Float64,
        ValueType::Boolean => DataType::Boolean,
        ValueType::Timestamp(_) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ValueType::Option(given) => data_type(*given),
        // Strings, values that are written as JSON text, and types that this version does not know.
        _ => DataType::Utf8,
    }
}

fn is_json(ty: ValueType) -> bool {
    match ty {
        ValueType::Option(given) => is_json(*given),
        _ => matches!(ty, ValueType::Any | ValueType::Record(_) | ValueType::List(_) | ValueType::Map(_)),
    }
}

/// Returns the microseconds since 1970. All timestamp columns have that unit, because some services write times with
/// that resolution.
fn microseconds(time: Timestamp) -> Option<i64> {
    let whole = time.unix_seconds();
    let rest = time.abs_diff(Timestamp::from_unix_seconds(whole)).subsec_micros();
    whole.checked_mul(1_000_000)?.checked_add(rest.into())
}

/// Converts values to an array of their type.
pub(super) fn array<'r>(ty: ValueType, values: impl Iterator<Item = FieldValue<'r>>) -> ArrayRef {
    match data_type(ty) {
        DataType::Int64 => Arc::new(values.map(integer).collect::<Int64Array>()),
        DataType::Float64 => Arc::new(values.map(FieldValue::number).collect::<Float64Array>()),
        DataType::Boolean => Arc::new(values.map(boolean).collect::<BooleanArray>()),
        DataType::Timestamp(..) => {
            let times = values.map(|value| microseconds(value.timestamp()?));
            Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
        }
        _ => Arc::new(values.map(text).collect::<StringArray>()),
    }
}

fn integer(value: FieldValue<'_>) -> Option<i64> {
    match value {
        FieldValue::Integer(number) => Some(number),
        FieldValue::Count(count) => i64::try_from(count).ok(),
        _ => None,
    }
}

fn boolean(value: FieldValue<'_>) -> Option<bool> {
    if let FieldValue::Boolean(value) = value { Some(value) } else { None }
}

/// Returns a string unchanged, and any other value as JSON.
fn text(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        FieldValue::Text(text) => Some(text.into()),
        FieldValue::Null => None,
        other => serde_json::to_string(&other).ok().map(Cow::Owned),
    }
}
