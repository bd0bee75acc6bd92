//! A value with its type in the catalogue, as it is written on the wire.

use serde_core::{Serialize, Serializer};

use super::field_value::FieldValue;
use crate::registry::ValueType;
use crate::values::Number;
use crate::values::wire::ToWire;

/// A value and its type in the catalogue.
#[derive(Clone, Copy)]
pub(super) struct TypedValue<'r> {
    pub(super) value: FieldValue<'r>,
    pub(super) ty: ValueType,
    /// True if numbers and timestamps are in quotes.
    pub(super) quoted: bool,
}

impl Serialize for TypedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.value.quoted(self.ty).filter(|_| self.quoted) {
            return serializer.serialize_str(&text);
        }
        match (self.value, self.ty) {
            (FieldValue::Null, _) => serializer.serialize_none(),
            (FieldValue::Boolean(value), _) => serializer.serialize_bool(value),
            (FieldValue::Integer(number), _) => serializer.serialize_i64(number),
            (FieldValue::Count(number), _) => serializer.serialize_u64(number),
            (FieldValue::Number(number), _) => match Number::Other(number).integer() {
                // Only an `f64` has a negative zero.
                Some(whole) if serializer.is_human_readable() && (whole != 0 || number.is_sign_positive()) => {
                    serializer.serialize_i64(whole)
                }
                _ => serializer.serialize_f64(number),
            },
            (FieldValue::Decimal(number), _) => number.serialize(serializer),
            (FieldValue::Timestamp(time), ValueType::Timestamp(unit)) if unit.is_text() => {
                serializer.serialize_str(&time.to_wire(unit))
            }
            (FieldValue::Timestamp(time), ValueType::Timestamp(unit)) => serializer.serialize_i64(time.wire(unit)),
            (FieldValue::Timestamp(time), _) => time.serialize(serializer),
            (FieldValue::Text(text), _) => serializer.serialize_str(text),
            (FieldValue::Any(value), _) => value.serialize(serializer),
            (FieldValue::Record(record), _) => record.serialize(serializer),
            (FieldValue::List(list), ty) => {
                let ty = item(ty);
                serializer.collect_seq(list.iter().map(|value| TypedValue { value, ty, ..*self }))
            }
            (FieldValue::Map(map), ty) => {
                let ty = item(ty);
                serializer
                    .collect_map(map.entries().into_iter().map(|(key, value)| (key, TypedValue { value, ty, ..*self })))
            }
        }
    }
}

/// The type of the values in a list or a map.
pub(super) fn item(ty: ValueType) -> ValueType {
    match ty {
        ValueType::List(ValueType::Option(item)) | ValueType::Map(ValueType::Option(item)) => **item,
        ValueType::List(item) | ValueType::Map(item) => *item,
        _ => ValueType::Any,
    }
}
