//! Numbers, timestamps and text, read as the types in a record's table.
//!
//! This module accepts numbers that are written as strings, and integers that are written with an exponent. Nothing is
//! guessed: an ambiguous value, or one that would have to be rounded, is an error. The scanner notes values that would be
//! written in another form, so that their text is kept.

use std::borrow::Cow;

use super::error::DecodeError;
use super::field_value::{FieldValue, Typed};
use super::row::{BoxedValue, DecodedValue};
use super::scanner::{INEXACT, QUOTED, Scanner, found};
use crate::registry::{RecordLayout, TimeUnit, ValueType};
use crate::values::number::EXACT;
use crate::values::{Number, Timestamp};

impl<'a> DecodedValue<'a> {
    /// Replaces the value by a number of the type `ty`, if that is next and is written as it is read. Returns whether it is
    /// replaced.
    #[inline(always)] // A number is read in one call, or in none.
    pub(super) fn set_usual(&mut self, ty: &ValueType, json: &mut Scanner<'a>) -> bool {
        let start = json.at;
        let value = match json.number() {
            Ok(number) if ty.is_usual(number) => Self::of_number(ty, number),
            _ => None,
        };
        match value {
            Some(value) => self.set(value),
            None => json.at = start,
        }
        json.at > start
    }

    /// Converts a number without quotes; `digits` is its text. An integer converts to text, since its digits are
    /// unambiguous.
    pub(super) fn of_digits(ty: &ValueType, number: Number, digits: &'a str) -> Option<Self> {
        Some(match (ty, number) {
            (ValueType::Decimal, _) => Self::Decimal(digits),
            (ValueType::String | ValueType::Named(_), Number::Integer(_) | Number::Unsigned(_)) => Self::Text(digits),
            (ValueType::Timestamp(unit), Number::Integer(_)) if unit.is_period() => Self::Timestamp(unit.read(digits)?),
            (ValueType::Timestamp(_), Number::Integer(_)) => return Self::of_number(ty, number),
            (ValueType::Timestamp(unit), _) if !unit.is_text() => Self::Timestamp(read_time(digits, *unit)?),
            _ => return Self::of_number(ty, number),
        })
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

    /// Returns the flags about the form of a number or timestamp; `text` is the value as written in the body.
    pub(super) fn form(&self, ty: &ValueType, text: &str) -> u8 {
        let typed = Typed { value: self.scalar(), ty: *ty, quoted: text.starts_with('"') };
        let is_text = matches!(ty, ValueType::Timestamp(unit) if unit.is_text());
        let is_exact = serde_json::to_string(&typed).is_ok_and(|written| written == text);
        (if typed.quoted && !is_text { QUOTED } else { 0 }) | (if is_exact { 0 } else { INEXACT })
    }

    /// Converts a number into a value of the type `ty`.
    #[inline(always)] // See `set_usual`.
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
            (_, Cow::Borrowed(text)) => Self::of_digits(ty, Number::parse(text)?, text),
            (_, Cow::Owned(text)) => Self::of_number(ty, Number::parse(&text)?),
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

    /// Returns whether a number without quotes is written with the same characters as it was read from, if its type is
    /// this one.
    #[inline]
    pub(super) const fn is_usual(&self, number: Number) -> bool {
        match (self, number) {
            (Self::Number, Number::Integer(number)) => number.unsigned_abs() < EXACT,
            (_, Number::Integer(_) | Number::Unsigned(_)) => self.is_whole(),
            (_, number) => matches!((self, number), (Self::Number, Number::Float(_))),
        }
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
            Self::Timestamp(TimeUnit::Year) => "a year such as `2024`",
            Self::Timestamp(TimeUnit::Quarter) => "a quarter such as `2024-Q1`",
            Self::Timestamp(TimeUnit::Month) => "a month such as `2024-03`",
            Self::Timestamp(TimeUnit::CompactDate) => "a day such as `20240301`",
            Self::Timestamp(TimeUnit::CompactHour) => "an hour such as `2024030117`",
            Self::Timestamp(TimeUnit::Hour) => "an hour such as `2024-03-01T17`",
            Self::Timestamp(unit) if unit.is_text() => "a timestamp such as `2024-03-01T00:00:00Z`",
            Self::Timestamp(_) => "a timestamp as a number",
            Self::Any => "a value",
            Self::Record(record) => record.form.expectation(),
            Self::Recursive(record) => record.record().form.expectation(),
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
