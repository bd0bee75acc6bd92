//! Tests that a page with one bad record is an error, or is read without that record if the request skips bad records.

use std::error::Error as _;

use runtime::{DecodeError, Timestamp, Value};
use test_service::invented::Timeframe;
use test_service::scripted::{Service, reply};

use crate::ranges::{HOUR, START, at, query};

/// Returns a page of a thousand records, including the record `bad`.
fn page(bad: &str) -> String {
    let record = |index: usize| match index {
        700 => bad.to_owned(),
        _ => format!(r#"{{"openDate": {}, "ratio": 0.5}}"#, 1_700_000_000 + index),
    };
    let records: Vec<_> = (0..1000).map(record).collect();
    format!(r#"{{"data": [{}]}}"#, records.join(","))
}

const BAD: &str = r#"{"openDate": 1700000700, "ratio": null}"#;

#[tokio::test(start_paused = true)]
async fn skip_bad_records_drops_one_record() {
    let client = Service::new(|_, _| reply(200, &[], &page(BAD))).client();
    let series = client.market().ratio().skip_bad_records().await.unwrap();
    assert_eq!(series.len(), 999);
    let [bad] = &series.bad_records[..] else { panic!("{:?}", series.bad_records) };
    assert_eq!((bad.index, bad.path(), bad.text.as_str()), (700, "data[700].ratio", BAD));
    assert_eq!(bad.to_string(), "`data[700].ratio`: expected a number, found `null`");

    let whole = client.market().ratio().skip_bad_records().response().await.unwrap();
    assert_eq!((whole.body.len(), whole.body.bad_records.len()), (999, 1));
    let unknown = Service::new(|_, _| reply(200, &[], r#"{"data": [{"a": 1}, {"a": 1e999}]}"#)).client();
    let series = unknown.market().levels().skip_bad_records().await.unwrap();
    assert_eq!((series.records[0]["a"].as_i64(), series.bad_records[0].path()), (Some(1), "data[1].a"));
}

#[tokio::test(start_paused = true)]
async fn by_default_a_bad_record_fails_the_page_with_its_path() {
    let client = Service::new(|_, _| reply(200, &[], &page(BAD))).client();
    let error = client.market().ratio().await.unwrap_err();
    let cause = error.source().and_then(|cause| cause.downcast_ref::<DecodeError>()).unwrap();
    assert_eq!(cause.path(), "data[700].ratio");
    let problem = "`data[700].ratio`: expected a number, found `null`";
    assert!(error.to_string().contains(problem), "{error}");
    assert_eq!(format!("{error:#}").matches(problem).count(), 1);
    // A token that is not JSON costs its record, and without `skip_bad_records` the response.
    let broken = Service::new(|_, _| reply(200, &[], r#"{"data": [{"openDate": 1, "ratio": nul}]}"#)).client();
    let error = broken.market().ratio().await.unwrap_err();
    assert!(
        error.is_decode() && error.to_string().contains("`data[0].ratio`: expected a value, found `nul`"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn body_without_data_shows_the_service_message() {
    let body = r#"{"error": {"message": "the plan does not cover this"}}"#;
    let client = Service::new(move |_, _| reply(200, &[], body)).client();
    let error = client.market().ratio().await.unwrap_err();
    let expected = "`data` is missing at line 1 column 55; the service reports: the plan does not cover this";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.body(), Some(body.as_bytes()));
    let client = Service::new(|_, _| reply(200, &[], r#"{"other": 1}"#)).client();
    let error = client.market().ratio().await.unwrap_err();
    assert!(!error.to_string().contains("the service reports"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn milliseconds_are_rejected_with_an_explanation() {
    let body = r#"{"data": [{"openDate": 1700000000000, "ratio": 0.5}]}"#;
    let client = Service::new(move |_, _| reply(200, &[], body)).client();
    let error = client.market().ratio().await.unwrap_err();
    let expected = "`data[0].openDate`: expected a timestamp as a number, found `1700000000000`, which is past \
         the year 9999 in seconds and probably counts milliseconds";
    assert!(error.to_string().contains(expected), "{error}");
    let any = client.market().levels().await.unwrap();
    assert_eq!((any.times(), &any.records[0]["ratio"]), (vec![None], &Value::from(0.5)));
}

#[tokio::test(start_paused = true)]
async fn many_bad_records_are_one_error() {
    let page = |count: usize| format!(r#"{{"data": [{}]}}"#, vec!["1"; count].join(","));
    let client = Service::new(move |_, _| reply(200, &[], &page(1000))).client();
    let series = client.market().ratio().skip_bad_records().await.unwrap();
    assert_eq!((series.bad_records.len(), series.bad_records[999].path()), (1000, "data[999]"));
    let client = Service::new(move |_, _| reply(200, &[], &page(240_000))).client();
    let error = client.market().ratio().skip_bad_records().await.unwrap_err();
    let expected = "`data[1000]`: more than 1000 bad records, of which this is the last: expected an object, found `1`";
    assert!(error.is_decode() && error.to_string().contains(expected), "{error}");
}

#[tokio::test(start_paused = true)]
async fn page_of_bad_records_is_requested_once() {
    let page = format!(r#"{{"data": [{}]}}"#, vec!["1"; 500].join(","));
    let service = Service::new(move |_, _| reply(200, &[], &page));
    let request = service.client().market().ratio().symbol("B").timeframe(Timeframe::H1).skip_bad_records();
    let history = request.history("2023-11-14".parse::<Timestamp>().unwrap().."2023-12-14".parse().unwrap());
    let all = history.collect().await.unwrap();
    assert_eq!((service.seen().0, all.report.bad_records.len()), (2, 1000));
}

/// The service returns at most 100 records, of which the first 100 are bad. The records after them are requested.
#[tokio::test(start_paused = true)]
async fn records_after_a_truncated_page_of_bad_records_are_requested() {
    let service = Service::new(|request, _| {
        let number = |name: &str| query(request)[name].parse::<i64>().unwrap();
        let (from, to) = (number("startTime"), number("endTime"));
        let first = (from + HOUR - 1).div_euclid(HOUR) * HOUR;
        let times = (0..).map(|index| first + index * HOUR).take_while(|time| *time <= to).take(100);
        let record = |time: i64| {
            if time < START + 100 * HOUR { "1".to_owned() } else { format!(r#"{{"openDate": {time}, "ratio": 0.5}}"#) }
        };
        let records: Vec<_> = times.map(record).collect();
        reply(200, &[], &format!(r#"{{"data": [{}]}}"#, records.join(",")))
    });
    let request = service.client().market().ratio().symbol("B").timeframe(Timeframe::H1).skip_bad_records();
    let all = request.history(at(START)..at(START + 2000 * HOUR)).await.unwrap();
    assert_eq!(all.len(), 1900, "{:?}", all.report.gaps);
}

/// A token that is not JSON makes its value invalid, and not its page.
#[tokio::test(start_paused = true)]
async fn a_token_that_is_not_json_costs_one_record() {
    for token in ["NaN", "-Infinity", "nan", "undefined", "{NaN}", "[1, None]"] {
        let records = [
            r#"{"openDate": 1700000000, "ratio": 0.5}"#.to_owned(),
            format!(r#"{{"openDate": 1700003600, "ratio": {token}, "next": 1}}"#),
            format!(r#"{{"openDate": 1700007200, "ratio": 0.5, "other": {token}}}"#),
            r#"{"openDate": 1700010800, "ratio": 0.25}"#.to_owned(),
        ];
        let body = format!(r#"{{"data": [{}]}}"#, records.join(", "));
        let client = Service::new(move |_, _| reply(200, &[], &body)).client();
        let series = client.market().ratio().skip_bad_records().await.unwrap();
        let bad = &series.bad_records;
        assert_eq!((series.len(), bad.len(), bad[0].text.as_str()), (2, 2, records[1].as_str()), "{token}");
        let times: Vec<_> = bad.iter().map(|bad| bad.time.map(Timestamp::unix_seconds)).collect();
        assert_eq!(times, [Some(1_700_003_600), Some(1_700_007_200)], "{token}");
        let error = client.market().ratio().await.unwrap_err();
        assert!(error.is_decode() && error.to_string().contains("data[1].ratio"), "{token}: {error}");
    }
}

/// A page whose records have no readable time is requested at most seven times, and its rest is a failed range. A list
/// of `null` has no record.
#[tokio::test(start_paused = true)]
async fn an_unreadable_page_costs_few_requests() {
    for (data, requests, failed) in [("null", 2, 0), (r#""no data""#, 7, 1), ("7", 7, 1)] {
        let body = format!(r#"{{"data": [{data}]}}"#);
        let service = Service::new(move |_, _| reply(200, &[], &body));
        let request = service.client().market().ratio().symbol("B").timeframe(Timeframe::H1).skip_bad_records();
        let days = if failed == 0 { 25 } else { 20 };
        let history = request.history(at(START)..at(START + days * 24 * HOUR)).skip_failed_pages();
        let all = history.collect().await.unwrap();
        assert_eq!((service.seen().0, all.report.failed_pages.len()), (requests, failed), "{data}");
        let account = all.report.account;
        assert_eq!(account.steps(), u64::try_from(days * 24).unwrap(), "{account:?}");
        assert_eq!(account.received(), u64::try_from(requests).unwrap(), "{account:?}");
    }
}
