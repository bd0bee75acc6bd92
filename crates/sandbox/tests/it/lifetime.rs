//! Tests of the start, the address and the end of a sandbox.

use sandbox::Sandbox;
use test_service::invented::REGISTRY;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::Server;

#[tokio::test]
async fn dropped_sandbox_closes_its_port() {
    let server = Server::start();
    assert_eq!(server.get("/health").await.status, 200);
    let address = server.base_url().replace("http://", "").replace("/v2", "");
    // An open keep-alive connection must not keep the sandbox alive.
    let mut kept = TcpStream::connect(&address).await.unwrap();
    kept.write_all(b"GET /v2/health HTTP/1.1\r\nhost: localhost\r\nx-api-key: key\r\n\r\n").await.unwrap();
    let mut seen = vec![kept.read_u8().await.unwrap()];
    drop(server);
    // An error is ignored, because the operating system decides whether the connection ends with a reset.
    let _ = kept.read_to_end(&mut seen).await;
    assert!(seen.starts_with(b"HTTP/1.1 200 "));
    assert!(TcpStream::connect(&address).await.is_err(), "the port is free");
}

#[tokio::test]
async fn port_in_use_is_reported() {
    let first = Sandbox::of(&REGISTRY).start().unwrap();
    let port = first.base_url().rsplit(':').next().unwrap().trim_end_matches("/v2").parse().unwrap();
    let error = Sandbox::of(&REGISTRY).port(port).start().unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot listen on port {port}: ")), "{error}");
}

#[test]
fn sandbox_starts_without_a_runtime() {
    use std::io::{Read, Write};

    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let mut stream =
        std::net::TcpStream::connect(sandbox.base_url().replace("http://", "").replace("/v2", "")).unwrap();
    stream
        .write_all(b"GET /v2/health HTTP/1.1\r\nhost: localhost\r\nx-api-key: key\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}
