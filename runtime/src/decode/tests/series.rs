//! What the decoder makes of a series: the envelope, and one record after the other.
//!
//! What a single record may hold stands in the file above.

use crate::decode::BadRecords;
use crate::decode::fields::serialize_series;
use crate::decode::record::{AsFieldValue, Fields, Record, RecordValue, Row, UnknownFields};
use crate::decode::sample::{Every, Level, Whole, deep_of, series_of};
use crate::registry::{EnvelopeInfo, RecordInfo, ServiceInfo};
use crate::values::Value;

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
    for text in [r#"{"data": []}"#, r#"{"data": [], "metadata": null}"#, r#"{"data": [], "metadata": {}}"#] {
        let empty = series(text).unwrap();
        assert!(empty.data.is_empty() && empty.metadata.exchanges.is_empty());
    }
}

#[test]
fn broken_envelopes_are_refused_with_the_place() {
    let table = [
        ("", "expected a value, found the end of the body at line 1 column 1"),
        ("<html>", "expected an object, found `<html` at line 1 column 1"),
        ("[]", "expected an object, found a list at"),
        ("{}", "there is no `data` at line 1 column 3"),
        (r#"{"data": null}"#, "`data`: expected a list of records, found `null` at"),
        (r#"{"data": {}}"#, "`data`: expected a list of records, found an object at"),
        (r#"{"data": [1]}"#, "`data[0]`: expected an object, found `1` at"),
        (r#"{"data": [{"price": 1}, null]}"#, "`data[1]`: expected an object, found `null` at"),
        (r#"{"data": [{"price": 1}, {"price": "x"}]}"#, "`data[1].price`: expected a number, found the text"),
        (r#"{"data": [{"price": 1"#, "`data[0]`: expected `,` or `}`, found the end of the body at"),
        (r#"{"data": [{"price": 1}]"#, "expected `,` or `}`, found the end of the body at line 1 column 24"),
        ("{\n\"data\": 1\n}", "`data`: expected a list of records, found `1` at line 2 column 9"),
        (r#"{"data": []}}"#, "expected the end of the body, found '}' at"),
        (r#"{"data": []} x"#, "expected the end of the body, found `x` at"),
        (r#"{"data": [], "data": []}"#, "the key `data` stands twice in one object at"),
        (r#"{"data": [], "metadata": {}, "metadata": null}"#, "the key `metadata` stands twice in one object at"),
        (r#"{"data": [], "metadata": 5}"#, "`metadata`: expected an object, found `5` at"),
        (r#"{"data": [], "metadata": {"exchanges": [{}]}}"#, "`metadata.exchanges[0]`: expected text, found an object"),
    ];
    for (text, expected) in table {
        let error = series(text).map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn records_further_down() {
    let text = r#"{"ok": true, "result": {"count": 2, "page": {"rows": [{"price": 1}, {"price": 2}], "next": "b"},
        "about": {"exchanges": ["a"]}}, "page": 1}"#;
    let whole = deep_of::<Level>(text, BadRecords::Refused).unwrap();
    assert_eq!((whole.data.len(), whole.metadata.exchanges.len()), (2, 1));
    let unknown = r#"{"ok": true,"result": {"count": 2,"page": {"next": "b"}},"page": 1}"#;
    assert_eq!(whole.unknown_fields.as_json(), unknown);
    for text in [r#"{"result": {"page": {"rows": []}}}"#, r#"{"result": {"about": null, "page": {"rows": []}}}"#] {
        let empty = deep_of::<Level>(text, BadRecords::Refused).unwrap();
        assert!(empty.data.is_empty() && empty.metadata.exchanges.is_empty() && empty.unknown_fields.is_empty());
    }
}

#[test]
fn records_further_down_are_written_there() {
    const SERVICE: ServiceInfo =
        ServiceInfo::new("Deep").envelope(EnvelopeInfo::new("result.page.rows").metadata("result.about"));
    let text =
        r#"{"result":{"page":{"rows":[{"price":1.0}],"next":"b"},"about":{"exchanges":["a"]},"count":2},"ok":true}"#;
    let Whole { data, metadata, unknown_fields, .. } = deep_of::<Level>(text, BadRecords::Refused).unwrap();
    let mut written = Vec::new();
    let serializer = &mut serde_json::Serializer::new(&mut written);
    serialize_series(&SERVICE, &data, &RecordValue::of(&metadata), &unknown_fields, serializer).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
}

#[test]
fn what_is_wrong_further_down_is_told_with_its_place() {
    let table = [
        ("{}", "there is no `result.page.rows` at line 1 column 3"),
        (r#"{"result": {}}"#, "there is no `result.page.rows` at"),
        (r#"{"result.page.rows": []}"#, "there is no `result.page.rows` at"),
        (r#"{"result": null}"#, "`result`: expected an object, found `null` at"),
        (r#"{"result": []}"#, "`result`: expected an object, found a list at"),
        (r#"{"result": {"page": 1}}"#, "`result.page`: expected an object, found `1` at"),
        (r#"{"result": {"page": {"rows": {}}}}"#, "`result.page.rows`: expected a list of records, found an object at"),
        (r#"{"result": {"page": {"rows": [{}]}}}"#, "`result.page.rows[0].price`: expected a number, found nothing"),
        (
            r#"{"result": {"page": {"rows": []}, "about": {"exchanges": 1}}}"#,
            "`result.about.exchanges`: expected a list, found `1`",
        ),
        (r#"{"result": {"page": {"rows": []}}, "result": {}}"#, "the key `result` stands twice in one object at"),
        (
            r#"{"result": {"page": {"rows": [], "rows": []}}}"#,
            "`result.page`: the key `rows` stands twice in one object at",
        ),
    ];
    for (text, expected) in table {
        let error = deep_of::<Level>(text, BadRecords::Refused).map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let text = r#"{"result": {"page": {"rows": [{"price": 1}, {"price": []}]}}}"#;
    let whole = deep_of::<Level>(text, BadRecords::Skipped).unwrap();
    assert_eq!(whole.bad_records[0].place(), "result.page.rows[1].price");
}

#[test]
fn a_cut_anywhere_is_refused() {
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

/// A record that takes its values only where it is told to.
struct Picky {
    maybe: Option<f64>,
    unknown_fields: UnknownFields,
}

impl Record for Picky {
    const INFO: &'static RecordInfo = Every::INFO;
}

impl Fields for Picky {
    fn from_row(row: &mut Row<'_>) -> Self {
        if !row.take::<bool, ()>(4) {
            return Self { maybe: None, unknown_fields: UnknownFields::default() };
        }
        Self { maybe: row.take(7), unknown_fields: row.unknown_fields() }
    }

    fn visit<'r>(&'r self, visitor: &mut dyn FnMut(&[&'r dyn AsFieldValue], &'r UnknownFields)) {
        visitor(&[&self.maybe], &self.unknown_fields);
    }
}

#[test]
fn what_a_record_leaves_is_not_for_the_next() {
    let series = series_of::<Picky>(r#"{"data": [{"flag": false, "maybe": 1, "new": 2}, {"flag": true}]}"#).unwrap();
    let last = &series.data[1];
    assert_eq!((last.maybe, &last.unknown_fields), (None, &UnknownFields::default()));
}

#[test]
fn a_problem_is_bounded() {
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
