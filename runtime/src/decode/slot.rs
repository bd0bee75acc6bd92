//! One value of a record, as found in the body.
//!
//! The decoder fills a [`Slot`]; [`FromSlot`] converts it into a Rust value. Tolerance is implemented here: numbers may
//! be text, and integers may have an exponent. Nothing is guessed: an ambiguous value, or one that would have to be
//! rounded, is an error.

mod from_slot;

use std::borrow::Cow;
use std::fmt;

use super::DecodeError;
use super::record::Row;
use crate::error::excerpt;
use crate::registry::TimeUnit;
use crate::values::{Number, Timestamp, Value};

pub(crate) use from_slot::FromSlot;

/// A value that was found.
#[doc(hidden)]
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Slot<'a> {
    /// No value.
    #[default]
    Absent,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction and exponent.
    Integer(i64),
    /// A number without fraction and exponent that is too large for [`Slot::Integer`].
    Unsigned(u64),
    /// Any other number; never infinite and never NaN.
    Float(f64),
    /// A whole number or a text for a timestamp in the catalogue, converted by its unit.
    Time(Timestamp),
    /// A whole number for a timestamp that would be past the year 9999, so it has to count something else.
    Beyond(i64, TimeUnit),
    /// Text without escapes.
    Text(&'a str),
    /// Values that allocate, behind one pointer, so that a slot is cheap to clear.
    Large(Box<Large<'a>>),
    /// An unexpected list.
    StrayList,
    /// An unexpected object.
    StrayObject,
}

/// Values that need an allocation.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub enum Large<'a> {
    /// Text that has escapes in the body.
    Text(String),
    /// A value of any kind, if the catalogue expects any kind.
    Any(Value),
    /// A number or a text that is not a valid time, if the catalogue expects a time as text.
    NoTime(Slot<'a>),
    /// A list, if the catalogue expects one.
    List(Vec<Slot<'a>>),
    /// An object whose keys are data, if the catalogue expects one.
    Map(Vec<(String, Slot<'a>)>),
    /// The values of a nested record, if the catalogue expects one.
    Record(Row<'a>),
}

impl<'a> From<Large<'a>> for Slot<'a> {
    fn from(large: Large<'a>) -> Self {
        Self::Large(Box::new(large))
    }
}

impl<'a> Slot<'a> {
    /// Empties a slot whose value has no allocation: it needs no drop, and checking for one would cost more.
    #[inline]
    fn empty(&mut self) {
        std::mem::forget(std::mem::take(self));
    }

    /// Creates the error for this value, where `expected` was expected.
    #[cold]
    pub fn refuse(&self, expected: &'static str) -> DecodeError {
        DecodeError::new(format!("expected {expected}, found {self}"))
    }

    /// Returns the number, also if it is written as text.
    fn number(&self) -> Option<Number> {
        match self {
            Self::Integer(number) => Some(Number::Integer(*number)),
            Self::Unsigned(number) => Some(Number::Unsigned(*number)),
            Self::Float(number) => Some(Number::Float(*number)),
            Self::Text(text) => Number::parse(text),
            Self::Large(large) => match &**large {
                Large::Text(text) => Number::parse(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Converts a whole number into a timestamp by its unit; one past the year 9999 becomes [`Slot::Beyond`].
    #[inline]
    pub(crate) fn moment(count: i64, unit: TimeUnit) -> Self {
        let time = Timestamp::from_wire(count, unit);
        if time <= Timestamp::LAST_WRITABLE { Self::Time(time) } else { Self::Beyond(count, unit) }
    }

    /// Converts a number or text into the timestamp that it represents; other values stay unchanged.
    pub(crate) fn in_unit(self, unit: TimeUnit) -> Self {
        if unit.is_text() {
            return self.in_text();
        }
        let count = self.number().and_then(Number::integer);
        count.map_or(self, |count| Self::moment(count, unit))
    }

    /// Fills an empty slot: it needs no drop, and checking for one would cost more than filling.
    #[inline]
    pub(crate) fn fill(&mut self, value: Self) {
        debug_assert!(matches!(self, Self::Absent));
        std::mem::forget(std::mem::replace(self, value));
    }

    /// Converts a text into the timestamp it contains; anything else is marked as no timestamp.
    #[inline(never)]
    fn in_text(self) -> Self {
        let time = match &self {
            Self::Text(text) => Timestamp::from_text(text),
            Self::Large(large) => match &**large {
                Large::Text(text) => Timestamp::from_text(text),
                _ => None,
            },
            _ => None,
        };
        time.map_or_else(|| Large::NoTime(self).into(), Self::Time)
    }

    /// Returns the number as a float, also if it is written as text.
    #[inline(never)] // The usual way of writing it is dealt with before, and inlined.
    fn float(self, expected: &'static str) -> Result<f64, DecodeError> {
        self.number().map(Number::float).ok_or_else(|| self.refuse(expected))
    }

    /// Returns the whole number, or an error if there is none or reading it would round.
    #[inline(never)]
    fn integer(self, expected: &'static str) -> Result<i64, DecodeError> {
        self.number().and_then(Number::integer).ok_or_else(|| self.refuse(expected))
    }

    /// Returns the text, or the digits of a whole number, since there is only one way to write them.
    fn text(self) -> Result<Cow<'a, str>, DecodeError> {
        match self {
            Self::Text(text) => Ok(text.into()),
            Self::Integer(number) => Ok(number.to_string().into()),
            Self::Unsigned(number) => Ok(number.to_string().into()),
            Self::Large(large) => match *large {
                Large::Text(text) => Ok(text.into()),
                other => Err(Self::from(other).refuse("text")),
            },
            other => Err(other.refuse("text")),
        }
    }
}

/// Short description of the value for errors.
impl fmt::Display for Slot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("nothing"),
            Self::Null => f.write_str("`null`"),
            Self::Bool(value) => write!(f, "`{value}`"),
            Self::Integer(number) => write!(f, "`{number}`"),
            Self::Unsigned(number) => write!(f, "`{number}`"),
            Self::Float(number) => write!(f, "`{}`", Value::from(*number)),
            Self::Time(time) => write!(f, "the time {time}"),
            Self::Beyond(count, unit) => {
                let (unit, finer) = (unit.as_str(), unit.finer());
                write!(f, "`{count}`, which is past the year 9999 in {unit} and probably counts {finer}")
            }
            Self::Text(text) => write!(f, "the string {:?}", excerpt(text, MAX_TEXT_BYTES)),
            Self::Large(large) => large.fmt(f),
            Self::StrayList => f.write_str("a list"),
            Self::StrayObject => f.write_str("an object"),
        }
    }
}

impl fmt::Display for Large<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => Slot::Text(text).fmt(f),
            Self::Any(_) => f.write_str("a value of any kind"),
            Self::NoTime(slot) => slot.fmt(f),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("an object"),
            Self::Record(row) => f.write_str(row.form.words()),
        }
    }
}

/// Maximum number of bytes quoted from a text.
const MAX_TEXT_BYTES: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_moved_out_of_its_slot() {
        let mut slot = Slot::Float(0.5);
        assert_eq!((f64::from_slot(&mut slot).ok(), f64::from_slot(&mut slot).ok()), (Some(0.5), None));
        let mut slot = Slot::Integer(7);
        assert_eq!((i64::from_slot(&mut slot).ok(), i64::from_slot(&mut slot).ok()), (Some(7), None));
        let (time, mut slot) = (Timestamp::from(7), Slot::Time(7.into()));
        assert_eq!((Timestamp::from_slot(&mut slot).ok(), Timestamp::from_slot(&mut slot).ok()), (Some(time), None));
    }

    #[test]
    fn escaped_time_text_is_parsed() {
        let (text, time) = ("2024-03-01T00:00:00Z", Timestamp::from_text("2024-03-01T00:00:00Z"));
        for mut slot in [Slot::Text(text), Large::Text(text.to_owned()).into()] {
            slot = slot.in_unit(TimeUnit::Iso8601);
            assert_eq!(Timestamp::from_slot(&mut slot).ok(), time);
        }
    }

    #[test]
    fn rejected_value_is_named_with_its_path() {
        let refused = f64::from_slot(&mut Slot::Null).unwrap_err();
        let refused = refused.in_field("price").at_index(3).in_field("levels");
        assert_eq!(refused.path(), "levels[3].price");
        assert_eq!(refused.to_string(), "`levels[3].price`: expected a number, found `null`");
    }
}
