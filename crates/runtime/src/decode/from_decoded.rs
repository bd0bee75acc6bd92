//! The Rust types that a value of a record can have.
//!
//! The decoder has already checked each value against the record's table, so these conversions return no errors. A
//! field without a value in the row gets an empty value, as in a record that is created for a test.

use std::collections::BTreeMap;

use super::row::{BoxedValue, DecodedValue, Row};
use crate::values::wire::NamedType;
use crate::values::{Decimal, Timestamp, Value};

/// A type that a value of a record can have.
///
/// `Via` distinguishes the implementations for the two kinds of emitted types, records and named types; it is always
/// inferred.
#[doc(hidden)]
pub trait FromDecoded<Via = ()>: Sized {
    /// Takes the value out of its row.
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self;
}

/// Marks the implementation for a [`NamedType`], so that implementations do not overlap.
#[doc(hidden)]
#[derive(Debug)]
pub enum AsNamedType {}

impl Row<'_> {
    /// Takes the value of the field at `index`.
    pub fn take<T: FromDecoded<Via>, Via>(&mut self, index: usize) -> T {
        T::from_decoded(&mut self.values[index])
    }
}

macro_rules! copied {
    ($($ty:ty => $variant:ident or $empty:expr),+ $(,)?) => {$(
        impl FromDecoded for $ty {
            #[inline]
            fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
                if let DecodedValue::$variant(value) = value { *value } else { $empty }
            }
        }
    )+};
}

copied!(
    bool => Boolean or false,
    i64 => Integer or 0,
    u64 => Count or 0,
    f64 => Number or 0.0,
    Timestamp => Timestamp or Timestamp::from_unix_seconds(0),
);

impl FromDecoded for Decimal {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        if let DecodedValue::Decimal(text) = value { Self::of_number(text) } else { Self::default() }
    }
}

impl FromDecoded for String {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        value.take_text().into_owned()
    }
}

impl FromDecoded for Value {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        match value.take_boxed() {
            Some(BoxedValue::Any(value)) => value,
            _ => Self::Null,
        }
    }
}

impl<T: NamedType> FromDecoded<AsNamedType> for T {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        T::from(&value.take_text())
    }
}

impl<T: FromDecoded<Via>, Via> FromDecoded<Via> for Option<T> {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        match value {
            DecodedValue::Absent | DecodedValue::Null => None,
            some => Some(T::from_decoded(some)),
        }
    }
}

impl<T: FromDecoded<Via>, Via> FromDecoded<Via> for Vec<T> {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        match value.take_boxed() {
            Some(BoxedValue::List(items)) => items.into_iter().map(|mut item| T::from_decoded(&mut item)).collect(),
            _ => Self::new(),
        }
    }
}

/// Of two entries with the same key the later one is used, as for all maps.
impl<T: FromDecoded<Via>, Via> FromDecoded<Via> for BTreeMap<String, T> {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        match value.take_boxed() {
            Some(BoxedValue::Map(entries)) => {
                entries.into_iter().map(|(key, mut value)| (key, T::from_decoded(&mut value))).collect()
            }
            _ => Self::new(),
        }
    }
}
