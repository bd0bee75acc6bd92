//! Common behaviour of the emitted enums and identifiers. Each is a string, and the catalogue lists its known values.
//!
//! Any string is a valid value, and is kept unchanged. An unknown value of an enum is opaque: no pattern distinguishes
//! two unknown values, so code that matches on values still compiles when a later version knows more values.

use std::time::Duration;

use crate::registry::{TypeInfo, ValueType};

/// A named type of the catalogue. Only emitted code implements this trait:
///
/// ```compile_fail,E0277
/// # use generated_client_runtime::{registry::TypeInfo, wire::NamedType};
/// struct Mine;
///
/// impl NamedType for Mine {
///     const INFO: &'static TypeInfo = &TypeInfo::new("Mine", &[]);
/// }
/// ```
pub trait NamedType: Text {
    /// The type's description in the catalogue.
    const INFO: &'static TypeInfo;
}

/// A type that any string converts to; [`named_type!`](crate::named_type!) implements this trait.
pub trait Text: for<'a> From<&'a str> {}

impl ValueType {
    /// Returns the value type that refers to a named type.
    pub const fn named<T: NamedType>() -> Self {
        Self::Named(T::INFO)
    }
}

/// A string that is not a known value of the enum in this version; the enum's `as_str` returns the string.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnknownValue(Box<str>);

impl UnknownValue {
    #[doc(hidden)]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    #[doc(hidden)]
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Returns the duration of the interval that a value denotes, if the catalogue declares the duration.
pub fn duration<T: NamedType>(value: &str) -> Option<Duration> {
    T::INFO.values.iter().find(|known| known.value == value)?.step?.length()
}

/// Implements the methods and traits that all enums and all identifiers have in common.
#[doc(hidden)]
#[macro_export]
macro_rules! named_type {
    (enum $name:ident => $($variant:ident = $text:literal),+ $(,)?) => {
        impl $name {
            /// Every known value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value as on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(value) => value.text(),
                }
            }

            /// Returns a static reference to the value; `None` for an unknown value. Unlike the value, the reference is
            /// `Copy`.
            pub fn known(&self) -> ::std::option::Option<&'static Self> {
                Self::ALL.iter().find(|known| *known == self)
            }
        }

        impl ::std::convert::From<&str> for $name {
            fn from(value: &str) -> Self {
                match value {
                    $($text => Self::$variant,)*
                    _ => Self::Unknown($crate::wire::UnknownValue::new(value)),
                }
            }
        }

        $crate::named_type!(text $name);
    };
    (identifier $name:ident) => {
        impl $name {
            /// Returns the identifier as on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::std::convert::From<&str> for $name {
            fn from(value: &str) -> Self {
                Self(::std::borrow::Cow::Owned(::std::borrow::ToOwned::to_owned(value)))
            }
        }

        $crate::named_type!(text $name);
    };
    (duration $name:ident) => {
        impl $name {
            /// Returns the duration of the interval; `None` if the duration varies, as for a month, or if the value is
            /// unknown.
            pub fn duration(&self) -> ::std::option::Option<::std::time::Duration> {
                $crate::emitted::duration::<Self>(self.as_str())
            }
        }
    };
    (text $name:ident) => {
        impl $name {
            /// Returns whether the value is known in this version.
            pub fn is_known(&self) -> bool {
                let mut known = <Self as $crate::wire::NamedType>::INFO.values.iter();
                known.any(|known| known.value == self.as_str())
            }
        }

        impl $crate::emitted::Text for $name {}

        /// Clones the value, so that setters accept a reference.
        impl ::std::convert::From<&Self> for $name {
            fn from(value: &Self) -> Self {
                ::std::clone::Clone::clone(value)
            }
        }

        impl $crate::wire::ToWire for $name {
            fn write_param(&self, _: $crate::registry::TimeUnit, out: &mut ::std::string::String) {
                out.push_str(self.as_str());
            }
        }

        impl $crate::emitted::AsFieldValue for $name {
            fn as_field_value(&self) -> $crate::record::FieldValue<'_> {
                $crate::record::FieldValue::Text(self.as_str())
            }
        }

        /// Serializes the value as on the wire.
        impl $crate::emitted::Serialize for $name {
            fn serialize<S: $crate::emitted::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::emitted::Deserialize<'de> for $name {
            fn deserialize<D: $crate::emitted::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::emitted::deserialize_text(deserializer)
            }
        }

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

        /// Never fails, because an unknown value is kept.
        impl ::std::str::FromStr for $name {
            type Err = ::std::convert::Infallible;

            // Not `Self::Err`, because a variant of the enum may have the name `Err`.
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

#[cfg(test)]
#[allow(unreachable_pub, reason = "emitted types are public, but the types of these tests are not")]
mod tests {
    use std::borrow::Cow;
    use std::collections::HashSet;

    use super::*;
    use crate::registry::{Evidence, Step, TimeUnit, ValueInfo};
    use crate::values::wire::ToWire;

    /// A type without known values.
    #[derive(Clone, Debug)]
    struct Venue(Cow<'static, str>);

    crate::named_type!(identifier Venue);

    impl NamedType for Venue {
        const INFO: &'static TypeInfo = &TypeInfo { open: true, ..TypeInfo::new("Venue", &[]) };
    }

    /// A type with three known values.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    enum Timeframe {
        Minute,
        Day,
        Month,
        Unknown(UnknownValue),
    }

    crate::named_type!(enum Timeframe => Minute = "1m", Day = "1d", Month = "1M");
    crate::named_type!(duration Timeframe);

    impl NamedType for Timeframe {
        const INFO: &'static TypeInfo = &TypeInfo::new(
            "Timeframe",
            &[
                ValueInfo { step: Some(Step::seconds(60)), ..ValueInfo::new("1m", "", Evidence::Documented) },
                ValueInfo { step: Some(Step::seconds(86_400)), ..ValueInfo::new("1d", "", Evidence::Documented) },
                ValueInfo::new("1M", "", Evidence::Documented),
            ],
        );
    }

    #[test]
    fn every_text_is_a_valid_value() {
        for text in ["1m", "1d", "1M", "1w", ""] {
            assert_eq!((Timeframe::from(text).to_string().as_str(), Timeframe::from(text).as_str()), (text, text));
            assert_eq!(Timeframe::from(text).to_wire(TimeUnit::Seconds), text);
            assert_eq!(Timeframe::from(text).is_known(), text.starts_with('1') && text != "1w");
        }
        assert_eq!(Venue::from("new_venue").to_wire(TimeUnit::Seconds), "new_venue");
        assert!(!Venue::from("new_venue").is_known());
        assert_eq!(format!("{:?}", Timeframe::from("1w")), "Unknown(UnknownValue(\"1w\"))");
    }

    #[test]
    fn a_known_value_is_never_unknown() {
        fn check<T: Copy>(_: T) {}
        let known = Timeframe::from("1d").known().expect("a known value");
        check(known);
        assert_eq!((known.as_str(), known.to_string().as_str()), ("1d", "1d"));
        assert_eq!(Timeframe::from(known), Timeframe::Day);
        assert!(matches!(known, Timeframe::Day));
        assert!(HashSet::from([known]).contains(&Timeframe::Day.known().expect("a known value")));
        assert!(Timeframe::from("1w").known().is_none());
    }

    #[test]
    fn only_intervals_of_fixed_length_have_a_duration() {
        let seconds = |text| Timeframe::from(text).duration().map(|duration| duration.as_secs());
        assert_eq!(["1m", "1d", "1M", "1w"].map(seconds), [Some(60), Some(86_400), None, None]);
    }
}
