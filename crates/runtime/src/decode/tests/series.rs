//! Decoding of a series: the envelope, and the records one after another.
//!
//! Tests of single records are in `decode/tests.rs`.

use crate::decode::FieldValue;
use crate::decode::sample::{About, Level, Whole, deep_of, series_of};
use crate::decode::{
    BadRecords, Record, RecordList, RecordValue, Row, SeriesLayout, TimeField, UnknownFields, serialize_series,
    series as series_into, times,
};
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, ServiceInfo, TimeUnit, ValueType};
use crate::values::{Timestamp, Value};

/// Decodes a series of levels.
fn series(text: &str) -> Result<Whole<Level>, String> {
    series_of(text)
}

#[test]
fn envelopes() {
    let whole = r#" {"metadata": {"exchanges": ["a"]}, "data": [{"price": 1}, {"price": 2}], "more": 3} "#;
    let whole = series(whole).unwrap();
    assert_eq!(whole.data.iter().map(|level| level.price).sum::<f64>().to_bits(), 3.0_f64.to_bits());
    assert_eq!(whole.metadata.exchanges.len(), 1);
    assert_eq!(whole.unknown_fields.get("more"), Some(Value::from(3)));
    for text in [
        r#"{"data": []}"#,
        r#"{"data": [], "metadata": null}"#,
        r#"{"data": [], "metadata": {}}"#,
        r#"{"data": null}"#,
        "null",
    ] {
        let empty = series(text).unwrap();
        assert!(empty.data.is_empty() && empty.metadata.exchanges.is_empty());
    }
}

#[test]
fn broken_envelopes_are_rejected_with_their_path() {
    let table = [
        ("", "the body ends too early at line 1 column 1"),
        ("<html>", "expected an object, found `<html` at line 1 column 1"),
        ("[]", "expected an object, found a list at"),
        ("{}", "`data` is missing at line 1 column 3"),
        (r#"{"data": nul"#, "`data`: the body ends too early at"),
        (r#"{"data": {}}"#, "`data`: expected a list of records, found an object at"),
        (r#"{"data": [1]}"#, "`data[0]`: expected an object, found `1` at"),
        (r#"{"data": [{"price": 1}, null]}"#, "`data[1]`: expected an object, found `null` at"),
        (r#"{"data": [{"price": 1}, {"price": "x"}]}"#, "`data[1].price`: expected a number, found the string"),
        (r#"{"data": [{"price": 1"#, "`data[0]`: the body ends too early at line 1 column 22"),
        (r#"{"data": [{"price": 1."#, "`data[0].price`: the body ends too early at line 1 column 23"),
        (r#"{"data": [{"pri"#, "`data[0]`: the body ends too early at line 1 column 16"),
        (r#"{"data": [{"more": "a\u00"#, "`data[0].more`: the body ends too early at line 1 column 26"),
        (r#"{"data": [{"more": [{"a": -"#, "`data[0].more`: the body ends too early at line 1 column 28"),
        (r#"{"data": [{"more": nul"#, "`data[0].more`: the body ends too early at line 1 column 23"),
        (r#"{"data": [{"price": 1}]"#, "the body ends too early at line 1 column 24"),
        ("{\n\"data\": 1\n}", "`data`: expected a list of records, found `1` at line 2 column 9"),
        (r#"{"data": []}}"#, "expected the end of the body, found '}' at"),
        (r#"{"data": []} x"#, "expected the end of the body, found `x` at"),
        (r#"{"data": [], "data": []}"#, "duplicate key `data` in one object at"),
        (r#"{"data": [], "metadata": {}, "metadata": null}"#, "duplicate key `metadata` in one object at"),
        (r#"{"data": [], "metadata": 5}"#, "`metadata`: expected an object, found `5` at"),
        (r#"{"data": [], "metadata": {"exchanges": [{}]}}"#, "`metadata.exchanges[0]`: expected text, found an object"),
    ];
    for (text, expected) in table {
        let error = series(text).map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn nested_records_are_found() {
    let text = r#"{"ok": true, "result": {"count": 2, "page": {"rows": [{"price": 1}, {"price": 2}], "next": "b"},
        "about": {"exchanges": ["a"]}}, "page": 1}"#;
    let whole = deep_of::<Level>(text, BadRecords::Rejected).unwrap();
    assert_eq!((whole.data.len(), whole.metadata.exchanges.len()), (2, 1));
    let unknown = r#"{"ok": true,"result": {"count": 2,"page": {"next": "b"}},"page": 1}"#;
    assert_eq!(whole.unknown_fields.as_json(), unknown);
    for text in [r#"{"result": {"page": {"rows": []}}}"#, r#"{"result": {"about": null, "page": {"rows": []}}}"#] {
        let empty = deep_of::<Level>(text, BadRecords::Rejected).unwrap();
        assert!(empty.data.is_empty() && empty.metadata.exchanges.is_empty() && empty.unknown_fields.is_empty());
    }
}

#[test]
fn nested_records_are_written_at_their_path() {
    const SERVICE: ServiceInfo = ServiceInfo {
        envelope: Some(EnvelopeInfo { data: "result.page.rows", metadata: Some("result.about"), time: None }),
        ..ServiceInfo::new("Deep")
    };
    let text =
        r#"{"result":{"page":{"rows":[{"price":1}],"next":"b"},"about":{"exchanges":["a"]},"count":2},"ok":true}"#;
    let Whole { data, metadata, unknown_fields, .. } = deep_of::<Level>(text, BadRecords::Rejected).unwrap();
    let mut written = Vec::new();
    let serializer = &mut serde_json::Serializer::new(&mut written);
    serialize_series(
        &SeriesLayout::in_envelope(SERVICE.envelope.as_ref(), None).paths(None),
        None,
        None,
        &data,
        &RecordValue::of(&metadata),
        &unknown_fields,
        serializer,
    )
    .unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
}

#[test]
fn error_in_a_nested_record_has_its_path() {
    let table = [
        ("{}", "`result.page.rows` is missing at line 1 column 3"),
        (r#"{"result": {}}"#, "`result.page.rows` is missing at"),
        (r#"{"result.page.rows": []}"#, "`result.page.rows` is missing at"),
        (r#"{"result": 1}"#, "`result`: expected an object, found `1` at"),
        (r#"{"result": []}"#, "`result`: expected an object, found a list at"),
        (r#"{"result": {"page": 1}}"#, "`result.page`: expected an object, found `1` at"),
        (r#"{"result": {"page": {"rows": {}}}}"#, "`result.page.rows`: expected a list of records, found an object at"),
        (r#"{"result": {"page": {"rows": [{}]}}}"#, "`result.page.rows[0].price`: expected a number, found nothing"),
        (
            r#"{"result": {"page": {"rows": []}, "about": {"exchanges": 1}}}"#,
            "`result.about.exchanges`: expected a list, found `1`",
        ),
        (r#"{"result": {"page": {"rows": []}}, "result": {}}"#, "duplicate key `result` in one object at"),
        (r#"{"result": {"page": {"rows": [], "rows": []}}}"#, "`result.page`: duplicate key `rows` in one object at"),
    ];
    for (text, expected) in table {
        let error = deep_of::<Level>(text, BadRecords::Rejected).map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let text = r#"{"result": {"page": {"rows": [{"price": 1}, {"price": []}]}}}"#;
    let whole = deep_of::<Level>(text, BadRecords::Skipped).unwrap();
    assert_eq!(whole.bad_records[0].path(), "result.page.rows[1].price");
}

#[test]
fn truncated_body_is_rejected() {
    let whole = r#"{"data": [{"price": 12.5, "new": "é"}], "metadata": {"exchanges": ["a"]}}"#;
    assert!(series(whole).is_ok());
    for (end, _) in whole.char_indices() {
        assert!(series(&whole[..end]).is_err(), "{end}");
    }
}

#[test]
fn records_of_any_kind() {
    let any = series_of::<Value>(r#"{"data": [{"a": 1.50}, 2, null]}"#).unwrap();
    assert_eq!(any.data, [serde_json::json!({"a": 1.5}), Value::from(2), Value::Null]);
}

#[test]
fn long_value_in_an_error_is_truncated() {
    let text = format!(r#"{{"data": "{}"}}"#, "y".repeat(10_000));
    assert!(series(&text).is_err_and(|error| error.len() < 400));
}

#[test]
fn seventeen_digits_round_trip() {
    let mut bits: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut numbers = vec![f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e23, 9_007_199_254_740_993.0, 0.1];
    while numbers.len() < 20_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.push(f64::from_bits(bits));
    }
    numbers.retain(|number| number.is_finite());
    let records: Vec<_> = numbers.iter().map(|number| format!(r#"{{"price": {number:.16e}}}"#)).collect();
    let series = series(&format!(r#"{{"data": [{}]}}"#, records.join(","))).unwrap();
    assert_eq!(series.data.len(), numbers.len());
    for (level, number) in series.data.iter().zip(&numbers) {
        assert_eq!(level.price.to_bits(), number.to_bits());
    }
}

/// A record with a timestamp and an optional number.
struct Point {
    time: Timestamp,
    ratio: Option<f64>,
    unknown_fields: UnknownFields,
}

impl Record for Point {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "Point",
        &[
            FieldInfo::new("time", "time", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
            FieldInfo { optional: true, ..FieldInfo::new("ratio", "ratio", ValueType::Number, Evidence::Documented) },
        ],
    );
}

crate::fields!(Point => time = 0, ratio = 1);

#[test]
fn records_are_counted_as_long_as_none_has_a_known_field_besides_its_time() {
    const TIMED: &EnvelopeInfo = &EnvelopeInfo { data: "data", metadata: None, time: Some("time") };
    for (records, expected) in [
        (r#"{"time": 1, "a": 1}, {"time": 2, "b": 1}"#, 2),
        (r#"{"time": 1, "a": 1}, {"time": 2, "ratio": 1}"#, 0),
        (r#"{"time": 1, "ratio": 1, "a": 1}, {"time": 2, "b": 1}"#, 0),
        (r#"{"time": 1, "ratio": null, "a": 1}"#, 0),
        (r#"{"time": 1}"#, 0),
        ("", 0),
    ] {
        let (text, mut points) = (format!(r#"{{"data": [{records}]}}"#), Vec::<Point>::new());
        let rest = series_into::<About>(
            &text,
            SeriesLayout::in_envelope(Some(TIMED), None),
            Point::INFO.into(),
            BadRecords::Rejected,
            &mut points,
        );
        assert_eq!(rest.map(|(_, rest)| rest.unrecognized), Ok(expected), "{records}");
    }
}

#[test]
fn metadata_object_may_be_absent() {
    const NESTED: &EnvelopeInfo = &EnvelopeInfo { data: "rows", metadata: Some("info.about"), time: None };
    let read = |info: &str| {
        let (text, mut levels) = (format!(r#"{{"rows": [], "info": {info}}}"#), Vec::<Level>::new());
        let rest = series_into::<About>(
            &text,
            SeriesLayout::in_envelope(Some(NESTED), None),
            Level::INFO.into(),
            BadRecords::Rejected,
            &mut levels,
        );
        rest.map(|(metadata, _)| metadata.exchanges).map_err(|error| error.to_string())
    };
    assert_eq!(read("null"), Ok(Vec::new()));
    assert_eq!(read(r#"{"about": {"exchanges": ["a"]}}"#), Ok(vec!["a".to_owned()]));
    for (info, found) in [("5", "`5`"), ("true", "`true`"), (r#""x""#, "the string \"x\"")] {
        let error = read(info).unwrap_err();
        assert!(error.starts_with(&format!("`info`: expected an object, found {found}")), "{error}");
    }
}

/// Counts the records, and stores each number of records for which memory is reserved.
#[derive(Default)]
struct Room {
    records: usize,
    reserved: Vec<usize>,
}

impl RecordList for Room {
    fn push(&mut self, row: &mut Row<'_>) {
        self.records += usize::from(row.take::<f64, ()>(0) > 0.0);
    }

    fn reserve(&mut self, records: usize) {
        self.reserved.push(records);
    }

    fn count(&self) -> usize {
        self.records
    }

    fn get(&self, _: usize) -> Option<FieldValue<'_>> {
        None
    }
}

/// The number of records is estimated from the length of the first record. If that record is short and the body is
/// large, not too much memory may be reserved.
#[test]
fn capacity_is_reserved_once_and_limited_to_a_page() {
    for (records, expected) in [(1, 0), (500, 499), (5000, 1000)] {
        let text = format!(r#"{{"data": [{}]}}"#, vec![r#"{"price": 1}"#; records].join(","));
        let mut room = Room::default();
        let envelope = Some(&EnvelopeInfo { data: "data", metadata: None, time: None });
        series_into::<About>(
            &text,
            SeriesLayout::in_envelope(envelope, None),
            Level::INFO.into(),
            BadRecords::Rejected,
            &mut room,
        )
        .unwrap();
        assert_eq!((room.records, room.reserved), (records, vec![expected]));
    }
}

#[test]
fn body_without_records_is_an_error() {
    for (text, expected) in [
        ("{}", true),
        (r#"{"message": "no"}"#, true),
        (r#"{"data": [], "metadata": 5}"#, false),
        (r#"{"data": [{}]}"#, false),
        (r#"{"data": []"#, false),
    ] {
        let envelope = Some(&EnvelopeInfo { data: "data", metadata: Some("metadata"), time: None });
        let mut levels = Vec::<Level>::new();
        let error = series_into::<About>(
            text,
            SeriesLayout::in_envelope(envelope, None),
            Level::INFO.into(),
            BadRecords::Rejected,
            &mut levels,
        );
        assert_eq!(error.unwrap_err().lacks_data(), expected, "{text}");
    }
}

#[test]
fn untyped_record_has_a_time_with_a_fraction() {
    let records = ["1700000000.5", "1700000000", r#""1700000000.25""#, "null", r#""soon""#];
    let records = records.map(|at| format!(r#"{{"at":{at}}}"#).parse::<Value>().unwrap());
    let millis = [Some(1_700_000_000_500), Some(1_700_000_000_000), Some(1_700_000_000_250), None, None];
    let read = times(&records, Some(TimeField { name: "at", unit: TimeUnit::Seconds }));
    assert_eq!(read, millis.map(|millis| millis.map(Timestamp::from_unix_millis)));
}
