//! Tests that API keys in the query and HTTP Basic credentials are sent correctly and never appear in output.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use runtime::observer::{Event, Observer};
use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Error, ErrorKind, Retry};

const KEY: &str = "canary+/elk";

/// Defines a module with the client of a service without endpoints.
macro_rules! client {
    ($module:ident, $name:literal, $($credentials:tt)*) => {
        #[allow(dead_code, unreachable_pub, reason = "tests use only some of it")]
        mod $module {
            use ::runtime::record::{Record, UnknownFields};
            use ::runtime::registry::{RecordInfo, ServiceInfo};

            static SERVICE: ServiceInfo = ServiceInfo { env_prefix: $name, $($credentials)* ..ServiceInfo::new("A service") };

            #[derive(Clone)]
            pub struct Metadata {
                pub unknown_fields: UnknownFields,
            }

            impl Metadata {
                fn unsupported(&self) -> Vec<String> {
                    Vec::new()
                }
            }

            impl Record for Metadata {
                const INFO: &'static RecordInfo = &RecordInfo::new("Metadata", &[]);
            }

            ::runtime::fields!(Metadata);
            ::runtime::define_client!(crate "keyed", env $name, service SERVICE, metadata Metadata);
        }
    };
}

client!(keyed, "KEYED", api_key_query: Some("api key"),);
client!(basic, "BASIC", api_key_header: Some("authorization"), api_key_prefix: "Basic ", api_key_basic: true,);
client!(open, "OPEN",);

type Respond = fn(&HttpRequest) -> Result<HttpResponse, Error>;

/// A service that records every request, and responds with the result of a function.
struct Service(Arc<Mutex<Vec<HttpRequest>>>, Respond);

impl Transport for Service {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        let outcome = (self.1)(&request);
        self.0.lock().unwrap().push(request);
        Box::pin(async { outcome })
    }
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<String>>);

impl Observer for Seen {
    fn observe(&self, event: &Event) {
        writeln!(self.0.lock().unwrap(), "{event:?}").unwrap();
    }
}

/// Responses and errors that repeat the URL of the request, which contains the key, wherever they can.
const RESPONSES: [Respond; 5] = [
    |request| Ok(HttpResponse::new(200, Headers::new(), format!("\"{}\"", request.url))),
    |request| Ok(HttpResponse::new(400, Headers::new(), format!("{{\"message\": \"{}\"}}", request.url))),
    |request| {
        let mut headers = Headers::new();
        headers.insert("location", &request.url).unwrap();
        Ok(HttpResponse::new(302, headers, "elsewhere"))
    },
    |request| Err(Error::retryable(ErrorKind::Headers, format!("{} failed", request.url))),
    |request| {
        let cause = std::io::Error::other(request.url.clone());
        Err(Error::retryable(ErrorKind::Connect, "no connection").with_source(cause))
    },
];

#[tokio::test]
async fn nothing_shows_a_key_in_the_query() {
    for outcome in RESPONSES {
        let (sent, seen) = (Arc::default(), Seen::default());
        let builder = keyed::Client::builder("https://example.com").api_key(KEY).retry(Retry::none());
        let mut text = format!("{builder:?}");
        let builder = builder.transport(Service(Arc::clone(&sent), outcome)).observer(seen.clone());
        let client = builder.build().unwrap();
        let request = client.raw("/quote").query("symbol", "BTC");
        write!(text, "{client:?} {client:#?} {request:?}").unwrap();
        match request.await {
            // A successful response is data, which is not masked.
            Ok(_) => {}
            Err(error) => {
                let body = String::from_utf8_lossy(error.body().unwrap_or_default());
                write!(text, "{error} {error:?} {error:#?} {:?} {body}", error.headers()).unwrap();
                let mut cause = std::error::Error::source(&error);
                while let Some(error) = cause {
                    write!(text, "{error} {error:?}").unwrap();
                    cause = error.source();
                }
            }
        }
        let sent = sent.lock().unwrap();
        assert_eq!(sent[0].url, "https://example.com/quote?symbol=BTC&api%20key=canary%2B%2Felk");
        write!(text, "{:?} {}", sent[0], seen.0.lock().unwrap()).unwrap();
        assert!(!text.contains("canary") && !text.contains("elk"), "{text}");
    }
}

#[tokio::test]
async fn a_key_in_the_query_is_set_once() {
    let sent = Arc::default();
    let transport = Service(Arc::clone(&sent), |_| Ok(HttpResponse::new(200, Headers::new(), "{}")));
    let client = keyed::Client::builder("https://example.com").api_key("key").transport(transport).build().unwrap();
    client.raw("/quote").await.unwrap();
    assert_eq!(sent.lock().unwrap()[0].url, "https://example.com/quote?api%20key=key");
    let error = client.raw("/quote").query("api key", "other").await.unwrap_err();
    assert!(
        error.to_string().ends_with("the param `api key` is reserved for the credentials; use `api_key`"),
        "{error}"
    );
    let error = keyed::Client::builder("https://example.com").build().unwrap_err();
    assert_eq!(error.to_string(), "the API key is missing; set it with `api_key`");
}

/// The Basic credentials in every form in which a service could repeat them.
const ECHO: &str = r#"{"message": "me:canary-password, canary-password, bWU6Y2FuYXJ5LXBhc3N3b3Jk"}"#;

#[tokio::test]
async fn basic_credentials_are_encoded_and_hidden() {
    let sent = Arc::default();
    let transport = Service(Arc::clone(&sent), |_| Ok(HttpResponse::new(400, Headers::new(), ECHO)));
    let builder = || basic::Client::builder("https://example.com").transport(Service(Arc::default(), RESPONSES[0]));
    let client = builder().transport(transport).api_key("me:canary-password").build().unwrap();
    let error = client.raw("/quote").await.unwrap_err();
    let text = format!("{client:?} {error:?} {}", String::from_utf8_lossy(error.body().unwrap()));
    assert!(!text.contains("canary") && !text.contains("bWU6"), "{text}");
    assert_eq!(sent.lock().unwrap()[0].headers.get("authorization"), Some("Basic bWU6Y2FuYXJ5LXBhc3N3b3Jk"));
    let error = builder().api_key("canary").build().unwrap_err();
    assert_eq!(error.to_string(), "the API key does not have the form `name:password`; it contains no colon");
}

#[tokio::test]
async fn a_service_without_credentials_gets_none() {
    let sent = Arc::default();
    let transport = Service(Arc::clone(&sent), |_| Ok(HttpResponse::new(200, Headers::new(), "{}")));
    let client = open::Client::builder("https://example.com").transport(transport).build().unwrap();
    client.raw("/quote").await.unwrap();
    let sent = sent.lock().unwrap();
    assert_eq!((sent[0].url.as_str(), sent[0].headers.get("authorization")), ("https://example.com/quote", None));
}
