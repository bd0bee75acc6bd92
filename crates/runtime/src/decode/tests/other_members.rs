//! Records whose members are not all in the table, but have one type.

use crate::decode::{AnyRecord, BadRecords, SeriesLayout, UnknownFields, series};
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, FieldSource, RecordInfo, RecordLayout, ValueType};
use crate::values::Value;

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented)
}

const fn others(of: &'static ValueType) -> FieldInfo {
    FieldInfo { source: FieldSource::Others, optional: true, ..field("others", ValueType::Map(of)) }
}

static NUMBERS: RecordInfo =
    RecordInfo::new("Numbers", &[field("asset", ValueType::String), others(&ValueType::Number)]);

static DECIMALS: RecordInfo =
    RecordInfo::new("Decimals", &[field("asset", ValueType::String), others(&ValueType::Decimal)]);

static NUMBERS_OR_NULL: RecordInfo = RecordInfo::new(
    "NumbersOrNull",
    &[field("asset", ValueType::String), others(&ValueType::Option(&ValueType::Number))],
);

static COLUMNS: RecordInfo = RecordInfo {
    layout: RecordLayout::Columns,
    ..RecordInfo::new("Columns", &[field("at", ValueType::Integer), others(&ValueType::Number)])
};

/// Reads one record from a list, and returns its other members, its unknown fields, and the record as it is written.
fn read(record: &str, info: &'static RecordInfo) -> (String, String, String) {
    let mut records = Vec::<AnyRecord>::new();
    let text = format!("[{record}]");
    let read = series::<UnknownFields>(
        &text,
        SeriesLayout::in_envelope(None, None),
        Some(info),
        BadRecords::Rejected,
        &mut records,
    );
    read.unwrap_or_else(|error| panic!("{record}: {error}"));
    let others = format!("{:?}", records[0].value("others").expect("the field"));
    let unknown = records[0].unknown_fields().map_or("{}", UnknownFields::as_json).to_owned();
    (others, unknown, serde_json::to_string(&records[0]).expect("JSON"))
}

#[test]
fn members_of_the_type_are_values_and_others_unknown_fields() {
    for (record, info, others, unknown) in [
        (r#"{"asset":"one","fees":1.5,"count":"2"}"#, &NUMBERS, r#"{"count": 2.0, "fees": 1.5}"#, "{}"),
        (r#"{"fees":1,"asset":"one"}"#, &NUMBERS, r#"{"fees": 1.0}"#, "{}"),
        (r#"{"asset":"one"}"#, &NUMBERS, "{}", "{}"),
        (r#"{"asset":"one","a b \" é":1}"#, &NUMBERS, r#"{"a b \" é": 1.0}"#, "{}"),
        (r#"{"asset":"one","name":"One","x":null}"#, &NUMBERS, "{}", r#"{"name":"One","x":null}"#),
        (r#"{"asset":"one","list":[1],"x":7}"#, &NUMBERS, r#"{"x": 7.0}"#, r#"{"list":[1]}"#),
        (r#"{"asset":"one","x":null,"y":7}"#, &NUMBERS_OR_NULL, r#"{"x": None, "y": 7.0}"#, "{}"),
        (r#"{"asset":"one","x":"14465.059425601977193289"}"#, &DECIMALS, r#"{"x": 14465.059425601977193289}"#, "{}"),
    ] {
        let (found, found_unknown, _) = read(record, info);
        assert_eq!((found.as_str(), found_unknown.as_str()), (others, unknown), "{record}");
    }
}

/// The members are written with the digits and the quotes of the service.
#[test]
fn members_are_written_back() {
    for (record, info) in [
        (r#"{"asset":"one","fees":1.50,"count":"2"}"#, &NUMBERS),
        (r#"{"asset":"one","fees":"14465.059425601977193289"}"#, &NUMBERS),
        (r#"{"asset":"one","fees":"1","x":null,"name":"One"}"#, &NUMBERS),
        (r#"{"asset":"one","x":null,"y":1e-8}"#, &NUMBERS_OR_NULL),
        (r#"{"asset":"one","x":"0.10"}"#, &DECIMALS),
        (r#"{"asset":"one"}"#, &NUMBERS),
    ] {
        let (.., written) = read(record, info);
        let expected: Value = record.parse().expect("JSON");
        assert_eq!(written.parse::<Value>().expect("JSON"), expected, "{record}");
        for number in ["1.50", "14465.059425601977193289", "1e-8", "0.10"] {
            assert_eq!(written.contains(number), record.contains(number), "{written}");
        }
    }
}

#[test]
fn other_columns_are_members_of_each_record() {
    let text = r#"{"at":[1,2],"fees":["1.50",2],"names":["one","two"],"status":"ok"}"#;
    let mut records = Vec::<AnyRecord>::new();
    let layout = SeriesLayout::in_envelope(None, Some("."));
    let read = series::<UnknownFields>(text, layout, Some(&COLUMNS), BadRecords::Rejected, &mut records);
    let (_, rest) = read.expect("a series");
    assert_eq!(rest.unknown_fields.as_json(), r#"{"status":"ok"}"#);
    assert_eq!(format!("{:?}", records[1].value("others")), r#"Some({"fees": 2.0})"#);
    assert_eq!(records[0].unknown_fields().expect("a table").as_json(), r#"{"names":"one"}"#);
    assert_eq!(serde_json::to_string(&records[0]).expect("JSON"), r#"{"at":1,"names":"one","fees":"1.50"}"#);
}

/// The field for other members has no name on the wire, so a member can be called like it.
#[test]
fn member_with_the_name_of_the_field_is_a_member_like_the_others() {
    for (record, info, others, unknown) in [
        (r#"{"asset":"one","others":5}"#, &NUMBERS, r#"{"others": 5.0}"#, "{}"),
        (r#"{"others":5,"asset":"one","x":1}"#, &NUMBERS, r#"{"others": 5.0, "x": 1.0}"#, "{}"),
        (r#"{"asset":"one","x":1,"others":null}"#, &NUMBERS, r#"{"x": 1.0}"#, r#"{"others":null}"#),
        (r#"{"others":null,"asset":"one","x":1}"#, &NUMBERS, r#"{"x": 1.0}"#, r#"{"others":null}"#),
        (r#"{"asset":"one","others":null}"#, &NUMBERS_OR_NULL, r#"{"others": None}"#, "{}"),
        (r#"{"x":1,"others":{"y":2},"asset":"one"}"#, &NUMBERS, r#"{"x": 1.0}"#, r#"{"others":{"y":2}}"#),
        (r#"{"asset":"one","\u006fthers":1.50}"#, &NUMBERS, r#"{"others": 1.5}"#, "{}"),
    ] {
        let (found, found_unknown, written) = read(record, info);
        assert_eq!((found.as_str(), found_unknown.as_str()), (others, unknown), "{record}");
        let expected: Value = record.parse().expect("JSON");
        assert_eq!(written.parse::<Value>().expect("JSON"), expected, "{record}");
    }
}

#[test]
fn column_with_the_name_of_the_field_is_a_member_of_each_record() {
    let mut records = Vec::<AnyRecord>::new();
    let layout = SeriesLayout::in_envelope(None, Some("."));
    let text = r#"{"others":[3,4],"at":[1,2]}"#;
    series::<UnknownFields>(text, layout, Some(&COLUMNS), BadRecords::Rejected, &mut records).expect("a series");
    assert_eq!(format!("{:?}", records[1].value("others")), r#"Some({"others": 4.0})"#);
}

#[test]
fn missing_field_is_an_error_whatever_the_other_members_are() {
    for record in [
        r#"{"others":null,"x":1}"#,
        r#"{"x":1,"others":null,"y":2}"#,
        r#"{"others":{"x":1},"y":2}"#,
        r#"{"others":"text","x":1}"#,
        r#"{"x":1}"#,
    ] {
        let text = format!("[{record}]");
        let mut records = Vec::<AnyRecord>::new();
        let layout = SeriesLayout::in_envelope(None, None);
        let read = series::<UnknownFields>(&text, layout, Some(&NUMBERS), BadRecords::Rejected, &mut records);
        let error = read.map(drop).expect_err(record).to_string();
        assert!(error.starts_with("`[0].asset`: expected text, found nothing"), "{record}: {error}");
    }
}

/// Any object can have members of the declared type, so they do not show that a record is the expected one.
#[test]
fn other_members_are_no_known_field_if_fields_are_listed() {
    static LISTED: RecordInfo = RecordInfo::new(
        "Listed",
        &[
            field("time", ValueType::Integer),
            FieldInfo { optional: true, ..field("asset", ValueType::String) },
            others(&ValueType::Number),
        ],
    );
    static ONLY_TIME: RecordInfo =
        RecordInfo::new("OnlyTime", &[field("time", ValueType::Integer), others(&ValueType::Number)]);
    const TIMED: &EnvelopeInfo = &EnvelopeInfo { data: "data", metadata: None, time: Some("time") };
    for (record, info, expected) in [
        (r#"{"time":1,"code":500}"#, &LISTED, 1),
        (r#"{"time":1,"asset":"one","code":500}"#, &LISTED, 0),
        (r#"{"time":1}"#, &LISTED, 0),
        (r#"{"time":1,"code":500,"text":"x"}"#, &ONLY_TIME, 0),
        (r#"{"time":1,"text":"x"}"#, &ONLY_TIME, 1),
    ] {
        let text = format!(r#"{{"data":[{record}]}}"#);
        let mut records = Vec::<AnyRecord>::new();
        let layout = SeriesLayout::in_envelope(Some(TIMED), None);
        let read = series::<UnknownFields>(&text, layout, Some(info), BadRecords::Rejected, &mut records);
        assert_eq!(read.map(|(_, rest)| rest.unrecognized), Ok(expected), "{record}");
    }
}
