//! Tests that records of any type are serialized in wire format, read by name and by column, and built without a
//! response.

use runtime::record::{FieldValue, Record, UnknownFields};
use runtime::{Body, Timestamp, Value};
use test_service::invented::{Exchange, Metadata, RatioRecord, Series, Timeframe};

const WHOLE: &str = r#"{"data":[{"openDate":1700000000,"ratio":0.25,"new":[1,2.5]},{"openDate":1700003600,"ratio":-1}],"metadata":{"exchanges":["north_spot","new_venue"],"unsupportedExchanges":[]},"more":null}"#;

fn written(value: &impl serde_core::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn series_is_serialized_in_wire_form() {
    let series = Series::<RatioRecord>::decode(WHOLE).unwrap();
    assert_eq!(written(&series), WHOLE);
    assert_eq!(written(&series.records[1]), r#"{"openDate":1700003600,"ratio":-1}"#);
    assert_eq!(Series::decode(&written(&series)), Ok(series));
    let any = Series::<Value>::decode(WHOLE).unwrap();
    assert_eq!(Series::<Value>::decode(&written(&any)), Ok(any));
}

#[test]
fn values_are_written_as_on_the_wire() {
    assert_eq!(written(&(Timeframe::H1, Timeframe::from("3h"))), r#"["1h","3h"]"#);
    assert_eq!(written(&Exchange::NORTH_SPOT), r#""north_spot""#);
    let quarter = std::time::Duration::from_millis(250);
    assert_eq!(
        written(&(Timestamp::from_unix_seconds(-7), Timestamp::from_unix_seconds(1_700_000_000) + quarter)),
        "[-7,\"1700000000.250000000\"]"
    );
}

#[test]
fn serialized_records_are_read_back_unchanged() {
    let series = Series::<RatioRecord>::decode(WHOLE).unwrap();
    for text in [written(&series), WHOLE.to_owned()] {
        assert_eq!(serde_json::from_str::<Series<RatioRecord>>(&text).unwrap(), series);
    }
    let value = serde_json::to_value(&series).unwrap();
    assert_eq!(serde_json::from_value::<Series<RatioRecord>>(value).unwrap(), series);
    let [first, second]: [RatioRecord; 2] = serde_json::from_str(&written(&series.records)).unwrap();
    assert_eq!([&first, &second], [&series.records[0], &series.records[1]]);
    let unknown = &series.records[0].unknown_fields;
    assert_eq!(&serde_json::from_str::<UnknownFields>(&written(unknown)).unwrap(), unknown);
    let any = Series::<Value>::decode(WHOLE).unwrap();
    assert_eq!(serde_json::from_str::<Series<Value>>(&written(&any)).unwrap(), any);
    let metadata = serde_json::from_str::<Metadata>(&written(&series.metadata)).unwrap();
    assert_eq!(metadata, series.metadata);
}

#[test]
fn a_number_that_is_read_again_keeps_every_digit() {
    for number in [0.1 + 0.2, 2.638_344_616_030_823e-256, 9_007_199_254_740_993.0, f64::MIN_POSITIVE, f64::MAX] {
        let text = format!(r#"{{"openDate":1700000000,"ratio":{}}}"#, Value::from(number));
        let record: RatioRecord = serde_json::from_str(&text).unwrap();
        assert_eq!((record.ratio.to_bits(), written(&record)), (number.to_bits(), text));
    }
}

#[cfg(feature = "settings")]
#[test]
fn records_are_read_from_formats_other_than_json() {
    let record: RatioRecord = toml::from_str("openDate = 1700000000\nratio = 0.25\nnew = [1]").unwrap();
    assert_eq!((record.open_date.unix_seconds(), record.ratio), (1_700_000_000, 0.25));
    assert_eq!(record.unknown_fields.as_json(), r#"{"new":[1]}"#);
}

/// A format may pass the value of a newtype without calling the visitor's method for newtypes.
#[test]
fn records_are_read_from_formats_without_newtypes() {
    use serde_core::de::value::{Error, MapDeserializer};

    let entries = [("openDate", 1_700_000_000.0), ("ratio", 0.25), ("new", 1.5)];
    let map = MapDeserializer::<_, Error>::new(entries.into_iter());
    let record = <RatioRecord as serde_core::Deserialize>::deserialize(map).unwrap();
    assert_eq!((record.open_date.unix_seconds(), record.ratio), (1_700_000_000, 0.25));
    assert_eq!(record.unknown_fields.as_json(), r#"{"new":1.5}"#);
}

#[test]
fn errors_name_the_invalid_field() {
    let error = |text: &str| serde_json::from_str::<Series<RatioRecord>>(text).unwrap_err().to_string();
    let wrong = error(r#"{"data":[{"openDate":1,"ratio":"x"}],"metadata":{}}"#);
    assert!(wrong.starts_with("`data[0].ratio`: expected a number, found the string \"x\""), "{wrong}");
    assert!(error("{}").starts_with("`data` is missing"), "{}", error("{}"));
    assert!(serde_json::from_str::<UnknownFields>("[]").is_err());
}

#[test]
fn timestamps_and_named_types_are_read_again() {
    let millis = |count| std::time::Duration::from_millis(count);
    let times = [
        Timestamp::from_unix_seconds(-7),
        Timestamp::from_unix_seconds(1_700_000_000) + millis(251),
        Timestamp::from_unix_seconds(-7) + millis(250),
    ];
    assert_eq!(serde_json::from_str::<[Timestamp; 3]>(&written(&times)).unwrap(), times);
    let text = "2024-03-01T00:00:00.250Z";
    assert_eq!(serde_json::from_value::<Timestamp>(text.into()).unwrap().to_string(), text);
    for wrong in [Value::from("noon"), Value::from(u64::MAX), Value::from(1e300), Value::Null] {
        let error = serde_json::from_value::<Timestamp>(wrong).unwrap_err().to_string();
        assert!(error.starts_with("expected Unix seconds or a time such as `2024-03-01T00:00:00Z`, found"), "{error}");
    }
    let steps = (Timeframe::H1, Timeframe::from("3h"), Exchange::NORTH_SPOT);
    assert_eq!(serde_json::from_str::<(Timeframe, Timeframe, Exchange)>(&written(&steps)).unwrap(), steps);
    // A setter accepts a reference.
    assert_eq!((Timeframe::from(&steps.0), Exchange::from(&steps.2)), (Timeframe::H1, Exchange::NORTH_SPOT));
}

#[test]
fn values_are_found_by_name() {
    let series = Series::<RatioRecord>::decode(WHOLE).unwrap();
    let record = &series.records[0];
    assert_eq!(record.value("ratio").and_then(FieldValue::number), Some(0.25));
    assert_eq!(record.value("openDate").and_then(FieldValue::timestamp), Some(record.open_date));
    assert!(record.value("open_date").is_none());
    let Some(FieldValue::List(venues)) = series.metadata.value("exchanges") else { panic!("no list") };
    assert_eq!(venues.iter().filter_map(FieldValue::text).collect::<Vec<_>>(), ["north_spot", "new_venue"]);
}

#[test]
fn debug_of_a_record_looks_derived() {
    let series = Series::<RatioRecord>::decode(WHOLE).unwrap();
    let plain = "RatioRecord { open_date: Timestamp(2023-11-14T23:13:20Z), ratio: -1.0 }";
    assert_eq!(format!("{:?}", series.records[1]), plain);
    let whole = format!("{:?}", series.records[0]);
    assert!(whole.contains("ratio: 0.25, unknown_fields: ") && whole.contains("2.5"), "{whole}");
    assert!(format!("{:?}", series.metadata).contains(r#"exchanges: ["north_spot", "new_venue"]"#));
}

#[test]
fn series_has_columns() {
    let times = [1_700_000_000, 1_700_003_600].map(|time| Some(Timestamp::from_unix_seconds(time)));
    let typed = Series::<RatioRecord>::decode(WHOLE).unwrap();
    let columns = typed.columns();
    assert_eq!(columns.iter().map(|column| column.name).collect::<Vec<_>>(), ["openDate", "ratio"]);
    assert_eq!(columns[1].numbers().collect::<Vec<_>>(), [Some(0.25), Some(-1.0)]);
    assert_eq!(columns[1].info.map(|info| info.ident), Some("ratio"));
    assert_eq!((typed.times(), typed.column("x").is_none()), (times.to_vec(), true));
    let ratios: Vec<_> = typed.column("ratio").unwrap().numbers().collect();
    assert_eq!(ratios, [Some(0.25), Some(-1.0)]);
    assert_eq!(Series::<RatioRecord>::from(Vec::new()).columns().len(), 2);
}

#[test]
fn untyped_series_has_columns() {
    let times =
        [Some(1_700_000_000), None, Some(1_700_003_600), None].map(|time| time.map(Timestamp::from_unix_seconds));
    let text = r#"[{"openDate": 1700000000, "a": "2.5"}, {"b": 1}, {"openDate": "1700003600", "a": null, "b": 2}, 7]"#;
    let any = Series::<Value>::decode(&format!(r#"{{"data": {text}}}"#)).unwrap();
    assert_eq!(any.times(), times);
    let columns = any.columns();
    let names: Vec<_> = columns.iter().map(|column| column.name).collect();
    // The order of the fields of one object depends on features of `serde_json`, which other crates can enable.
    assert!(names == ["a", "openDate", "b"] || names == ["openDate", "a", "b"], "{names:?}");
    let numbers = |name| any.column(name).unwrap().numbers().collect::<Vec<_>>();
    assert_eq!(numbers("a"), [Some(2.5), None, None, None]);
    assert_eq!(numbers("b"), [None, Some(1.0), Some(2.0), None]);
    for column in &columns {
        assert_eq!(column.numbers().collect::<Vec<_>>(), numbers(column.name), "{}", column.name);
    }
    assert_eq!((columns.iter().all(|column| column.values.len() == 4), any.column("c").is_none()), (true, true));
}

#[test]
fn records_and_series_can_be_constructed() {
    let mut record = RatioRecord::default();
    (record.open_date, record.ratio) = (Timestamp::from_unix_seconds(1_700_000_000), 0.25);
    record.unknown_fields = [("new", Value::from(vec![1.0, 2.5]))].into_iter().collect();
    let mut other = RatioRecord::default();
    (other.open_date, other.ratio) = (Timestamp::from_unix_seconds(1_700_003_600), -1.0);
    let mut series = Series::from(vec![record, other]);
    series.metadata = Metadata::default();
    series.metadata.exchanges = vec![Exchange::NORTH_SPOT, "new_venue".into()];
    series.unknown_fields = [("more", Value::Null)].into_iter().collect();
    assert_eq!(written(&series), WHOLE.replace("[1,2.5]", "[1.0,2.5]"));
}
