//! What comes along with a body: status and headers, of successes and refusals.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod invented;
mod scripted;

use runtime::transport::{Headers, HttpResponse};

use scripted::{DATA, Service, reply};

const HEADERS: &[(&str, &str)] = &[
    ("x-request-id", "abc"),
    ("x-echo", "you sent canary-key"),
    ("set-cookie", "session=canary-session"),
    ("content-type", "application/json"),
];

#[tokio::test(start_paused = true)]
async fn a_response_has_status_headers_and_the_typed_body() {
    let client = Service::new(|_, _| reply(203, HEADERS, DATA)).client();
    let response = client.market().ratio().coin("BTC").response().await.unwrap();
    assert_eq!((response.status, response.headers.get("X-Request-Id")), (203, Some("abc")));
    assert_eq!(response.body.data[0].ratio.to_bits(), 0.25_f64.to_bits());
    assert_eq!(response.headers.get("x-echo"), Some("you sent **********"));
    assert!(!format!("{response:?}").contains("canary"));
    assert_eq!(response.headers.get("set-cookie"), Some("session=canary-session"));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_has_headers_too() {
    for status in [302, 404] {
        let client = Service::new(move |_, _| reply(status, HEADERS, "")).client();
        let error = client.raw("/x").await.unwrap_err();
        let headers = error.headers().unwrap();
        assert_eq!(headers.get("x-request-id"), Some("abc"));
        assert!(!format!("{error:?} {headers:?}").contains("canary"));
    }
    let client = Service::new(|_, _| reply(200, HEADERS, "{}")).client();
    let error = client.market().ratio().response().await.unwrap_err();
    assert!(error.is_decode() && error.headers().is_none());
}

#[test]
fn what_a_transport_brings_may_be_a_token() {
    let response = HttpResponse::new(200, Headers::new(), "canary");
    let expected = "HttpResponse { status: 200, headers: {}, body: 6 bytes }";
    assert_eq!(format!("{response:?}"), expected);
}
