//! Tests that values in other forms are read, and written as the service wrote them.

use crate::decode::{self, AnyRecord, FieldValue, Item, UnknownFields};
use crate::registry::{Evidence, FieldInfo, RecordInfo, RecordLayout, TimeUnit, ValueType};
use crate::values::Value;

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented).optional(true)
}

const PAIR: &RecordInfo =
    &RecordInfo::new("Pair", &[field("bid", ValueType::Number).quoted(true), field("ask", ValueType::Number)])
        .layout(RecordLayout::Positional);

static QUOTE: RecordInfo = RecordInfo::new(
    "Quote",
    &[
        field("price", ValueType::Number).quoted(true),
        field("size", ValueType::Decimal),
        field("trades", ValueType::Count),
        field("at", ValueType::Timestamp(TimeUnit::Seconds)).quoted(true),
        field("day", ValueType::Timestamp(TimeUnit::Iso8601)),
        field("name", ValueType::String),
        field("open", ValueType::Boolean),
        field("sizes", ValueType::List(&ValueType::Decimal)),
        field("levels", ValueType::List(&ValueType::List(&ValueType::Number))).quoted(true),
        field("pairs", ValueType::List(&ValueType::Record(PAIR))),
        FieldInfo::new("fee", "fee", ValueType::Integer, Evidence::Reported).optional(true),
        FieldInfo::new("steps", "steps", ValueType::List(&ValueType::Number), Evidence::Reported).optional(true),
        field("ratio", ValueType::Number),
        field("ratios", ValueType::List(&ValueType::Number)),
        FieldInfo::new("id", "id", ValueType::Count, Evidence::Reported),
    ],
);

fn read(text: &str) -> Result<(AnyRecord, usize), String> {
    let mut row = decode::object(text, &QUOTE).map_err(|error| error.to_string())?;
    Ok((Item::from_row(&mut row), row.misfits))
}

/// The fields of the written record that are not null or empty.
fn written(record: &AnyRecord) -> Value {
    let mut value = serde_json::to_value(record).unwrap();
    let is_given = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    value.as_object_mut().unwrap().retain(|name, value| name != "id" && is_given(value));
    value
}

#[test]
fn records_are_written_as_they_came() {
    for fields in [
        r#""price": "0.10", "size": "1.50""#,
        r#""price": "0.1", "size": "123456789012345678901234567890.10""#,
        r#""price": 0.1, "size": 0.25, "trades": "7""#,
        r#""price": "1e3", "trades": 7, "at": "1700000000""#,
        r#""at": "1400949917.858329958", "day": "2024-03-01T00:00:00.000Z""#,
        r#""at": 1688669597.8277369, "day": "2024-03-01""#,
        r#""price": "", "trades": "", "at": "", "open": "", "name": """#,
        r#""name": 7, "open": false"#,
        r#""levels": [["1.10", "2"], ["3.0", 4]], "pairs": [["1.50", 2.5], [3.5, "4"]]"#,
        r#""ratio": 10.0, "ratios": [1.0, 0.0, 0.25]"#,
        r#""fee": 0.5, "steps": [1.5, "soon"], "new": {"a": ["1.0"]}"#,
        r#""fee": "soon", "steps": {}"#,
    ] {
        let text = format!(r#"{{"id": 1, {fields}}}"#);
        let (record, _) = read(&text).unwrap();
        assert_eq!(written(&record), serde_json::from_str::<Value>(&format!("{{{fields}}}")).unwrap(), "{fields}");
        let again = serde_json::to_string(&record).unwrap();
        assert_eq!(written(&read(&again).unwrap().0), written(&record), "{fields}");
    }
}

#[test]
fn omitted_fields_differ_from_null() {
    for text in [
        r#"{"id":1}"#,
        r#"{"price":null,"id":1}"#,
        r#"{"trades":30,"sizes":null,"id":1}"#,
        r#"{"sizes":[],"pairs":[["1",2],[],["1",null]],"id":1}"#,
    ] {
        let (record, misfits) = read(text).unwrap();
        assert_eq!((serde_json::to_string(&record).unwrap().as_str(), misfits), (text, 0));
        assert!(record.unknown_fields().is_some_and(UnknownFields::is_empty), "{text}");
    }
    assert_eq!(read(r#"{"id":1}"#).unwrap().0, read(r#"{"price":null,"id":1}"#).unwrap().0);
}

#[test]
fn records_are_written_with_every_digit() {
    for (came, expected) in [
        (r#""size":0.070920000000000000001"#, r#""size":"0.070920000000000000001""#),
        (r#""size":123456789012345678901234567890"#, r#""size":"123456789012345678901234567890""#),
        (r#""size":1.50"#, r#""size":"1.50""#),
        (r#""size":0.25"#, r#""size":0.25"#),
        (r#""at":1400949917.858329958"#, r#""at":"1400949917.858329958""#),
        (r#""sizes":[1.10,"2",0.070920000000000000001]"#, r#""sizes":["1.10","2","0.070920000000000000001"]"#),
    ] {
        let (record, _) = read(&format!(r#"{{"id": 1, {came}}}"#)).unwrap();
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains(came), "{text}");
        assert_eq!(read(&text).unwrap().0, record, "{text}");
        // A `Value` has one form of a number.
        let value = serde_json::to_value(&record).unwrap().to_string();
        assert!(value.contains(expected), "{value}");
        assert_eq!(read(&value).unwrap().0, record, "{value}");
    }
}

#[test]
fn numbers_keep_their_notation() {
    for fields in [
        r#""ratio":10.0"#,
        r#""ratio":0.00000895"#,
        r#""ratio":1e-08"#,
        r#""ratio":1.50"#,
        r#""ratio":-0"#,
        r#""ratio":9007199254740993"#,
        r#""ratio":0.10000000000000001"#,
        r#""trades":7.0"#,
        r#""price":"1e-08","ratio":1E3"#,
        r#""size":0.070920000000000000001"#,
        r#""at":1400949917.858329958"#,
        r#""ratios":[1.0,0.0,0.25,1e-08]"#,
        r#""levels":[[1.10,"2"],[3,"4.50"]],"pairs":[["1.50",2.50],[3.5]]"#,
        r#""fee":1e-08"#,
        r#""new":{"a":[1.0,1e-08],"b":1e999}"#,
    ] {
        let text = format!(r#"{{"id":1,{fields}}}"#);
        let (record, _) = read(&text).unwrap();
        let written = serde_json::to_string(&record).unwrap();
        assert!(fields.split_inclusive("],").all(|field| written.contains(field.trim_end_matches(','))), "{written}");
        assert_eq!(read(&written).unwrap().0, record, "{fields}");
    }
}

#[test]
fn usual_numbers_are_kept_as_numbers_alone() {
    for number in ["0", "7", "-7", "0.5", "0.00001", "123456789.012345", "0.12345678901234568", "9007199254740991"] {
        let (record, _) =
            read(&format!(r#"{{"id":1,"trades":null,"fee":null,"ratio":{number},"levels":[[{number}]]}}"#)).unwrap();
        let originals = record.unknown_fields().unwrap().originals(QUOTE.fields);
        assert!(originals.iter().all(|(name, _)| !matches!(*name, "ratio" | "id")), "{number}: {originals:?}");
    }
}

#[test]
fn originals_are_written_on_one_line() {
    let text = r#"{ "id": 1, "ratios": [ 1.0,
        2.50 ], "new": { "a b": " \" \\", "c": [ 1.0 ] } }"#;
    let written = serde_json::to_string(&read(text).unwrap().0).unwrap();
    assert!(
        written.contains(r#""ratios":[1.0,2.50]"#) && written.ends_with(r#""new":{"a b":" \" \\","c":[1.0]}}"#),
        "{written}"
    );
}

#[test]
fn values_in_other_forms_are_read() {
    let (record, _) = read(r#"{"id": 1, "price": "0.10", "size": "1.50", "at": "1.5", "trades": ""}"#).unwrap();
    let number = |name| record.value(name).and_then(FieldValue::number);
    assert_eq!((number("price"), number("size"), number("trades")), (Some(0.1), Some(1.5), None));
    let time = record.value("at").and_then(FieldValue::timestamp).unwrap();
    assert_eq!((time.unix_seconds(), time.subsec_nanos()), (1, 500_000_000));
    assert!(record.unknown_fields().is_some_and(|fields| fields.is_empty() && fields.as_json() == "{}"));
    // The form is not part of the value.
    assert_eq!(record, read(r#"{"id": 1, "price": 0.1, "size": 1.50, "at": 1.5, "trades": null}"#).unwrap().0);
    for at in ["1700000000.000000001", r#""1700000000.000000001""#] {
        let (record, _) = read(&format!(r#"{{"id": 1, "at": {at}}}"#)).unwrap();
        assert_eq!(record.value("at").and_then(FieldValue::timestamp).unwrap().subsec_nanos(), 1, "{at}");
    }
    assert!(read(r#"{"id": 1, "at": "1.0000000001"}"#).is_err());
    assert!(read(r#"{"id": 1, "at": "1700000000000.5"}"#).is_err());
}

#[test]
fn value_of_an_undocumented_type_costs_only_that_value() {
    let (record, misfits) = read(r#"{"id": 1, "price": "2", "fee": 0.5, "steps": ["a"]}"#).unwrap();
    assert_eq!((record.value("fee").map(FieldValue::is_null), misfits), (Some(true), 2));
    assert_eq!(record.unknown_fields().map(UnknownFields::as_json), Some(r#"{"fee":0.5,"steps":["a"]}"#));
    let (record, misfits) = read(r#"{"id": 1, "fee": NaN}"#).unwrap();
    assert_eq!((record.value("fee").map(FieldValue::is_null), misfits), (Some(true), 1));
    assert_eq!(record.unknown_fields().map(UnknownFields::as_json), Some(r#"{"fee":"NaN"}"#));
    for (text, expected) in [
        (r#"{"id": 1, "trades": 0.5}"#, "`trades`: expected a non-negative integer, found `0.5`"),
        (r#"{"id": -1}"#, "`id`: expected a non-negative integer, found `-1`"),
        (r#"{"id": 1, "fee": 1, "fee": 2}"#, "`fee`: duplicate key `fee` in one object at line 1 column 28"),
    ] {
        assert_eq!(read(text).map(drop), Err(expected.to_owned()));
    }
}
