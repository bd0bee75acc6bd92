//! One record of the body: its values, and the text of its unknown fields.
//!
//! The decoder reuses one row for all records of a series, so a record of numbers without quotes needs no allocation.

use std::borrow::Cow;

use super::column_names::ColumnNames;
use super::unknown_fields::{UnknownFields, UnknownText};
use crate::registry::{Evidence, FieldInfo, RecordInfo, RecordLayout, ValueType};
use crate::values::{Timestamp, Value};

/// The table of a record whose fields are unknown. It has no name, and its only field is a value of any kind.
pub(super) static ANY: &RecordInfo = &RecordInfo {
    layout: RecordLayout::Value,
    ..RecordInfo::new("", &[FieldInfo::new("", "", ValueType::Any, Evidence::Documented)])
};

/// The values of one record of the body.
#[doc(hidden)]
#[derive(Debug)]
pub struct Row<'a> {
    pub(super) record: &'static RecordInfo,
    pub(super) values: Box<[DecodedValue<'a>]>,
    pub(super) unknown: UnknownText,
    /// The index of the first field of the previous object, and of the field that followed each field. It is empty if the
    /// fields of all objects so far were in the order of the table.
    pub(super) next_fields: Vec<usize>,
    /// Number of fields that have a value, which may be null.
    pub(super) present: usize,
    /// True if a value of a wrong type is kept among the unknown fields, instead of being an error.
    pub(super) is_lenient: bool,
    /// Number of values in the body that do not fit undocumented fields.
    pub(crate) misfits: usize,
    /// The labels of the group that contains the record: the index of the field, and the JSON text of the value.
    pub(super) labels: Vec<(usize, &'a str)>,
    /// The names of the values in the records, if they are elsewhere in the body.
    pub(super) column_names: Option<Box<ColumnNames<'a>>>,
}

impl Row<'_> {
    /// Creates a row without values.
    pub(crate) fn of(record: &'static RecordInfo) -> Self {
        let values = record.fields.iter().map(|_| DecodedValue::Absent).collect();
        Self {
            record,
            values,
            unknown: UnknownText::default(),
            next_fields: Vec::new(),
            present: 0,
            is_lenient: false,
            misfits: 0,
            labels: Vec::new(),
            column_names: None,
        }
    }

    /// The number of fields whose values are in a record on the wire. Derived fields are at the end of the table.
    pub(super) fn wire_field_count(&self) -> usize {
        self.record.fields.iter().take_while(|field| !field.source.is_derived()).count()
    }

    /// Takes the fields that are not in the table.
    #[inline]
    pub fn unknown_fields(&mut self) -> UnknownFields {
        self.unknown.take()
    }

    /// Removes the values of the previous record.
    #[inline]
    pub(super) fn clear(&mut self) {
        for value in &mut self.values {
            match value {
                DecodedValue::Boxed(_) => *value = DecodedValue::Absent,
                _ => value.set(DecodedValue::Absent),
            }
        }
        self.unknown.clear();
        self.present = 0;
    }
}

/// Two rows of a record are equal if their values are, whatever the order of the fields in the body.
impl PartialEq for Row<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values && self.unknown == other.unknown
    }
}

/// A value of a record, converted to the type that the record's table specifies.
#[doc(hidden)]
#[derive(Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum DecodedValue<'a> {
    /// No value.
    #[default]
    Absent,
    /// `null`, for an optional value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number without fraction.
    Integer(i64),
    /// A number without fraction that cannot be negative.
    Count(u64),
    /// Any number; never infinite and never NaN.
    Number(f64),
    /// The text of a number that keeps all its digits.
    Decimal(&'a str),
    /// A timestamp, converted from its unit on the wire.
    Timestamp(Timestamp),
    /// Text without escapes.
    Text(&'a str),
    /// A value that needs an allocation; boxed, so that every value is small.
    Boxed(Box<BoxedValue<'a>>),
}

/// Values that need an allocation.
#[doc(hidden)]
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum BoxedValue<'a> {
    /// Text that has escapes in the body, or the digits of a number that was read as text.
    Text(String),
    /// A value of any kind.
    Any(Value),
    /// A list.
    List(Vec<DecodedValue<'a>>),
    /// An object with arbitrary keys.
    Map(Vec<(String, DecodedValue<'a>)>),
    /// A nested record.
    Record(Row<'a>),
}

impl<'a> From<BoxedValue<'a>> for DecodedValue<'a> {
    fn from(value: BoxedValue<'a>) -> Self {
        Self::Boxed(Box::new(value))
    }
}

impl<'a> DecodedValue<'a> {
    /// Replaces a value without dropping the old one, which must not own memory.
    #[inline]
    pub(super) fn set(&mut self, value: Self) {
        std::mem::forget(std::mem::replace(self, value));
    }

    /// Takes the value if it is boxed.
    pub(super) fn take_boxed(&mut self) -> Option<BoxedValue<'a>> {
        match std::mem::take(self) {
            Self::Boxed(value) => Some(*value),
            _ => None,
        }
    }

    /// Takes the text; returns an empty string if the value is not text.
    pub(super) fn take_text(&mut self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            _ => match self.take_boxed() {
                Some(BoxedValue::Text(text)) => Cow::Owned(text),
                _ => Cow::Borrowed(""),
            },
        }
    }
}
