//! How values are written on the wire.
//!
//! A value comes in with its Rust type, the text of a param goes out, neither checked nor encoded yet.
//! [`NamedType`] is what the emitted enums and identifiers have in common; reading is `FromSlot`'s job.

use super::{Timestamp, Value};
use crate::registry::{TimeUnit, TypeInfo, ValueType};

/// A value that can be sent as a param.
pub trait ToWire {
    /// Appends the value's text, not yet encoded for a URL; a point in time counts the unit.
    fn write_wire(&self, unit: TimeUnit, out: &mut String);

    /// The value's text, not yet encoded for a URL; a point in time counts the unit.
    fn to_wire(&self, unit: TimeUnit) -> String {
        let mut out = String::new();
        self.write_wire(unit, &mut out);
        out
    }
}

/// A type that the catalogue names: a text of which some values are known.
pub trait NamedType: for<'a> From<&'a str> {
    /// The type, as the catalogue describes it.
    const INFO: &'static TypeInfo;

    /// The value as on the wire.
    fn as_str(&self) -> &str;
}

impl ValueType {
    /// A named type.
    pub const fn named<T: NamedType>() -> Self {
        Self::Named(T::INFO)
    }
}

/// The conversions of a named type, which are the same for all enums and for all identifiers.
#[doc(hidden)]
#[macro_export]
macro_rules! named_type {
    (enum $name:ident) => {
        impl ::std::convert::From<&str> for $name {
            fn from(value: &str) -> Self {
                let known = Self::ALL.iter().find(|known| known.as_str() == value);
                known.map_or_else(|| Self::Unknown(value.to_owned()), Self::clone)
            }
        }

        $crate::named_type!(text $name);
    };
    (identifier $name:ident) => {
        impl ::std::convert::From<&str> for $name {
            fn from(value: &str) -> Self {
                Self(::std::borrow::Cow::Owned(value.to_owned()))
            }
        }

        $crate::named_type!(text $name);
    };
    (text $name:ident) => {
        impl ::std::convert::From<&::std::string::String> for $name {
            fn from(value: &::std::string::String) -> Self {
                Self::from(value.as_str())
            }
        }

        impl ::std::convert::From<::std::string::String> for $name {
            fn from(value: ::std::string::String) -> Self {
                Self::from(value.as_str())
            }
        }

        /// Never fails: a value that is not known is kept.
        impl ::std::str::FromStr for $name {
            type Err = ::std::convert::Infallible;

            // Not `Self::Err`, which a value may be called.
            fn from_str(text: &str) -> ::std::result::Result<Self, ::std::convert::Infallible> {
                ::std::result::Result::Ok(Self::from(text))
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

impl<T: NamedType> ToWire for T {
    fn write_wire(&self, _: TimeUnit, out: &mut String) {
        out.push_str(self.as_str());
    }
}

macro_rules! written_as_displayed {
    ($($ty:ty)*) => {$(
        impl ToWire for $ty {
            fn write_wire(&self, _: TimeUnit, out: &mut String) {
                out.push_str(&self.to_string());
            }
        }
    )*};
}

written_as_displayed!(i32 i64 u32 u64 usize f64 bool);

impl ToWire for str {
    fn write_wire(&self, _: TimeUnit, out: &mut String) {
        out.push_str(self);
    }
}

impl ToWire for &str {
    fn write_wire(&self, _: TimeUnit, out: &mut String) {
        out.push_str(self);
    }
}

impl ToWire for String {
    fn write_wire(&self, _: TimeUnit, out: &mut String) {
        out.push_str(self);
    }
}

impl ToWire for Timestamp {
    fn write_wire(&self, unit: TimeUnit, out: &mut String) {
        self.wire(unit).write_wire(unit, out);
    }
}

/// Text without quotes, anything else as JSON.
impl ToWire for Value {
    fn write_wire(&self, _: TimeUnit, out: &mut String) {
        match self {
            Self::String(text) => out.push_str(text),
            other => out.push_str(&other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of which no value is known.
    #[derive(Debug)]
    struct Venue(std::borrow::Cow<'static, str>);

    named_type!(identifier Venue);

    impl NamedType for Venue {
        const INFO: &'static TypeInfo =
            &TypeInfo { name: "Venue", summary: "", open: true, values: &[], suffixes: &[] };

        fn as_str(&self) -> &str {
            &self.0
        }
    }

    /// A text of which one value is known.
    #[derive(Clone, Debug)]
    enum Side {
        Buy,
        Unknown(String),
    }

    impl Side {
        const ALL: &[Self] = &[Self::Buy];
    }

    named_type!(enum Side);

    impl NamedType for Side {
        const INFO: &'static TypeInfo =
            &TypeInfo { name: "Side", summary: "", open: false, values: &[], suffixes: &[] };

        fn as_str(&self) -> &str {
            match self {
                Self::Buy => "buy",
                Self::Unknown(text) => text,
            }
        }
    }

    #[test]
    fn values_on_the_wire() {
        let table: [(&dyn ToWire, &str); 13] = [
            (&-5_i64, "-5"),
            (&1000_u32, "1000"),
            (&0.1, "0.1"),
            (&1e21, "1000000000000000000000"),
            (&true, "true"),
            (&"a b", "a b"),
            (&String::from("x"), "x"),
            (&Timestamp::from(1_700_000_000), "1700000000"),
            (&Value::from("bare"), "bare"),
            (&Value::from(vec![1, 2]), "[1,2]"),
            (&Side::from("buy"), "buy"),
            (&Side::from("none"), "none"),
            (&Venue::from("new_venue"), "new_venue"),
        ];
        for (value, expected) in table {
            assert_eq!(value.to_wire(TimeUnit::Seconds), expected);
        }
    }
}
