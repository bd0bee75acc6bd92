//! Causes all kinds of failures, and searches all visible output for recognizable secrets.
//!
//! The mock service repeats every secret wherever it can: in bodies, headers, redirects and the causes of failures, for
//! data requests and token requests. No output of this crate or of another crate may contain a secret, whether it is
//! printed text, an event, a log or an error. The test runs in a separate process, because `tracing` decides at the
//! first use of a span, in any thread, whether a subscriber sees that span.

use std::error::Error as _;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::observer::{Event, Observer};
use runtime::{Builder, Error, ErrorKind, Retry};
use test_service::invented::Client;
use test_service::scripted::{KEY, MockResponse, Service, ok, reply, silence};

use crate::alone::{is_alone, run_alone};
use crate::socket::{self, Server, Step};

/// The client id, which is not a secret.
const ID: &str = "an-id";
const SECRET: &str = "canary-secret";
const TOKEN: &str = r#"{"access_token": "canary-token", "expires_in": 600}"#;

/// All secrets, as a service would repeat them. The third secret is the HTTP Basic value of the client id and the
/// client secret.
const ECHO: &str = "canary-key canary-secret YW4taWQ6Y2FuYXJ5LXNlY3JldA== canary-token";

/// The secrets that exist before the first token is issued.
const EARLY_ECHO: &str = "canary-key canary-secret YW4taWQ6Y2FuYXJ5LXNlY3JldA==";

/// Strings that occur in the output only if a secret was not masked.
const TRACES: [&str; 2] = ["canary", "Y2FuYXJ5"];

/// Everything that was printed, observed or logged.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<String>>);

impl Seen {
    fn note(&self, text: std::fmt::Arguments<'_>) {
        writeln!(self.0.lock().unwrap(), "{text}").unwrap();
    }

    fn error(&self, error: &Error) {
        self.note(format_args!("{error} {error:#} {error:?} {error:#?} {:?} {:?}", error.code(), error.headers()));
        self.note(format_args!("{}", String::from_utf8_lossy(error.body().unwrap_or_default())));
        for (name, value) in error.headers().into_iter().flat_map(runtime::transport::Headers::iter) {
            self.note(format_args!("{name}: {}", String::from_utf8_lossy(value)));
        }
        let mut cause = error.source();
        while let Some(error) = cause {
            self.note(format_args!("{error} {error:#} {error:?} {error:#?}"));
            cause = error.source();
        }
    }

    /// Fails if the recorded output contains a secret; prints the amount of output.
    fn assert_clean(&self, case: &str) -> usize {
        let seen = std::mem::take(&mut *self.0.lock().unwrap());
        let line = seen.lines().find(|line| TRACES.iter().any(|trace| line.contains(trace)));
        assert_eq!(line, None, "{case}");
        seen.len()
    }
}

impl Observer for Seen {
    fn observe(&self, event: &Event) {
        self.note(format_args!("{event:?}"));
    }
}

/// All logs of all crates, at every level.
#[cfg(feature = "tracing")]
mod log {
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Metadata, Subscriber};

    use super::Seen;

    impl Visit for &Seen {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            self.note(format_args!("{field}={value:?}"));
        }
    }

    impl Subscriber for Seen {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            span.record(&mut &*self);
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, values: &Record<'_>) {
            values.record(&mut &*self);
        }

        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut &*self);
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
}

fn failed(kind: ErrorKind, echo: &str) -> MockResponse {
    let cause = std::io::Error::other(echo.to_owned());
    MockResponse { outcome: Err(Error::retryable(kind, format!("{echo} was sent")).with_source(cause)), ..ok() }
}

/// Returns the mock service's response in the case `number`; `None` after the last case.
fn mock(number: usize, echo: &str) -> Option<MockResponse> {
    const STATUSES: [u16; 16] = [101, 200, 204, 302, 400, 401, 403, 404, 415, 422, 429, 500, 502, 503, 504, 599];
    const KINDS: [ErrorKind; 4] = [ErrorKind::Connect, ErrorKind::Send, ErrorKind::Headers, ErrorKind::Body];
    let location = format!("https://canary-key.example.com/{}", echo.replace(' ', "/"));
    let headers = [("location", &*location), ("www-authenticate", echo), ("content-type", echo), ("x-echo", echo)];
    let bodies = [
        echo.to_owned(),
        format!("<html>{echo}</html>"),
        format!(r#"{{"message": "{echo}", "detail": {{"message": "{echo}", "error_code": "{echo}"}}}}"#),
        format!(r#"{{"data": [{{"openDate": "{echo}", "ratio": 1}}]}}"#),
        format!(r#"{{"access_token": "\n{echo}\n.", "token_type": "{echo}"}}"#),
    ];
    let (status, body) = (STATUSES.get(number / bodies.len()), &bodies[number % bodies.len()]);
    match (status, number.checked_sub(STATUSES.len() * bodies.len())) {
        (Some(status), _) => Some(reply(*status, &headers, body)),
        (None, Some(number)) if number < KINDS.len() => Some(failed(KINDS[number], echo)),
        (None, Some(number)) if number == KINDS.len() => Some(silence()),
        _ => None,
    }
}

/// Sends a request and records all visible output.
async fn ask(builder: Builder<Client>, seen: &Seen) {
    seen.note(format_args!("{builder:?} {builder:#?}"));
    let client = builder.observer(seen.clone()).build().unwrap();
    let request = client.market().ratio().symbol("BTC").query("note", KEY);
    seen.note(format_args!("{client:?} {client:#?}"));
    if let Err(error) = request.await {
        seen.error(&error);
    }
    if let Err(error) = client.raw(format!("/{SECRET}")).await {
        seen.error(&error);
    }
}

/// Responses with an unusable token.
const UNUSABLE: [&str; 4] = [
    r#"{"access_token": "canary-\ntoken"}"#,
    r#"{"access_token": "canary-token", "token_type": "canary"}"#,
    r#"{"access_token": "canary-token""#,
    "<html>canary-token</html>",
];

/// Creates a service that responds with the mock response of this number, either to data requests or to token requests.
fn service(number: usize, to_token: bool) -> Arc<Service> {
    Service::new(move |request, _| match request.url.ends_with("token") {
        true if to_token => mock(number, EARLY_ECHO).unwrap(),
        false if !to_token => mock(number, ECHO).unwrap(),
        true => reply(200, &[], TOKEN),
        false => ok(),
    })
}

/// Sends requests over a real socket, and records all visible output.
async fn ask_socket(seen: &Seen) {
    let reply = |head: &str, body: &str| Step::Write(socket::reply(&format!("{head}\r\nx-echo: {ECHO}"), body));
    let steps = vec![reply("200 OK", TOKEN), reply("401 No", ECHO), reply("200 OK", TOKEN), reply("500 Oops", ECHO)];
    let server = Server::start([steps, vec![Step::Close(ECHO.into())]].concat()).await;
    let builder = Client::builder(&*server.base_url).api_key(KEY).allow_http(true).retry(Retry::none());
    ask(builder.client_credentials(ID, SECRET), seen).await;
    assert!(!server.requests.lock().unwrap().is_empty());
}

#[test]
fn no_output_contains_a_secret() {
    if !is_alone() {
        return run_alone("canaries::no_output_contains_a_secret", &[]);
    }
    let seen = Seen::default();
    #[cfg(feature = "tracing")]
    tracing::subscriber::set_global_default(seen.clone()).unwrap();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let paused = runtime.enable_all().start_paused(true).build().unwrap();
    let count = (0..1000).take_while(|number| mock(*number, ECHO).is_some()).count();
    for (number, to_token) in (0..count).flat_map(|number| [(number, false), (number, true)]) {
        let service = service(number, to_token);
        let builder = service.builder().client_credentials(ID, SECRET).retry(Retry::default().max_attempts(2));
        paused.block_on(ask(builder, &seen));
        assert!(service.seen().1 > 0);
        assert!(seen.assert_clean(&format!("row {number}, faults of token requests: {to_token}")) > 500);
    }
    for body in UNUSABLE {
        let service = Service::new(|_, _| reply(200, &[], body));
        paused.block_on(ask(service.builder().client_credentials(ID, SECRET), &seen));
        assert!(seen.assert_clean(body) > 500);
    }
    runtime.start_paused(false).build().unwrap().block_on(ask_socket(&seen));
    assert!(seen.assert_clean("on a socket") > 500);
}

/// A replaced token is still valid while requests with that token are in flight, so it must stay masked.
#[tokio::test(start_paused = true)]
async fn replaced_token_stays_masked() {
    let service = Service::new(|request, before| match (request.url.ends_with("token"), before) {
        (true, _) => reply(200, &[], &format!(r#"{{"access_token": "canary-{before}", "expires_in": 100}}"#)),
        (false, 2) => MockResponse { duration: Duration::from_secs(20), ..reply(500, &[], "canary-0 was sent") },
        (false, _) => ok(),
    });
    let builder = service.builder().client_credentials(ID, SECRET).retry(Retry::none());
    let client = builder.build().unwrap();
    client.raw("/first").await.unwrap();
    let slow = async {
        tokio::time::sleep(Duration::from_secs(80)).await;
        client.raw("/slow").await.unwrap_err()
    };
    let quick = async {
        tokio::time::sleep(Duration::from_secs(95)).await;
        client.raw("/quick").await.unwrap();
    };
    let (error, ()) = tokio::join!(slow, quick);
    assert_eq!(service.seen(), (3, 2));
    let seen = Seen::default();
    seen.error(&error);
    seen.assert_clean("a previous token");
}
