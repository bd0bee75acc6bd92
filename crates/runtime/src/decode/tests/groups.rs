//! Several groups of records in one body, and fields whose values are outside of the record.

use crate::decode::{
    AnyRecord, BadRecords, EnvelopeRest, FieldValue, SeriesLayout, UnknownFields, serialize_series, series,
};
use crate::registry::{Evidence, FieldInfo, FieldSource, RecordInfo, RecordLayout, TimeUnit, ValueType};
use crate::values::Value;

const KNOWN: Evidence = Evidence::Documented;

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, KNOWN)
}

const fn label(name: &'static str, ty: ValueType, path: &'static str) -> FieldInfo {
    FieldInfo { source: FieldSource::Group(path), ..field(name, ty) }
}

/// A record, and labels of the groups.
static DAY: RecordInfo = RecordInfo::new(
    "Day",
    &[
        field("day", ValueType::Timestamp(TimeUnit::Date)),
        field("downloads", ValueType::Count),
        label("package", ValueType::String, "*"),
    ],
);

static SAMPLE: RecordInfo = RecordInfo {
    layout: RecordLayout::Positional,
    ..RecordInfo::new(
        "Sample",
        &[
            field("time", ValueType::Timestamp(TimeUnit::Seconds)),
            FieldInfo { quoted: true, ..field("value", ValueType::Number) },
            label("job", ValueType::String, "metric.job"),
            FieldInfo { optional: true, ..label("zone", ValueType::String, "metric.zone") },
        ],
    )
};

static COLUMNS: RecordInfo = RecordInfo {
    layout: RecordLayout::Columns,
    ..RecordInfo::new("Columns", &[field("c", ValueType::Number), label("symbol", ValueType::String, "symbol")])
};

static PRICE: RecordInfo = RecordInfo::new(
    "Price",
    &[field("close", ValueType::Number), label("time", ValueType::Timestamp(TimeUnit::Iso8601), "*")],
);

static MONTH: RecordInfo = RecordInfo::new(
    "Month",
    &[
        field("year", ValueType::String),
        field("period", ValueType::String),
        field("value", ValueType::Number),
        FieldInfo {
            optional: true,
            source: FieldSource::Period("year", "period"),
            ..field("time", ValueType::Timestamp(TimeUnit::Date))
        },
    ],
);

struct Read {
    records: Vec<AnyRecord>,
    rest: EnvelopeRest,
    /// The series as it is written.
    written: Value,
}

fn read(text: &str, info: &'static RecordInfo, data: &'static str, bad: BadRecords) -> Result<Read, String> {
    let mut records = Vec::<AnyRecord>::new();
    let layout = SeriesLayout::in_envelope(None, Some(data));
    let read = series::<UnknownFields>(text, layout, Some(info), bad, &mut records);
    let (_, rest) = read.map_err(|error| error.to_string())?;
    let paths = layout.paths(rest.key.as_deref());
    let groups = rest.groups.as_ref();
    let unknown = &rest.unknown_fields;
    let json = serde_json::value::Serializer;
    let written = serialize_series(&paths, Some(info), groups, &records, &UnknownFields::default(), unknown, json);
    Ok(Read { written: written.map_err(|error| error.to_string())?, records, rest })
}

/// Returns the values of a field, and checks that the series is written as it was read.
fn values(text: &str, info: &'static RecordInfo, data: &'static str, name: &str) -> Vec<String> {
    let Read { records, written, .. } = read(text, info, data, BadRecords::Rejected).expect("a series");
    assert_eq!(written, text.parse::<Value>().expect("JSON"));
    let values = records.iter().map(|record| match record.value(name) {
        Some(FieldValue::Text(text)) => text.to_owned(),
        Some(FieldValue::Timestamp(time)) => time.to_string(),
        Some(FieldValue::Number(number)) => number.to_string(),
        Some(FieldValue::Null) => "null".to_owned(),
        other => format!("{other:?}"),
    });
    values.collect()
}

#[test]
fn members_of_an_object_are_groups() {
    let text = r#"{"one": {"downloads": [{"downloads": 1, "day": "2024-01-01"}, {"downloads": 2, "day": "2024-01-02"}],
        "package": "one", "end": "2024-01-02"}, "none": null, "two": {"downloads": [{"downloads": 3, "day": "2024-01-01"}]}}"#;
    assert_eq!(values(text, &DAY, "*.downloads", "package"), ["one", "one", "two"]);
    assert_eq!(values("{}", &DAY, "*.downloads", "package"), Vec::<String>::new());
}

#[test]
fn items_of_a_list_are_groups_whose_labels_may_be_after_the_records() {
    let text = r#"{"status": "ok", "data": {"kind": "matrix", "result": [
        {"values": [[1700000000, "1"], [1700000060, "2"]], "metric": {"job": "node", "zone": "a"}},
        {"metric": {"job": "web"}, "values": [[1700000000, "3.50"]]},
        {"metric": {"job": "idle"}, "values": []}]}}"#;
    assert_eq!(values(text, &SAMPLE, "data.result.*.values", "job"), ["node", "node", "web"]);
    assert_eq!(values(text, &SAMPLE, "data.result.*.values", "zone"), ["a", "a", "null"]);
    let empty = r#"{"data": {"result": []}}"#;
    assert!(read(empty, &SAMPLE, "data.result.*.values", BadRecords::Rejected).is_ok_and(|read| read.rest.is_empty));
}

#[test]
fn one_group_may_be_in_place_of_the_groups() {
    let text = r#"{"data": {"result": {"metric": {"job": "node"}, "values": [[1700000000, "1"], [1700000060, "2"]]}}}"#;
    assert_eq!(values(text, &SAMPLE, "data.result.*.values", "job"), ["node", "node"]);
    let text = r#"{"note": "x", "metric": {"job": "node"}, "values": [[1700000000, "1"]], "end": 7}"#;
    assert_eq!(values(text, &SAMPLE, "*.values", "job"), ["node"]);
    let text = r#"{"values": {"metric": {"job": "a"}, "values": [[1700000000, "1"]]}}"#;
    assert_eq!(values(text, &SAMPLE, "*.values", "job"), ["a"]);
    let empty = r#"{"metric": {"job": "node"}, "values": []}"#;
    assert!(read(empty, &SAMPLE, "*.values", BadRecords::Rejected).is_ok_and(|read| read.rest.is_empty));
    let bad = r#"{"metric": {"job": "node"}, "values": [[1700000000, "x"]]}"#;
    let error = read(bad, &SAMPLE, "*.values", BadRecords::Rejected).map(drop).expect_err("a bad value");
    assert!(error.starts_with("`values[0][1]`: expected a number"), "{error}");
}

#[test]
fn group_may_be_one_record() {
    let text = r#"{"2024-01-02 10:00": {"close": 1}, "2024-01-02 11:00": {"close": 2.5}}"#;
    assert_eq!(values(text, &PRICE, "*", "time"), ["2024-01-02T10:00:00Z", "2024-01-02T11:00:00Z"]);
    let text = r#"{"result": [{"metric": {"job": "node"}, "value": [1700000000, "1"]}]}"#;
    assert_eq!(values(text, &SAMPLE, "result.*.value", "job"), ["node"]);
}

#[test]
fn columns_may_be_groups() {
    let text = r#"[{"symbol": "a", "data": {"c": [1, 2]}}, {"symbol": "b", "data": {"c": [3]}}]"#;
    let read = read(text, &COLUMNS, "*.data", BadRecords::Rejected).expect("a series");
    let symbols: Vec<_> = read.records.iter().map(|record| record.value("symbol")).collect();
    assert_eq!(symbols, ["a", "a", "b"].map(|symbol| Some(FieldValue::Text(symbol))));
}

#[test]
fn bad_group_or_record_is_named() {
    for (text, expected) in [
        (r#"{"error": "no such package"}"#, "`error`: expected an object, found the string \"no such package\""),
        (r#"{"one": {"package": "one"}}"#, "`one`: `downloads` is missing"),
        (
            r#"{"one": {"downloads": [{"day": "2024-01-01", "downloads": -1}]}}"#,
            "`one.downloads[0].downloads`: expected",
        ),
        ("[1]", "`0`: expected an object"),
        ("7", "expected groups of records, found `7`"),
    ] {
        let error = read(text, &DAY, "*.downloads", BadRecords::Rejected).map(drop).expect_err(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let text = r#"{"one": {"downloads": [{"day": "2024-01-01"}, {"day": "2024-01-02", "downloads": 7}]}, "two": {"downloads": []}}"#;
    let read = read(text, &DAY, "*.downloads", BadRecords::Skipped).expect("a series");
    assert_eq!((read.records.len(), read.rest.bad_records.len()), (1, 1));
    assert_eq!(read.rest.bad_records[0].path(), "one.downloads[0].downloads");
}

#[test]
fn label_is_not_read_from_further_values_of_a_list() {
    let text = r#"{"result": [{"metric": {"job": "node"}, "values": [[1700000000, "1", "other"]]}]}"#;
    assert_eq!(values(text, &SAMPLE, "result.*.values", "job"), ["node"]);
}

#[test]
fn time_of_two_fields() {
    let text = r#"[{"year": "2023", "period": "M02", "value": 1}, {"year": "2023", "period": "M13", "value": 2}]"#;
    assert_eq!(values(text, &MONTH, ".", "time"), ["2023-02-01T00:00:00Z", "null"]);
}

#[test]
fn list_around_the_records_has_indices() {
    let text = r#"[{"page": 1}, [{"year": "2023", "period": "Q1", "value": 1}], "more"]"#;
    assert_eq!(values(text, &MONTH, "1", "time"), ["2023-01-01T00:00:00Z"]);
    let error = read(r#"[{"message": 1}]"#, &MONTH, "1", BadRecords::Rejected).map(drop).expect_err("no records");
    assert!(error.starts_with("`1` is missing"), "{error}");
}
