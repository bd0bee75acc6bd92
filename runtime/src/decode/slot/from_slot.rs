//! The Rust types that a value of a record can have.
//!
//! Each type takes its value from a slot, or returns its expectation. The slot handles the accepted forms of numbers
//! and text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Large, Slot};
use crate::decode::DecodeError;
use crate::decode::record::{Record, Row};
use crate::registry::RecordLayout;
use crate::values::wire::NamedType;
use crate::values::{Number, Timestamp, Value};

/// A type that a value of a record can have.
///
/// `Via` separates the two families of emitted types, records and named types; it is always inferred.
#[doc(hidden)]
pub trait FromSlot<Via = ()>: Sized {
    /// Takes the value, or returns the expectation and the value found; the slot is absent afterwards.
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError>;

    /// A placeholder for a value that did not fit, until the whole record is discarded.
    fn placeholder() -> Self;
}

/// Marks the implementation for a [`Record`], so that implementations do not overlap.
#[doc(hidden)]
#[derive(Debug)]
pub enum AsRecord {}

/// Marks the implementation for a [`NamedType`].
#[doc(hidden)]
#[derive(Debug)]
pub enum AsNamedType {}

impl FromSlot for f64 {
    #[inline]
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        match *slot {
            Slot::Float(number) => {
                slot.empty();
                Ok(number)
            }
            _ => std::mem::take(slot).float("a number"),
        }
    }

    fn placeholder() -> Self {
        0.0
    }
}

impl FromSlot for i64 {
    #[inline]
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        match *slot {
            Slot::Integer(number) => {
                slot.empty();
                Ok(number)
            }
            _ => std::mem::take(slot).integer("a whole number"),
        }
    }

    fn placeholder() -> Self {
        0
    }
}

impl FromSlot for u64 {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        let slot = std::mem::take(slot);
        slot.number().and_then(Number::count).ok_or_else(|| slot.refuse("a non-negative integer"))
    }

    fn placeholder() -> Self {
        0
    }
}

impl FromSlot for Timestamp {
    #[inline]
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        match slot {
            Slot::Time(time) => {
                let time = *time;
                slot.empty();
                Ok(time)
            }
            Slot::Large(large) if matches!(**large, Large::NoTime(_)) => {
                Err(std::mem::take(slot).refuse("a timestamp such as `2024-03-01T00:00:00Z`"))
            }
            _ => Err(std::mem::take(slot).refuse("a timestamp, a whole number")),
        }
    }

    fn placeholder() -> Self {
        Self::from_unix_seconds(0)
    }
}

impl FromSlot for bool {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        match std::mem::take(slot) {
            Slot::Bool(value) => Ok(value),
            other => Err(other.refuse("`true` or `false`")),
        }
    }

    fn placeholder() -> Self {
        false
    }
}

impl FromSlot for String {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        std::mem::take(slot).text().map(Cow::into_owned)
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

/// `null` is also a value of any kind; only an absent value is an error.
impl FromSlot for Value {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        match std::mem::take(slot) {
            Slot::Null => Ok(Self::Null),
            Slot::Large(large) => match *large {
                Large::Any(value) => Ok(value),
                other => Err(Slot::from(other).refuse("a value")),
            },
            other => Err(other.refuse("a value")),
        }
    }

    fn placeholder() -> Self {
        Self::Null
    }
}

impl<T: NamedType> FromSlot<AsNamedType> for T {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        std::mem::take(slot).text().map(|text| T::from(&text))
    }

    fn placeholder() -> Self {
        T::from("")
    }
}

impl<T: Record> FromSlot<AsRecord> for T {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        slot.take_row(T::INFO.form)?.record()
    }

    fn placeholder() -> Self {
        T::from_row(&mut Row::empty())
    }
}

impl RecordLayout {
    /// Describes a record of this layout in error messages.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Positional => "a list",
            Self::Value => "a value",
        }
    }
}

impl<T: FromSlot<Via>, Via> FromSlot<Via> for Option<T> {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        match slot {
            Slot::Absent | Slot::Null => {
                slot.empty();
                Ok(None)
            }
            some => T::from_slot(some).map(Some),
        }
    }

    fn placeholder() -> Self {
        None
    }
}

impl<T: FromSlot<Via>, Via> FromSlot<Via> for Vec<T> {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        slot.take_list(T::from_slot)
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

/// Of two entries with the same key the later one is used, as for all maps.
impl<T: FromSlot<Via>, Via> FromSlot<Via> for BTreeMap<String, T> {
    fn from_slot(slot: &mut Slot<'_>) -> Result<Self, DecodeError> {
        slot.take_map(T::from_slot)
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

impl<'a> Slot<'a> {
    /// Takes the values of a record with this layout.
    pub(in crate::decode) fn take_row(&mut self, form: RecordLayout) -> Result<Row<'a>, DecodeError> {
        match std::mem::take(self) {
            Slot::Large(large) => match *large {
                Large::Record(row) => Ok(row),
                other => Err(Slot::from(other).refuse(form.words())),
            },
            other => Err(other.refuse(form.words())),
        }
    }

    /// Takes a list; `item` converts each slot.
    pub(in crate::decode) fn take_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Slot<'_>) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let items = match std::mem::take(self) {
            Slot::Large(large) => match *large {
                Large::List(items) => items,
                other => return Err(Slot::from(other).refuse("a list")),
            },
            other => return Err(other.refuse("a list")),
        };
        let item = |(index, mut slot)| item(&mut slot).map_err(|error| error.at_index(index));
        items.into_iter().enumerate().map(item).collect()
    }

    /// Takes an object whose keys are data; the closure converts each slot.
    pub(in crate::decode) fn take_map<T>(
        &mut self,
        mut value: impl FnMut(&mut Slot<'_>) -> Result<T, DecodeError>,
    ) -> Result<BTreeMap<String, T>, DecodeError> {
        let entries = match std::mem::take(self) {
            Slot::Large(large) => match *large {
                Large::Map(entries) => entries,
                other => return Err(Slot::from(other).refuse("an object")),
            },
            other => return Err(other.refuse("an object")),
        };
        let entry = |(key, mut slot): (String, Slot<'_>)| match value(&mut slot) {
            Ok(value) => Ok((key, value)),
            Err(error) => Err(error.in_field(&key)),
        };
        entries.into_iter().map(entry).collect()
    }
}
