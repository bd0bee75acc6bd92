//! Numbers with all their digits. A value of JSON keeps only the digits that an `f64` or 64 bits can store, so a number
//! with more digits is parsed as its text with a tag.

use serde_yaml::Value;
use serde_yaml::value::{Tag, TaggedValue};

/// A number as JSON writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) float: f64,
    /// The number without fraction and exponent, if 64 bits can store it.
    pub(super) integer: Option<i64>,
    /// `true` if the number is an integer that `u64` can store.
    pub(super) is_unsigned: bool,
    /// `true` if no digit is lost in `float`.
    pub(super) is_exact: bool,
}

impl Number {
    /// Reads a text that consists only of a number, which the client also accepts in quotes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_bare = text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            && text.ends_with(|last: char| last.is_ascii_digit());
        if !is_bare {
            return None;
        }
        let number: serde_json::Number = serde_json::from_str(text).ok()?;
        // `-0` is an `f64` for the client too.
        let integer = number.as_i64();
        let float: f64 = text.parse().ok()?;
        let is_exact = Decimal::of(text) == Decimal::of(&format!("{float:e}"));
        Some(Self { float, integer, is_unsigned: number.is_u64(), is_exact })
    }
}

/// The digits of a number, by which two numbers can be compared: those between zeros, and the position of the last one.
#[derive(Debug, PartialEq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let unsigned = text.trim_start_matches('-');
        let (number, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let zeros = i64::try_from(all.len() - digits.len()).unwrap_or_default();
        let places = i64::try_from(fraction.len()).unwrap_or_default();
        let digits = digits.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Self { is_negative: false, digits, exponent: 0 };
        }
        let exponent = exponent.parse::<i64>().unwrap_or_default();
        Self { is_negative: text.starts_with('-'), digits, exponent: exponent + zeros - places }
    }
}

/// The text of a number, in quotes or not; `None` for any other value.
pub(super) fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Tagged(tagged) => tagged.value.as_str()?.to_owned(),
        _ => return None,
    };
    if Number::parse(&text).is_some() { Some(text) } else { None }
}

/// `true` if two numbers have the same digits.
pub(super) fn are_equal(one: &str, other: &str) -> bool {
    Decimal::of(one) == Decimal::of(other)
}

/// The tag of numbers as text.
const TAG: &str = "!number";

/// The character before the text of a number while a body is parsed. JSON does not allow it in a string without an
/// escape.
const MARK: char = '\u{1}';

/// Parses JSON. A number that would lose digits becomes its text, with a tag.
pub(super) fn parse(json: &str) -> serde_json::Result<Value> {
    let marked = marked(json);
    let mut body = match &marked {
        None => serde_json::from_str(json)?,
        // The positions in an error are those of the original text.
        Some(marked) => serde_json::from_str(marked).or_else(|_| serde_json::from_str(json))?,
    };
    if marked.is_some() {
        tag_numbers(&mut body);
    }
    Ok(body)
}

/// The text in which each number that would lose digits is a string with a mark; `None` if there is no such number.
fn marked(json: &str) -> Option<String> {
    let mut text = String::new();
    let mut copied = 0;
    let mut at = 0;
    let bytes = json.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(bytes, at);
                let number = &json[at..end];
                if loses_digits(number) {
                    text += &json[copied..at];
                    text += &format!("\"\\u0001{number}\"");
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    text += &json[copied..];
    Some(text)
}

/// `true` if a value would not have all digits of a number. `serde_json` reads a few numbers of 17 digits as the number
/// next to the nearest one.
fn loses_digits(text: &str) -> bool {
    let Some(number) = Number::parse(text) else { return false };
    let has_64_bits = number.integer.is_some() || number.is_unsigned;
    if has_64_bits {
        return false;
    }
    match serde_json::from_str::<f64>(text) {
        Ok(read) => !number.is_exact || read.to_bits() != number.float.to_bits(),
        Err(_) => true,
    }
}

/// The position after the number that begins at `start`.
fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() && (bytes[at].is_ascii_digit() || b"+-.eE".contains(&bytes[at])) {
        at += 1;
    }
    at
}

/// The position after the string that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Replaces strings with a mark by tagged numbers.
fn tag_numbers(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(number) = text.strip_prefix(MARK)
                && Number::parse(number).is_some()
            {
                *value = Value::Tagged(Box::new(TaggedValue { tag: Tag::new(TAG), value: number.into() }));
            }
        }
        Value::Sequence(items) => {
            for item in items {
                tag_numbers(item);
            }
        }
        Value::Mapping(entries) => {
            for value in entries.values_mut() {
                tag_numbers(value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_strings_are_those_of_the_client() {
        let table = [
            ("1", Some(Some(1))),
            ("-1.5e3", Some(None)),
            ("9223372036854775808", Some(None)),
            ("+1", None),
            (".5", None),
            ("1.", None),
            (" 1", None),
            ("1e999", None),
            ("NaN", None),
            ("0x10", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(Number::parse(text).map(|number| number.integer), expected, "{text}");
        }
    }

    #[test]
    fn lost_digits_are_recognized() {
        for (text, expected) in [
            ("0", true),
            ("-0", true),
            ("0.10", true),
            ("1e300", true),
            ("1.50e-7", true),
            ("0.1234567890123456789", false),
            ("9007199254740992", true),
            ("9007199254740993", false),
            ("1000000000000000000", true),
            ("1000000000000000001", false),
            ("123456789012345678901234567890", false),
            ("100000000000000000000000", true),
        ] {
            assert_eq!(Number::parse(text).map(|number| number.is_exact), Some(expected), "{text}");
        }
    }

    #[test]
    fn digits_of_a_body_are_kept() {
        let text = r#"{"a": 123456789012345678901, "b\"1": [0.1, -0.1234567890123456789], "c": "\u0001x", "d": 9007199254740993}"#;
        let body = parse(text).expect("JSON");
        let tagged = |value: &Value| match value {
            Value::Tagged(tagged) => tagged.value.as_str().map(str::to_owned),
            _ => None,
        };
        assert_eq!(tagged(&body["a"]).as_deref(), Some("123456789012345678901"));
        assert_eq!(tagged(&body["b\"1"][1]).as_deref(), Some("-0.1234567890123456789"));
        assert_eq!(body["b\"1"][0].as_f64(), Some(0.1));
        let misread = parse("[0.9209492421437317, 1.5]").expect("JSON");
        assert_eq!(text_of(&misread[0]).as_deref(), Some("0.9209492421437317"));
        assert_eq!((body["c"].as_str(), body["d"].as_i64()), (Some("\u{1}x"), Some(9_007_199_254_740_993)));
    }
}
