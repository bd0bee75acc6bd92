//! Tests of the status and headers of successful responses and of errors.

use runtime::transport::{Headers, HttpResponse};
use runtime::{Error, ErrorKind};
use test_service::scripted::{self, DATA, Service, reply};

const HEADERS: &[(&str, &str)] = &[
    ("x-request-id", "abc"),
    ("x-echo", "you sent canary-key"),
    ("set-cookie", "session=canary-session"),
    ("content-type", "application/json"),
];

#[tokio::test(start_paused = true)]
async fn a_response_has_status_headers_and_the_typed_body() {
    let client = Service::new(|_, _| reply(203, HEADERS, DATA)).client();
    let response = client.market().ratio().symbol("BTC").response().await.unwrap();
    assert_eq!((response.status, response.headers.get("X-Request-Id")), (203, Some("abc")));
    assert_eq!(response.body.records[0].ratio.to_bits(), 0.25_f64.to_bits());
    assert_eq!(response.headers.get("x-echo"), Some("you sent **********"));
    assert!(!format!("{response:?}").contains("canary"));
    assert_eq!(response.headers.get("set-cookie"), Some("session=canary-session"));
}

#[tokio::test(start_paused = true)]
async fn error_has_the_response_headers() {
    for status in [302, 404] {
        let client = Service::new(move |_, _| reply(status, HEADERS, "")).client();
        let error = client.raw("/x").await.unwrap_err();
        let headers = error.headers().unwrap();
        assert_eq!((headers.get("x-request-id"), error.request_id()), (Some("abc"), Some("abc")));
        assert!(!format!("{error:?} {headers:?}").contains("canary"));
    }
    let client = Service::new(|_, _| reply(200, HEADERS, "{}")).client();
    let error = client.market().ratio().response().await.unwrap_err();
    assert!(error.is_decode());
    let whole = error;
    let broken = Error::retryable(ErrorKind::Body, "it broke off").with_response(200, whole.headers().unwrap().clone());
    let client = Service::new(move |_, _| scripted::mock_response(Err(broken.clone()))).client();
    let broken = client.market().ratio().await.unwrap_err();
    assert_eq!((whole.kind(), broken.kind()), (ErrorKind::Decode, ErrorKind::Body));
    for body in ["<html>", "", "{\"data\": 7}"] {
        let client = Service::new(move |_, _| reply(200, HEADERS, body)).client();
        let error = client.market().ratio().await.unwrap_err();
        assert_eq!((error.kind(), error.status(), error.request_id()), (ErrorKind::Decode, Some(200), Some("abc")));
    }
    for error in [whole, broken] {
        assert_eq!((error.status(), error.request_id()), (Some(200), Some("abc")));
        assert!(!format!("{error:?} {:?}", error.headers()).contains("canary"));
    }
}

#[test]
fn token_in_a_response_is_masked() {
    let response = HttpResponse::new(200, Headers::new(), "canary");
    let expected = "HttpResponse { status: 200, headers: {}, body: 6 bytes, ends_with_connection: false }";
    assert_eq!(format!("{response:?}"), expected);
}
