//! The format in which values of params are sent.
//!
//! This module writes a value as text, without checking or encoding it. [`IntoParam`] decides whether the value is set
//! at all. The decoder reads values of responses.
//!
//! The type parameter `Via` distinguishes a value from an `Option` of a value, so that the implementations do not
//! overlap. It is always inferred.

use std::borrow::Cow;

use super::Value;
use crate::registry::TimeUnit;

pub use super::named_type::{NamedType, UnknownValue};

/// A value that can be sent as a param.
pub trait ToWire {
    /// Appends the value's text, not yet encoded for a URL. A timestamp is written in the unit `unit`.
    fn write_param(&self, unit: TimeUnit, out: &mut String);

    /// `true` if there is a value; if not, the param is omitted.
    fn is_some(&self) -> bool {
        true
    }

    /// The value's text, not yet encoded for a URL. A timestamp is written in the unit `unit`.
    fn to_wire(&self, unit: TimeUnit) -> String {
        let mut out = String::new();
        self.write_param(unit, &mut out);
        out
    }
}

macro_rules! written_as_displayed {
    ($($ty:ty)*) => {$(
        impl ToWire for $ty {
            fn write_param(&self, _: TimeUnit, out: &mut String) {
                out.push_str(&self.to_string());
            }
        }
    )*};
}

written_as_displayed!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 bool str String);

impl<T: ToWire + ?Sized> ToWire for &T {
    fn write_param(&self, unit: TimeUnit, out: &mut String) {
        (**self).write_param(unit, out);
    }

    fn is_some(&self) -> bool {
        (**self).is_some()
    }
}

/// `None` omits the param.
impl<T: ToWire> ToWire for Option<T> {
    fn write_param(&self, unit: TimeUnit, out: &mut String) {
        if let Some(value) = self {
            value.write_param(unit, out);
        }
    }

    fn is_some(&self) -> bool {
        self.as_ref().is_some_and(T::is_some)
    }
}

impl<T: ToWire + ToOwned + ?Sized> ToWire for Cow<'_, T> {
    fn write_param(&self, unit: TimeUnit, out: &mut String) {
        (**self).write_param(unit, out);
    }
}

/// Writes a string without quotes, and any other value as JSON.
impl ToWire for Value {
    fn write_param(&self, _: TimeUnit, out: &mut String) {
        match self {
            Self::String(text) => out.push_str(text),
            other => out.push_str(&other.to_string()),
        }
    }
}

/// A value of a param, or an `Option` of a value. A text is sent as it is written, in upper and lower case.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be converted to `{T}`, the type of the param",
    note = "this setter accepts one value; the setter for several values, if there is one, usually has the plural as its \
            name; otherwise, send a request for each value",
    note = "a `Timestamp` is `Timestamp::from_unix_seconds(..)` or a parsed text: `\"2025-01-01\".parse::<Timestamp>()?`; \
            for types of chrono, jiff or time, enable the feature of that name"
)]
pub trait IntoParam<T, Via = Given> {
    /// The value; `None` omits the param.
    fn into_param(self) -> Option<T>;
}

/// Several values of a param, or an `Option` of several values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of values that convert to `{T}`, the type of the param",
    note = "each value is an item, also a single one: `[\"a\", \"b\"]`, not `\"a,b\"`"
)]
pub trait IntoParamList<T, Via = Given> {
    /// The values; `None` omits the param.
    fn into_param_list(self) -> Option<impl Iterator<Item = T>>;
}

/// Marks the implementation for a value, so that implementations do not overlap.
#[doc(hidden)]
#[derive(Debug)]
pub enum Given {}

/// Marks the implementation for an `Option`.
#[doc(hidden)]
#[derive(Debug)]
pub enum Optional {}

#[diagnostic::do_not_recommend]
impl<T, V: Into<T>> IntoParam<T> for V {
    fn into_param(self) -> Option<T> {
        Some(self.into())
    }
}

#[diagnostic::do_not_recommend]
impl<T, V: Into<T>> IntoParam<T, Optional> for Option<V> {
    fn into_param(self) -> Option<T> {
        self.map(V::into)
    }
}

#[diagnostic::do_not_recommend]
impl<T, I: IntoIterator<Item: Into<T>>> IntoParamList<T> for I {
    fn into_param_list(self) -> Option<impl Iterator<Item = T>> {
        Some(self.into_iter().map(Into::into))
    }
}

#[diagnostic::do_not_recommend]
impl<T, I: IntoIterator<Item: Into<T>>> IntoParamList<T, Optional> for Option<I> {
    fn into_param_list(self) -> Option<impl Iterator<Item = T>> {
        self.map(|values| values.into_iter().map(Into::into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Timestamp;

    #[test]
    fn values_are_written_in_wire_format() {
        let owned = String::from("x");
        let table: [(&dyn ToWire, &str); 16] = [
            (&-5_i64, "-5"),
            (&1000_u32, "1000"),
            (&7_u8, "7"),
            (&-7_i16, "-7"),
            (&0.1, "0.1"),
            (&0.1_f32, "0.1"),
            (&1e21, "1000000000000000000000"),
            (&true, "true"),
            (&"a b", "a b"),
            (&owned, "x"),
            (&&owned, "x"),
            (&Cow::from("y"), "y"),
            (&Timestamp::from(1_700_000_000), "1700000000"),
            (&&Timestamp::from(7), "7"),
            (&Value::from("bare"), "bare"),
            (&Value::from(vec![1, 2]), "[1,2]"),
        ];
        for (value, expected) in table {
            assert_eq!(value.to_wire(TimeUnit::Seconds), expected);
        }
        let time = Timestamp::from(1_700_000_000);
        assert_eq!(time.to_wire(TimeUnit::Iso8601), "2023-11-14T22:13:20Z");
        assert_eq!(time.to_wire(TimeUnit::Date), "2023-11-14");
    }
}
