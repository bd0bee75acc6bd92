//! Missing values and missing records, in the forms that a catalogue describes.

use crate::decode::{AnyRecord, BadRecords, FieldValue, SeriesLayout, UnknownFields, series};
use crate::registry::{Evidence, FieldInfo, RecordInfo, TimeUnit, ValueType};

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented)
}

static OBSERVATION: RecordInfo = RecordInfo::new(
    "Observation",
    &[
        field("date", ValueType::Timestamp(TimeUnit::Year)),
        FieldInfo { nulls: &[".", "n/a"], optional: true, quoted: true, ..field("value", ValueType::Number) },
    ],
);

fn read(text: &str, is_optional: bool) -> Result<Vec<AnyRecord>, String> {
    let layout = SeriesLayout::in_envelope(None, Some("data.rows")).optional(is_optional);
    let mut records = Vec::<AnyRecord>::new();
    let read = series::<UnknownFields>(text, layout, Some(&OBSERVATION), BadRecords::Rejected, &mut records);
    let (_, rest) = read.map_err(|error| error.to_string())?;
    assert_eq!(rest.is_empty, records.is_empty());
    Ok(records)
}

#[test]
fn marker_of_a_missing_value_is_null_and_is_written_again() {
    for (value, expected) in [
        (r#""14.21""#, Ok(Some(14.21))),
        (r#"".""#, Ok(None)),
        (r#""n\/a""#, Ok(None)),
        (r#""""#, Ok(None)),
        ("null", Ok(None)),
        (r#""-""#, Err(())),
        (r#"".5.""#, Err(())),
    ] {
        let text = format!(r#"{{"data": {{"rows": [{{"date": 2024, "value": {value}}}]}}}}"#);
        let records = read(&text, false).map_err(drop);
        let number = match &records {
            Ok(records) => Ok(records[0].value("value").and_then(FieldValue::number)),
            Err(()) => Err(()),
        };
        assert_eq!(number, expected, "{value}");
        if let Ok(records) = records {
            let written = serde_json::to_string(&records[0]).expect("JSON");
            assert_eq!(written, format!(r#"{{"date":2024,"value":{value}}}"#));
        }
    }
}

#[test]
fn records_may_be_missing_if_the_catalogue_says_so() {
    for text in [r#"{"data": {"rows": []}}"#, r#"{"data": {"rows": [{"date": "2024", "value": "1"}]}}"#] {
        assert!(read(text, false).is_ok() && read(text, true).is_ok(), "{text}");
    }
    // `null` is an explicit absence, which needs no entry in the catalogue.
    for text in [r#"{"data": {"rows": null}}"#, r#"{"data": null}"#, "null"] {
        assert_eq!(read(text, false).map(|records| records.len()), Ok(0), "{text}");
        assert_eq!(read(text, true).map(|records| records.len()), Ok(0), "{text}");
    }
    for text in [r#"{"data": {}}"#, r#"{"status": "ok"}"#] {
        assert!(read(text, false).is_err(), "{text}");
        assert_eq!(read(text, true).map(|records| records.len()), Ok(0), "{text}");
    }
    for text in [r#"{"data": {"rows": {}}}"#, r#"{"data": []}"#, "7"] {
        assert!(read(text, true).is_err(), "{text}");
    }
}

#[test]
fn year_may_be_a_number() {
    for year in ["2024", r#""2024""#] {
        let text = format!(r#"{{"data": {{"rows": [{{"date": {year}, "value": null}}]}}}}"#);
        let records = read(&text, false).expect("a series");
        assert!(
            matches!(records[0].value("date"), Some(FieldValue::Timestamp(time)) if time.unix_seconds() == 1_704_067_200)
        );
    }
    assert!(read(r#"{"data": {"rows": [{"date": 24, "value": null}]}}"#, false).is_err());
}
