//! Numbers, timestamps and text, read as the types in a record's table.
//!
//! This module accepts numbers that are written as strings, and integers that are written with an exponent. Nothing is
//! guessed: an ambiguous value, or one that would have to be rounded, is an error. The scanner notes values that would be
//! written in another form, so that their text is kept.

use std::borrow::Cow;

use super::error::DecodeError;
use super::field_value::FieldValue;
use super::row::{BoxedValue, DecodedValue};
use super::scanner::{INEXACT, QUOTED, Scanner, found};
use crate::registry::{RecordLayout, TimeUnit, ValueType};
use crate::values::{Number, Timestamp};

impl<'a> DecodedValue<'a> {
    /// Reads a number as a value of the type `ty`.
    #[inline(never)] // A number is read in one call, which contains the code of both functions below.
    pub(super) fn read_number(ty: &ValueType, json: &mut Scanner<'a>) -> Result<Self, DecodeError> {
        let start = json.at;
        let number = json.number()?;
        Self::of_number(ty, number).ok_or_else(|| mismatch(ty, json.since(start)))
    }

    /// Converts the digits of a number. An integer converts to text, since its digits are unambiguous.
    #[inline(never)] // Most values are read without calling it.
    pub(super) fn of_digits(ty: &ValueType, number: Number, start: usize, json: &mut Scanner<'a>) -> Option<Self> {
        let text = json.since(start);
        let value = match (ty, number) {
            (ValueType::Decimal, _) => Self::Decimal(text),
            (ValueType::String | ValueType::Named(_), Number::Integer(_) | Number::Unsigned(_)) => Self::Text(text),
            (ValueType::Timestamp(unit), _) if !unit.is_text() => Self::Timestamp(read_time(text, *unit)?),
            _ => return None,
        };
        json.seen |= INEXACT;
        Some(value)
    }

    /// Returns a value that needs no memory of its own; null for any other value.
    pub(super) fn scalar(&self) -> FieldValue<'static> {
        match *self {
            Self::Boolean(value) => FieldValue::Boolean(value),
            Self::Integer(number) => FieldValue::Integer(number),
            Self::Count(number) => FieldValue::Count(number),
            Self::Number(number) => FieldValue::Number(number),
            Self::Timestamp(time) => FieldValue::Timestamp(time),
            _ => FieldValue::Null,
        }
    }

    /// Returns the flags about the form of a number or timestamp that is written in quotes.
    pub(super) fn form(&self, ty: &ValueType, text: &str) -> u8 {
        let Some(written) = self.scalar().quoted(*ty) else { return 0 };
        let is_text = matches!(ty, ValueType::Timestamp(unit) if unit.is_text());
        let is_exact = text.trim_matches('"') == written;
        (if is_text { 0 } else { QUOTED }) | (if is_exact { 0 } else { INEXACT })
    }

    /// Converts a number into a value of the type `ty`.
    #[inline(always)] // See `read_number`.
    pub(super) fn of_number(ty: &ValueType, number: Number) -> Option<Self> {
        match (ty, number) {
            (ValueType::Number, number) => Some(Self::Number(number.float())),
            (ValueType::Integer, number) => number.integer().map(Self::Integer),
            (ValueType::Count, number) => number.count().map(Self::Count),
            // Any other number may have been rounded, so it is read from its digits.
            (ValueType::Timestamp(unit), Number::Integer(count)) if !unit.is_text() => {
                let time = Timestamp::from_wire(count, *unit);
                // A time after the year 9999 probably means that the number counts a finer unit.
                (time <= Timestamp::LAST_WRITABLE).then_some(Self::Timestamp(time))
            }
            _ => None,
        }
    }

    /// Converts a string into a value of the type `ty`.
    pub(crate) fn of_text(ty: &ValueType, text: Cow<'a, str>) -> Option<Self> {
        match (ty, text) {
            (ValueType::String | ValueType::Named(_), Cow::Borrowed(text)) => Some(Self::Text(text)),
            (ValueType::String | ValueType::Named(_), Cow::Owned(text)) => Some(BoxedValue::Text(text).into()),
            (ValueType::Timestamp(unit), text) if unit.is_text() => unit.read(&text).map(Self::Timestamp),
            // Escapes are never needed in a number.
            (ValueType::Decimal, Cow::Borrowed(text)) => Number::parse(text).map(|_| Self::Decimal(text)),
            (ValueType::Timestamp(unit), text) => read_time(&text, *unit).map(Self::Timestamp),
            (_, text) => Self::of_number(ty, Number::parse(&text)?),
        }
    }
}

/// Reads a timestamp from a number, which may have a fraction down to a nanosecond. A time after the year 9999 probably
/// means that the number counts a finer unit.
fn read_time(text: &str, unit: TimeUnit) -> Option<Timestamp> {
    Timestamp::from_decimal(text, unit).filter(|time| *time <= Timestamp::LAST_WRITABLE)
}

/// Creates the error for a value that is not of the type `ty`; `text` is the value as written in the body.
#[cold]
pub(super) fn mismatch(ty: &ValueType, text: &str) -> DecodeError {
    let number = Number::parse(text.trim_matches('"')).and_then(Number::integer);
    let hint = match ty {
        ValueType::Timestamp(unit) if !unit.is_text() && number.is_some() => {
            format!(", which is past the year 9999 in {} and probably counts {}", unit.as_str(), unit.finer())
        }
        _ => String::new(),
    };
    DecodeError::new(format!("expected {}, found {}{hint}", ty.expectation(), found(text)))
}

impl ValueType {
    /// Returns whether a value is usually a whole number.
    #[inline]
    pub(super) const fn is_whole(&self) -> bool {
        matches!(self, Self::Integer | Self::Count | Self::Timestamp(_))
    }

    /// Returns whether an empty string cannot be a value of this type, so that it stands for no value.
    pub(super) fn is_never_empty(&self) -> bool {
        matches!(self, Self::Integer | Self::Count | Self::Number | Self::Decimal | Self::Boolean | Self::Timestamp(_))
    }

    /// Describes a value of this type in error messages.
    pub(super) fn expectation(&self) -> &'static str {
        match self {
            Self::String | Self::Named(_) => "text",
            Self::Integer => "a whole number",
            Self::Count => "a non-negative integer",
            Self::Number | Self::Decimal => "a number",
            Self::Boolean => "`true` or `false`",
            Self::Timestamp(unit) if unit.is_text() => "a timestamp such as `2024-03-01T00:00:00Z`",
            Self::Timestamp(_) => "a timestamp as a number",
            Self::Any => "a value",
            Self::Record(record) => record.form.expectation(),
            Self::Recursive(record) => record().form.expectation(),
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
            Self::Option(ty) => ty.expectation(),
        }
    }
}

impl RecordLayout {
    /// Describes a record of this layout in error messages.
    pub(super) const fn expectation(self) -> &'static str {
        match self {
            Self::Object | Self::Columns => "an object",
            Self::Positional => "a list",
            Self::Value => "a value",
        }
    }

    /// Returns whether a record of this layout can begin with this byte.
    pub(super) const fn begins_with(self, next: u8) -> bool {
        matches!((self, next), (Self::Object | Self::Columns, b'{') | (Self::Positional, b'[') | (Self::Value, _))
    }
}
