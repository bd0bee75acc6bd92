//! Tests with scripted local proxies, in front of servers whose names only the proxy can resolve.

use std::sync::{Arc, Mutex};

use runtime::{Builder, Error, ErrorKind, Retry};
use test_service::ClosedPort;
use test_service::invented::Client;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

use crate::alone::run_alone;
use crate::encrypted::{Authority, KEY, answer, listen, read_head, start};

/// The requests that a proxy received, one string per connection.
type Journal = Arc<Mutex<Vec<String>>>;

/// Starts a proxy that responds to the first request with `reply`, and then forwards bytes to the port `to`, if any.
async fn proxy(reply: &'static str, to: Option<u16>) -> (u16, Journal) {
    let journal = Journal::default();
    let seen = journal.clone();
    let port = listen(move |mut stream| {
        let seen = seen.clone();
        async move {
            let Some(head) = read_head(&mut stream).await else { return };
            seen.lock().unwrap().push(head);
            stream.write_all(reply.as_bytes()).await.unwrap();
            if let Some(port) = to {
                let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut server).await;
            }
        }
    })
    .await;
    (port, journal)
}

const ESTABLISHED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

fn builder() -> Builder<Client> {
    Client::builder("https://service.invalid/v2").api_key(KEY).retry(Retry::none())
}

/// Starts a server called `service.invalid`, and returns its port and the certificate of its authority.
async fn service() -> (u16, String) {
    let authority = Authority::new("ours");
    (start(authority.acceptor("service.invalid", false, &[])).await, authority.pem)
}

async fn ask(builder: Builder<Client>) -> Result<usize, Error> {
    let settings = format!("{builder:?}");
    let client = builder.build()?;
    assert!(!format!("{settings} {client:?}").contains("canary"));
    client.market().ratio().symbol("BTC").await.map(|series| series.records.len())
}

#[tokio::test]
async fn tunnel_hides_requests_from_the_proxy() {
    let (server, root) = service().await;
    let (port, journal) = proxy(ESTABLISHED, Some(server)).await;
    let url = format!("http://me:canary%20password@127.0.0.1:{port}");
    assert_eq!(ask(builder().root_certificate(root).proxy(url)).await.unwrap(), 1);
    let expected = "CONNECT service.invalid:443 HTTP/1.1\r\nHost: service.invalid:443\r\n\
        Proxy-Authorization: Basic bWU6Y2FuYXJ5IHBhc3N3b3Jk\r\n\r\n";
    assert_eq!(*journal.lock().unwrap(), [expected]);
}

#[tokio::test]
async fn plain_http_is_tunnelled_too() {
    let server = listen(answer).await;
    let (port, journal) = proxy(ESTABLISHED, Some(server)).await;
    let builder = Client::builder("http://service.invalid/v2").api_key(KEY).allow_http(true);
    assert_eq!(ask(builder.proxy(format!("me:canary@127.0.0.1:{port}"))).await.unwrap(), 1);
    let head = &journal.lock().unwrap()[0];
    assert!(head.starts_with("CONNECT service.invalid:80 HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nProxy-Authorization: Basic bWU6Y2FuYXJ5\r\n"), "{head}");
}

#[tokio::test]
async fn proxy_may_use_tls() {
    let (server, root) = service().await;
    let authority = Authority::new("theirs");
    let acceptor = authority.acceptor("localhost", false, &[]);
    let port = listen(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let mut stream = acceptor.accept(stream).await.unwrap();
            assert!(read_head(&mut stream).await.unwrap().starts_with("CONNECT service.invalid:443 "));
            stream.write_all(ESTABLISHED.as_bytes()).await.unwrap();
            let mut server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
            let _ = copy_bidirectional(&mut stream, &mut server).await;
        }
    })
    .await;
    let builder = builder().root_certificate(root).root_certificate(authority.pem);
    assert_eq!(ask(builder.proxy(format!("https://localhost:{port}"))).await.unwrap(), 1);
}

/// Reads one SOCKS 5 message, checks it and responds.
async fn socks(stream: &mut TcpStream, expected: &[u8], reply: &[u8]) {
    let mut message = vec![0; expected.len()];
    stream.read_exact(&mut message).await.unwrap();
    assert_eq!(message, expected);
    stream.write_all(reply).await.unwrap();
}

#[tokio::test]
async fn socks_proxy_receives_name_and_port() {
    let port = listen(|mut stream| async move {
        socks(&mut stream, b"\x05\x01\x02", b"\x05\x02").await;
        socks(&mut stream, b"\x01\x02me\x06canary", b"\x01\x00").await;
        socks(&mut stream, b"\x05\x01\x00\x03\x0fservice.invalid\x00\x50", b"\x05\x00\x00\x01\0\0\0\0\0\0").await;
        answer(stream).await;
    })
    .await;
    let builder = Client::builder("http://service.invalid/v2").api_key(KEY).allow_http(true);
    assert_eq!(ask(builder.proxy(format!("socks5://me:canary@127.0.0.1:{port}"))).await.unwrap(), 1);
}

/// Returns the error of a request as formatted by `{:#}`, and whether the error is retryable. The text omits the name
/// of the request, the attempts and the port.
async fn error_text(builder: Builder<Client>, port: u16) -> (String, bool) {
    let error = ask(builder.proxy(format!("http://me:canary@127.0.0.1:{port}"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    let text = format!("{error:#}").replace(&format!(":{port}"), ":PORT");
    assert!(!text.contains("canary"), "{text}");
    let (start, _) = text.split_once("; after 1 attempt in ").unwrap();
    let start = start.strip_prefix("market.ratio (GET /ratio?symbol=BTC): ").unwrap();
    (start.to_owned(), error.is_retryable())
}

#[tokio::test]
async fn a_proxy_that_fails_is_named() {
    let start = "connection to `service.invalid:443` through the proxy `127.0.0.1:PORT`";
    let table = [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            " failed: the proxy requires credentials; add them to its URL",
            false,
        ),
        (
            "HTTP/1.1 403 Forbidden\r\n\r\nBlocked by company policy.",
            " failed: the proxy refused it with status 403: Blocked by company policy.",
            false,
        ),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", " failed: the proxy refused it with status 502", true),
        ("SSH-2.0-OpenSSH\r\n", " failed: the response of the proxy is not HTTP", true),
        ("", " failed: the proxy closed the connection", true),
    ];
    for (reply, expected, retryable) in table {
        let (port, _) = proxy(reply, None).await;
        assert_eq!(error_text(builder(), port).await, (format!("{start}{expected}"), retryable), "{reply}");
    }
    let closed = ClosedPort::occupy().unwrap();
    let (text, retryable) = error_text(builder(), closed.address().port()).await;
    let expected = "connection to `service.invalid:443` through the proxy `127.0.0.1:PORT` refused";
    assert!(text == expected && retryable, "{text}");
}

#[tokio::test]
async fn tunnel_to_another_server_is_rejected() {
    let (server, _) = service().await;
    let (port, _) = proxy(ESTABLISHED, Some(server)).await;
    let (text, retryable) = error_text(builder(), port).await;
    let expected = "the certificate of `service.invalid:443` through the proxy `127.0.0.1:PORT` \
        is not signed by a trusted root; add its root certificate (`root_certificate`)";
    assert!(text.starts_with(expected) && !retryable, "{text}");
}

#[tokio::test]
async fn the_environment_selects_the_proxy_if_that_is_set() {
    const THIS: &str = "proxy::the_environment_selects_the_proxy_if_that_is_set";
    if let Ok(root) = std::env::var("ROOT") {
        let builder = || builder().root_certificate(root.as_bytes());
        assert_eq!(ask(builder().env_proxy(true)).await.unwrap(), 1);
        for builder in [builder(), builder().env_proxy(true).proxy("")] {
            let error = ask(builder).await.unwrap_err().to_string();
            assert!(error.contains("failed: DNS lookup failed; to use the proxy of the environment"), "{error}");
        }
        return;
    }
    let (server, root) = service().await;
    let (port, journal) = proxy(ESTABLISHED, Some(server)).await;
    let proxy = format!("http://127.0.0.1:{port}");
    let child = move || run_alone(THIS, &[("ROOT", &root), ("https_proxy", &proxy)]);
    tokio::task::spawn_blocking(child).await.unwrap();
    assert_eq!(journal.lock().unwrap().len(), 1);
}

#[test]
fn unusable_proxy_fails_the_build_of_the_client() {
    let error = builder().proxy("ftp://me:canary@127.0.0.1").build().unwrap_err();
    let expected = "invalid proxy URL; \
        expected `http://host:port`, `https://host:port` or `socks5://host:port`";
    assert_eq!(error.to_string(), expected);
}
