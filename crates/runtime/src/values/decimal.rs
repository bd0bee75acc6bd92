//! Decimal numbers with all their digits.

use std::fmt;
use std::str::FromStr;

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::ConversionError;
use super::json_text::text_or_number;
use super::number::Number;

/// A decimal number with every digit that the service wrote, for example a price that an `f64` would round.
///
/// Two decimals are equal if their digits are the same, so `0.10` differs from `0.1`; [`to_f64`](Self::to_f64) compares
/// by value.
///
/// ```
/// # use generated_client_runtime::Decimal;
/// let price: Decimal = "0.070920000000000000001".parse()?;
/// assert_eq!((price.as_str(), price.to_f64()), ("0.070920000000000000001", 0.07092));
/// # Ok::<(), generated_client_runtime::ConversionError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Decimal(Box<str>);

impl Decimal {
    /// Returns the number as the service wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the nearest `f64`.
    pub fn to_f64(&self) -> f64 {
        Number::parse(&self.0).map_or(0.0, Number::float)
    }

    /// Converts the text of a JSON number.
    pub(crate) fn of_number(text: &str) -> Self {
        Self(text.into())
    }
}

/// Reads a JSON number within the range of an `f64`.
impl FromStr for Decimal {
    type Err = ConversionError;

    fn from_str(text: &str) -> Result<Self, ConversionError> {
        if Number::parse(text).is_none() {
            return Err(ConversionError("expected a number such as `0.10`".into()));
        }
        Ok(Self::of_number(text))
    }
}

/// Zero.
impl Default for Decimal {
    fn default() -> Self {
        Self::of_number("0")
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes the number as a string.
impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Reads a string or a number. A number in JSON keeps every digit.
impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_number(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Fails for a number that has too many digits for `rust_decimal`, instead of rounding it.
#[cfg(feature = "rust_decimal")]
impl TryFrom<&Decimal> for rust_decimal::Decimal {
    type Error = rust_decimal::Error;

    fn try_from(decimal: &Decimal) -> Result<Self, rust_decimal::Error> {
        let text = decimal.as_str();
        let (digits, exponent) = text.split_once(['e', 'E']).unzip();
        // Without this check, `from_scientific` would round the digits.
        let number = Self::from_str_exact(digits.unwrap_or(text))?;
        exponent.map_or(Ok(number), |_: &str| Self::from_scientific(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_core::de::IntoDeserializer;

    use super::*;

    #[test]
    fn decimals_keep_their_digits() {
        for text in ["0.10", "-0", "1e-7", "123456789012345678901234567890.5"] {
            let decimal: Decimal = text.parse().unwrap();
            assert_eq!((decimal.to_string().as_str(), decimal.as_str()), (text, text));
            let json = serde_json::to_string(&decimal).unwrap();
            assert_eq!((json.as_str(), serde_json::from_str(&json).unwrap()), (format!("{text:?}").as_str(), decimal));
        }
        let digits = "0.070920000000000000001";
        assert_eq!(serde_json::from_str::<Decimal>(digits).unwrap().as_str(), digits);
        assert_eq!(serde_json::from_value::<Decimal>(0.25.into()).unwrap().as_str(), "0.25");
        let text: serde_core::de::value::StrDeserializer<'_, serde_core::de::value::Error> = "0.10".into_deserializer();
        assert_eq!(Decimal::deserialize(text).unwrap().as_str(), "0.10");
        for json in ["null", "[1]", r#""x""#, "1e999"] {
            assert!(serde_json::from_str::<Decimal>(json).is_err(), "{json}");
        }
        for text in ["", "+1", "1,5", "0x1", "1e999", "NaN"] {
            let error = text.parse::<Decimal>().unwrap_err().to_string();
            assert_eq!(error, "expected a number such as `0.10`", "{text}");
        }
    }

    #[cfg(feature = "rust_decimal")]
    #[test]
    fn rust_decimal_is_exact_or_an_error() {
        let convert = |text: &str| rust_decimal::Decimal::try_from(&text.parse::<Decimal>().unwrap());
        assert_eq!(convert("0.10").unwrap().to_string(), "0.10");
        assert_eq!(convert("1.5e2").unwrap(), rust_decimal::Decimal::from(150));
        assert!(convert("1.234567890123456789012345678901234567890e1").is_err());
        assert_eq!(convert("1.23e28").unwrap().to_string(), format!("123{}", "0".repeat(26)));
        assert!(convert("0.00000000000000000000000000000000001").is_err());
    }
}
