//! Functions that the emitted tests call to check each request.
//!
//! A request is compared with its entry in the catalogue. The transport stores the request instead of sending it, so
//! the actual HTTP method, URL and headers are compared, and no network is used.

#![allow(clippy::missing_panics_doc, clippy::panic, clippy::unwrap_used, reason = "a test that fails panics")]

use std::cell::RefCell;
use std::future::IntoFuture;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use runtime::emitted::{ClientType, Request};
use runtime::registry::{BaseUrlInfo, Evidence, ParamInfo, ParamLocation, ValueType};
use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Builder, Endpoint};

const HOST: &str = "https://example.com";
/// The API key. It contains a colon because HTTP Basic authentication requires one.
const KEY: &str = "canary:key";

/// The characters, besides letters and digits, that a query leaves unencoded.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b',').remove(b':');

thread_local! {
    /// The last request of this test; every test has its own thread.
    static SENT: RefCell<Option<HttpRequest>> = const { RefCell::new(None) };
}

/// A transport that keeps the request and responds with an empty object.
struct Memory;

impl Transport for Memory {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        SENT.set(Some(request));
        Box::pin(async { Ok(HttpResponse::new(200, Headers::new(), "{}")) })
    }
}

/// Creates a client that records its requests.
pub fn client<C: ClientType>() -> C {
    let mut builder = Builder::<C>::new(format!("{HOST}{}", C::SERVICE.base_url_suffix)).transport(Memory);
    for info in C::SERVICE.base_urls {
        builder = builder.base_url(info.name, url_of_host(info));
    }
    let builder = if C::SERVICE.takes_api_key() { builder.api_key(KEY) } else { builder };
    builder.build().unwrap()
}

/// Compares a request without optional params with the registry. Then sends the request with every query param, and
/// compares the method, the URL and the headers.
pub fn endpoint<E: Endpoint>(path: &str, request: impl Into<Request<E>>) {
    let mut request = request.into();
    check_required_params(&request);
    let service = request.service();
    let mut query = Vec::new();
    for info in query_params::<E>() {
        let value = accepted_value(info);
        query.push(format!("{}={value}", utf8_percent_encode(info.wire_name, QUERY)));
        request = request.query(info.wire_name, value);
    }
    if let Some(name) = service.api_key_query {
        query.push(format!("{}={KEY}", utf8_percent_encode(name, QUERY)));
    }
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The response is empty, so a typed body does not decode; only the sent request is checked.
    let _ = runtime.block_on(request.into_future());
    let sent = SENT.take().unwrap_or_else(|| panic!("{path} was not sent"));
    assert_eq!(sent.method(), "GET");
    let base_url = match service.base_url_of(E::INFO) {
        Some(info) => url_of_host(info),
        None => format!("{HOST}{}", service.base_url_suffix),
    };
    assert_eq!(sent.url, format!("{base_url}{path}{query}"));
    if let Some(name) = service.api_key_header {
        assert_eq!(sent.headers.get(name), Some(service.api_key_value(KEY).as_str()), "{name}");
    }
    for (name, value) in service.headers {
        assert_eq!(sent.headers.get(name), Some(*value), "{name}");
    }
    let has_token = service.api_key_header != Some("authorization") && sent.headers.get("authorization").is_some();
    assert!(!has_token);
}

/// A base URL of groups on another host.
fn url_of_host(info: &BaseUrlInfo) -> String {
    format!("https://{}.example.com{}", info.name.replace('_', "-"), info.suffix)
}

fn query_params<E: Endpoint>() -> impl Iterator<Item = &'static ParamInfo> {
    E::INFO.params().filter(|param| param.location == ParamLocation::Query)
}

/// Checks that the query contains the param that a setter has set.
pub fn setter<E: Endpoint>(request: impl Into<Request<E>>, expected: &str) {
    let request = request.into();
    let sent = request.path_and_query();
    assert!(sent_params(&sent).any(|param| param == expected), "{expected} is not in {sent}");
}

/// The params of a query, as `name=value`.
fn sent_params(path_and_query: &str) -> impl Iterator<Item = &str> {
    path_and_query.split(['?', '&']).skip(1)
}

/// Checks that a request without optional params has every argument and every constant value, and that it contains no
/// value that is known to be rejected.
fn check_required_params<E: Endpoint>(request: &Request<E>) {
    let sent = request.path_and_query();
    for info in query_params::<E>() {
        let name = format!("{}=", utf8_percent_encode(info.wire_name, QUERY));
        let value = sent_params(&sent).find_map(|param| param.strip_prefix(name.as_str()));
        let is_expected = info.required.is_some_and(Evidence::is_enforced) || info.const_value.is_some();
        assert_eq!(value.is_some(), is_expected, "presence of `{}` in {sent}", info.wire_name);
        let (Some(value), Some(example)) = (value, info.example) else { continue };
        if !matches!(info.ty, ValueType::Timestamp(_)) {
            assert_eq!(value, utf8_percent_encode(example, QUERY).to_string(), "`{}` in {sent}", info.wire_name);
        }
        let is_served = info.allowed_values.is_empty() || info.allowed_values.contains(&example);
        let is_rejected = !is_served || info.rejected_values.contains(&example);
        assert!(!is_rejected, "{sent} contains a value that is known to be rejected");
    }
}

/// A value that the param accepts, even if the range of the param is enforced.
fn accepted_value(info: &ParamInfo) -> String {
    match info.ty {
        ValueType::Integer | ValueType::Count | ValueType::Number | ValueType::Timestamp(_) => {
            match info.range.min.or(info.range.max) {
                Some(bound) if info.evidence.is_enforced() => bound.to_string(),
                _ => "7".to_owned(),
            }
        }
        ValueType::Boolean => "true".to_owned(),
        _ => "a".to_owned(),
    }
}
