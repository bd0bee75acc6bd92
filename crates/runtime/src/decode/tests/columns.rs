//! Series whose records are columns: an object with a list for each field.

use crate::decode::{
    AnyRecord, BadRecord, BadRecords, DecodeError, EnvelopeRest, FieldValue, SeriesLayout, UnknownFields,
    serialize_series, series,
};
use crate::registry::{Evidence, FieldInfo, RecordInfo, RecordLayout, TimeUnit, ValueType};
use crate::values::Value;

static CANDLE: RecordInfo = RecordInfo::new(
    "Candle",
    &[
        FieldInfo::new("ticks", "ticks", ValueType::Timestamp(TimeUnit::Milliseconds), Evidence::Documented),
        FieldInfo::new("close", "close", ValueType::Number, Evidence::Documented),
        FieldInfo::new("volume", "volume", ValueType::Number, Evidence::Documented).optional(true).quoted(true),
    ],
)
.layout(RecordLayout::Columns);

type Read = (Vec<AnyRecord>, UnknownFields, EnvelopeRest);

fn read(text: &str, data: &'static str, bad_records: BadRecords) -> Result<Read, DecodeError> {
    let mut records: Vec<AnyRecord> = Vec::new();
    let (metadata, rest) =
        series(text, SeriesLayout::in_envelope(None, Some(data)), Some(&CANDLE), bad_records, &mut records)?;
    Ok((records, metadata, rest))
}

fn written(data: &'static str, (records, metadata, rest): &Read) -> Value {
    let mut written = Vec::new();
    let paths = SeriesLayout::in_envelope(None, Some(data)).paths(rest.key.as_deref());
    let serializer = &mut serde_json::Serializer::new(&mut written);
    serialize_series(&paths, Some(&CANDLE), None, records, metadata, &rest.unknown_fields, serializer).unwrap();
    serde_json::from_slice(&written).unwrap()
}

#[test]
fn columns_become_records_and_are_written_back() {
    for (data, text, records) in [
        (".", r#"{"ticks":[1000,2000],"close":[1.5,2],"volume":["0.10",null],"status":"ok"}"#, 2),
        (".", r#"{"ticks":[1000],"close":[1.5],"status":"ok","notes":[]}"#, 1),
        ("a.result", r#"{"a":{"result":{"ticks":[1000,2000],"close":[1.5,2],"status":"ok"},"b":1},"c":2}"#, 2),
        ("*", r#"{"BTC":{"ticks":[1000],"close":[1.5]},"last":7}"#, 1),
        (".", r#"{"ticks":[],"close":[],"volume":[],"status":"no_data","notes":[]}"#, 0),
        (".", r#"{"ticks":null,"close":null,"volume":[],"status":"no_data"}"#, 0),
        (".", r#"{"ticks":[1000,2000],"close":[1.5,2],"volume":null,"trades":[7,[1]],"status":"ok"}"#, 2),
    ] {
        let read = read(text, data, BadRecords::Rejected).unwrap();
        assert_eq!((read.0.len(), read.2.is_empty), (records, records == 0), "{text}");
        assert_eq!(written(data, &read), serde_json::from_str::<Value>(text).unwrap());
    }
    let (records, _, rest) =
        read(r#"{"close": [1.5, 2], "ticks": [1000, 2000], "status": "ok"}"#, ".", BadRecords::Rejected).unwrap();
    assert_eq!(serde_json::to_string(&records[1]).unwrap(), r#"{"ticks":2000,"close":2}"#);
    assert_eq!(rest.unknown_fields.as_json(), r#"{"status": "ok"}"#);
}

#[test]
fn members_that_no_value_can_represent_are_written_back_with_the_others() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200));
    for (member, expected) in [("1e999", "1e999"), (r#""\ud83d""#, r#""\ud83d""#), (&deep, &deep)] {
        let text = format!(r#"{{"ticks":[1000],"close":[1.5],"status":"ok","other":{member}}}"#);
        let written = written(".", &read(&text, ".", BadRecords::Rejected).unwrap());
        assert_eq!((&written["status"], &written["other"]), (&Value::from("ok"), &Value::from(expected)));
        assert_eq!(written["close"], json("[1.5]"));
    }
}

#[test]
fn broken_columns_are_rejected_with_their_path() {
    for (data, text, expected) in [
        (".", "1", "expected a list of records, found `1` at line 1 column 1"),
        (".", r#"{"s": "no_data"}"#, "found none of the columns"),
        (
            "a",
            r#"{"a": {"ticks": [1, 2], "close": [1]}}"#,
            r#"`a`: columns of different lengths: 2 in "ticks", 1 in "close" at line 1 column 38"#,
        ),
        (".", r#"{"ticks": [], "ticks": []}"#, "duplicate key `ticks` in one object"),
        ("a", r#"{"a": {"ticks": [1], "close": [true]}}"#, "`a[0].close`: expected a number, found `true`"),
        (".", r#"{"ticks": [1, 2]}"#, "`[0].close`: expected a number, found nothing"),
        (".", r#"{"ticks": [1, 2"#, "the body ends too early"),
    ] {
        let error = read(text, data, BadRecords::Rejected).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn bad_record_has_the_values_of_its_index() {
    let text = r#"{"a": {"ticks"  :  [1000, 2000], "close": [1.5, "x"], "volume": ["1", "2"]}}"#;
    let (records, _, EnvelopeRest { bad_records, .. }) = read(text, "a", BadRecords::Skipped).unwrap();
    let [BadRecord { index, text, .. }] = bad_records.as_slice() else { panic!("{bad_records:?}") };
    assert_eq!((records.len(), *index, text.as_str()), (1, 1, r#"{"ticks":2000,"close":"x","volume":"2"}"#));
    assert_eq!(bad_records[0].path(), "a[1].close");
    assert!(
        AnyRecord::lenient(&CANDLE, text).is_some_and(|record| record.value("close").is_some_and(FieldValue::is_null))
    );
}

#[test]
fn white_space_and_names_are_not_copied_into_every_record() {
    let (space, name, values) = (" ".repeat(1_000_000), "n".repeat(1_000_000), vec!["1"; 100_000].join(","));
    let text = format!(r#"{{"ticks"{space}:[{values}],"close":{space}[{values}],"{name}":[{values}]}}"#);
    let (records, _, rest) = read(&text, ".", BadRecords::Rejected).unwrap();
    assert_eq!((records.len(), rest.unknown_fields.len()), (100_000, 1));
}

#[test]
fn unlisted_column_is_an_unknown_field_of_each_record() {
    let text = r#"{"trades": [7, {"a": 1}], "ticks": [1000, 2000], "close": [1.5, 2], "notes": [1]}"#;
    let (records, _, rest) = read(text, ".", BadRecords::Rejected).unwrap();
    let unknown: Vec<_> = records.iter().filter_map(AnyRecord::unknown_fields).map(UnknownFields::as_json).collect();
    assert_eq!(unknown, [r#"{"trades":7}"#, r#"{"trades":{"a": 1}}"#]);
    assert_eq!(rest.unknown_fields.as_json(), r#"{"notes": [1]}"#);
}

#[test]
fn misfits_of_columns_are_counted() {
    static FEE: RecordInfo =
        RecordInfo::new("Fee", &[FieldInfo::new("fee", "fee", ValueType::Number, Evidence::Reported).optional(true)])
            .layout(RecordLayout::Columns);
    let (mut records, layout) = (Vec::<AnyRecord>::new(), SeriesLayout::in_envelope(None, Some(".")));
    let text = r#"{"fee": [1, "x", null, [2]]}"#;
    let (_, rest) = series::<UnknownFields>(text, layout, Some(&FEE), BadRecords::Rejected, &mut records).unwrap();
    assert_eq!((records.len(), rest.misfits), (4, 2));
}

#[test]
fn invalid_json_in_a_column_has_its_line_and_column() {
    let text = "{\"ticks\": [1, 2],\n \"close\": [1, 1e999]}";
    let error = read(text, ".", BadRecords::Rejected).map(drop).unwrap_err().to_string();
    assert_eq!(error, "`[1].close`: the number `1e999` is out of range at line 2 column 15");
}

#[test]
fn record_that_is_not_an_object_becomes_null_in_each_column() {
    let records = [json(r#"{"ticks": 1}"#), json("2")];
    let mut written = Vec::new();
    let paths = SeriesLayout::in_envelope(None, Some("a")).paths(None);
    let unknown = UnknownFields::default();
    let serializer = &mut serde_json::Serializer::new(&mut written);
    serialize_series(&paths, Some(&CANDLE), None, &records, &unknown, &unknown, serializer).unwrap();
    assert_eq!(json(&String::from_utf8(written).unwrap()), json(r#"{"a": {"ticks": [1, null]}}"#));
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
