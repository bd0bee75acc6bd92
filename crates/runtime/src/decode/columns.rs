//! A series as columns. A column contains the values that all records have for one field.
//!
//! A table of fields defines the columns, even without records. If the fields are unknown, the keys of the records
//! define the columns, in order of first appearance.

use std::collections::HashSet;

use serde_json::Map;

use super::any_record::AnyRecord;
use super::field_value::{AsFieldValue, FieldValue};
use super::row::DecodedValue;
use crate::registry::{FieldInfo, RecordInfo, TimeUnit, ValueType};
use crate::values::Timestamp;

/// One field of all records of a series.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Column<'r> {
    /// The field's name on the wire.
    pub name: &'r str,
    /// The field's description in the catalogue; `None` if the fields of the records are unknown.
    pub info: Option<&'static FieldInfo>,
    /// One value for each record; [`FieldValue::Null`] for a record without a value.
    pub values: Vec<FieldValue<'r>>,
}

impl Column<'_> {
    /// Returns the value of each record as a number; `None` if it is not a number.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.values.iter().map(|value| value.number())
    }
}

/// The field that contains the time of each record of a series.
#[derive(Clone, Copy)]
pub(crate) struct TimeField {
    /// The field's name on the wire.
    pub(crate) name: &'static str,
    /// The unit of the time, used only if the fields are unknown. If they are known, their table contains the unit.
    pub(crate) unit: TimeUnit,
}

/// Returns all columns. If `info` is `None` and the first record has a table, that table is used for all records.
pub(crate) fn columns<'r, T: AsFieldValue>(info: Option<&'static RecordInfo>, records: &'r [T]) -> Vec<Column<'r>> {
    let records: Vec<_> = records.iter().map(T::as_field_value).collect();
    match info.or_else(|| if let FieldValue::Record(first) = records.first()? { Some(first.info()) } else { None }) {
        Some(info) => columns_of_table(info, &records),
        None => columns_of_keys(&records),
    }
}

fn columns_of_table<'r>(info: &'static RecordInfo, records: &[FieldValue<'r>]) -> Vec<Column<'r>> {
    let value = |record: &FieldValue<'r>, index| match record {
        FieldValue::Record(record) => record.value_at(index),
        _ => None,
    };
    let fields = info.fields.iter().enumerate();
    let column = |(index, field): (_, &'static FieldInfo)| Column {
        name: field.wire_name,
        info: Some(field),
        values: records.iter().filter_map(|record| value(record, index)).collect(),
    };
    fields.map(column).collect()
}

fn columns_of_keys<'r>(records: &[FieldValue<'r>]) -> Vec<Column<'r>> {
    let object = |record: &FieldValue<'r>| if let FieldValue::Any(value) = record { value.as_object() } else { None };
    let mut seen = HashSet::new();
    let keys = records.iter().filter_map(object).flat_map(Map::keys).filter(|key| seen.insert(*key));
    let value = |record: &FieldValue<'r>, key| record.field(key).unwrap_or(FieldValue::Null);
    keys.map(|name| Column { name, info: None, values: records.iter().map(|record| value(record, name)).collect() })
        .collect()
}

/// Returns the time of each record; `None` for a record without a readable time.
pub(crate) fn times<T: AsFieldValue>(records: &[T], field: Option<TimeField>) -> Vec<Option<Timestamp>> {
    let Some(field) = field else { return vec![None; records.len()] };
    records.iter().map(|record| time_of(record.as_field_value(), field)).collect()
}

/// Returns the time of a record that could not be decoded, from its text.
pub(crate) fn time_of_text(table: Option<&'static RecordInfo>, text: &str, field: TimeField) -> Option<Timestamp> {
    let record = AnyRecord::lenient(table?, text)?;
    time_of(record.as_field_value(), field)
}

fn time_of(record: FieldValue<'_>, TimeField { name, unit }: TimeField) -> Option<Timestamp> {
    match record.field(name)? {
        FieldValue::Any(value) => {
            let text = value.to_string();
            DecodedValue::of_json(&ValueType::Timestamp(unit), &text).ok()?.scalar().timestamp()
        }
        other => other.timestamp(),
    }
}
