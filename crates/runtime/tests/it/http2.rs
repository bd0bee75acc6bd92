//! Tests of HTTP/2, which is negotiated during the TLS handshake.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use h2::{Reason, RecvStream, server::SendResponse};
use http::{Request, Response};
use runtime::{Builder, ErrorKind, RateLimit, Retry};
use test_service::invented::Client;
use tokio_rustls::TlsAcceptor;

use crate::encrypted::{Authority, DATA, KEY, listen, start};

type Respond = SendResponse<bytes::Bytes>;
type Serve = fn(&Request<RecvStream>, &mut Respond);

/// Starts a server that supports only HTTP/2, counts connections, and passes every stream to `serve`.
async fn start_h2(acceptor: TlsAcceptor, serve: Serve) -> (u16, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    let port = listen(move |stream| {
        let (acceptor, count) = (acceptor.clone(), count.clone());
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            let stream = acceptor.accept(stream).await.unwrap();
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                serve(&request, &mut respond);
            }
        }
    })
    .await;
    (port, connections)
}

fn builder(port: u16, authority: &Authority) -> Builder<Client> {
    let builder = Client::builder(format!("https://localhost:{port}/v2")).api_key(KEY).retry(Retry::none());
    builder.http2(true).root_certificate(authority.pem.clone()).rate_limit(RateLimit::new(
        1000,
        Duration::from_secs(1),
        100,
    ))
}

fn whole(request: &Request<RecvStream>, respond: &mut Respond) {
    assert_eq!(request.headers()["x-api-key"], KEY);
    assert_eq!(request.uri().path(), "/v2/ratio");
    let mut body = respond.send_response(Response::new(()), false).unwrap();
    body.send_data(DATA.into(), true).unwrap();
}

#[tokio::test]
async fn http2_connection_carries_concurrent_requests() {
    let authority = Authority::new("ours");
    let (port, connections) = start_h2(authority.acceptor("localhost", false, &["h2"]), whole).await;
    let client = builder(port, &authority).build().unwrap();
    let ask = || client.market().ratio().symbol("BTC").into_future();
    // The first request is sent alone, because each request that begins before HTTP/2 is negotiated opens a connection.
    ask().await.unwrap();
    let tasks: Vec<_> = (0..20).map(|_| tokio::spawn(ask())).collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap().records.len(), 1);
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// The server refuses the first two streams of each connection.
#[tokio::test]
async fn a_refused_stream_is_sent_again_at_once() {
    let authority = Authority::new("ours");
    let serve = |request: &Request<RecvStream>, respond: &mut Respond| {
        if respond.stream_id().as_u32() < 5 {
            respond.send_reset(Reason::REFUSED_STREAM);
        } else {
            whole(request, respond);
        }
    };
    let (port, connections) = start_h2(authority.acceptor("localhost", false, &["h2"]), serve).await;
    let client = builder(port, &authority).build().unwrap();
    assert_eq!(client.market().ratio().symbol("BTC").await.unwrap().records.len(), 1);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// Each connection of the server responds to one request, and then closes with GOAWAY.
#[tokio::test]
async fn requests_survive_a_server_that_closes_connections() {
    let authority = Authority::new("ours");
    let acceptor = authority.acceptor("localhost", false, &["h2"]);
    let port = listen(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let stream = acceptor.accept(stream).await.unwrap();
            let mut connection = h2::server::handshake(stream).await.unwrap();
            let mut is_first = true;
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                if std::mem::take(&mut is_first) {
                    whole(&request, &mut respond);
                    connection.graceful_shutdown();
                }
            }
        }
    })
    .await;
    let client = builder(port, &authority).build().unwrap();
    for _ in 0..20 {
        assert_eq!(client.market().ratio().symbol("BTC").await.unwrap().records.len(), 1);
    }
}

#[tokio::test]
async fn a_server_may_prefer_http_1() {
    let authority = Authority::new("ours");
    for alpn in [&["http/1.1"][..], &[]] {
        let port = start(authority.acceptor("localhost", false, alpn)).await;
        builder(port, &authority).build().unwrap().raw("/x").await.unwrap();
    }
}

/// The feature alone changes nothing: without the setting, the client offers only HTTP/1.1.
#[tokio::test]
async fn without_the_setting_it_is_http_1() {
    let authority = Authority::new("ours");
    let port = start(authority.acceptor("localhost", false, &["h2", "http/1.1"])).await;
    builder(port, &authority).http2(false).build().unwrap().raw("/x").await.unwrap();
}

#[tokio::test]
async fn http2_failures_have_the_same_kinds() {
    let refused = |_: &Request<RecvStream>, respond: &mut Respond| respond.send_reset(Reason::REFUSED_STREAM);
    let reset = |_: &Request<RecvStream>, respond: &mut Respond| respond.send_reset(Reason::INTERNAL_ERROR);
    let short = |_: &Request<RecvStream>, respond: &mut Respond| {
        let head = Response::builder().header("content-length", DATA.len()).body(()).unwrap();
        respond.send_response(head, false).unwrap().send_data(DATA[..30].into(), true).unwrap();
    };
    let large = |_: &Request<RecvStream>, respond: &mut Respond| {
        let mut body = respond.send_response(Response::new(()), false).unwrap();
        body.send_data(vec![b' '; 2000].into(), true).unwrap();
    };
    let table: [(&str, Serve, ErrorKind, bool); 4] = [
        ("refused", refused, ErrorKind::Headers, true),
        ("reset", reset, ErrorKind::Headers, true),
        ("short", short, ErrorKind::Body, true),
        ("large", large, ErrorKind::Body, false),
    ];
    let authority = Authority::new("ours");
    for (name, serve, kind, retryable) in table {
        let (port, _) = start_h2(authority.acceptor("localhost", false, &["h2"]), serve).await;
        let client = builder(port, &authority).max_body_bytes(1000).build().unwrap();
        let error = client.raw("/x").await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (kind, retryable), "{name}: {error:?}");
    }
}
