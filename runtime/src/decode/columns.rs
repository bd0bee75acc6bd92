//! A series as columns. A column contains the values that all records have for one field.
//!
//! A table of fields defines the columns, even without records. If the fields are unknown, the keys of the records
//! define the columns, in order of first appearance.

use super::field_value::{AsFieldValue, FieldValue, number_of};
use crate::registry::{FieldInfo, RecordInfo, TimeUnit};
use crate::values::{Number, Timestamp, Value};

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
        Some(info) => columns_of_table(info, records),
        None => columns_of_keys(records),
    }
}

fn columns_of_table<'r>(info: &'static RecordInfo, records: Vec<FieldValue<'r>>) -> Vec<Column<'r>> {
    let values = || Vec::with_capacity(records.len());
    let columns = info.fields.iter().map(|field| Column { name: field.wire_name, info: Some(field), values: values() });
    let mut columns: Vec<_> = columns.collect();
    for record in records {
        let FieldValue::Record(record) = record else { continue };
        record.visit(&mut |values: &[&'r dyn AsFieldValue], _| {
            for (column, value) in columns.iter_mut().zip(values) {
                column.values.push(value.as_field_value());
            }
        });
    }
    columns
}

fn columns_of_keys(records: Vec<FieldValue<'_>>) -> Vec<Column<'_>> {
    // Maps each key to the index of its column. A JSON object serves as the map, because `serde_json` has already
    // compiled the code of JSON objects; another type of map would be compiled again in each program.
    let (mut columns, mut positions): (Vec<Column<'_>>, _) = (Vec::new(), Value::Null);
    let count = records.len();
    for (index, record) in records.into_iter().enumerate() {
        let FieldValue::Any(Value::Object(object)) = record else { continue };
        for (key, value) in object {
            let position = positions.get(key).and_then(|position| usize::try_from(position.as_u64()?).ok());
            let position = position.unwrap_or_else(|| {
                positions[key.as_str()] = columns.len().into();
                columns.push(Column { name: key, info: None, values: vec![FieldValue::Null; count] });
                columns.len() - 1
            });
            if let Some(cell) = columns.get_mut(position).and_then(|column| column.values.get_mut(index)) {
                *cell = FieldValue::Any(value);
            }
        }
    }
    columns
}

/// Returns the time of each record; `None` for a record without a readable time.
pub(crate) fn times<T: AsFieldValue>(records: &[T], field: Option<TimeField>) -> Vec<Option<Timestamp>> {
    let Some(field) = field else { return vec![None; records.len()] };
    records.iter().map(|record| time_of(record.as_field_value(), field)).collect()
}

fn time_of(record: FieldValue<'_>, TimeField { name, unit }: TimeField) -> Option<Timestamp> {
    match record.field(name)? {
        FieldValue::Any(value) if unit.is_text() => unit.read(value.as_str()?),
        FieldValue::Any(value) => {
            let time = Timestamp::from_wire(number_of(value).and_then(Number::integer)?, unit);
            Some(time).filter(|time| *time <= Timestamp::LAST_WRITABLE)
        }
        other => other.timestamp(),
    }
}
