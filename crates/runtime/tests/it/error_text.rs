//! Compares error texts word for word, with a transport in memory and a paused clock.
//!
//! Each text contains the request, the failure, a remedy, the number of attempts and the elapsed time.

use std::time::Duration;

use runtime::registry::{BodyInfo, EndpointInfo, Evidence, RecordInfo};
use runtime::{Endpoint, ErrorKind, RateLimit, Retry};
use test_service::invented::RatioRecord;
use test_service::scripted::{MockResponse, Service, failure, reply, silence};

/// Sends a request with one attempt, and returns its error as formatted by `{:#}`, without the name of the request.
async fn check(mock: fn() -> MockResponse) -> String {
    let service = Service::new(move |_, _| mock());
    let client = service.builder().retry(Retry::none()).build().unwrap();
    let error = client.market().ratio().symbol("BTC").await.unwrap_err();
    let text = format!("{error:#}");
    text.strip_prefix("market.ratio (GET /ratio?symbol=BTC): ").unwrap().to_owned()
}

/// The response or failure of an attempt, and the expected error text.
type Row = (fn() -> MockResponse, &'static str);

#[tokio::test(start_paused = true)]
async fn error_text_after_one_attempt() {
    let table: [Row; 23] = [
        (|| failure(ErrorKind::Connect), "it failed as it should; after 1 attempt in 21ms"),
        (silence, "no complete response in time; after 1 attempt in 30s"),
        (|| reply(404, &[], ""), "status 404; after 1 attempt in 21ms"),
        (
            || reply(400, &[], r#"{"detail": {"message": "no such symbol", "error_code": "COIN"}}"#),
            "status 400: no such symbol (code COIN); \
             missing param `timeframe`, reported as required; after 1 attempt in 21ms",
        ),
        (
            || reply(401, &[], ""),
            "status 401: a credential is missing, wrong or expired; check the API key and, where a token is used, \
             the client id and the client secret; after 1 attempt in 21ms",
        ),
        (
            || reply(403, &[], ""),
            "status 403: there was no API key, or one that is not accepted; check the API key, and whether it may be \
             used for this; after 1 attempt in 21ms",
        ),
        (
            || reply(422, &[], r#"{"error": {"message": "limit"}}"#),
            "status 422: limit; missing param `timeframe`, reported as required; \
             after 1 attempt in 21ms",
        ),
        (|| reply(200, &[], ""), "status 200 with an empty body instead of JSON; after 1 attempt in 21ms"),
        (
            || reply(200, &[], "{\"data\": [], \"x\": \"\u{1}\"}"),
            "the body is not as expected: `x`: control character (\\u0000-\\u001F) found while parsing a string at line 1 column 19; \
             after 1 attempt in 21ms; body: {\"data\": [], \"x\": \" \"}",
        ),
        (
            || reply(429, &[("retry-after", "7")], ""),
            "status 429: more requests came than the limits allow; retry after 7s; after 1 attempt in 21ms",
        ),
        (|| reply(500, &[], r#"{"error": {"message": "oops"}}"#), "status 500: oops; after 1 attempt in 21ms"),
        (
            || reply(302, &[("location", "https://login.example.com/?next=x")], ""),
            "status 302, a redirect to the host `login.example.com`, is not followed; check the base URL; \
             after 1 attempt in 21ms",
        ),
        (
            || reply(304, &[], ""),
            "status 304, the response to a conditional request, which the client does not send by itself; \
             after 1 attempt in 21ms",
        ),
        (
            || reply(429, &[("retry-after", "18446744073709551615")], ""),
            "status 429: more requests came than the limits allow; retry after more than a year; \
             after 1 attempt in 21ms",
        ),
        (
            || reply(302, &[("location", "//login.example.com/x")], ""),
            "status 302, a redirect to the host `login.example.com`, is not followed; check the base URL; \
             after 1 attempt in 21ms",
        ),
        (
            || reply(302, &[("location", "login?next=http")], ""),
            "status 302, a redirect to another path of the same host, is not followed; check the base URL; \
             after 1 attempt in 21ms",
        ),
        (
            || reply(302, &[("location", "/login?next=https://example.com/")], ""),
            "status 302, a redirect to another path of the same host, is not followed; check the base URL; \
             after 1 attempt in 21ms",
        ),
        (|| reply(404, &[], "{\"message\": \"gone\\n\\u001b[2J\"}"), "status 404: gone  [2J; after 1 attempt in 21ms"),
        (
            || reply(200, &[("content-type", "text/html")], "<html>"),
            "the body is HTML or XML of type `text/html` instead of JSON; check the base URL and any proxy in \
             between; after 1 attempt in 21ms",
        ),
        (
            || reply(200, &[("content-encoding", "br")], "\u{1}"),
            "the body has the encoding `br`, which was not requested; after 1 attempt in 21ms",
        ),
        (
            || reply(200, &[], r#"{"data": [{"openDate": 1, "ratio": "n/a"}]}"#),
            "the body is not as expected: `data[0].ratio`: expected a number, found the string \"n/a\"; \
             after 1 attempt in 21ms; body: {\"data\": [{\"openDate\": 1, \"ratio\": \"n/a\"}]}",
        ),
        (
            || reply(200, &[], r#"{"data": [{"openDate": 1}]}"#),
            "the body is not as expected: `data[0].ratio`: expected a number, found nothing; \
             after 1 attempt in 21ms; body: {\"data\": [{\"openDate\": 1}]}",
        ),
        (
            || reply(200, &[], r#"{"data": [1"#),
            "the body is not as expected: `data[0]`: expected an object, found `1` at line 1 column 11; \
             after 1 attempt in 21ms; body: {\"data\": [1",
        ),
    ];
    let mut wrong = Vec::new();
    for (mock, expected) in table {
        let message = check(mock).await;
        if message != expected {
            wrong.push(format!("{message}\n  instead of\n{expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An endpoint whose response is one record.
enum Latest {}

impl runtime::emitted::Marker for Latest {}

impl Endpoint for Latest {
    type Body = RatioRecord;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        path: Some("/latest"),
        body: BodyInfo::Object { record: RecordInfo::of::<RatioRecord>(), evidence: Evidence::Documented },
        ..EndpointInfo::new("market", "latest", "Latest")
    };
}

/// Some services report a failed request with status 200.
#[tokio::test(start_paused = true)]
async fn error_inside_a_success_shows_the_service_message() {
    let service = Service::new(|_, _| reply(200, &[], r#"{"error": {"message": "Invalid symbol."}}"#));
    let client = service.client();
    let series = client.market().ratio().symbol("B").await.unwrap_err().to_string();
    assert!(
        series.contains("`data` is missing at line 1 column 42; the service reports: Invalid symbol.;"),
        "{series}"
    );
    let record = test_service::invented::request::<Latest>(&client).await.unwrap_err().to_string();
    let expected =
        "the service returned an error with a success status; the service reports: Invalid symbol.; after 1 attempt";
    assert!(record.contains(expected), "{record}");
    service.becomes(|_, _| reply(200, &[], r#"{"data": null, "message": "Invalid symbol."}"#));
    let series = client.market().ratio().symbol("B").await.unwrap_err().to_string();
    assert!(series.contains(expected), "{series}");
    service.becomes(|_, _| {
        reply(200, &[], r#"{"detail": {"message": "Invalid symbol.", "error_code": "51001"}, "data": []}"#)
    });
    let series = client.market().ratio().symbol("B").await.unwrap_err().to_string();
    assert!(series.contains(expected), "{series}");
}

#[tokio::test(start_paused = true)]
async fn message_of_a_successful_series_is_no_error() {
    for (body, records) in [
        (r#"{"message": "", "data": []}"#, 0),
        (r#"{"message": "success", "data": []}"#, 0),
        (r#"{"error": 0, "detail": {"error_code": 0}, "data": []}"#, 0),
        (r#"{"message": "success", "data": [{"openDate": 1, "ratio": 1.5}]}"#, 1),
    ] {
        let service = Service::new(move |_, _| reply(200, &[], body));
        let series = service.client().market().ratio().symbol("B").await.unwrap();
        assert_eq!((series.len(), series.unknown_fields.is_empty()), (records, false), "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn connection_errors_have_readable_text() {
    let service = Service::new(|_, _| reply(503, &[("retry-after", "2")], ""));
    let client = service.builder().retry(Retry::default().backoff(Duration::ZERO, Duration::ZERO)).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    let expected = "client.raw (GET /x): status 503; retry after 2s; after 7 attempts in 12.147s, of which 12s waiting";
    assert_eq!(error.to_string(), expected);
    let client = service.builder().timeout(Duration::from_secs(1)).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    let expected = "client.raw (GET /x): status 503; retry after 2s; \
        not retried, because `timeout` would expire first; after 1 attempt in 21ms";
    assert_eq!(error.to_string(), expected);
    let limit = RateLimit::new(1, Duration::from_secs(60), 1);
    let builder = service.builder().rate_limit(limit).queue_timeout(Duration::from_secs(9));
    let error = builder.build().unwrap().raw("/x").await.unwrap_err();
    let expected = "client.raw (GET /x): timed out in the rate-limit queue (`queue_timeout`); \
        after 1 attempt in 11.021s, of which 11s waiting: status 503; retry after 2s";
    assert_eq!(format!("{error:#}"), expected);
}

/// Each row contains the response of the token endpoint, and the expected error text of the data request.
#[tokio::test(start_paused = true)]
async fn error_text_of_failed_token_requests() {
    let table: [Row; 9] = [
        (
            || reply(401, &[], ""),
            "status 401: the Basic credentials were not accepted; encode client id, colon and client \
             secret as base64, check both values, and send them with the Basic scheme; Bearer is for data \
             requests; after 1 attempt in 21ms",
        ),
        (
            || reply(403, &[], r#"{"message": "Forbidden"}"#),
            "status 403: Forbidden; send the API key with the token request too; after 1 attempt in 21ms",
        ),
        (
            || reply(415, &[], ""),
            "status 415: the body was not declared as a form; declare the body as \
             `application/x-www-form-urlencoded`; after 1 attempt in 21ms",
        ),
        (|| reply(500, &[], ""), "status 500; after 1 attempt in 21ms"),
        (|| reply(429, &[("retry-after", "86400")], ""), "status 429; retry after 86400s; after 1 attempt in 21ms"),
        (
            || reply(200, &[], r#"{"expires_in": 60}"#),
            "invalid response from the token endpoint: it has no `access_token`; after 1 attempt in \
             21ms",
        ),
        (
            || reply(200, &[], r#"{"access_token": "t", "token_type": "mac"}"#),
            "invalid response from the token endpoint: its `token_type` is not `Bearer`; after 1 \
             attempt in 21ms",
        ),
        (
            || reply(200, &[("content-type", "text/html")], "<html>"),
            "the body is HTML or XML of type `text/html` instead of JSON; check the base URL and any proxy in \
             between; after 1 attempt in 21ms",
        ),
        (|| failure(ErrorKind::Connect), "it failed as it should; after 1 attempt in 21ms"),
    ];
    let mut wrong = Vec::new();
    for (mock, expected) in table {
        let service = Service::new(move |_, _| mock());
        let builder = service.builder().client_credentials("id", "secret").retry(Retry::none());
        let error = builder.build().unwrap().raw("/x").await.unwrap_err();
        let text = format!("{error:#}");
        let message = text.strip_prefix("client.raw (GET /x): token request failed: ").unwrap();
        if message != expected {
            wrong.push(format!("{message}\n  instead of\n{expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
