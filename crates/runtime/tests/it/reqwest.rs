//! Tests of a `reqwest::Client` as the transport: of the requests that it sends, and of redirects, which it must not
//! follow.
//!
//! Server errors are tested in `misbehaviour.rs`, whose rows use this transport too.

use runtime::transport::ReqwestTransport;
use runtime::{ErrorKind, Retry};

use crate::socket::{DATA, KEY, Server, Step, reply};

/// Builds clients that ignore a proxy in the environment.
fn client() -> reqwest::ClientBuilder {
    reqwest::Client::builder().no_proxy()
}

#[tokio::test]
async fn requests_are_those_of_the_built_in_transport() {
    let server = Server::start(vec![Step::Write(reply("200 OK\r\nx-request-id: abc", DATA))]).await;
    let own = server.builder().transport(ReqwestTransport::new(client().build().unwrap())).build().unwrap();
    for client in [server.builder().build().unwrap(), own] {
        for _ in 0..2 {
            let response = client.market().ratio().symbol("BTC").response().await.unwrap();
            assert_eq!((response.headers.get("x-request-id"), response.body.records.len()), (Some("abc"), 1));
        }
    }
    assert_eq!(server.connections(), 2);
    let heads: Vec<_> = server.requests.lock().unwrap().iter().map(|head| sorted(head)).collect();
    assert_eq!(heads[0], heads[2]);
    assert_eq!(heads[0], heads[3]);
}

/// Returns the head of a request in lower case with its lines sorted, because the two clients order them differently.
fn sorted(head: &str) -> Vec<String> {
    let mut lines: Vec<_> = head.lines().map(str::to_lowercase).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(vec![Step::Write(reply("200 OK", DATA))]).await;
    let head = format!("302 Found\r\nlocation: {}/x", other.base_url.replace("127.0.0.1", "localhost"));
    let server = Server::start(vec![Step::Write(reply(&head, ""))]).await;
    let transport = ReqwestTransport::from_builder(client()).unwrap();
    let error = server.builder().transport(transport).build().unwrap().raw("/x").await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(302)));
    assert!(error.to_string().contains("a redirect to the host `localhost`, is not followed"));
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn followed_redirect_is_reported() {
    let other = Server::start(vec![Step::Write(reply("200 OK", DATA))]).await;
    let head = format!("302 Found\r\nlocation: {}/x", other.base_url.replace("127.0.0.1", "localhost"));
    for (head, host) in [(&*head, "localhost"), ("302 Found\r\nlocation: /round/and/round", "127.0.0.1")] {
        let server = Server::start(vec![Step::Write(reply(head, ""))]).await;
        let builder = server.builder().retry(Retry::none());
        let client = builder.transport(ReqwestTransport::new(client().build().unwrap())).build().unwrap();
        let error = client.raw("/x").query("note", KEY).await.unwrap_err();
        assert!(!error.is_retryable());
        let expected = format!(
            "client.raw (GET /x?note=**********): a redirect to the host `{host}` was followed, \
             so that host may have received the API key; build the reqwest client with `redirect::Policy::none()`; after 1 attempt in "
        );
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    // This client follows redirects, so the other server has received the key.
    assert!(other.requests.lock().unwrap()[0].contains(KEY));
}

#[tokio::test]
async fn reqwest_timeout_is_a_timeout_error() {
    let begun = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{";
    for (step, kind) in [(Step::NoResponse, ErrorKind::Headers), (Step::Write(begun.into()), ErrorKind::Body)] {
        let server = Server::start(vec![step]).await;
        let client = client().timeout(std::time::Duration::from_millis(300)).build().unwrap();
        let client = server.builder().retry(Retry::none()).transport(ReqwestTransport::new(client)).build().unwrap();
        let error = client.raw("/x").query("note", KEY).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(error.is_timeout() && error.is_retryable(), "{error:?}");
        assert!(!format!("{error:?}").contains("canary"));
    }
}
