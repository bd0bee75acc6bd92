//! Any number, quoted or not, is either read as `serde_json` and Rust read it, or rejected.

use crate::decode::from_decoded::FromDecoded;
use crate::decode::row::DecodedValue;
use crate::decode::sample::Level;
use crate::decode::{Record, UnknownFields};
use crate::registry::{TimeUnit, ValueType};
use crate::send::Body;
use crate::values::{Number, Timestamp, Value};

/// Checks that the result is the nearest `f64`, and that the number is read as an integer only if nothing is lost.
///
/// # Panics
///
/// If the property is violated.
pub fn number(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    match (Number::begin(text.as_bytes()), Number::length(text)) {
        (Some((_, read)), length) => assert_eq!(length, Some(read), "{text}"),
        (None, Some(length)) => assert!(text[..length].parse().is_ok_and(f64::is_infinite), "{text}"),
        (None, None) => {}
    }
    let Some(number) = Number::parse(text) else {
        assert!(!is_number(text), "the number {text:?} is rejected");
        assert!(decoded(&ValueType::Number, text).is_none() && decoded(&ValueType::Integer, text).is_none());
        return;
    };
    assert!(is_number(text), "{text:?}, which is not a number, is read as {number:?}");
    let float = number.float();
    assert!(float.is_finite());
    assert_eq!(text.parse().map(f64::to_bits), Ok(float.to_bits()), "{text}");
    assert_eq!(Number::begin(format!("{text},").as_bytes()), Some((number, text.len())));
    assert_bare_and_quoted_agree(text, float);
    assert_integer(text, number);
}

/// Returns whether a text is a JSON number in the range of `f64`.
fn is_number(text: &str) -> bool {
    let is_bare = text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) && text.trim_end() == text;
    is_bare && serde_json::from_str::<Value>(text).is_ok()
}

fn assert_bare_and_quoted_agree(text: &str, float: f64) {
    for body in [format!(r#"{{"price": {text}}}"#), format!(r#"{{"price": "{text}"}}"#)] {
        let level = Level::decode(&body).unwrap_or_else(|error| panic!("{body} for {}: {error}", Level::INFO.name));
        assert_eq!(level.price.to_bits(), float.to_bits(), "{body}");
        // The text is kept if it would be written with other characters. It may also be kept if only formatting the number
        // could show that, such as `1e-8`.
        let fresh = Level { price: float, unknown_fields: UnknownFields::default() };
        let [written, usual] = [&level, &fresh].map(|level| serde_json::to_string(level).unwrap_or_default());
        assert_eq!(written, body.replace(": ", ":"));
        let is_kept = !level.unknown_fields.originals(Level::INFO.fields).is_empty();
        assert!(is_kept || usual == written, "{body}");
    }
}

/// Converts the content of a string to a value of a number type.
fn decoded<'a>(ty: &ValueType, text: &'a str) -> Option<DecodedValue<'a>> {
    DecodedValue::of_text(ty, text.into())
}

/// Asserts that a number converts to the nearest integer, and that an integer literal is read exactly.
// Integers below 2^53 are cast exactly; seconds of a time are compared with a tolerance.
#[allow(clippy::cast_precision_loss)]
fn assert_integer(text: &str, number: Number) {
    let read = decoded(&ValueType::Integer, text).map(|mut value| i64::from_decoded(&mut value));
    assert_eq!(read, number.integer());
    let time = decoded(&ValueType::Timestamp(TimeUnit::Seconds), text);
    let time = time.map(|mut value| Timestamp::from_decoded(&mut value));
    match (text.split_once('.'), time) {
        (None, time) => {
            assert_eq!(
                time,
                read.map(Timestamp::from_unix_seconds).filter(|time| *time <= Timestamp::LAST_WRITABLE),
                "{text}"
            );
        }
        (Some(_), Some(time)) => {
            let error = (time.unix_seconds() as f64 - number.float()).abs();
            assert!(error <= (number.float().abs() * f64::EPSILON).max(1.0), "{text} is read as {time}");
        }
        // A fraction of a nanosecond, an exponent with a fraction, and a time after the year 9999 are rejected.
        (Some((_, fraction)), None) => {
            let is_exact = fraction.trim_end_matches('0').len() <= 9 && !fraction.contains(['e', 'E']);
            assert!(!is_exact || number.float().abs() >= Timestamp::LAST_WRITABLE.unix_seconds() as f64, "{text}");
        }
    }
    let count = decoded(&ValueType::Count, text).map(|mut value| u64::from_decoded(&mut value));
    assert_eq!(count, text.parse().ok().or(read.and_then(|read| u64::try_from(read).ok())));
    match (text.parse::<i64>().ok(), read) {
        // `-0` is stored as a float, but an integer field reads it as 0.
        (Some(written), read) => assert_eq!(read, Some(written)),
        (None, Some(read)) => {
            assert!(read.unsigned_abs() < 1 << 53, "{text}");
            assert!((number.float() - read as f64).abs() <= 0.0, "{text}");
        }
        (None, None) => {}
    }
}
