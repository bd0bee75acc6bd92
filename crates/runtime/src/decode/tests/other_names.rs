//! Values that the service sends under another name.

use crate::decode::{AnyRecord, BadRecords, FieldValue, SeriesLayout, UnknownFields, series};
use crate::registry::{Evidence, FieldInfo, RecordInfo, RecordLayout, TimeUnit, ValueType};

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented)
}

const FIELDS: &[FieldInfo] = &[
    field("time", ValueType::Timestamp(TimeUnit::Seconds)).also_named(&["t"]),
    field("funding_rate", ValueType::Number).also_named(&["fundingRate", "rate \"x\""]).optional(true),
    field("venue", ValueType::String),
];

static RATE: RecordInfo = RecordInfo::new("Rate", FIELDS);
static COLUMNS: RecordInfo = RecordInfo { layout: RecordLayout::Columns, ..RecordInfo::new("Rate", FIELDS) };

fn read(text: &str, info: &'static RecordInfo) -> Result<Vec<String>, String> {
    let mut records = Vec::<AnyRecord>::new();
    let read = series::<UnknownFields>(
        text,
        SeriesLayout::in_envelope(None, None),
        Some(info),
        BadRecords::Rejected,
        &mut records,
    );
    read.map_err(|error| error.to_string())?;
    let mut written = Vec::new();
    for record in &records {
        assert_eq!(record.value("funding_rate").and_then(FieldValue::number), Some(0.5), "{text}");
        written.push(serde_json::to_string(record).expect("JSON"));
    }
    Ok(written)
}

#[test]
fn other_name_fills_the_field_and_is_written_as_the_main_name() {
    let written = r#"{"time":7,"funding_rate":0.5,"venue":"a"}"#;
    for text in [
        r#"[{"time":7,"funding_rate":0.5,"venue":"a"}]"#,
        r#"[{"time":7,"fundingRate":0.5,"venue":"a"}]"#,
        r#"[{"venue":"a","fundingRate":0.5,"t":7}]"#,
        r#"[{"time":7,"rate \"x\"":0.5,"venue":"a"}]"#,
        r#"[{"time":7,"funding_rate":0.5,"fundingRate":0.5,"venue":"a"}]"#,
        r#"[{"time":7,"fundingRate":0.5,"venue":"a","funding_rate":0.5}]"#,
        r#"[{"time":7,"funding_rate":null,"fundingRate":0.5,"venue":"a"}]"#,
        r#"[{"time":7,"funding_rate":0.5,"fundingRate":null,"venue":"a"}]"#,
    ] {
        assert_eq!(read(text, &RATE), Ok(vec![written.to_owned()]), "{text}");
    }
    let kept = read(r#"[{"time":7,"fundingRate":0.50,"Rate":1,"venue":"a"}]"#, &RATE);
    assert_eq!(kept, Ok(vec![r#"{"time":7,"funding_rate":0.50,"venue":"a","Rate":1}"#.to_owned()]));
}

#[test]
fn two_names_with_different_values_are_an_error() {
    for text in [
        r#"[{"time":7,"funding_rate":0.5,"fundingRate":0.6,"venue":"a"}]"#,
        r#"[{"time":7,"fundingRate":0.5,"funding_rate":0.6,"venue":"a"}]"#,
        r#"[{"time":7,"venue":"a","funding_rate":0.5,"venue":"a"}]"#,
    ] {
        let why = read(text, &RATE).expect_err(text);
        assert!(why.contains("twice") || why.contains("duplicate"), "{why}");
    }
}

#[test]
fn other_name_of_a_column_is_a_column() {
    let written = r#"{"time":7,"funding_rate":0.5,"venue":"a"}"#;
    for text in [
        r#"{"t":[7],"fundingRate":[0.5],"venue":["a"]}"#,
        r#"{"t":[7],"funding_rate":[0.5],"fundingRate":[0.5],"venue":["a"]}"#,
    ] {
        assert_eq!(read(text, &COLUMNS), Ok(vec![written.to_owned()]), "{text}");
    }
    assert!(read(r#"{"t":[7],"funding_rate":[0.5],"fundingRate":[0.6],"venue":["a"]}"#, &COLUMNS).is_err());
}
