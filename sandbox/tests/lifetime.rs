//! A sandbox starts, says where it is, and stops.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use sandbox::Sandbox;
use support::Server;
use tokio::net::TcpStream;

#[tokio::test]
async fn it_stops_when_dropped() {
    let server = Server::start().await;
    assert_eq!(server.get("/ping").await.status, 200);
    let address = server.base_url().replace("http://", "").replace("/v2", "");
    assert!(TcpStream::connect(&address).await.is_ok());
    drop(server);
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
