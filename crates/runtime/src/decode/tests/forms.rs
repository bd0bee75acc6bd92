//! Records whose values are listed by position, objects with arbitrary keys, values that can be null, and times that
//! are written as text.
//!
//! A value is serialized in the layout in which it was read, so each row of the tables contains an input and its
//! expected output.

#![allow(unreachable_pub, reason = "the macro writes public methods for these records too")]

use std::collections::BTreeMap;

use serde_json::json;

use crate::decode::sample::series_of;
use crate::decode::{self, Record, UnknownFields};
use crate::registry::{Evidence, FieldInfo, RecordInfo, RecordLayout, TimeUnit, ValueType};
use crate::send::Body;
use crate::values::Timestamp;

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented)
}

struct Candle {
    time: Timestamp,
    open: f64,
    trades: Option<u64>,
    unknown_fields: UnknownFields,
}

impl Record for Candle {
    const INFO: &'static RecordInfo = &RecordInfo {
        layout: RecordLayout::Positional,
        ..RecordInfo::new(
            "Candle",
            &[
                field("time", ValueType::Timestamp(TimeUnit::Milliseconds)),
                field("open", ValueType::Number),
                FieldInfo { optional: true, ..field("trades", ValueType::Count) },
            ],
        )
    };
}

crate::fields!(Candle => time = 0, open = 1, trades = 2);

struct Prices {
    value: BTreeMap<String, BTreeMap<String, Option<f64>>>,
    unknown_fields: UnknownFields,
}

impl Record for Prices {
    const INFO: &'static RecordInfo = &RecordInfo {
        layout: RecordLayout::Value,
        ..RecordInfo::new(
            "Prices",
            &[field("value", ValueType::Map(&ValueType::Map(&ValueType::Option(&ValueType::Number))))],
        )
    };
}

crate::fields!(Prices => value = 0);

struct Forecast {
    at: Timestamp,
    days: Vec<Timestamp>,
    levels: Vec<Option<f64>>,
    runs: Vec<Option<Timestamp>>,
    books: BTreeMap<String, Candle>,
    unknown_fields: UnknownFields,
}

impl Record for Forecast {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "Forecast",
        &[
            field("at", ValueType::Timestamp(TimeUnit::Iso8601)),
            field("days", ValueType::List(&ValueType::Timestamp(TimeUnit::Date))),
            field("levels", ValueType::List(&ValueType::Option(&ValueType::Number))),
            field("runs", ValueType::List(&ValueType::Option(&ValueType::Timestamp(TimeUnit::Milliseconds)))),
            field("books", ValueType::Map(&ValueType::record::<Candle>())),
        ],
    );
}

crate::fields!(Forecast => at = 0, days = 1, levels = 2, runs = 3, books = 4);

/// A record that contains a list of records of its own type.
struct Sector {
    name: String,
    parts: Vec<Sector>,
    unknown_fields: UnknownFields,
}

impl Record for Sector {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "Sector",
        &[field("name", ValueType::String), field("parts", ValueType::List(&ValueType::recursive::<Self>()))],
    );
}

crate::fields!(Sector => name = 0, parts = 1);

#[test]
fn records_in_records_of_the_same_type() {
    let leaf = r#"{"name":"c","parts":[],"new":1}"#;
    let text = format!(r#"{{"name":"a","parts":[{{"name":"b","parts":[{leaf}]}},{leaf}]}}"#);
    assert_eq!(check::<Sector>(&text), text);
    let error = check::<Sector>(r#"{"name":"a","parts":[{"name":"b","parts":[{"name":true}]}]}"#);
    assert_eq!(error, "`parts[0].parts[0].name`: expected text, found `true`");
    let deep = r#"{"name":"a","parts":["#.repeat(200);
    assert!(check::<Sector>(&deep).contains("nested too deeply"));
    assert!(format!("{:?}", Sector::INFO).len() < 10_000);
}

/// Decodes a body and returns its serialized form, or the error.
fn check<B: Body + serde_core::Serialize>(text: &str) -> String {
    match B::decode(text) {
        Ok(body) => serde_json::to_string(&body).unwrap(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn records_by_position() {
    let table = [
        (r#"[1700000000250,"1.5",3]"#, r#"[1700000000250,"1.5",3]"#),
        ("[0,1,null]", "[0,1,null]"),
        ("[0,1]", "[0,1]"),
        ("[0,-0.0,1]", "[0,-0.0,1]"),
        ("[0,1e300]", "[0,1e300]"),
        ("[0,9007199254740991]", "[0,9007199254740991]"),
        (r#"[0,1,2,"x",{"a":1}]"#, r#"[0,1,2,"x",{"a":1}]"#),
        ("[0,1,2,3,4,5]", "[0,1,2,3,4,5]"),
        ("[0]", "`[1]`: expected a number, found nothing"),
        (r#"[0,"x"]"#, r#"`[1]`: expected a number, found the string "x""#),
        ("[0,1,2.5]", "`[2]`: expected a non-negative integer, found `2.5`"),
        (r#"{"time":0}"#, "expected a list, found an object at line 1 column 1"),
        ("[0,1,2,1e+]", "`[3]`: expected a number, found `1e+` at line 1 column 8"),
    ];
    for (text, expected) in table {
        assert_eq!(check::<Candle>(text), expected, "{text}");
    }
    let candle = Candle::decode(r#"[1,2,3,"more"]"#).unwrap();
    assert_eq!(candle.unknown_fields.get("3"), Some("more".into()));
}

#[test]
fn series_of_records_by_position() {
    let series = series_of::<Candle>(r#"{"data": [[1000, 1], [2000, "2", 7, 8]]}"#).unwrap();
    let times: Vec<_> = series.data.iter().map(|candle| candle.time.unix_seconds()).collect();
    assert_eq!(times, [1, 2]);
    let error = series_of::<Candle>(r#"{"data": [[1000, 1], [2000, []]]}"#).unwrap_err();
    assert_eq!(error, "`data[1][1]`: expected a number, found a list");
}

#[test]
fn keys_can_be_data() {
    let table = [
        ("{}", "{}"),
        (r#"{"b":{"usd":1},"a":{"eur":null}}"#, r#"{"a":{"eur":null},"b":{"usd":1}}"#),
        (r#"{"a":{},"a":{"usd":2}}"#, r#"{"a":{"usd":2}}"#),
        (r#"{"a\u0062":{}}"#, r#"{"ab":{}}"#),
        (r#"{"a":{"usd":"x"}}"#, r#"`a.usd`: expected a number, found the string "x""#),
        (r#"{"a":null}"#, "`a`: expected an object, found `null`"),
        ("[]", "expected an object, found a list"),
        (r#"{"a":{"usd":1}"#, "the body ends too early at line 1 column 15"),
    ];
    for (text, expected) in table {
        assert_eq!(check::<Prices>(text), expected, "{text}");
    }
}

#[test]
fn times_as_text_and_values_that_are_null() {
    let of = |at: &str, levels: &str| {
        format!(r#"{{"at":{at},"days":["2024-03-01"],"levels":{levels},"runs":[null,250],"books":{{"x":[5000,1]}}}}"#)
    };
    let read = check::<Forecast>(&of(r#""2024-03-01T01:00:00+01:00""#, r#"[1,null,"2"]"#));
    let written = r#"{"at":"2024-03-01T01:00:00+01:00","days":["2024-03-01"],"levels":[1,null,"2"],"runs":[null,250],"books":{"x":[5000,1]}}"#;
    assert_eq!(read, written);
    assert_eq!(check::<Forecast>(written), written);
    let expected = "expected a timestamp such as `2024-03-01T00:00:00Z`, found";
    for (at, found) in [(r#""soon""#, r#"the string "soon""#), ("1709251200", "`1709251200`")] {
        assert_eq!(check::<Forecast>(&of(at, "[]")), format!("`at`: {expected} {found}"));
    }
    assert_eq!(check::<Forecast>(&of("null", "[]")), format!("`at`: {expected} `null`"));
}

#[test]
fn text_times_are_found_in_untyped_records() {
    let records = [json!({"at": "2024-03-01T00:00:00Z"}), json!({"at": 1_709_251_200}), json!({})];
    let times = |unit| decode::times(&records, Some(decode::TimeField { name: "at", unit }));
    let time = Some(Timestamp::from(1_709_251_200));
    assert_eq!(times(TimeUnit::Iso8601), [time, None, None]);
    assert_eq!(times(TimeUnit::Seconds), [None, time, None]);
}
