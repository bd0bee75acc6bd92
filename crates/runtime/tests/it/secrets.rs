//! Tests that keys are also masked in encoded form, with a transport in memory.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Error, ErrorKind, RateLimit, Retry};
use test_service::invented::Client;
use test_service::scripted::{Service, reply};

const KEY: &str = "canary+/elk==";

/// Parts of the key that stay the same in every encoding of these tests.
const TRACES: [&str; 2] = ["canary", "elk"];

/// A transport that returns the same response, or the same failure, for every request.
struct Canned(Result<(u16, String), fn() -> Error>);

impl Transport for Canned {
    fn send(&self, _: HttpRequest) -> SendFuture<'_> {
        let reply = match &self.0 {
            Ok((status, body)) => Ok(HttpResponse::new(*status, Headers::new(), body.clone())),
            Err(failure) => Err(failure()),
        };
        Box::pin(async { reply })
    }
}

async fn check(answer: Canned) -> Error {
    let client = Client::builder("https://example.com/v2").api_key(KEY).transport(answer).build().unwrap();
    let error = client.market().ratio().query("note", KEY).await.unwrap_err();
    let body = String::from_utf8_lossy(error.body().unwrap_or_default());
    let mut seen = format!("{error} {error:#} {error:?} {error:#?} {body}");
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        seen += &format!(" {error} {error:#} {error:?}");
        cause = error.source();
    }
    assert!(!TRACES.iter().any(|trace| seen.contains(trace)), "{seen}");
    error
}

#[tokio::test]
async fn a_param_is_masked_as_it_is_sent() {
    let error = check(Canned(Ok((500, String::new())))).await;
    assert!(error.to_string().contains("(GET /ratio?note=*********************)"), "{error}");
}

#[tokio::test]
async fn white_space_around_a_secret_is_trimmed() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = sent.clone();
    let echo = move |request: HttpRequest| {
        seen.lock().unwrap().push(request.headers.clone());
        let body = r#"{"message": "canary-key canary-secret canary-header canary-token"}"#;
        if request.url.ends_with("token") {
            HttpResponse::new(200, Headers::new(), r#"{"access_token": " canary-token\n"}"#)
        } else {
            HttpResponse::new(400, Headers::new(), body)
        }
    };
    let builder = Client::builder("https://example.com/v2").api_key(" canary-key\n").transport(Echo(echo));
    let builder =
        builder.client_credentials("\tcanary-id ", "canary-secret\r\n").secret_header("x-own", "canary-header ");
    let error = builder.build().unwrap().raw("/x").await.unwrap_err();
    assert_eq!(error.status(), Some(400));
    let text = format!("{error:?} {error:#?} {}", String::from_utf8_lossy(error.body().unwrap()));
    assert!(!text.contains("canary"), "{text}");
    let sent = sent.lock().unwrap();
    let (token_request, data_request) = (&sent[0], &sent[1]);
    // The base64 of `canary-id:canary-secret`.
    assert_eq!(token_request.get("authorization"), Some("Basic Y2FuYXJ5LWlkOmNhbmFyeS1zZWNyZXQ="));
    assert_eq!(data_request.get("authorization"), Some("Bearer canary-token"));
    assert_eq!((data_request.get("x-api-key"), data_request.get("x-own")), (Some("canary-key"), Some("canary-header")));
}

/// A transport that responds with the result of a function.
struct Echo<F>(F);

impl<F: Fn(HttpRequest) -> HttpResponse + Send + Sync + 'static> Transport for Echo<F> {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        let reply = (self.0)(request);
        Box::pin(async { Ok(reply) })
    }
}

#[tokio::test]
async fn echoed_secret_is_masked_in_any_encoding() {
    let echoes = [
        "canary+/elk==",
        r"canary+\/elk==",
        r"canary\u002b\u002Felk\u003d\u003D",
        "canary%2B%2Felk%3D%3D",
        "canary%2b/elk%3d=",
        r"canary%2B\/elk%3D%3D",
    ];
    for echo in echoes {
        for status in [200, 400, 401, 500] {
            let error = check(Canned(Ok((status, format!(r#"{{"message": "{echo} is refused"}}"#))))).await;
            assert!(error.to_string().contains(" is refused"), "{error}");
        }
    }
}

#[tokio::test]
async fn partially_quoted_secret_is_masked() {
    for before in 0..80 {
        let body = format!(r#"{{"data": [{{"openDate": "{}canary+\/elk=="}}]}}"#, "x".repeat(before));
        assert!(check(Canned(Ok((200, body)))).await.is_decode());
    }
}

#[tokio::test]
async fn a_secret_that_begins_with_another_is_masked_whole() {
    let echo = || Canned(Ok((401, r#"{"error": "canary+/elk==.elk is no secret"}"#.to_owned())));
    let builder = Client::builder("https://example.com/v2").api_key(KEY).client_credentials("id", format!("{KEY}.elk"));
    let error = builder.transport(echo()).build().unwrap().raw("/x").await.unwrap_err();
    assert!(!format!("{error:?}").contains("elk"), "{error:?}");
}

/// A cause of an error whose text contains a secret.
#[derive(Debug)]
struct LeakyError {
    // Read only by the derived `Debug`.
    #[allow(dead_code)]
    sent: &'static str,
    cause: Option<Box<Self>>,
}

impl fmt::Display for LeakyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cause.is_some() { f.write_str("the proxy hung up") } else { write!(f, "{KEY} is invalid") }
    }
}

impl std::error::Error for LeakyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

#[tokio::test]
async fn causes_keep_their_text_without_the_key() {
    let failure = || {
        let cause = Box::new(LeakyError { sent: KEY, cause: None });
        Error::retryable(ErrorKind::Send, "no way").with_source(LeakyError { sent: "", cause: Some(cause) })
    };
    let error = check(Canned(Err(failure))).await;
    let error = format!("{error:#}");
    assert!(
        error.contains(": no way; ") && error.ends_with(": the proxy hung up: ************* is invalid"),
        "{error}"
    );
}

#[tokio::test]
async fn cause_without_secrets_is_unchanged() {
    let failure = || Error::retryable(ErrorKind::Send, "no way").with_source(std::io::Error::other("closed"));
    let error = check(Canned(Err(failure))).await;
    let cause = std::error::Error::source(&error).unwrap();
    assert!(cause.downcast_ref::<std::io::Error>().is_some());
}

#[tokio::test]
async fn error_returned_from_main_is_readable() {
    let failure = || Error::retryable(ErrorKind::Send, "no way").with_source(std::io::Error::other("closed"));
    let error = check(Canned(Err(failure))).await;
    assert!(format!("{error:?}").starts_with("market.ratio (GET /ratio?note=*"), "{error:?}");
    assert!(format!("{error:?}").contains("): no way; "), "{error:?}");
    assert!(format!("{error:?}").ends_with(": closed"), "{error:?}");
}

/// The headers and the body of the last failed attempt are reachable through the error of the timeout.
#[tokio::test(start_paused = true)]
async fn an_earlier_failure_is_masked_in_a_timeout() {
    let service = Service::new(|_, _| reply(503, &[("x-echo", KEY)], &format!("{}{KEY}", " ".repeat(1000))));
    // The second attempt waits for the limit.
    let limit = RateLimit::new(1, Duration::from_secs(60), 1);
    let builder = service.builder().api_key(KEY).retry(Retry::default()).rate_limit(limit);
    let client = builder.queue_timeout(Duration::from_secs(5)).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    let earlier = std::error::Error::source(&error).unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!((error.is_timeout(), earlier.status()), (true, Some(503)));
    let header = earlier.headers().unwrap().iter().map(|(_, value)| String::from_utf8_lossy(value));
    let seen = header.chain([String::from_utf8_lossy(earlier.body().unwrap())]).collect::<String>();
    assert!(!TRACES.iter().any(|trace| seen.contains(trace)), "{seen}");
}
