//! Any body is either read as `serde_json` reads it, or rejected with an error that points into the body.

use std::fmt::Display;

use serde_core::de::IgnoredAny;

use crate::decode::sample::{Every, Level, Whole, series_of};
use crate::decode::{Record, UnknownFields};
use crate::send::Body;
use crate::values::{Timestamp, Value};

/// Checks that the decoded values equal those of `serde_json` for the same text; numbers must be equal bit by bit.
///
/// # Panics
///
/// If the property is violated.
pub fn envelope(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let expected = serde_json::from_str::<Value>(text).ok();
    match (Value::decode(text), &expected) {
        (Ok(value), Some(expected)) => assert_same(&value, expected),
        (Err(error), None) => assert_points_into(text, &error),
        (value, expected) => panic!("read as {value:?}, expected {expected:?}"),
    }
    match (series_of::<Value>(text), &expected) {
        (Ok(whole), Some(expected)) => {
            assert_same(&Value::from(whole.data.clone()), &Value::from(records_in(expected)));
            assert_around(&whole, expected);
        }
        (Ok(_), None) => assert_grammar(text),
        (Err(error), expected) => {
            assert_points_into(text, &error);
            assert!(may_refuse(expected.as_ref(), &error), "{error}");
        }
    }
    match (series_of::<Every>(text), &expected) {
        (Ok(whole), Some(expected)) => {
            let records = records_in(expected);
            assert_eq!(whole.data.len(), records.len());
            for (record, expected) in whole.data.iter().zip(&records) {
                assert_every(record, expected);
            }
            assert_around(&whole, expected);
        }
        (Ok(_), None) => assert_grammar(text),
        (Err(error), _) => assert_points_into(text, &error),
    }
}

/// Returns the records of a body that was accepted; `null` in place of them, or of the object around them, means that
/// there are none.
fn records_in(expected: &Value) -> Vec<Value> {
    match &expected["data"] {
        Value::Null => Vec::new(),
        records => records.as_array().expect("a list of records").clone(),
    }
}

/// Asserts that a body is valid JSON; used for accepted bodies that no `Value` can represent.
fn assert_grammar(text: &str) {
    assert!(serde_json::from_str::<IgnoredAny>(text).is_ok(), "{text} is not JSON");
}

/// Returns whether the decoder may reject a body with this error. A body with a list at `data` may be rejected only
/// because of a duplicate key or its metadata, because each record may be any value.
fn may_refuse(expected: Option<&Value>, error: &str) -> bool {
    let is_series = matches!(expected, Some(expected) if expected["data"].is_array());
    !is_series || error.contains("duplicate key") || error.starts_with("`metadata")
}

/// Asserts that an error is short, and that its line and column are in the body.
fn assert_points_into(text: &str, error: &impl Display) {
    let error = error.to_string();
    assert!(error.len() < 700 && !error.contains('\n'), "{error}");
    // The error for a value of the wrong type has a JSON path instead of a position.
    let Some((_, position)) = error.rsplit_once(" at line ") else {
        return assert!(error.starts_with('`'), "{error}");
    };
    let (line, column) = position.split_once(" column ").expect("a column");
    let line: usize = line.parse().expect("a number");
    let column: usize = column.parse().expect("a number");
    let line = text.split('\n').nth(line - 1).expect("a line of the body");
    assert!((1..=line.chars().count() + 1).contains(&column), "{error}");
}

fn assert_around<T>(whole: &Whole<T>, expected: &Value) {
    let exchanges = &expected["metadata"]["exchanges"];
    let listed: Vec<_> = items(exchanges).iter().map(text_of).collect();
    assert_eq!(whole.metadata.exchanges, listed);
    assert_unknown(&whole.unknown_fields, expected, &["data", "metadata"]);
}

/// The items of a list; none for any other value.
fn items(list: &Value) -> &[Value] {
    match list {
        Value::Array(items) => items,
        _ => &[],
    }
}

/// Asserts that every field has its value in the object, and that no value of the object is lost.
fn assert_every(record: &Every, expected: &Value) {
    assert_time(record.time, &expected["time"]);
    assert_number(record.number, &expected["number"]);
    assert_eq!(Some(record.integer), integer_of(&expected["integer"]));
    assert_eq!(Some(record.count), count_of(&expected["count"]));
    assert_eq!(Some(record.flag), expected["flag"].as_bool());
    assert_eq!(record.text, text_of(&expected["text"]));
    assert_eq!(record.side.0, text_of(&expected["side"]));
    match record.maybe {
        Some(number) => assert_number(number, &expected["maybe"]),
        None => assert!(expected["maybe"].is_null()),
    }
    assert_same(record.any.as_ref().unwrap_or(&Value::Null), &expected["any"]);
    let levels = items(&expected["levels"]);
    assert_eq!(record.levels.len(), levels.len());
    for (level, expected) in record.levels.iter().zip(levels) {
        assert_level(level, expected);
    }
    match &record.best {
        Some(level) => assert_level(level, &expected["best"]),
        None => assert!(expected["best"].is_null()),
    }
    let grid = items(&expected["grid"]);
    assert_eq!(record.grid.len(), grid.len());
    for (line, expected) in record.grid.iter().zip(grid) {
        let expected = expected.as_array().expect("a list");
        assert_eq!(line.len(), expected.len());
        for (number, expected) in line.iter().zip(expected) {
            assert_number(*number, expected);
        }
    }
    assert_eq!(record.escaped, expected["a\\n"].as_bool());
    let known: Vec<_> = Every::INFO.fields.iter().map(|field| field.wire_name).collect();
    assert_unknown(&record.unknown_fields, expected, &known);
}

/// Asserts that a time is that of a number of seconds. `serde_json` reads a fraction as a float, so the times may differ by
/// the error of this float.
#[allow(clippy::cast_precision_loss, reason = "the tolerance includes the error of the cast")]
fn assert_time(time: Timestamp, expected: &Value) {
    if let Some(seconds) = integer_of(expected) {
        return assert_eq!(time, Timestamp::from_unix_seconds(seconds));
    }
    let seconds = match expected {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    let seconds: f64 = seconds.expect("a number of seconds");
    let tolerance = 1e-9 + seconds.abs() * 4.0 * f64::EPSILON;
    let read = time.unix_seconds() as f64 + f64::from(time.subsec_nanos()) / 1e9;
    assert!((read - seconds).abs() <= tolerance, "{time:?} for {expected}");
}

fn assert_level(level: &Level, expected: &Value) {
    assert_number(level.price, &expected["price"]);
    assert_unknown(&level.unknown_fields, expected, &["price"]);
}

fn assert_unknown(unknown: &UnknownFields, expected: &Value, known: &[&str]) {
    let mut others = expected.as_object().cloned().unwrap_or_default();
    others.retain(|key, _| !known.contains(&key.as_str()));
    assert_eq!(unknown.len(), others.len());
    for (key, expected) in &others {
        assert_same(&unknown.get(key).expect("a kept field"), expected);
    }
}

fn assert_number(number: f64, expected: &Value) {
    let expected = match expected {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    assert!(number.is_finite());
    assert_eq!(Some(number.to_bits()), expected.map(f64::to_bits));
}

/// Returns the integer of a JSON value that is a number or a string; `None` if the conversion would lose digits.
// The cast is exact, because only whole numbers with an absolute value below 2^53 are cast.
#[allow(clippy::cast_possible_truncation)]
fn integer_of(value: &Value) -> Option<i64> {
    let written = match value {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    if let Some(integer) = written.as_i64() {
        return Some(integer);
    }
    let number = written.as_f64()?;
    let is_whole = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    if is_whole { Some(number as i64) } else { None }
}

fn count_of(value: &Value) -> Option<u64> {
    let written = match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    };
    match written {
        Some(count) => Some(count),
        None => integer_of(value)?.try_into().ok(),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Asserts that two values are equal, where zero and negative zero are different.
fn assert_same(value: &Value, expected: &Value) {
    match (value, expected) {
        (Value::Array(values), Value::Array(expected)) => {
            assert_eq!(values.len(), expected.len());
            for (value, expected) in values.iter().zip(expected) {
                assert_same(value, expected);
            }
        }
        (Value::Object(values), Value::Object(expected)) => {
            assert_eq!(values.len(), expected.len());
            for (key, expected) in expected {
                assert_same(values.get(key).expect("the same keys"), expected);
            }
        }
        (Value::Number(number), Value::Number(other)) => {
            assert_eq!((number.as_i64(), number.as_u64()), (other.as_i64(), other.as_u64()));
            assert_eq!(number.as_f64().map(f64::to_bits), other.as_f64().map(f64::to_bits));
        }
        _ => assert_eq!(value, expected),
    }
}
