//! A sandbox starts, says where it is, and stops.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use sandbox::Sandbox;
use support::Server;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn it_stops_when_dropped() {
    let server = Server::start().await;
    assert_eq!(server.get("/ping").await.status, 200);
    let address = server.base_url().replace("http://", "").replace("/v2", "");
    // A connection that is kept for the next request ends too: in a test nothing is to hold on to a sandbox.
    let mut kept = TcpStream::connect(&address).await.unwrap();
    kept.write_all(b"GET /v2/ping HTTP/1.1\r\nhost: x\r\nx-api-key: key\r\n\r\n").await.unwrap();
    let mut seen = vec![kept.read_u8().await.unwrap()];
    drop(server);
    kept.read_to_end(&mut seen).await.unwrap();
    assert!(seen.starts_with(b"HTTP/1.1 200 ") && seen.ends_with(b"}"), "the reply is whole, and nothing follows");
    while TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let first = Sandbox::start().await.unwrap();
    let port = first.base_url().rsplit(':').next().unwrap().trim_end_matches("/v2").parse().unwrap();
    let error = Sandbox::builder().port(port).start().await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("port {port} of this machine cannot be used: ")), "{error}");
}
