//! Numbers, timestamps and text, read as the types in a record's table.
//!
//! This module accepts numbers that are written as strings, and integers that are written with an exponent. Nothing is
//! guessed: an ambiguous value, or one that would have to be rounded, is an error. The digits of a value show whether it
//! would be written in another form, so that its text is kept.

use std::borrow::Cow;

use super::error::DecodeError;
use super::field_value::FieldValue;
use super::row::{BoxedValue, DecodedValue};
use super::scanner::{QUOTED, Scanner, UNQUOTED, found};
use crate::registry::{RecordLayout, TimeUnit, ValueType};
use crate::values::number::EXACT;
use crate::values::{Number, Timestamp};

/// A number, a timestamp or a text, and whether it is written with the characters from which it was read.
pub(super) struct Scalar<'a> {
    pub(super) value: DecodedValue<'a>,
    pub(super) is_exact: bool,
}

impl<'a> Scalar<'a> {
    /// Converts the content of a string without escapes.
    pub(super) fn of_plain_text(ty: &ValueType, text: &'a str) -> Option<Self> {
        match ty {
            ValueType::String | ValueType::Named(_) => Some(Self { value: DecodedValue::Text(text), is_exact: true }),
            ValueType::Timestamp(unit) if unit.is_text() => {
                let value = DecodedValue::Timestamp(unit.read(text)?);
                Some(Self { value, is_exact: unit.is_as_written(text) })
            }
            _ => {
                let number = Number::parse(text)?;
                let is_exact = ty.is_usual(number) || matches!(ty, ValueType::Decimal);
                Some(Self { value: DecodedValue::of_digits(ty, number, text)?, is_exact })
            }
        }
    }

    /// Reads a string as a value of the type `ty`; `None` if it is not such a value.
    pub(super) fn quoted(ty: &ValueType, json: &mut Scanner<'a>) -> Result<Option<Self>, DecodeError> {
        if ty.has_quoted_form() {
            json.forms |= QUOTED;
        }
        Ok(match json.text()? {
            Cow::Borrowed(text) => Self::of_plain_text(ty, text),
            Cow::Owned(text) => {
                let value = DecodedValue::of_text(ty, Cow::Owned(text));
                value.map(|value| Self { value, is_exact: !ty.is_never_empty() })
            }
        })
    }

    /// Reads a number without quotes as a value of the type `ty`; `None` if it is not such a value.
    pub(super) fn unquoted(ty: &ValueType, json: &mut Scanner<'a>) -> Result<Option<Self>, DecodeError> {
        let start = json.at;
        json.forms |= UNQUOTED;
        let number = json.number()?;
        let value = DecodedValue::of_digits(ty, number, json.since(start));
        let is_text = matches!(ty, ValueType::Timestamp(unit) if unit.is_text());
        Ok(value.map(|value| Self { value, is_exact: ty.is_usual(number) && !is_text }))
    }
}

impl<'a> DecodedValue<'a> {
    /// Replaces the value by a number of the type `ty`, if that is next. Returns whether it is written as it is read, and
    /// `None` if it is not replaced.
    #[inline(always)] // A number is read in one call, or in none.
    pub(super) fn set_number(&mut self, ty: &ValueType, json: &mut Scanner<'a>) -> Option<bool> {
        let start = json.at;
        let number = json.number().ok()?;
        let is_usual = ty.is_usual(number);
        let value = if is_usual { Self::of_number(ty, number) } else { None };
        // Fast path: most numbers are written in their shortest form.
        if let Some(value) = value {
            self.set(value);
            return Some(true);
        }
        if let Some(value) = Self::of_digits(ty, number, json.since(start)) {
            self.set(value);
            return Some(false);
        }
        json.at = start;
        None
    }

    /// Converts a number without quotes; `digits` is its text. An integer converts to text, since its digits are
    /// unambiguous.
    #[inline(never)] // Most numbers are read without calling it.
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

    /// A value that needs no memory of its own; null for any other value.
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
    /// `true` if a value is usually a whole number.
    #[inline]
    pub(super) const fn is_whole(&self) -> bool {
        matches!(self, Self::Integer | Self::Count | Self::Timestamp(_))
    }

    /// `true` if a number is surely written with the same characters as it was read from, if its type is this one.
    #[inline]
    pub(super) const fn is_usual(&self, number: Number) -> bool {
        match (self, number) {
            (Self::Number, Number::Integer(number)) => number.unsigned_abs() < EXACT,
            (_, Number::Integer(_) | Number::Unsigned(_)) => self.is_whole(),
            (_, number) => matches!((self, number), (Self::Number, Number::Float(_))),
        }
    }

    /// `true` if a value of this type can be with and without quotes, as the field declares.
    pub(super) const fn has_quoted_form(&self) -> bool {
        match self {
            Self::Integer | Self::Count | Self::Number => true,
            Self::Timestamp(unit) => !unit.is_text(),
            _ => false,
        }
    }

    /// `true` if an empty string cannot be a value of this type, so that it stands for no value.
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
            Self::Timestamp(TimeUnit::Period) => "a year, a quarter, a month or a day, such as `2024` or `2024-Q1`",
            Self::Timestamp(TimeUnit::Local(_)) if cfg!(not(feature = "zones")) => {
                "a timestamp with an offset, because the feature `zones` is off"
            }
            Self::Timestamp(unit) if unit.is_text() => "a timestamp such as `2024-03-01T00:00:00Z`",
            Self::Timestamp(_) => "a timestamp as a number",
            Self::Any => "a value",
            Self::Record(record) => record.layout.expectation(),
            Self::Recursive(record) => record.record().layout.expectation(),
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
            Self::Positional | Self::Named(_) => "a list",
            Self::Value => "a value",
        }
    }

    /// `true` if a record of this layout can begin with this byte.
    pub(super) const fn begins_with(self, next: u8) -> bool {
        matches!(
            (self, next),
            (Self::Object | Self::Columns, b'{') | (Self::Positional | Self::Named(_), b'[') | (Self::Value, _)
        )
    }
}
