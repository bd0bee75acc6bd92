//! Tests of the default transport on a real socket, with a server that misbehaves.
//!
//! The tests assert outcomes, never durations.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use runtime::{Error, ErrorKind, Retry};
use test_service::invented::Client;
use test_service::{ClosedPort, scripted};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::alone::{is_alone, run_alone};
use crate::socket::{DATA, KEY, Server, Step, reply};

async fn ask(client: &Client) -> Result<f64, Error> {
    let series = client.market().ratio().symbol("BTC").await?;
    Ok(series.records.iter().map(|point| point.ratio).sum())
}

/// Sends a request to a server that runs one step, and returns the error.
async fn check(step: Step) -> Error {
    let server = Server::start(vec![step]).await;
    let builder =
        server.builder().attempt_timeout(Duration::from_millis(300)).max_body_bytes(1000).retry(Retry::none());
    let error = ask(&builder.build().unwrap()).await.unwrap_err();
    assert!(!format!("{error} {error:?} {error:#}").contains("canary"));
    error
}

#[tokio::test]
async fn typed_series_is_received() {
    let server = Server::start(vec![Step::Write(reply("200 OK", DATA))]).await;
    let client = server.builder().build().unwrap();
    for _ in 0..3 {
        assert_eq!(ask(&client).await.unwrap().to_bits(), 0.25_f64.to_bits());
    }
    assert_eq!(server.connections(), 1);
    let requests = server.requests.lock().unwrap();
    assert!(requests[0].starts_with("GET /v2/ratio?symbol=BTC HTTP/1.1\r\n"));
    assert!(requests[0].contains(&format!("\r\nx-api-key: {KEY}\r\n")));
    assert!(requests[0].contains("\r\naccept: application/json\r\n"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(vec![Step::Write(reply("200 OK", DATA))]).await;
    let target = other.base_url.replace("127.0.0.1", "localhost");
    let head = format!("302 Found\r\nlocation: {target}/ratio");
    let error = check(Step::Write(reply(&head, ""))).await;
    assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(302)));
    assert!(error.to_string().contains("a redirect to the host `localhost`, is not followed"));
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn body_over_the_limit_is_rejected() {
    let large = "x".repeat(1001);
    let chunked = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n{large}\r\n0\r\n\r\n");
    let promised = "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n".into();
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{large}");
    for text in [reply("200 OK", &large), chunked.into(), promised, endless.into()] {
        let error = check(Step::Write(text)).await;
        assert_eq!(error.kind(), ErrorKind::Body);
        assert!(!error.is_retryable() && !error.is_timeout());
        assert!(error.to_string().contains("exceeds 1000 bytes (`max_body_bytes`)"), "{error}");
    }
}

#[tokio::test]
async fn body_limit_is_32_mib_by_default() {
    let allowed: usize = 32 << 20;
    for (length, expected) in [(allowed, "was cut off after 0 bytes"), (allowed + 1, "exceeds 33554432 bytes")] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
        let server = Server::start(vec![Step::Close(head.into())]).await;
        let error = ask(&server.builder().retry(Retry::none()).build().unwrap()).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn truncated_body_is_not_a_decode_error() {
    let half = &DATA[..30];
    let length = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{half}", DATA.len());
    let chunked = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1e\r\n{half}\r\n");
    for text in [length, chunked] {
        let error = check(Step::Close(text.into())).await;
        assert_eq!(error.kind(), ErrorKind::Body, "{error:?}");
        assert!(error.is_retryable() && !error.is_decode());
        assert!(error.to_string().contains("was cut off after 30 bytes"), "{error}");
    }
}

#[tokio::test]
async fn truncated_body_of_unknown_length_is_requested_again() {
    let text = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}", &DATA[..DATA.len() - 1]);
    let error = check(Step::Close(text.into())).await;
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Body, true));
    assert_eq!(error.body().map(<[u8]>::len), Some(DATA.len() - 1));
}

#[tokio::test]
async fn slow_server_times_out() {
    let table = [
        (Step::NoResponse, ErrorKind::Headers),
        (Step::Trickle(reply("200 OK", DATA)), ErrorKind::Headers),
        (Step::Write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{".into()), ErrorKind::Body),
    ];
    for (step, kind) in table {
        let error = check(step).await;
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(error.is_timeout() && error.is_retryable());
        assert!(error.to_string().contains("no complete response within 300ms"), "{error}");
    }
}

#[tokio::test]
async fn closed_connection_differs_from_a_timeout() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-le".to_owned();
    for text in [String::new(), cut, "SSH-2.0-OpenSSH\r\n".to_owned()] {
        let error = check(Step::Close(text.into())).await;
        assert_eq!(error.kind(), ErrorKind::Headers, "{error:?}");
        assert!(error.is_retryable() && !error.is_timeout());
    }
}

#[tokio::test]
async fn refused_connection_is_named() {
    let closed = ClosedPort::occupy().unwrap();
    let address = closed.address();
    let client = Client::builder(format!("http://{address}/v2")).api_key(KEY).retry(Retry::none()).build().unwrap();
    let error = ask(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(error.is_retryable() && !error.is_timeout());
    let (message, cost) = words(&error);
    assert_eq!(message, format!("connection to `{address}` refused; check the base URL"));
    assert!(cost.contains(": client error (Connect): tcp connect error: "), "{cost}");
}

/// Splits an error text at the number of attempts. Returns the problem before it, and the causes after it.
fn words(error: &Error) -> (String, String) {
    let text = format!("{error:#}");
    let (message, cost) = text.split_once("; after 1 attempt in ").unwrap();
    (message.rsplit_once("): ").unwrap().1.to_owned(), cost.to_owned())
}

#[tokio::test]
async fn unknown_host_is_named() {
    let client = Client::builder("https://nowhere.invalid/v2").api_key(KEY).retry(Retry::none()).build().unwrap();
    let (message, cost) = words(&ask(&client).await.unwrap_err());
    assert!(message.starts_with("connection to `nowhere.invalid:443` failed: DNS lookup failed"), "{message}");
    assert!(cost.contains(": dns error: "), "{cost}");
}

/// No machine has a route for a TCP connection to this address.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn unreachable_network_is_named() {
    let client = Client::builder("https://224.0.0.1/v2").api_key(KEY).retry(Retry::none()).build().unwrap();
    let (message, _) = words(&ask(&client).await.unwrap_err());
    assert_eq!(message, "connection to `224.0.0.1:443` failed: network unreachable; check the base URL");
}

#[tokio::test]
async fn unused_proxy_of_the_environment_is_mentioned() {
    if is_alone() {
        let client = Client::builder("https://nowhere.invalid/v2").api_key(KEY).retry(Retry::none()).build().unwrap();
        let (message, _) = words(&ask(&client).await.unwrap_err());
        let expected = "; to use the proxy of the environment, enable the feature `proxy` and the setting `env_proxy`";
        return assert!(message.ends_with(expected), "{message}");
    }
    run_alone(
        "loopback::unused_proxy_of_the_environment_is_mentioned",
        &[("HTTPS_PROXY", "http://me:canary@127.0.0.1:1")],
    );
}

#[tokio::test]
async fn stalled_handshake_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let base_url = format!("https://{address}/v2");
    let client =
        Client::builder(base_url).api_key(KEY).connect_timeout(Duration::from_millis(100)).retry(Retry::none());
    let error = ask(&client.build().unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(error.is_timeout());
    let expected = format!("connection to `{address}` timed out after 100ms (`connect_timeout`); check the base URL");
    assert_eq!(words(&error).0, expected);
}

#[tokio::test]
async fn rejection_is_explained() {
    let body = r#"{"detail": {"message": "no such venue", "error_code": "VENUE"}, "key": "canary-key"}"#;
    let error = check(Step::Write(reply("422 Unprocessable", body))).await;
    assert_eq!((error.status(), error.code()), (Some(422), Some("VENUE")));
    let text = error.to_string();
    let start = "market.ratio (GET /ratio?symbol=BTC): status 422: no such venue (code VENUE); ";
    assert!(text.starts_with(start), "{text}");
    assert!(!text.contains("param `symbol`"), "{text}");
    let timeframe = "(code VENUE); missing param `timeframe`, reported as required; ";
    assert!(text.contains(timeframe), "{text}");
    assert_eq!(error.body().map(<[u8]>::len), Some(body.len()));
}

#[tokio::test]
async fn html_in_an_error_is_truncated() {
    let page = format!("<html>{}</html>", "x".repeat(900));
    for (head, kind) in [("503 Busy", ErrorKind::Status), ("200 OK", ErrorKind::Decode)] {
        let error = check(Step::Write(reply(head, &page))).await;
        assert_eq!((error.kind(), error.is_retryable()), (kind, kind == ErrorKind::Status));
        assert!(error.to_string().len() < 800, "{error}");
    }
}

#[tokio::test]
async fn unexpected_encoding_is_rejected() {
    let error = check(Step::Write(reply("200 OK\r\ncontent-encoding: br", b"\x0b\x02\x80{}\x03"))).await;
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(error.to_string().contains("has the encoding `br`"));
}

#[cfg(feature = "gzip")]
#[tokio::test]
async fn compressed_replies_are_read() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, DATA.as_bytes()).unwrap();
    let body = encoder.finish().unwrap();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", body.len());
    let server = Server::start(vec![Step::Write([head.as_bytes(), &body].concat())]).await;
    let client = server.builder().build().unwrap();
    assert_eq!(ask(&client).await.unwrap().to_bits(), 0.25_f64.to_bits());
    assert!(server.requests.lock().unwrap()[0].contains("\r\naccept-encoding: gzip\r\n"));
    let cut = [head.as_bytes(), &body[..body.len() - 4], b"abcd"].concat();
    let error = check(Step::Write(cut)).await;
    assert_eq!(error.kind(), ErrorKind::Body);
    assert!(error.is_retryable(), "{error}");
}

#[tokio::test]
async fn a_pooled_connection_that_was_closed_is_replaced() {
    let steps = vec![Step::Close(reply("200 OK", DATA)), Step::Write(reply("200 OK", DATA))];
    let server = Server::start(steps).await;
    let client = server.builder().build().unwrap();
    ask(&client).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    ask(&client).await.unwrap();
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn failed_reused_connection_is_replaced_silently() {
    for end in [Step::Close(Vec::new()), Step::Reset(Vec::new()), Step::Close(b"HTTP/1.1 2".to_vec())] {
        let steps = vec![Step::Write(reply("200 OK", DATA)), end, Step::Write(reply("200 OK", DATA))];
        let server = Server::start(steps).await;
        let client = server.builder().retry(Retry::default().backoff(Duration::ZERO, Duration::ZERO)).build().unwrap();
        ask(&client).await.unwrap();
        ask(&client).await.unwrap();
        assert_eq!((server.connections(), server.requests.lock().unwrap().len()), (2, 3));
    }
}

/// A request that was polled outside of a runtime can be sent in one, and no poll panics.
#[test]
fn request_outside_of_a_runtime_is_an_error() {
    let client = scripted::Service::new(|_, _| scripted::ok()).builder().build().unwrap();
    let mut call = client.raw("/x").into_future();
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..2 {
        let Poll::Ready(outcome) = Pin::new(&mut call).poll(&mut context) else {
            panic!("the request waits although there is no runtime");
        };
        assert!(outcome.unwrap_err().to_string().contains("no Tokio runtime is running"));
    }
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(&mut call).unwrap();
    let error = runtime.block_on(&mut call).unwrap_err();
    assert!(error.to_string().contains("already returned"), "{error}");
}
