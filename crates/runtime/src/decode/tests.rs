//! Values of one record that the decoder accepts or rejects, and the messages of its errors.
//!
//! The tests also pass with `--features __json-features`. They do not depend on the catalogue, because they describe
//! their own service.

mod column_names;
mod columns;
mod forms;
mod groups;
mod json_paths;
mod missing;
mod other_members;
mod other_names;
mod series;
mod written_forms;

use super::RecordValue;
use super::sample::{Every, Side};
use crate::send::Body;
use crate::values::{Timestamp, Value};

/// Decodes a record in which one entry is replaced by one or more others.
fn check(entry: &str) -> Result<Every, String> {
    let plain = [
        ("time", "1700000000"),
        ("number", "0.5"),
        ("integer", "-7"),
        ("count", "7"),
        ("flag", "true"),
        ("text", r#""t""#),
        ("side", r#""buy""#),
    ];
    let kept = plain.iter().filter(|(name, _)| !entry.starts_with(&format!("\"{name}\"")));
    let mut entries: Vec<_> = kept.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    entries.extend(Some(entry.to_owned()).filter(|entry| !entry.is_empty()));
    Every::decode(&format!("{{{}}}", entries.join(", "))).map_err(|error| error.to_string())
}

#[test]
fn a_record_that_serde_writes_is_one_that_it_reads() {
    for entry in [
        "",
        r#""any": {"a": [1.5, null]}"#,
        r#""levels": [{"price": 1, "new": 2}], "best": {"price": 0.1}"#,
        r#""count": 18446744073709551615, "maybe": 1e-7, "grid": [[], [1, 0.30000000000000004]]"#,
        r#""text": "\u00e9 \" \n", "more": {"b": 1e999}"#,
    ] {
        let record = check(entry).expect("a record");
        let text = serde_json::to_string(&record).expect("a text");
        assert_eq!(serde_json::from_str::<Every>(&text).ok().as_ref(), Some(&record), "{text}");
    }
}

#[test]
fn records_are_equal_if_all_their_values_are() {
    let plain = check("").expect("a record");
    let differences = [
        r#""time": 1700000001"#,
        r#""number": 0.25"#,
        r#""integer": 7"#,
        r#""count": 8"#,
        r#""flag": false"#,
        r#""text": "u""#,
        r#""side": "sell""#,
        r#""maybe": 0"#,
        r#""any": 0"#,
        r#""levels": [{"price": 1}]"#,
        r#""best": {"price": 1}"#,
        r#""grid": [[]]"#,
        r#""new": 0"#,
    ];
    for difference in differences {
        let other = check(difference).expect("a record");
        assert_ne!(other, plain, "{difference}");
        assert_eq!(other, check(difference).expect("the same again"), "{difference}");
    }
    assert_ne!(check(r#""best": {"price": 1}"#), check(r#""best": {"price": 2}"#));
    assert_ne!(check(r#""best": {"price": 1}"#), check(r#""best": {"price": 1, "new": 0}"#));
}

#[test]
fn numbers_in_text_are_accepted() {
    for text in ["1.7e9", "1700000000.0", "\"1700000000\"", "\"1.7e9\"", "17E8"] {
        let record = check(&format!("\"time\": {text}"));
        assert_eq!(record.map(|record| record.time), Ok(Timestamp::from(1_700_000_000)), "{text}");
    }
    for (text, expected) in [("2", 2.0), ("\"2.5\"", 2.5), ("-0.0", 0.0), ("\"-1e-3\"", -0.001)] {
        assert_eq!(check(&format!("\"number\": {text}")).map(|record| record.number), Ok(expected));
    }
    for (text, expected) in
        [("18446744073709551615", u64::MAX), ("5000000000", 5_000_000_000), ("0.0", 0), ("\"12\"", 12)]
    {
        assert_eq!(check(&format!("\"count\": {text}")).map(|record| record.count), Ok(expected));
    }
    assert_eq!(check(r#""text": 12"#).map(|record| record.text), Ok("12".to_owned()));
    // Strings with escapes are read by the same rules.
    assert_eq!(check(r#""number": "\u0032.5""#).map(|record| record.number), Ok(2.5));
    assert_eq!(check(r#""text": "say \"a\\""#).map(|record| record.text), Ok(r#"say "a\"#.to_owned()));
    assert_eq!(check(r#""side": 3"#).map(|record| record.side), Ok(Side::from("3")));
}

#[test]
fn zero_keeps_its_sign() {
    for text in ["-0", "-0.0", "\"-0\""] {
        let record = check(&format!("\"number\": {text}"));
        assert!(record.is_ok_and(|record| record.number.is_sign_negative()), "{text}");
    }
}

#[test]
fn optional_fields_may_be_absent() {
    for entry in ["", r#""maybe": null, "any": null, "levels": null, "best": null, "grid": null"#] {
        let record = check(entry).unwrap();
        assert_eq!((record.maybe, record.any, record.best), (None, None, None));
        assert!(record.levels.is_empty() && record.grid.is_empty());
        assert!(record.unknown_fields.is_empty());
    }
}

#[test]
fn nested_values() {
    let record = check(r#""levels": [{"price": "1"}, {"price": 2, "new": 3}], "grid": [[], [1, 2.5]]"#);
    let record = record.unwrap();
    assert_eq!(record.levels[0].price.to_bits(), 1.0_f64.to_bits());
    assert_eq!(record.levels[1].unknown_fields.get("new"), Some(Value::from(3)));
    assert_eq!(record.grid, [vec![], vec![1.0, 2.5]]);
}

#[test]
fn unknown_fields_are_kept() {
    let record = check(r#""z": {"b": [1, 2.50, -3, 1e2, null, "t"], "a": true}, "esc\n": 1, "z": 2"#);
    let record = record.unwrap();
    let kept: Vec<_> = record.unknown_fields.iter().collect();
    assert_eq!(kept, [("z".into(), Value::from(2)), ("esc\n".into(), Value::from(1))]);
    let any = check(r#""any": {"b": [1, 2.50, -3, 1e2, null, "t"], "a": true}"#).unwrap().any;
    let expected = serde_json::json!({"a": true, "b": [1, 2.5, -3, 100.0, null, "t"]});
    assert_eq!(any, Some(expected));
}

#[test]
fn escaped_keys_are_compared_unescaped() {
    let record = check(r#""grid": [], "a\n": 1, "a\\n": true"#).unwrap();
    assert_eq!((record.escaped, record.unknown_fields.get("a\n")), (Some(true), Some(Value::from(1))));
    assert_eq!(check(r#""m\u0061ybe": 2"#).map(|record| record.maybe), Ok(Some(2.0)));
    // A key that only begins like the expected key is a different key.
    let level = &check(r#""levels": [{"prices": 1, "price": 2}]"#).unwrap().levels[0];
    assert_eq!((level.price.to_bits(), level.unknown_fields.get("prices")), (2.0_f64.to_bits(), Some(Value::from(1))));
}

#[test]
fn mismatches_name_field_and_value() {
    let long = "x".repeat(100);
    let table = [
        (r#""time": 1e300"#, "`time`: expected a timestamp as a number, found `1e300`"),
        (r#""time": "soon""#, r#"`time`: expected a timestamp as a number, found the string "soon""#),
        (r#""time": null"#, "`time`: expected a timestamp as a number, found `null`"),
        (r#""number": null"#, "`number`: expected a number, found `null`"),
        (r#""number": "NaN""#, r#"`number`: expected a number, found the string "NaN""#),
        (r#""number": "-inf""#, r#"`number`: expected a number, found the string "-inf""#),
        (r#""number": "1e999""#, r#"`number`: expected a number, found the string "1e999""#),
        (r#""number": true"#, "`number`: expected a number, found `true`"),
        (r#""number": [1]"#, "`number`: expected a number, found a list"),
        (r#""number": {"a": 1}"#, "`number`: expected a number, found an object"),
        (r#""number": null, "maybe": "x""#, "`number`: expected a number, found `null`"),
        (r#""number": {}"#, "`number`: expected a number, found an object"),
        (r#""integer": 9223372036854775808"#, "`integer`: expected a whole number, found `9223372036854775808`"),
        (r#""integer": 1e300"#, "`integer`: expected a whole number, found `1e300`"),
        (r#""count": -1"#, "`count`: expected a non-negative integer, found `-1`"),
        (r#""flag": "true""#, r#"`flag`: expected `true` or `false`, found the string "true""#),
        (r#""text": 1.5"#, "`text`: expected text, found `1.5`"),
        (r#""maybe": "x""#, r#"`maybe`: expected a number, found the string "x""#),
        (r#""levels": {}"#, "`levels`: expected a list, found an object"),
        (r#""levels": [{"price": 1}, {}]"#, "`levels[1].price`: expected a number, found nothing"),
        (r#""levels": [1.5]"#, "`levels[0]`: expected an object, found `1.5`"),
        (r#""levels": [[]]"#, "`levels[0]`: expected an object, found a list"),
        (r#""best": [1]"#, "`best`: expected an object, found a list"),
        (r#""best": {"price": "x"}"#, r#"`best.price`: expected a number, found the string "x""#),
        (r#""grid": [[1], [2, "x"]]"#, r#"`grid[1][1]`: expected a number, found the string "x""#),
    ];
    for (entry, expected) in table {
        assert_eq!(check(entry), Err(expected.to_owned()), "{entry}");
    }
    let expected = format!("`number`: expected a number, found the string \"{}… (100 bytes)\"", &long[..60]);
    assert_eq!(check(&format!("\"number\": \"{long}\"")), Err(expected));
}

#[test]
fn invalid_json_is_rejected_with_its_position() {
    let table = [
        (r#""number": 1e999"#, "`number`: the number `1e999` is out of range at line 1 column "),
        (r#""number": NaN"#, "`number`: expected a value, found `NaN` at "),
        (r#""number": nulL"#, "`number`: expected a value, found `nulL` at "),
        (r#""number": 01"#, "`number`: expected a number, found `01` at "),
        (r#""number": 1."#, "`number`: expected a number, found `1.` at "),
        (r#""number": 1e+"#, "`number`: expected a number, found `1e+` at "),
        (r#""number": -"#, "`number`: expected a number, found `-` at "),
        (r#""text": "\ud800""#, "`text`: invalid string at "),
        ("\"text\": \"\n\"", "`text`: invalid string at "),
        (r#""number" 1"#, "expected `:`, found `1` at "),
        (r#""number": 1,"#, "expected a key, found '}' at "),
        (r#""number": 1, "number": 2"#, "`number`: duplicate key `number` in one object at "),
        (r#""any": [-1e999]"#, "`any[0]`: the number `-1e999` is out of range at "),
        (r#""any": [1 2]"#, "`any`: expected `,` or `]`, found `2` at "),
        (r#""number": {"$serde_json::private::Number": "1"}"#, "`number`: expected a number, found an object"),
    ];
    for (entry, expected) in table {
        let error = check(entry).map(drop).unwrap_err();
        assert!(error.contains(expected), "{entry}: {error}");
    }
}

#[test]
fn deep_nesting_is_rejected() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        for name in ["any", "number", "levels", "grid"] {
            assert!(check(&format!("\"{name}\": {deep}")).is_err(), "{name}");
        }
        assert!(Value::decode(&deep).is_err());
        for (depth, is_read) in [(127, true), (128, false)] {
            let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(Value::decode(&deep).is_ok(), is_read, "{depth}");
            assert_eq!(serde_json::from_str::<Value>(&deep).is_ok(), is_read, "{depth}");
        }
    }
}

/// This test compares with `serde_json`. It is omitted with `__json-features`, because `serde_json` then does not read
/// numbers exactly.
#[cfg(not(feature = "__json-features"))]
#[test]
fn value_equals_the_one_of_serde_json() {
    const SEED: &str = r#" {"a": [0, -0, 12.5e-3, 1E+2, 123456789012345678901, 0.1234567890123456789, 1e999, []],
        "b\\\"\u00e9\ud83d\ude00": {"x": null, "y": true, "z": false}, "": "t\n\/é", "b": [{}, {"k": "v"}, "\u00e9\""]} "#;
    const BYTES: &[u8] = b"{}[]\",:.-+0123456789eEtrufalsn\\ \n\x01x";
    let mut random = fastrand::Rng::with_seed(7);
    let mut read = 0;
    for _ in 0..100_000 {
        let mut text = SEED.as_bytes().to_vec();
        for _ in 0..random.usize(0..3) {
            let at = random.usize(0..text.len());
            match random.u8(0..3) {
                0 => text[at] = BYTES[random.usize(0..BYTES.len())],
                1 => text.insert(at, BYTES[random.usize(0..BYTES.len())]),
                _ => drop(text.remove(at)),
            }
        }
        let Ok(text) = String::from_utf8(text) else { continue };
        for text in [text.replace("1e999", "1e99"), text] {
            let ours = Value::decode(&text).ok();
            assert_eq!(ours, serde_json::from_str(&text).ok(), "{text}");
            let skipped = super::scanner::read(&text, super::scanner::Scanner::skip).is_ok();
            assert_eq!(skipped, serde_json::from_str::<serde_core::de::IgnoredAny>(&text).is_ok(), "{text}");
            read += usize::from(ours.is_some());
        }
    }
    assert!(read > 10_000, "{read}");
}

#[test]
fn changed_value_is_written_instead_of_the_original() {
    for original in [r#""0.10""#, r#""1e3""#, r#""2""#, "0.10", "1e3", "2.0", "0.10000000000000001"] {
        let mut record = check(&format!(r#""maybe": {original}"#)).unwrap();
        for (value, expected) in [(Some(0.5), r#""maybe":0.5"#), (None, r#""maybe":null"#)] {
            record.maybe = value;
            let text = serde_json::to_string(&RecordValue::of(&record)).unwrap();
            assert!(text.contains(expected), "{original}: {text}");
        }
    }
}
