//! The Arrow types of fields, and arrays of their values.
//!
//! Values of a type in the registry are converted to an array. Timestamps are in UTC; values of unknown type are kept
//! as JSON text.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, MapArray, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use runtime::Timestamp;
use runtime::record::{FieldValue, RecordValue};
use runtime::registry::{FieldInfo, RecordInfo, ValueType};

use super::{metadata, with_large};

/// Creates the column of a field.
pub(super) fn field(info: &FieldInfo) -> Field {
    let meaning = [info.summary, info.notes].join(" ");
    let facts = [("meaning", meaning.trim()), ("unit", info.unit), ("evidence", info.evidence.as_str())];
    described(info.wire_name, info.ty, &facts)
}

/// Creates a column with these facts in its metadata. It is nullable, because a value that does not fit becomes null.
pub(super) fn described(name: &str, ty: ValueType, facts: &[(&str, &str)]) -> Field {
    let format = ("format", if matches!(ty, ValueType::Any) { "json" } else { "" });
    Field::new(name, data_type(ty), true).with_metadata(metadata(&[facts, &[format]].concat()))
}

fn data_type(ty: ValueType) -> DataType {
    match ty {
        // Not every reader supports unsigned integers.
        ValueType::Integer | ValueType::Count => DataType::Int64,
        ValueType::Number => DataType::Float64,
        ValueType::Boolean => DataType::Boolean,
        ValueType::Timestamp(_) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ValueType::Record(record) => DataType::Struct(members(record)),
        ValueType::List(item) => DataType::List(Arc::new(Field::new("item", data_type(*item), true))),
        ValueType::Map(item) => {
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries(*item)), false)), false)
        }
        ValueType::Option(given) => data_type(*given),
        // Text, JSON as text, and types that are newer than this version.
        _ => DataType::Utf8,
    }
}

fn entries(item: ValueType) -> Fields {
    Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", data_type(item), true)])
}

/// The columns of a nested record, with one for the fields that are not in its table.
fn members(record: &RecordInfo) -> Fields {
    let mut fields: Vec<_> = record.fields.iter().map(field).collect();
    fields.push(super::unknown_fields(&fields));
    fields.into()
}

/// Returns microseconds since 1970, the unit of all timestamp columns, because some services write times with that
/// resolution.
fn microseconds(time: Timestamp) -> Option<i64> {
    let whole = time.unix_seconds();
    let rest = time.abs_diff(Timestamp::from_unix_seconds(whole)).subsec_micros();
    whole.checked_mul(1_000_000)?.checked_add(rest.into())
}

/// Converts values to an array of their type.
pub(super) fn array(ty: ValueType, values: &[FieldValue<'_>]) -> ArrayRef {
    let all = || values.iter().copied();
    match ty {
        ValueType::Integer | ValueType::Count => Arc::new(all().map(integer).collect::<Int64Array>()),
        ValueType::Number => Arc::new(all().map(FieldValue::number).collect::<Float64Array>()),
        ValueType::Boolean => Arc::new(all().map(boolean).collect::<BooleanArray>()),
        ValueType::Timestamp(_) => {
            let times = all().map(|value| microseconds(value.timestamp()?));
            Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
        }
        ValueType::Record(record) => records(record, values),
        ValueType::List(item) => lists(*item, values),
        ValueType::Map(item) => maps(*item, values),
        ValueType::Option(given) => array(*given, values),
        _ => Arc::new(all().map(text).collect::<StringArray>()),
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

/// Returns strings unchanged, anything else as JSON.
fn text(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        FieldValue::Text(text) => Some(text.into()),
        FieldValue::Null => None,
        other => serde_json::to_string(&other).ok().map(Cow::Owned),
    }
}

fn records<'r>(record: &'static RecordInfo, values: &[FieldValue<'r>]) -> ArrayRef {
    let record_of = |value: &FieldValue<'r>| if let FieldValue::Record(record) = value { Some(*record) } else { None };
    let rows: Vec<Option<RecordValue<'r>>> = values.iter().map(record_of).collect();
    let cells: Vec<_> = rows.iter().map(|row| row.map(RecordValue::values).unwrap_or_default()).collect();
    let mut columns = Vec::with_capacity(record.fields.len() + 1);
    for (index, info) in record.fields.iter().enumerate() {
        let column: Vec<_> =
            cells.iter().map(|cells| cells.get(index).map_or(FieldValue::Null, |(_, value)| *value)).collect();
        columns.push(array(info.ty, &column));
    }
    let unknown = rows.iter().map(|row| row.and_then(|row| with_large(row.unknown_fields(), row.values().into_iter())));
    let unknown = unknown.collect::<StringArray>();
    columns.push(Arc::new(unknown));
    let given: Vec<bool> = rows.iter().map(Option::is_some).collect();
    Arc::new(StructArray::new(members(record), columns, Some(given.into())))
}

fn lists(item: ValueType, values: &[FieldValue<'_>]) -> ArrayRef {
    let (items, offsets, nulls) = nested(values.iter().map(|value| match value {
        FieldValue::List(list) => Some(list.iter().collect()),
        _ => None,
    }));
    let field = Arc::new(Field::new("item", data_type(item), true));
    Arc::new(ListArray::new(field, offsets, array(item, &items), Some(nulls)))
}

fn maps(item: ValueType, values: &[FieldValue<'_>]) -> ArrayRef {
    let (all, offsets, nulls) = nested(values.iter().map(|value| match value {
        FieldValue::Map(map) => Some(map.entries()),
        _ => None,
    }));
    let (keys, items): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(keys)), array(item, &items)];
    let fields = entries(item);
    let field = Arc::new(Field::new("entries", DataType::Struct(fields.clone()), false));
    Arc::new(MapArray::new(field, offsets, StructArray::new(fields, columns, None), Some(nulls), false))
}

/// Returns the items of all values, the offsets of each value's items, and the values that are null.
fn nested<T>(values: impl Iterator<Item = Option<Vec<T>>>) -> (Vec<T>, OffsetBuffer<i32>, NullBuffer) {
    let (mut items, mut lengths, mut valid) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        valid.push(value.is_some());
        let own = value.unwrap_or_default();
        lengths.push(own.len());
        items.extend(own);
    }
    (items, OffsetBuffer::from_lengths(lengths), NullBuffer::from(valid))
}
