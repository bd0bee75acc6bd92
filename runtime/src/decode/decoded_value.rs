//! The values of a record, read as the types in its table.
//!
//! This module accepts numbers that are written as strings, and integers that are written with an exponent. Nothing is
//! guessed: an ambiguous value, or one that would have to be rounded, is an error. The scanner notes values that would be
//! written in another form, so that their text is kept.
//!
//! Values of any kind are not read with the `Deserialize` implementation of [`Value`]. With the feature
//! `serde_json/arbitrary_precision`, that implementation accepts numbers that are too large for an `f64`, so the same
//! body would decode differently.

use std::borrow::Cow;

use serde_json::Map;

use super::DecodeError;
use super::record::{FieldValue, Row};
use super::scanner::{INEXACT, QUOTED, Scanner, UNQUOTED, found};
use crate::registry::{TimeUnit, ValueType};
use crate::values::{Number, Timestamp, Value};

pub(crate) use from_decoded::FromDecoded;

mod from_decoded;

/// A value of a record, converted to the type that the record's table specifies.
#[doc(hidden)]
#[derive(Debug, Default)]
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
#[derive(Debug)]
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
    /// Reads a value as the type `ty`.
    #[inline(never)] // It is recursive, and most values are read without calling it.
    pub(super) fn read(ty: &ValueType, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<Self, DecodeError> {
        Ok(match (next, ty) {
            (_, ValueType::Any) => BoxedValue::Any(any(json, next, depth)?).into(),
            (b'n', ValueType::Option(_)) => json.literal().map(|_| Self::Null)?,
            (b'"', ValueType::Option(ty)) if ty.is_never_empty() && json.empty_text() => {
                json.seen |= INEXACT;
                Self::Null
            }
            (_, ValueType::Option(ty)) => Self::read(ty, json, next, depth)?,
            (_, ValueType::Record(record)) if record.form.begins_with(next) => {
                let mut row = Row::of(record);
                row.fill(json, next, depth)?;
                BoxedValue::Record(row).into()
            }
            (_, ValueType::Recursive(record)) => Self::read(&ValueType::Record(record()), json, next, depth)?,
            (b'-' | b'0'..=b'9', _) => {
                json.seen |= UNQUOTED;
                let start = json.at;
                let number = json.number()?;
                let read = Self::of_number(ty, number).or_else(|| Self::of_digits(ty, number, start, json));
                read.ok_or_else(|| mismatch(ty, json.since(start)))?
            }
            (b'"', _) => {
                let start = json.at;
                let text = json.text()?;
                let value = Self::of_text(ty, text).ok_or_else(|| mismatch(ty, json.since(start)))?;
                if ty.is_never_empty() {
                    json.seen |= value.form(ty, json.since(start));
                }
                value
            }
            (b't' | b'f', ValueType::Boolean) => json.literal()?.map_or(Self::Null, Self::Boolean),
            (b'[', ValueType::List(ty)) => {
                let (depth, mut items) = (json.deeper(depth)?, Vec::new());
                json.list(|json, next| {
                    items.push(Self::read(ty, json, next, depth).map_err(|error| error.at_index(items.len()))?);
                    Ok(())
                })?;
                BoxedValue::List(items).into()
            }
            (b'{', ValueType::Map(ty)) => {
                let (depth, mut entries) = (json.deeper(depth)?, Vec::new());
                json.object(|json| {
                    let (key, next) = json.any_key()?;
                    let value = Self::read(ty, json, next, depth).map_err(|error| error.in_field(&key))?;
                    entries.push((key.into_owned(), value));
                    Ok(())
                })?;
                BoxedValue::Map(entries).into()
            }
            _ => {
                let start = json.at;
                json.skip(next)?;
                return Err(mismatch(ty, json.since(start)));
            }
        })
    }

    /// Replaces a value without dropping the old one, which must not own memory.
    #[inline]
    pub(super) fn set(&mut self, value: Self) {
        std::mem::forget(std::mem::replace(self, value));
    }

    /// Reads a number as a value of the type `ty`.
    #[inline(never)] // A number is read in one call, which contains the code of both functions below.
    pub(super) fn read_number(ty: &ValueType, json: &mut Scanner<'a>) -> Result<Self, DecodeError> {
        let start = json.at;
        let number = json.number()?;
        Self::of_number(ty, number).ok_or_else(|| mismatch(ty, json.since(start)))
    }

    /// Converts the digits of a number. An integer converts to text, since its digits are unambiguous.
    #[inline(never)] // Most values are read without calling it.
    fn of_digits(ty: &ValueType, number: Number, start: usize, json: &mut Scanner<'a>) -> Option<Self> {
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

    /// Returns the flags about the form of a number or timestamp that is written in quotes.
    fn form(&self, ty: &ValueType, text: &str) -> u8 {
        let value = match *self {
            Self::Integer(number) => FieldValue::Integer(number),
            Self::Count(number) => FieldValue::Count(number),
            Self::Number(number) => FieldValue::Number(number),
            Self::Timestamp(time) => FieldValue::Timestamp(time),
            _ => return 0,
        };
        let is_text = matches!(ty, ValueType::Timestamp(unit) if unit.is_text());
        let is_exact = value.quoted(*ty).is_some_and(|written| text.trim_matches('"') == written);
        (if is_text { 0 } else { QUOTED }) | (if is_exact { 0 } else { INEXACT })
    }

    /// Converts a number into a value of the type `ty`.
    #[inline(always)] // See `read_number`.
    fn of_number(ty: &ValueType, number: Number) -> Option<Self> {
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
fn mismatch(ty: &ValueType, text: &str) -> DecodeError {
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

/// Reads a value of any kind; of two entries with the same key, the later one is used.
pub(super) fn any(json: &mut Scanner<'_>, next: u8, depth: u8) -> Result<Value, DecodeError> {
    Ok(match next {
        b'{' => {
            let (depth, mut object) = (json.deeper(depth)?, Value::Object(Map::new()));
            json.object(|json| {
                let (key, next) = (json.text()?, json.colon()?);
                // `Map::insert` is not used, because this crate would then contain another compiled copy of the map's
                // code.
                object[&*key] = any(json, next, depth).map_err(|error| error.in_field(&key))?;
                Ok(())
            })?;
            object
        }
        b'[' => {
            let (depth, mut items) = (json.deeper(depth)?, Vec::new());
            json.list(|json, next| {
                items.push(any(json, next, depth).map_err(|error| error.at_index(items.len()))?);
                Ok(())
            })?;
            Value::Array(items)
        }
        b'"' => Value::from(json.text()?),
        b'-' | b'0'..=b'9' => match json.number()? {
            Number::Integer(number) => Value::from(number),
            Number::Unsigned(number) => Value::from(number),
            Number::Float(number) => Value::from(number),
        },
        _ => json.literal()?.map_or(Value::Null, Value::Bool),
    })
}
