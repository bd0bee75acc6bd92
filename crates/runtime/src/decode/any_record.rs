//! Records of an endpoint that is chosen at run time. They have no emitted type; a table describes their values.
//!
//! One record type, filled from a row, serves all tables. The decoder reads the JSON by the same rules as for emitted
//! types, so both accept the same values.

use std::collections::BTreeMap;
use std::fmt;

use super::field_value::{AsFieldValue, FieldValue, Fields, RecordValue};
use super::row::{BoxedValue, DecodedValue, Row};
use super::scanner::{DEPTH, read};
use super::unknown_fields::UnknownFields;
use crate::registry::{RecordInfo, ValueType};
use crate::values::{Decimal, Value};

/// A record without its own Rust type; its values are found by their names on the wire.
///
/// ```
/// # use generated_client_runtime::record::{AnyRecord, FieldValue};
/// # fn demo(record: &AnyRecord) -> Option<f64> {
/// let ratio = record.value("ratio").and_then(FieldValue::number);
/// # ratio }
/// ```
#[derive(Clone)]
pub struct AnyRecord {
    /// The table of the record; without a name if its fields are unknown.
    table: &'static RecordInfo,
    /// The values, in the order of the fields in the table.
    values: Box<[AnyValue]>,
    unknown_fields: UnknownFields,
}

/// Two records are equal if they have the same type, by its name, and all their values are equal, including unknown
/// fields.
impl PartialEq for AnyRecord {
    fn eq(&self, other: &Self) -> bool {
        self.as_field_value() == other.as_field_value()
    }
}

/// A value of any type that a field can have.
#[derive(Clone, PartialEq)]
pub(super) enum AnyValue {
    /// A value without memory of its own: null, a boolean, a number or a timestamp.
    Scalar(FieldValue<'static>),
    Decimal(Decimal),
    Text(Box<str>),
    Any(Box<Value>),
    Record(Box<AnyRecord>),
    List(Vec<AnyValue>),
    #[allow(clippy::box_collection)] // Maps are rare, and without the box every value would be a word larger.
    Map(Box<BTreeMap<String, AnyValue>>),
}

impl AnyRecord {
    /// Reads the text of a record, for example [`BadRecord::text`](crate::BadRecord::text). A value that is not as
    /// expected becomes null, and its text is kept among the unknown fields. A missing required value is kept there as
    /// null. Returns `None` if the text is not a record even by these rules.
    pub fn lenient(record: &'static RecordInfo, text: &str) -> Option<Self> {
        let mut row = Row::of(record);
        row.is_lenient = true;
        read(text, |json, next| row.fill(json, next, DEPTH)).ok()?;
        Some(Self::from_row(&mut row))
    }

    /// Returns the record's description in the catalogue; `None` if its fields are unknown.
    #[inline]
    pub fn info(&self) -> Option<&'static RecordInfo> {
        if self.table.name.is_empty() { None } else { Some(self.table) }
    }

    /// Returns the value of a field, by its name on the wire; `None` if the record has no such field.
    pub fn value(&self, wire_name: &str) -> Option<FieldValue<'_>> {
        self.as_field_value().field(wire_name)
    }

    /// Returns the values of the known fields, in the order of [`RecordInfo::fields`]; none if the fields are unknown.
    pub fn values(&self) -> impl ExactSizeIterator<Item = FieldValue<'_>> {
        let values: &[AnyValue] = match self.info() {
            Some(_) => &self.values,
            None => &[],
        };
        values.iter().map(AnyValue::as_field_value)
    }

    /// Returns the value of the known field at an index of [`RecordInfo::fields`].
    #[inline]
    pub fn nth_value(&self, index: usize) -> Option<FieldValue<'_>> {
        self.info()?;
        self.values.get(index).map(AnyValue::as_field_value)
    }

    /// Returns the fields that are not in the table; `None` if the record has no table.
    pub fn unknown_fields(&self) -> Option<&UnknownFields> {
        self.info()?;
        Some(&self.unknown_fields)
    }

    /// Returns the entire record as JSON if its fields are unknown.
    pub fn as_any(&self) -> Option<&Value> {
        match (self.info(), &*self.values) {
            (None, [AnyValue::Any(value)]) => Some(value),
            _ => None,
        }
    }
}

impl Fields for AnyRecord {
    fn from_row(row: &mut Row<'_>) -> Self {
        let mut values = Vec::with_capacity(row.record.fields.len());
        for (field, value) in row.record.fields.iter().zip(&mut row.values) {
            values.push(match (AnyValue::from(std::mem::take(value)), field.ty) {
                // An absent list or map becomes empty, as in an emitted record.
                (AnyValue::Scalar(FieldValue::Null), ValueType::List(_)) => AnyValue::List(Vec::new()),
                (AnyValue::Scalar(FieldValue::Null), ValueType::Map(_)) => AnyValue::Map(Box::default()),
                (value, _) => value,
            });
        }
        Self { table: row.record, values: values.into(), unknown_fields: row.unknown_fields() }
    }

    fn value_at(&self, index: usize) -> Option<&dyn AsFieldValue> {
        self.values.get(index).map(|value| value as _)
    }

    fn unknown_fields(&self) -> &UnknownFields {
        &self.unknown_fields
    }
}

impl AsFieldValue for AnyRecord {
    fn as_field_value(&self) -> FieldValue<'_> {
        match (self.info(), &*self.values) {
            (None, [value]) => value.as_field_value(),
            _ => FieldValue::Record(RecordValue { info: self.table, fields: self }),
        }
    }
}

/// The output is the same as that of a record of the emitted type.
impl fmt::Debug for AnyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_field_value().fmt(f)
    }
}

/// `INFO` is `None`, because the table of such a record is chosen at run time.
impl super::record::Item for AnyRecord {
    fn from_row(row: &mut Row<'_>) -> Self {
        <Self as Fields>::from_row(row)
    }
}

impl From<DecodedValue<'_>> for AnyValue {
    fn from(value: DecodedValue<'_>) -> Self {
        match value {
            DecodedValue::Decimal(text) => Self::Decimal(Decimal::of_number(text)),
            DecodedValue::Text(text) => Self::Text(text.into()),
            DecodedValue::Boxed(value) => match *value {
                BoxedValue::Text(text) => Self::Text(text.into()),
                BoxedValue::Any(value) => Self::Any(Box::new(value)),
                BoxedValue::List(items) => Self::List(items.into_iter().map(Self::from).collect()),
                BoxedValue::Map(entries) => {
                    Self::Map(Box::new(entries.into_iter().map(|(key, value)| (key, value.into())).collect()))
                }
                BoxedValue::Record(mut row) => Self::Record(Box::new(AnyRecord::from_row(&mut row))),
            },
            scalar => Self::Scalar(scalar.scalar()),
        }
    }
}

impl AsFieldValue for AnyValue {
    #[inline]
    fn as_field_value(&self) -> FieldValue<'_> {
        match self {
            Self::Scalar(value) => *value,
            Self::Decimal(number) => FieldValue::Decimal(number),
            Self::Text(text) => FieldValue::Text(text),
            Self::Any(value) => FieldValue::Any(value),
            Self::Record(record) => record.as_field_value(),
            Self::List(items) => items.as_field_value(),
            Self::Map(entries) => entries.as_field_value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Evidence, FieldInfo};

    #[test]
    fn a_value_that_does_not_fit_is_null_and_its_original_is_kept() {
        static RECORD: RecordInfo = RecordInfo::new(
            "Price",
            &[
                FieldInfo::new("price", "price", ValueType::Number, Evidence::Documented),
                FieldInfo::new("size", "size", ValueType::Count, Evidence::Documented),
            ],
        );
        let read = |text: &str| {
            let record = AnyRecord::lenient(&RECORD, text)?;
            let unknown = record.unknown_fields().map(|fields| fields.as_json().to_owned());
            let number = |name: &str| record.value(name).and_then(FieldValue::number);
            Some((number("price"), number("size"), unknown?))
        };
        let kept = r#"{"price":"n/a","size":-1,"new":1}"#.to_owned();
        assert_eq!(read(r#"{"price":"n/a","size":-1,"new":1}"#), Some((None, None, kept)));
        for text in [r#"{"price":"0.5","size":null}"#, r#"{"price":"0.5"}"#] {
            assert_eq!(read(text), Some((Some(0.5), None, r#"{"size":null}"#.to_owned())));
        }
        assert_eq!(read("7"), None);
        let twice = read(r#"{"price":1,"size":3,"price":2}"#);
        assert_eq!(twice, Some((None, Some(3.0), r#"{"price":2}"#.to_owned())), "either value may be the right one");
    }

    #[test]
    fn equal_tables_at_different_addresses_are_equal() {
        let read = |name| {
            let fields = [FieldInfo::new("price", "price", ValueType::Number, Evidence::Documented)];
            let table: &RecordInfo = Box::leak(Box::new(RecordInfo::new(name, Box::leak(Box::new(fields)))));
            AnyRecord::lenient(table, r#"{"price":1}"#)
        };
        assert_eq!(read("Price"), read("Price"));
        assert_ne!(read("Price"), read("Size"));
    }
}
