//! Tests of a rate limiter on a server: of the protocol, the script and broken connections. They also check that passwords
//! never appear in output.
//!
//! The server uses real sockets and a real clock, so the tests assert results and order, but no durations.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use runtime::emitted::LimitWindow;
use runtime::transport::{Headers, HttpResponse, from_fn};
use runtime::{RateLimit, Retry};
use shared_rate_limit::SharedRateLimiter;
use test_redis::Server;
use test_service::ClosedPort;
use test_service::invented::Client;

const PASSWORD: &str = "canary-password";

/// Returns a limit with short windows, which keep the tests fast.
fn limit() -> RateLimit {
    RateLimit::new(20, Duration::from_millis(100), 4)
}

fn limiter(server: &Server, user: &str) -> SharedRateLimiter {
    SharedRateLimiter::builder(server.url(user), limit()).name("test").build().unwrap()
}

/// Creates a client of a service that responds at once, and a counter of the requests sent.
fn client(limiter: SharedRateLimiter) -> (Client, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let transport = from_fn(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(HttpResponse::new(200, Headers::new(), r#"{"data": []}"#)) }
    });
    let builder = Client::builder("https://example.com/v2").api_key("any").retry(Retry::none());
    (builder.transport(transport).rate_limiter(limiter).build().unwrap(), sent)
}

/// Returns the messages of an error and of all its causes.
fn message(error: &dyn Error) -> String {
    let cause = error.source().map(message).unwrap_or_default();
    format!("{error}: {cause}")
}

#[tokio::test]
async fn processes_share_the_state_of_the_server() {
    let server = Server::start(None);
    let [(one, one_sent), (other, other_sent)] = [(); 2].map(|()| client(limiter(&server, "")));
    for _ in 0..10 {
        one.raw("/x").await.unwrap();
        other.raw("/x").await.unwrap();
    }
    assert_eq!((one_sent.load(Ordering::SeqCst), other_sent.load(Ordering::SeqCst)), (10, 10));
    let version = server.field("shared-rate-limit:{test}", "version").unwrap();
    assert!(version.starts_with(&format!("{}-", std::process::id())), "{version}");
    assert!(server.field("shared-rate-limit:{test}", "text").unwrap().starts_with('{'));
}

#[tokio::test]
async fn rate_limiter_reconnects_after_a_restart() {
    let server = Server::start(None);
    let limiter = limiter(&server, "");
    let (client, sent) = client(limiter.clone());
    client.raw("/x").await.unwrap();
    for _ in 0..2 {
        server.restart();
        client.raw("/x").await.unwrap();
    }
    assert_eq!(sent.load(Ordering::SeqCst), 3);
    assert_eq!(limiter.status().await.unwrap().slots, Some(4));
}

#[tokio::test]
async fn server_without_info_is_accepted() {
    let server = Server::start(None);
    server.reserve_info();
    let (client, sent) = client(limiter(&server, ""));
    client.raw("/x").await.unwrap();
    client.raw("/x").await.unwrap();
    assert_eq!(sent.load(Ordering::SeqCst), 2);
}

/// Tests a server that rejects writes and a server that deletes every key. Reads succeed on each of them, so only a
/// write shows that the rate limiter cannot work.
#[tokio::test]
async fn server_without_memory_is_an_error() {
    for (prepare, expected) in [
        (Server::fill as fn(&Server), "the server of the shared rate limit accepts no writes"),
        (Server::evict, "the server of the shared rate limit has deleted its data"),
    ] {
        let server = Server::start(None);
        prepare(&server);
        let (client, sent) = client(limiter(&server, ""));
        let error = message(&client.raw("/x").await.unwrap_err());
        assert!(error.contains(expected), "{error}");
        assert_eq!(sent.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn password_is_used_and_never_shown() {
    let server = Server::start(Some(PASSWORD));
    let user = format!(":{PASSWORD}@");
    let right = limiter(&server, &user);
    assert_eq!(right.status().await.unwrap().in_flight, 0);
    let wrong = limiter(&server, ":canary-mistaken@");
    let refused = wrong.status().await.unwrap_err();
    let (client, sent) = client(wrong.clone());
    // Waiting would not correct the password, so the request fails at once.
    let failed = client.raw("/x").await.unwrap_err();
    assert_eq!(sent.load(Ordering::SeqCst), 0);
    let without = limiter(&server, "").status().await.unwrap_err();
    for error in [&refused as &dyn Error, &failed, &without] {
        let message = message(error);
        assert!(
            message.contains("the server of the shared rate limit rejects the commands of the rate limiter"),
            "{message}"
        );
        assert!(!message.contains("canary-password") && !message.contains("canary-mistaken"), "{message}");
    }
    let builder = SharedRateLimiter::builder(server.url(&user), limit());
    for shown in [format!("{right:?}"), format!("{wrong:?}"), format!("{builder:?}")] {
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[tokio::test]
async fn unreachable_server_is_an_error_with_its_cause() {
    let closed = ClosedPort::occupy().unwrap();
    let limiter = SharedRateLimiter::builder(format!("redis://:{PASSWORD}@{}", closed.address()), limit());
    let limiter = limiter.fail_after(Duration::ZERO).build().unwrap();
    let (client, sent) = client(limiter);
    let message = message(&client.raw("/x").await.unwrap_err());
    assert!(message.contains("cannot reach the server of the shared rate limit"), "{message}");
    assert!(message.contains("Connection refused") && !message.contains("canary"), "{message}");
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}

#[test]
fn invalid_settings_are_errors() {
    for url in ["", "localhost", "http://127.0.0.1", "redis://:canary@", "redis://host:port"] {
        let message = message(&SharedRateLimiter::builder(url, limit()).build().map(drop).unwrap_err());
        assert!(message.starts_with("the URL of the shared rate limit's server cannot be used: "), "{message}");
        assert!(!message.contains("canary"), "{message}");
    }
}

#[cfg(not(feature = "tls"))]
#[test]
fn url_with_tls_names_the_feature() {
    let error = SharedRateLimiter::builder("rediss://:canary@host", limit()).build().map(drop).unwrap_err();
    let expected = "a `rediss` URL of the shared rate limit's server requires the feature `tls`";
    assert_eq!(error.to_string(), expected);
}

/// Each window that counts only some endpoints has a separate key on the server.
#[tokio::test]
async fn limit_of_some_endpoints_has_its_own_key() {
    let server = Server::start(None);
    let of_some = RateLimit::set(const { &[LimitWindow::of(5, 1, &["/ratio"])] }, None);
    let limiter = SharedRateLimiter::builder(server.url(""), limit().and(of_some)).name("test").build().unwrap();
    let (client, sent) = client(limiter.clone());
    client.raw("/x").await.unwrap();
    client.market().ratio().symbol("BTC").await.unwrap();
    assert_eq!(sent.load(Ordering::SeqCst), 2);
    limiter.shutdown().await;
    for key in ["shared-rate-limit:{test}", "shared-rate-limit:{test/1}"] {
        assert!(server.field(key, "text").is_some(), "{key}");
    }
}
