//! Records that are lists, whose names are elsewhere in the body.

use crate::decode::{AnyRecord, BadRecords, EnvelopeRest, SeriesLayout, UnknownFields, serialize_series, series};
use crate::registry::{Evidence, FieldInfo, FieldSource, RecordInfo, RecordLayout, TimeUnit, ValueType};
use crate::values::Value;

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented)
}

const DAY: FieldInfo = field("Date", ValueType::Timestamp(TimeUnit::Date));
const CLOSE: FieldInfo = FieldInfo { optional: true, ..field("Close", ValueType::Number) };

static PRICE: RecordInfo =
    RecordInfo { layout: RecordLayout::Named("set.names"), ..RecordInfo::new("Price", &[DAY, CLOSE]) };

static WITH_OTHERS: RecordInfo = RecordInfo {
    layout: RecordLayout::Named("columns"),
    ..RecordInfo::new(
        "WithOthers",
        &[
            DAY,
            FieldInfo {
                source: FieldSource::Others,
                optional: true,
                ..field("others", ValueType::Map(&ValueType::Number))
            },
        ],
    )
};

static GROUPED: RecordInfo = RecordInfo {
    layout: RecordLayout::Named("columns"),
    ..RecordInfo::new(
        "Grouped",
        &[DAY, CLOSE, FieldInfo { source: FieldSource::Group("name"), ..field("name", ValueType::String) }],
    )
};

static RENAMED: RecordInfo = RecordInfo {
    layout: RecordLayout::Named("names"),
    ..RecordInfo::new("Renamed", &[DAY, FieldInfo { also_named: &["Last"], ..CLOSE }])
};

type Read = (Vec<AnyRecord>, EnvelopeRest);

fn read(text: &str, info: &'static RecordInfo, data: &'static str, bad: BadRecords) -> Result<Read, String> {
    let mut records = Vec::<AnyRecord>::new();
    let read =
        series::<UnknownFields>(text, SeriesLayout::in_envelope(None, Some(data)), Some(info), bad, &mut records);
    let (_, rest) = read.map_err(|error| error.to_string())?;
    Ok((records, rest))
}

/// Returns the records as JSON, and checks that the series is written as it was read.
fn records(text: &str, info: &'static RecordInfo, data: &'static str) -> Vec<String> {
    let (records, rest) =
        read(text, info, data, BadRecords::Rejected).unwrap_or_else(|error| panic!("{text}: {error}"));
    let paths = SeriesLayout::in_envelope(None, Some(data)).paths(None);
    let mut written = Vec::new();
    let json = &mut serde_json::Serializer::new(&mut written);
    let metadata = UnknownFields::default();
    serialize_series(&paths, Some(info), rest.groups.as_ref(), &records, &metadata, &rest.unknown_fields, json)
        .expect("JSON");
    let written: Value = serde_json::from_slice(&written).expect("JSON");
    assert_eq!(written, text.parse::<Value>().expect("JSON"), "{text}");
    records.iter().map(|record| serde_json::to_string(record).expect("JSON")).collect()
}

#[test]
fn values_have_the_names_in_the_body() {
    let first = r#"{"Date":"2024-01-02","Close":1.5}"#;
    let second = r#"{"Date":"2024-01-03","Close":null}"#;
    for (text, expected) in [
        (r#"{"set":{"names":["Date","Close"],"rows":[["2024-01-02",1.5],["2024-01-03",null]]}}"#, vec![first, second]),
        (r#"{"set":{"rows":[[1.5,"2024-01-02"],[null,"2024-01-03"]],"names":["Close","Date"]}}"#, vec![first, second]),
        (
            r#"{"set":{"names":[{"name":"Date","type":"day"},{"name":"Close"}],"rows":[["2024-01-02",1.5]]}}"#,
            vec![first],
        ),
        (
            r#"{"set":{"names":["Date","Open","Close"],"rows":[["2024-01-02",7,1.5]]},"id":3}"#,
            vec![r#"{"Date":"2024-01-02","Close":1.5,"Open":7}"#],
        ),
        (
            r#"{"set":{"names":["Date","Close"],"rows":[["2024-01-02",1.50,7,"x"]]}}"#,
            vec![r#"{"Date":"2024-01-02","Close":1.50,"2":7,"3":"x"}"#],
        ),
        (r#"{"set":{"rows":[]}}"#, vec![]),
        (r#"{"set":{"names":null,"rows":[]}}"#, vec![]),
        (r#"{"set":{"names":[],"rows":[]}}"#, vec![]),
    ] {
        assert_eq!(records(text, &PRICE, "set.rows"), expected, "{text}");
    }
}

#[test]
fn column_with_another_name_is_written_under_that_name() {
    for text in [
        r#"{"names":["Date","Last"],"rows":[["2024-01-02",1.5]]}"#,
        r#"{"names":["Last","Date"],"rows":[[1.5,"2024-01-02"]]}"#,
    ] {
        assert_eq!(records(text, &RENAMED, "rows"), [r#"{"Date":"2024-01-02","Close":1.5}"#], "{text}");
    }
}

#[test]
fn null_in_place_of_names_and_records_is_an_empty_series() {
    for text in [r#"{"set":{"names":null,"rows":null}}"#, r#"{"set":{"rows":null,"names":[]}}"#] {
        let (records, rest) = read(text, &PRICE, "set.rows", BadRecords::Rejected).expect(text);
        assert_eq!((records.len(), rest.is_empty), (0, true), "{text}");
    }
}

#[test]
fn columns_that_are_not_listed_are_others() {
    let text = r#"{"columns":["Date","a","b"],"data":[["2024-01-02",1.5,2],["2024-01-03","x",3]]}"#;
    let expected = [r#"{"Date":"2024-01-02","a":1.5,"b":2}"#, r#"{"Date":"2024-01-03","a":"x","b":3}"#];
    assert_eq!(records(text, &WITH_OTHERS, "data"), expected);
}

#[test]
fn each_group_has_its_names() {
    let text = r#"{"series":[{"name":"one","columns":["Date","Close"],"values":[["2024-01-02",1]]},{"name":"two","columns":["Close","Date"],"values":[[2,"2024-01-02"]]},{"name":"none","columns":null,"values":[]}]}"#;
    let expected =
        [r#"{"Date":"2024-01-02","Close":1,"name":"one"}"#, r#"{"Date":"2024-01-02","Close":2,"name":"two"}"#];
    assert_eq!(records(text, &GROUPED, "series.*.values"), expected);
}

#[test]
fn names_or_records_of_another_form_are_rejected_with_their_path() {
    for (text, expected) in [
        (r#"{"set":{"rows":[["2024-01-02",1]]}}"#, "`set.rows[0]`: the names of the columns are missing in the body"),
        (
            r#"{"set":{"names":null,"rows":[["2024-01-02",1]]}}"#,
            "`set.rows[0]`: the names of the columns are missing in the body",
        ),
        (r#"{"set":{"names":"Date","rows":[]}}"#, "`set.names`: expected a list with the names of the columns"),
        (r#"{"set":{"names":["Date",1],"rows":[]}}"#, "`set.names[1]`: expected the name of a column, found `1`"),
        (r#"{"set":{"names":[{"id":1}],"rows":[]}}"#, "`set.names[0]`: expected the name of a column in `name`"),
        (r#"{"set":{"names":["Close"],"rows":[[1]]}}"#, "`set.rows[0].Date`: expected"),
        (
            r#"{"set":{"names":["Date","Close"],"rows":[["2024-01-02",true]]}}"#,
            "`set.rows[0].Close`: expected a number",
        ),
        (r#"{"set":{"names":["Date","Date"],"rows":[["2024-01-02","2024-01-02"]]}}"#, "`set.rows[0].Date`: "),
        (r#"{"set":{"names":["Date"],"rows":[7]}}"#, "`set.rows[0]`: expected a list"),
    ] {
        let error = read(text, &PRICE, "set.rows", BadRecords::Rejected).map(drop).expect_err(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

/// A bad record is kept as an object, in which the values have their names.
#[test]
fn bad_record_has_names() {
    let text = r#"{"set":{"names":["Date","Close"],"rows":[["2024-01-02",true,7],["2024-01-03",2]]}}"#;
    let (records, rest) = read(text, &PRICE, "set.rows", BadRecords::Skipped).expect("a series");
    let object = r#"{"Date":"2024-01-02","Close":true,"2":7}"#;
    assert_eq!((records.len(), rest.bad_records[0].text.as_str()), (1, object));
    assert!(AnyRecord::lenient(&PRICE, object).is_some_and(|record| record.value("Date").is_some()));
}
