//! The values of a record of any type. All code that works for any record, such as columns and serialization, receives
//! these values by the position of their field in the record's table.
//!
//! Emitted code lists the fields of a record once, in `fields!`. The record uses that list to take its values from a
//! row and to return them. Names, units and types are in the registry and not in the values; `TypedValue`
//! has both.

use std::collections::BTreeMap;
use std::fmt;

use super::row::Row;
use super::unknown_fields::UnknownFields;
use crate::registry::{FieldInfo, RecordInfo, ValueType};
use crate::values::wire::ToWire;
use crate::values::{Decimal, Number, Timestamp, Value};

/// The fields of an emitted record; emitted code implements this trait with `fields!`.
#[doc(hidden)]
pub trait Fields: Send + Sync {
    /// Takes each value from the row, by the position of its field in [`RecordInfo::fields`].
    ///
    /// A field without a value in the row gets an empty value.
    fn from_row(row: &mut Row<'_>) -> Self
    where
        Self: Sized;

    /// The value at a position in [`RecordInfo::fields`]; `None` after the last position.
    fn value_at(&self, index: usize) -> Option<&dyn AsFieldValue>;

    /// The fields that are not in the table.
    fn unknown_fields(&self) -> &UnknownFields;
}

/// A type that a field can have.
#[doc(hidden)]
pub trait AsFieldValue: Send + Sync {
    /// The value without the type of its field.
    fn as_field_value(&self) -> FieldValue<'_>;
}

/// Value of a field of any type.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FieldValue<'r> {
    /// No value: the field is absent or `null`.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number without fraction.
    Integer(i64),
    /// A number without fraction that cannot be negative.
    Count(u64),
    /// Any number.
    Number(f64),
    /// A number with all its digits.
    Decimal(&'r Decimal),
    /// A timestamp.
    Timestamp(Timestamp),
    /// A string, or a value of a named type.
    Text(&'r str),
    /// A value whose type is not in the catalogue.
    Any(&'r Value),
    /// A nested record.
    Record(RecordValue<'r>),
    /// A list of values.
    List(Values<'r>),
    /// An object with arbitrary keys.
    Map(Values<'r>),
}

impl<'r> FieldValue<'r> {
    /// Returns whether there is no value.
    pub fn is_null(self) -> bool {
        matches!(self, Self::Null | Self::Any(Value::Null))
    }

    /// Returns the number, if the value is a number. A value of unknown type may also be a string that contains a
    /// number.
    #[allow(clippy::cast_precision_loss)] // A large integer is rounded to the nearest `f64`.
    #[inline]
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Integer(number) => Some(number as f64),
            Self::Count(number) => Some(number as f64),
            Self::Decimal(number) => Some(number.to_f64()),
            Self::Any(value) => number_of(value).map(Number::float),
            _ => None,
        }
    }

    /// The value of a field of a record, or of an object of unknown type, by its name on the wire.
    pub(crate) fn field(self, wire_name: &str) -> Option<Self> {
        match self {
            Self::Record(record) => record.value(wire_name),
            Self::Any(object) => object.get(wire_name).map(Self::Any),
            _ => None,
        }
    }

    /// Returns the timestamp, if the catalogue declares the field as a timestamp.
    pub fn timestamp(self) -> Option<Timestamp> {
        match self {
            Self::Timestamp(timestamp) => Some(timestamp),
            _ => None,
        }
    }

    /// A number or a timestamp as the text that quotes enclose on the wire; `None` for other values.
    pub(super) fn quoted(self, ty: ValueType) -> Option<String> {
        match (self, ty) {
            (Self::Number(number), _) => Some(number.to_string()),
            (Self::Integer(number), _) => Some(number.to_string()),
            (Self::Count(number), _) => Some(number.to_string()),
            (Self::Timestamp(time), ValueType::Timestamp(unit)) => Some(time.to_wire(unit)),
            _ => None,
        }
    }

    /// Returns the text, if the value is a string or a decimal.
    pub fn text(self) -> Option<&'r str> {
        match self {
            Self::Decimal(number) => Some(number.as_str()),
            Self::Text(text) => Some(text),
            Self::Any(value) => value.as_str(),
            _ => None,
        }
    }
}

/// Formats the inner value; null is formatted as `None`.
impl fmt::Debug for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("None"),
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(number) => number.fmt(f),
            Self::Count(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::Timestamp(timestamp) => timestamp.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::Any(value) => value.fmt(f),
            Self::Record(record) => record.fmt(f),
            Self::List(list) => list.fmt(f),
            Self::Map(map) => f.debug_map().entries(map.entries()).finish(),
        }
    }
}

/// The number in a value of unknown type, which may be a JSON number or a string.
fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Number::parse(&number.to_string()),
        Value::String(text) => Number::parse(text),
        _ => None,
    }
}

/// A record of any type.
#[derive(Clone, Copy)]
pub struct RecordValue<'r> {
    pub(super) info: &'static RecordInfo,
    pub(super) fields: &'r dyn Fields,
}

impl<'r> RecordValue<'r> {
    /// Returns the record's description in the catalogue.
    pub fn info(self) -> &'static RecordInfo {
        self.info
    }

    /// Returns the value of a field, by its name on the wire; `None` if the record has no such field.
    pub fn value(self, wire_name: &str) -> Option<FieldValue<'r>> {
        self.value_at(self.info.fields.iter().position(|field| field.wire_name == wire_name)?)
    }

    pub(crate) fn value_at(self, index: usize) -> Option<FieldValue<'r>> {
        self.fields.value_at(index).map(AsFieldValue::as_field_value)
    }

    /// Returns the known fields and their values, in the order of the catalogue.
    pub fn values(self) -> Vec<(&'static FieldInfo, FieldValue<'r>)> {
        let mut values = Vec::with_capacity(self.info.fields.len());
        for (index, field) in self.info.fields.iter().enumerate() {
            if let Some(value) = self.value_at(index) {
                values.push((field, value));
            }
        }
        values
    }

    /// Returns the fields that are not in the catalogue.
    pub fn unknown_fields(self) -> &'r UnknownFields {
        self.fields.unknown_fields()
    }
}

/// Two records are equal if they have the same type and all their values are equal, including unknown fields.
impl PartialEq for RecordValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.info.name != other.info.name || self.unknown_fields() != other.unknown_fields() {
            return false;
        }
        let values = self.values();
        let others = other.values();
        values.iter().map(|(_, value)| value).eq(others.iter().map(|(_, value)| value))
    }
}

/// The output is the same as that of a derived implementation: the name of the type, the fields by their Rust names,
/// and the unknown fields if there are any.
impl fmt::Debug for RecordValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut record = f.debug_struct(self.info.name);
        for (field, value) in self.values() {
            record.field(field.ident, &value);
        }
        if !self.unknown_fields().is_empty() {
            record.field("unknown_fields", self.unknown_fields());
        }
        record.finish()
    }
}

/// The values of a list, or of a map with arbitrary keys.
#[derive(Clone, Copy)]
pub struct Values<'r>(&'r dyn Entries);

impl<'r> Values<'r> {
    /// Returns the values of a list in their order, or those of a map, sorted by key.
    pub fn iter(self) -> impl ExactSizeIterator<Item = FieldValue<'r>> {
        self.entries().into_iter().map(|(_, value)| value)
    }

    /// Returns keys and values of a map, sorted by key. The keys of a list are empty.
    pub fn entries(self) -> Vec<(&'r str, FieldValue<'r>)> {
        self.0.entries()
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Values<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

/// A list or a map.
trait Entries: Send + Sync {
    fn entries(&self) -> Vec<(&str, FieldValue<'_>)>;
}

impl<T: AsFieldValue> Entries for Vec<T> {
    fn entries(&self) -> Vec<(&str, FieldValue<'_>)> {
        self.iter().map(|item| ("", item.as_field_value())).collect()
    }
}

impl<T: AsFieldValue> Entries for BTreeMap<String, T> {
    fn entries(&self) -> Vec<(&str, FieldValue<'_>)> {
        self.iter().map(|(key, value)| (key.as_str(), value.as_field_value())).collect()
    }
}

impl<T: AsFieldValue> AsFieldValue for BTreeMap<String, T> {
    fn as_field_value(&self) -> FieldValue<'_> {
        FieldValue::Map(Values(self))
    }
}

impl<T: AsFieldValue> AsFieldValue for Vec<T> {
    fn as_field_value(&self) -> FieldValue<'_> {
        FieldValue::List(Values(self))
    }
}

impl<T: AsFieldValue> AsFieldValue for Option<T> {
    fn as_field_value(&self) -> FieldValue<'_> {
        self.as_ref().map_or(FieldValue::Null, T::as_field_value)
    }
}

macro_rules! as_themselves {
    ($($ty:ty => $variant:ident($($copied:tt)?)),+) => {$(
        impl AsFieldValue for $ty {
            fn as_field_value(&self) -> FieldValue<'_> {
                FieldValue::$variant($($copied)? self)
            }
        }
    )+};
}

as_themselves!(bool => Boolean(*), i64 => Integer(*), u64 => Count(*), f64 => Number(*), Timestamp => Timestamp(*));
as_themselves!(String => Text(), Decimal => Decimal(), Value => Any());

/// Implements `Fields` and the usual traits for a record, from the fields and their positions in the record's table.
#[doc(hidden)]
#[macro_export]
macro_rules! fields {
    ($record:ident $(=> $($field:ident = $index:literal),+ $(,)?)?) => {
        impl $crate::emitted::Fields for $record {
            fn from_row(row: &mut $crate::record::Row<'_>) -> Self {
                Self { $($($field: row.take($index),)+)? unknown_fields: row.unknown_fields() }
            }

            #[inline]
            fn value_at(&self, index: usize) -> ::std::option::Option<&dyn $crate::emitted::AsFieldValue> {
                match index {
                    $($($index => ::std::option::Option::Some(&self.$field),)+)?
                    _ => ::std::option::Option::None,
                }
            }

            #[inline]
            fn unknown_fields(&self) -> &$crate::record::UnknownFields {
                &self.unknown_fields
            }
        }

        // The results are those of derived implementations, but only the functions above are compiled for each record.
        impl ::std::cmp::PartialEq for $record {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::record::RecordValue::of(self) == $crate::record::RecordValue::of(other)
            }
        }

        impl ::std::fmt::Debug for $record {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&$crate::record::RecordValue::of(self), f)
            }
        }

        /// Serializes the record as on the wire, with `null` for `None` unless the service omitted the field.
        impl $crate::emitted::Serialize for $record {
            fn serialize<S: $crate::emitted::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::emitted::Serialize::serialize(&$crate::record::RecordValue::of(self), serializer)
            }
        }

        /// Deserializes the record from its wire form, in any self-describing format.
        impl<'de> $crate::emitted::Deserialize<'de> for $record {
            fn deserialize<D: $crate::emitted::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::emitted::deserialize_record(deserializer)
            }
        }

        /// Creates a template for records in tests: zeros, empty strings, and no value for optional fields.
        impl ::std::default::Default for $record {
            #[inline]
            fn default() -> Self {
                $crate::emitted::default_record::<Self>()
            }
        }
    };
}
