//! Infers columns from the first records, for endpoints whose fields are unknown.
//!
//! Columns contain timestamps, numbers, strings, Booleans, or JSON for other values. A value that does not match its
//! column, or has none, is kept with its name among the unknown fields, so that nothing is lost.

use std::mem::discriminant;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field, Schema};
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::ValueType;
use runtime::{Timestamp, Value};

use super::{is_json, types};
use crate::columns::identifies;
use crate::series::TimeColumn;

/// Every integer up to this one has an exact `f64`.
const EXACT: u64 = 1 << 53;

/// Infers the columns of records: first the time, then the others in the order of their first appearance.
pub(super) fn columns(time: Option<TimeColumn>, records: &[AnyRecord]) -> Vec<(String, ValueType)> {
    let mut columns: Vec<(String, ValueType)> = Vec::new();
    for (name, value) in records.iter().filter_map(|record| record.as_any()?.as_object()).flatten() {
        let ty = match (time.filter(|time| time.name == name), value) {
            (Some(time), _) => ValueType::Timestamp(time.unit),
            // The value is null, which does not show the type.
            (None, Value::Null) => continue,
            (None, Value::Bool(_)) => ValueType::Boolean,
            (None, Value::Number(_)) => ValueType::Number,
            (None, Value::String(_)) => ValueType::String,
            (None, Value::Array(_) | Value::Object(_)) => ValueType::Any,
        };
        match columns.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) if discriminant(known) != discriminant(&ty) => *known = ValueType::Any,
            Some(_) => {}
            None => columns.push((name.clone(), ty)),
        }
    }
    columns.sort_by_key(|(_, ty)| !matches!(ty, ValueType::Timestamp(_)));
    columns
}

/// Returns the inferred columns of an existing file, without those that can only belong to other series.
pub(super) fn stored(time: Option<TimeColumn>, schema: &Schema) -> Vec<(String, ValueType)> {
    let ty = |field: &Field| match field.data_type() {
        DataType::Timestamp(..) => Some(ValueType::Timestamp(time.filter(|time| time.name == field.name())?.unit)),
        DataType::Float64 => Some(ValueType::Number),
        DataType::Boolean => Some(ValueType::Boolean),
        DataType::Utf8 if is_json(field) => Some(ValueType::Any),
        DataType::Utf8 => Some(ValueType::String),
        _ => None,
    };
    // The column of unknown fields is the last one.
    let fields = schema.fields().split_last().map_or(&[][..], |(_, fields)| fields);
    let own = fields.iter().filter(|field| !identifies(field));
    own.filter_map(|field| Some((field.name().clone(), ty(field)?))).collect()
}

/// Converts records to these columns, and to one more with the fields that have no column.
pub(super) fn arrays(
    columns: &[(String, ValueType)],
    records: &[AnyRecord],
    times: &[Option<Timestamp>],
) -> Vec<ArrayRef> {
    let records = || records.iter().map(|record| record.as_any().unwrap_or(&Value::Null));
    let array = |(name, ty): &(String, ValueType)| {
        let values = records().zip(times).map(|(record, time)| fitting(*ty, record.get(name)?, *time));
        types::array(*ty, values.map(|value| value.unwrap_or(FieldValue::Null)))
    };
    let unknown = records().zip(times).map(|(record, time)| rest(columns, record, *time)).collect::<StringArray>();
    columns.iter().map(array).chain([Arc::new(unknown) as ArrayRef]).collect()
}

/// Returns the fields of a record without a column.
fn rest(columns: &[(String, ValueType)], record: &Value, time: Option<Timestamp>) -> Option<String> {
    let Value::Object(object) = record else { return Some(record.to_string()) };
    let is_held = |name: &str, value: &Value| {
        value.is_null() || columns.iter().any(|(known, ty)| known == name && fitting(*ty, value, time).is_some())
    };
    let rest = object.iter().filter(|(name, value)| !is_held(name, value));
    let rest: serde_json::Map<_, _> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
    (!rest.is_empty()).then(|| Value::Object(rest).to_string())
}

/// Returns the value, if a column of this type can store it unchanged; `time` is the parsed time of the record.
fn fitting(ty: ValueType, value: &Value, time: Option<Timestamp>) -> Option<FieldValue<'_>> {
    match (ty, value) {
        // The service may write times as numbers or strings; the history has already parsed them.
        (ValueType::Timestamp(_), Value::Number(_) | Value::String(_)) => time.map(FieldValue::Timestamp),
        (ValueType::Number, _) => number(value).map(FieldValue::Number),
        (ValueType::Boolean, Value::Bool(value)) => Some(FieldValue::Boolean(*value)),
        (ValueType::String, Value::String(text)) => Some(FieldValue::Text(text)),
        (ValueType::Any, value) => Some(FieldValue::Any(value)).filter(|value| !value.is_null()),
        _ => None,
    }
}

/// Returns the number, unless it would be rounded.
fn number(value: &Value) -> Option<f64> {
    let is_exact = value.as_u64().is_none_or(|number| number <= EXACT)
        && value.as_i64().is_none_or(|number| number.unsigned_abs() <= EXACT);
    value.as_f64().filter(|_| is_exact)
}
