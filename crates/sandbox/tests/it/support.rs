//! A running sandbox, and an HTTP client that returns responses as received.

use std::collections::BTreeMap;

use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use sandbox::{Builder, Sandbox};
use serde_json::Value;
use test_service::invented::REGISTRY;

/// 2024-06-15T12:34:56Z, a Saturday.
pub(crate) const NOW: i64 = 1_718_454_896;
pub(crate) const HOUR: i64 = 3_600;
pub(crate) const DAY: i64 = 24 * HOUR;

pub(crate) struct Server {
    sandbox: Sandbox,
    client: Client<HttpConnector, Full<axum::body::Bytes>>,
}

type Headers = BTreeMap<String, String>;

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) text: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {}", self.text))
    }

    /// Returns the records of a successful response.
    pub(crate) fn data(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()["data"].as_array().unwrap().clone()
    }

    /// Returns the code of an error response, whose body must have the members of `error_body`.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        assert!(json["detail"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{}", self.text);
        json["detail"]["error_code"].as_str().unwrap().to_owned()
    }
}

impl Server {
    /// Starts a sandbox with a stopped clock.
    pub(crate) fn start() -> Self {
        Self::with(Sandbox::of(&REGISTRY).stop_clock_at(NOW))
    }

    pub(crate) fn with(builder: Builder) -> Self {
        let sandbox = builder.start().unwrap();
        Self { sandbox, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    pub(crate) fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    pub(crate) fn base_url(&self) -> String {
        self.sandbox.base_url().to_owned()
    }

    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let (status, headers, body) = self.exchange(method, self.base_url() + path, headers, body).await;
        Response { status, headers, text: String::from_utf8(body).unwrap() }
    }

    /// Sends a request without an API key to a path that is not below the base URL.
    pub(crate) async fn at_root(&self, path: &str) -> Response {
        let uri = self.sandbox.page_url().trim_end_matches('/').to_owned() + path;
        let (status, headers, body) = self.exchange("GET", uri, &[], "").await;
        Response { status, headers, text: String::from_utf8(body).unwrap() }
    }

    /// Sends a request with an API key, and returns the received headers and body.
    pub(crate) async fn bytes(&self, path: &str) -> (Headers, Vec<u8>) {
        let uri = self.base_url() + path;
        let (status, headers, body) = self.exchange("GET", uri, &[("x-api-key", "key")], "").await;
        assert_eq!(status, 200);
        (headers, body)
    }

    /// Sends a request to any URL of the server.
    pub(crate) async fn exchange(
        &self,
        method: &str,
        uri: String,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, Headers, Vec<u8>) {
        let mut request = axum::http::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::from(body.to_owned())).unwrap();
        let (parts, body) = self.client.request(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        (parts.status.as_u16(), headers.collect(), body)
    }

    /// Sends a request with an API key.
    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[("x-api-key", "key")], "").await
    }

    pub(crate) async fn data(&self, path: &str) -> Vec<Value> {
        self.get(path).await.data()
    }
}
