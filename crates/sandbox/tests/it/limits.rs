//! Tests of the enforcement of limits, and of the counts of requests.

use sandbox::{RetryAfter, Sandbox};
use test_service::invented::{Client, REGISTRY};

use crate::support::{Response, Server};

/// Uses up limit set B, and returns the response to the next request. All requests are sent within about a hundredth of
/// the set's window.
async fn refused(server: &Server) -> Response {
    for _ in 0..600 {
        assert_eq!(server.get("/health").await.status, 200);
    }
    server.get("/health").await
}

#[tokio::test]
async fn requests_beyond_the_rate_are_rejected_and_counted() {
    let server = Server::with(Sandbox::of(&REGISTRY).limit_set("B"));
    let response = refused(&server).await;
    assert_eq!((response.status, response.code().as_str()), (429, "too_many_requests"));
    let seconds = response.headers["retry-after"].parse::<u64>().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let counts = server.sandbox().counts();
    assert_eq!((counts.requests, counts.rate_limited, counts.tokens_issued, counts.peak_in_flight), (601, 1, 0, 1));
    assert_eq!(counts.peak("B"), Some(601));
    assert_eq!(counts.peaks.len(), REGISTRY.service.limits.len());
}

#[tokio::test]
async fn retry_after_can_be_a_date() {
    let server = Server::with(Sandbox::of(&REGISTRY).limit_set("B").retry_after(RetryAfter::Date));
    let text = refused(&server).await.headers["retry-after"].clone();
    let wait = httpdate::parse_http_date(&text).unwrap().duration_since(std::time::SystemTime::now()).unwrap();
    assert!(wait.as_secs() <= 61, "{text}");
    let server = Server::with(Sandbox::of(&REGISTRY).limit_set("B").retry_after(RetryAfter::Either));
    let mut dates = vec![refused(&server).await.headers["retry-after"].contains("GMT")];
    for _ in 0..30 {
        dates.push(server.get("/health").await.headers["retry-after"].contains("GMT"));
    }
    assert!(dates.contains(&true) && dates.contains(&false), "{dates:?}");
}

#[tokio::test]
async fn no_limit_is_enforced_by_default() {
    let server = Server::start();
    assert_eq!(refused(&server).await.status, 200);
    let error = Sandbox::of(&REGISTRY).limit_set("A").limit_set("C").start().unwrap_err();
    assert_eq!(error.to_string(), "unknown limit set `C`; the service has `A`, `B`");
}

#[tokio::test]
async fn every_received_request_counts() {
    let server = Server::start();
    for path in ["/health", "/nothing", "/ratio?limit=x"] {
        server.get(path).await;
    }
    server.send("GET", "/health", &[], "").await;
    let headers = [
        ("x-api-key", "key"),
        ("authorization", "Basic aWQ6c2VjcmV0"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    assert_eq!(server.send("POST", "/oauth2/token", &headers, "grant_type=client_credentials").await.status, 200);
    let counts = server.sandbox().counts();
    assert_eq!((counts.requests, counts.rate_limited, counts.tokens_issued), (5, 0, 1));
}

#[tokio::test]
async fn the_client_keeps_to_ten_in_flight() {
    let server = Server::with(Sandbox::of(&REGISTRY).limit_set("B"));
    let client = Client::builder(server.base_url()).api_key("any").build().unwrap();
    let requests = (0..15).map(|_| tokio::spawn(client.system().health().into_future()));
    for request in requests.collect::<Vec<_>>() {
        request.await.unwrap().unwrap();
    }
    let counts = server.sandbox().counts();
    assert_eq!((counts.requests, counts.rate_limited), (15, 0));
    assert!(counts.peak_in_flight <= 10, "{counts:?}");
}
