//! The Arrow types of fields, and arrays of their values.
//!
//! Values of a type in the registry are converted to an array. Timestamps are in UTC; values of unknown type are kept
//! as JSON text.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{
    ArrayRef, ListArray, MapArray, StringArray, StructArray, TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, TimeUnit as ArrowUnit};
use runtime::Timestamp;
use runtime::record::{FieldValue, RecordValue};
use runtime::registry::{FieldInfo, RecordInfo, TimeUnit, ValueType};

use super::{is_fine, meaning, with_large};

/// The column of a field.
pub(super) fn field(info: &FieldInfo) -> Field {
    let mut meaning = info.summary.to_owned();
    if !info.notes.is_empty() {
        let _ = write!(meaning, "{}{}", if meaning.is_empty() { "" } else { " " }, info.notes);
    }
    let is_json = matches!(info.ty, ValueType::Any);
    // A value that does not fit is null.
    Field::new(info.wire_name, data_type(info.ty), true).with_metadata(meaning::of(
        &meaning,
        info.unit,
        Some(info.evidence),
        is_json,
    ))
}

fn data_type(ty: ValueType) -> DataType {
    match ty {
        // Not every reader supports unsigned integers.
        ValueType::Integer | ValueType::Count => DataType::Int64,
        ValueType::Number => DataType::Float64,
        ValueType::Boolean => DataType::Boolean,
        ValueType::Timestamp(unit) => time_type(unit),
        ValueType::Record(record) => DataType::Struct(members(record)),
        ValueType::List(item) => DataType::List(Arc::new(Field::new("item", data_type(*item), true))),
        ValueType::Map(item) => DataType::Map(Arc::new(Field::new("entries", entries(*item), false)), false),
        ValueType::Option(given) => data_type(*given),
        // Text, JSON as text, and types that this version does not know.
        _ => DataType::Utf8,
    }
}

fn entries(item: ValueType) -> DataType {
    let fields = [Field::new("key", DataType::Utf8, false), Field::new("value", data_type(item), true)];
    DataType::Struct(fields.into_iter().collect())
}

/// The columns of a nested record, with one for the fields that are not in its table.
fn members(record: &RecordInfo) -> Fields {
    let mut fields: Vec<_> = record.fields.iter().map(field).collect();
    fields.push(super::unknown_fields(&fields));
    fields.into()
}

/// The Arrow type of timestamps that the service writes in a unit.
pub(super) fn time_type(unit: TimeUnit) -> DataType {
    let unit = if is_fine(unit) { ArrowUnit::Microsecond } else { ArrowUnit::Millisecond };
    DataType::Timestamp(unit, Some("UTC".into()))
}

/// Timestamps as an array of that type.
pub(crate) fn time_array(unit: TimeUnit, times: impl Iterator<Item = Option<Timestamp>>) -> ArrayRef {
    if is_fine(unit) {
        let counts = times.map(|time| counted(time?, 1_000_000));
        Arc::new(counts.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
    } else {
        let counts = times.map(|time| counted(time?, 1000));
        Arc::new(counts.collect::<TimestampMillisecondArray>().with_timezone("UTC"))
    }
}

/// The time since 1970 in whole parts of a second.
fn counted(time: Timestamp, per_second: u32) -> Option<i64> {
    let whole = time.unix_seconds();
    let rest = time.abs_diff(Timestamp::from_unix_seconds(whole)).subsec_nanos() / (1_000_000_000 / per_second);
    whole.checked_mul(per_second.into())?.checked_add(rest.into())
}

/// Values as an array of their type.
pub(super) fn array(ty: ValueType, values: &[FieldValue<'_>]) -> ArrayRef {
    match ty {
        ValueType::Integer | ValueType::Count => integers(values),
        ValueType::Number => {
            let mut numbers = Float64Builder::with_capacity(values.len());
            for value in values {
                numbers.append_option(value.number());
            }
            Arc::new(numbers.finish())
        }
        ValueType::Boolean => {
            let mut booleans = BooleanBuilder::with_capacity(values.len());
            let boolean =
                |value: &FieldValue<'_>| if let FieldValue::Boolean(value) = value { Some(*value) } else { None };
            for value in values {
                booleans.append_option(boolean(value));
            }
            Arc::new(booleans.finish())
        }
        ValueType::Timestamp(unit) => time_array(unit, values.iter().map(|value| value.timestamp())),
        ValueType::Record(record) => records(record, values),
        ValueType::List(item) => lists(*item, values),
        ValueType::Map(item) => maps(*item, values),
        ValueType::Option(given) => array(*given, values),
        _ => texts(values),
    }
}

fn integers(values: &[FieldValue<'_>]) -> ArrayRef {
    let mut integers = Int64Builder::with_capacity(values.len());
    for value in values {
        integers.append_option(match value {
            FieldValue::Integer(number) => Some(*number),
            FieldValue::Count(count) => i64::try_from(*count).ok(),
            _ => None,
        });
    }
    Arc::new(integers.finish())
}

/// Strings unchanged, anything else as JSON.
fn texts(values: &[FieldValue<'_>]) -> ArrayRef {
    let mut texts = StringBuilder::new();
    for value in values {
        match value {
            FieldValue::Text(text) => texts.append_value(text),
            FieldValue::Null => texts.append_null(),
            other => texts.append_option(serde_json::to_string(other).ok()),
        }
    }
    Arc::new(texts.finish())
}

fn records(record: &'static RecordInfo, values: &[FieldValue<'_>]) -> ArrayRef {
    let rows: Vec<Option<RecordValue<'_>>> = values.iter().map(as_record).collect();
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

fn as_record<'r>(value: &FieldValue<'r>) -> Option<RecordValue<'r>> {
    match value {
        FieldValue::Record(record) => Some(*record),
        _ => None,
    }
}

fn lists(item: ValueType, values: &[FieldValue<'_>]) -> ArrayRef {
    let (mut items, mut lengths, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        let before = items.len();
        if let FieldValue::List(list) = value {
            items.extend(list.iter());
        }
        lengths.push(items.len() - before);
        given.push(matches!(value, FieldValue::List(_)));
    }
    let field = Arc::new(Field::new("item", data_type(item), true));
    let (offsets, nulls) = (OffsetBuffer::from_lengths(lengths), NullBuffer::from(given));
    Arc::new(ListArray::new(field, offsets, array(item, &items), Some(nulls)))
}

fn maps(item: ValueType, values: &[FieldValue<'_>]) -> ArrayRef {
    let (mut keys, mut items, mut lengths, mut given) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for value in values {
        let before = items.len();
        if let FieldValue::Map(map) = value {
            for (key, value) in map.entries() {
                keys.push(key);
                items.push(value);
            }
        }
        lengths.push(items.len() - before);
        given.push(matches!(value, FieldValue::Map(_)));
    }
    let DataType::Struct(fields) = entries(item) else { return texts(values) };
    let columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(keys)), array(item, &items)];
    let entries_field = Arc::new(Field::new("entries", entries(item), false));
    let (offsets, nulls) = (OffsetBuffer::from_lengths(lengths), NullBuffer::from(given));
    let all = StructArray::new(fields, columns, None);
    Arc::new(MapArray::new(entries_field, offsets, all, Some(nulls), false))
}
