//! Tests of decoding series of the mock service, without a network.

use runtime::{Body, Timestamp, Value};
use test_service::invented::{RatioRecord, Series};
use test_service::scripted::{Service, reply};

fn check(text: &str) -> Result<Series<RatioRecord>, String> {
    Series::decode(text).map_err(|error| error.to_string())
}

#[test]
fn envelopes() {
    let whole = r#" {"metadata": {"exchanges": ["a"]}, "data": [
        {"openDate": 1, "ratio": 0.25}, {"openDate": "2", "ratio": 0.5}
    ], "more": 3} "#;
    let whole = check(whole).unwrap();
    assert_eq!(whole.iter().map(|point| point.ratio).sum::<f64>().to_bits(), 0.75_f64.to_bits());
    assert_eq!(whole.records[1].open_date, Timestamp::from_unix_seconds(2));
    assert_eq!(whole.metadata.exchanges.len(), 1);
    assert_eq!(whole.unknown_fields.get("more"), Some(Value::from(3)));
    for text in [r#"{"data": []}"#, r#"{"data": [], "metadata": null}"#, r#"{"data": [], "metadata": {}}"#] {
        let empty = check(text).unwrap();
        assert!(empty.records.is_empty() && empty.metadata.exchanges.is_empty());
    }
}

#[test]
fn broken_envelopes_are_rejected_with_their_path() {
    let table = [
        ("{}", "`data` is missing at line 1 column 3"),
        (r#"{"data": [{"openDate": 1, "ratio": "x"}]}"#, "`data[0].ratio`: expected a number, found the string"),
        (r#"{"data": [], "metadata": 5}"#, "`metadata`: expected an object, found `5`"),
        (r#"{"data": [], "metadata": {"exchanges": [{}]}}"#, "`metadata.exchanges[0]`: expected text, found an object"),
    ];
    for (text, expected) in table {
        let error = check(text).map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn records_of_any_kind() {
    let any = Series::<Value>::decode(r#"{"data": [{"a": 1.50}, 2, null]}"#).unwrap();
    assert_eq!(any.records[0]["a"], 1.5);
    assert_eq!(any.records[1..], [Value::from(2), Value::Null]);
}

#[test]
fn skipped_records_can_be_an_error() {
    let whole = check(r#"{"data": [], "metadata": {"unsupportedExchanges": []}}"#).unwrap();
    assert!(whole.require_complete().is_ok());
    let partial = check(r#"{"data": [], "metadata": {"unsupportedExchanges": ["a_spot", "b_spot"]}}"#).unwrap();
    assert_eq!(partial.metadata.unsupported(), ["a_spot", "b_spot"]);
    let error = partial.require_complete().unwrap_err();
    assert_eq!(error.kind(), runtime::ErrorKind::Incomplete);
    let expected = "the response has no data for \"a_spot\", \"b_spot\"; \
                    the endpoint does not support them; the rest of the response is valid";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn error_about_skipped_records_names_the_endpoint() {
    let service =
        Service::new(|_, _| reply(200, &[], r#"{"data": [], "metadata": {"unsupportedExchanges": ["a_spot"]}}"#));
    let series = service.client().market().ratio().symbol("B").await.unwrap();
    let error = series.require_complete().unwrap_err().to_string();
    assert!(error.starts_with("market.ratio: the response has no data for \"a_spot\"; "), "{error}");
}

#[tokio::test(start_paused = true)]
async fn error_about_a_body_has_the_path_of_the_problem() {
    let bodies = [r#"{"data": [{"openDate": 1, "ratio": "x"}]}"#, r#"{"data": [{"openDate": 1, "ratio": 2}], "#];
    for (body, path) in bodies.into_iter().zip(["data[0].ratio", ""]) {
        let service = Service::new(move |_, _| reply(200, &[], body));
        let error = service.client().market().ratio().symbol("B").await.unwrap_err();
        assert_eq!(error.json_path(), Some(path), "{error}");
    }
    let service = Service::new(|_, _| reply(404, &[], ""));
    assert_eq!(service.client().market().ratio().symbol("B").await.unwrap_err().json_path(), None);
}
