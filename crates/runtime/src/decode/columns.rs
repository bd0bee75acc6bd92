//! A series as columns. A column contains the values that all records have for one field.
//!
//! A table of fields defines the columns, even without records. If the fields are unknown, the keys of the records
//! define the columns, in order of first appearance.

use std::collections::HashSet;

use super::any_record::AnyRecord;
use super::field_value::{AsFieldValue, FieldValue};
use super::row::DecodedValue;
use crate::registry::{FieldInfo, RecordInfo, TimeUnit, ValueType};
use crate::values::{Timestamp, Value};

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

/// All columns. If `info` is `None` and the first record has a table, that table is used for all records.
pub(crate) fn columns<'r, T: AsFieldValue>(info: Option<&'static RecordInfo>, records: &'r [T]) -> Vec<Column<'r>> {
    let values: Vec<_> = records.iter().map(T::as_field_value).collect();
    match (info, values.first()) {
        (Some(info), _) => columns_of_table(info, &values),
        (None, Some(FieldValue::Record(first))) => columns_of_table(first.info(), &values),
        (None, _) => columns_of_keys(&values),
    }
}

fn columns_of_table<'r>(info: &'static RecordInfo, records: &[FieldValue<'r>]) -> Vec<Column<'r>> {
    let mut columns = Vec::with_capacity(info.fields.len());
    for (index, field) in info.fields.iter().enumerate() {
        let mut values = Vec::with_capacity(records.len());
        for record in records {
            if let FieldValue::Record(record) = record {
                values.extend(record.value_at(index));
            }
        }
        columns.push(Column { name: field.wire_name, info: Some(field), values });
    }
    columns
}

fn columns_of_keys<'r>(records: &[FieldValue<'r>]) -> Vec<Column<'r>> {
    let mut names = Vec::new();
    let mut known = HashSet::new();
    for record in records {
        let FieldValue::Any(Value::Object(object)) = record else { continue };
        for name in object.keys() {
            if known.insert(name) {
                names.push(name);
            }
        }
    }
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let values = records.iter().map(|record| record.field(name).unwrap_or(FieldValue::Null)).collect();
        columns.push(Column { name, info: None, values });
    }
    columns
}

/// The time of each record; `None` for a record without a readable time.
pub(crate) fn times<T: AsFieldValue>(records: &[T], field: Option<TimeField>) -> Vec<Option<Timestamp>> {
    let Some(field) = field else { return vec![None; records.len()] };
    records.iter().map(|record| time_of(record.as_field_value(), field)).collect()
}

/// The time of a record that could not be decoded, from its text.
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
