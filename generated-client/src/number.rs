//! Numbers, before it is known which Rust type wants them.
//!
//! Text comes in where a service quotes its numbers, and where `serde_json/arbitrary_precision` hands
//! every number over as text. Only what JSON could write is read, and infinities and NaN never are.

/// A number as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Without fraction and exponent.
    Integer(i64),
    /// The same, too large for [`Number::Integer`].
    Unsigned(u64),
    /// Any other finite number.
    Float(f64),
}

/// Up to here every whole `f64` is the only number that rounds to it.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// Reads what JSON could write, as `serde_json` reads it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let first = text.strip_prefix('-').unwrap_or(text).bytes().next();
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        if !digits || !first.is_some_and(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if text != "-0" {
            if let Ok(number) = text.parse() {
                return Some(Self::Integer(number));
            }
            if let Ok(number) = text.parse() {
                return Some(Self::Unsigned(number));
            }
        }
        text.parse().ok().filter(|number: &f64| number.is_finite()).map(Self::Float)
    }

    /// The nearest `f64`.
    // A whole number where any number is expected is rounded like any other decimal.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Unsigned(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// The same number as an integer, unless that would round.
    // The cast is guarded by the line above it.
    #[allow(clippy::cast_possible_truncation)]
    pub(crate) fn integer(self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(number),
            Self::Float(number) if number.fract() == 0.0 && number.abs() < EXACT => Some(number as i64),
            Self::Unsigned(_) | Self::Float(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse() {
        let table = [
            ("0", Some(Number::Integer(0))),
            ("-12", Some(Number::Integer(-12))),
            ("9223372036854775807", Some(Number::Integer(i64::MAX))),
            ("9223372036854775808", Some(Number::Unsigned(1 << 63))),
            ("18446744073709551616", Some(Number::Float(18_446_744_073_709_551_616.0))),
            ("1.7e9", Some(Number::Float(1.7e9))),
            ("0.1", Some(Number::Float(0.1))),
            ("1E-7", Some(Number::Float(1e-7))),
            ("", None),
            ("-", None),
            ("+1", None),
            (".5", None),
            ("1 ", None),
            ("1,5", None),
            ("0x10", None),
            ("1-2", None),
            ("NaN", None),
            ("inf", None),
            ("-infinity", None),
            ("1e999", None),
        ];
        for (text, expected) in table {
            assert_eq!(Number::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn the_sign_of_zero_survives() {
        assert!(Number::parse("-0").is_some_and(|zero| zero.float().is_sign_negative()));
    }

    #[test]
    fn integer_never_rounds() {
        let table = [
            ("1.7e9", Some(1_700_000_000)),
            ("-0", Some(0)),
            ("9007199254740991.0", Some(9_007_199_254_740_991)),
            ("9007199254740993.0", None),
            ("1.5", None),
            ("1e300", None),
            ("9223372036854775808", None),
        ];
        for (text, expected) in table {
            assert_eq!(Number::parse(text).and_then(Number::integer), expected, "{text}");
        }
    }
}
