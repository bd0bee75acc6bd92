//! A scripted service in memory, on a clock that the tests control.
//!
//! The script gets each request and the number of earlier requests, and returns the response. Timeouts are enforced as
//! in the built-in transport.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::invented::Client;
use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Builder, Error, ErrorKind, RateLimit, Retry};
use tokio::time::Instant;

/// The API key of the clients.
pub const KEY: &str = "canary-key";
/// The body of a response with one record.
pub const DATA: &str = r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#;

/// The outcome of a request.
#[derive(Debug)]
pub struct MockResponse {
    /// The time until the request arrives.
    pub arrives_after: Duration,
    /// The part of `arrives_after` before the request is sent.
    pub sent_after: Duration,
    /// The time from the arrival of the request to the end of the response.
    pub duration: Duration,
    /// The response, or the error of the transport.
    pub outcome: Result<HttpResponse, Error>,
}

/// Creates a response with a status, headers and a body.
pub fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> MockResponse {
    let mut all = Headers::new();
    for (name, value) in headers {
        all.insert(name, value).unwrap();
    }
    mock_response(Ok(HttpResponse::new(status, all, body)))
}

/// Creates a response with one record.
pub fn ok() -> MockResponse {
    reply(200, &[], DATA)
}

/// Creates a retryable error of the transport.
pub fn failure(kind: ErrorKind) -> MockResponse {
    mock_response(Err(Error::retryable(kind, "it failed as it should")))
}

/// Creates the outcome of a request that never gets a response.
pub fn silence() -> MockResponse {
    MockResponse { duration: Duration::MAX, ..ok() }
}

/// Creates an outcome after the usual times.
pub fn mock_response(outcome: Result<HttpResponse, Error>) -> MockResponse {
    MockResponse {
        sent_after: Duration::ZERO,
        arrives_after: Duration::from_millis(1),
        duration: Duration::from_millis(20),
        outcome,
    }
}

type Script = Box<dyn FnMut(&HttpRequest, usize) -> MockResponse + Send>;

/// The service: a script, and the requests that arrived.
pub struct Service {
    script: Mutex<Script>,
    arrivals: Mutex<Vec<(Instant, HttpRequest)>>,
    in_flight: Mutex<(usize, usize)>,
    reports_sent: bool,
}

impl Service {
    /// Creates a service with this script.
    pub fn new(script: impl FnMut(&HttpRequest, usize) -> MockResponse + Send + 'static) -> Arc<Self> {
        Arc::new(Self::with_reports(true, script))
    }

    /// Creates a service behind a transport that does not report when a request is sent.
    pub fn without_sent_reports(script: impl FnMut(&HttpRequest, usize) -> MockResponse + Send + 'static) -> Arc<Self> {
        Arc::new(Self::with_reports(false, script))
    }

    fn with_reports(
        reports_sent: bool,
        script: impl FnMut(&HttpRequest, usize) -> MockResponse + Send + 'static,
    ) -> Self {
        let script = Mutex::new(Box::new(script) as Script);
        Self { script, arrivals: Mutex::default(), in_flight: Mutex::default(), reports_sent }
    }

    /// Replaces the script.
    pub fn becomes(&self, script: impl FnMut(&HttpRequest, usize) -> MockResponse + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
    }

    /// The builder of a client for this service.
    pub fn builder(self: &Arc<Self>) -> Builder<Client> {
        Client::builder("https://example.com/v2").api_key(KEY).transport(self.clone())
    }

    /// Creates a client for this service.
    pub fn client(self: &Arc<Self>) -> Client {
        self.builder().build().unwrap()
    }

    /// Returns the times at which requests arrived, in order.
    pub fn arrivals(&self) -> Vec<Instant> {
        let mut arrivals: Vec<_> = self.arrivals.lock().unwrap().iter().map(|(at, _)| *at).collect();
        arrivals.sort();
        arrivals
    }

    /// Returns the times at which requests for a path arrived, in order.
    pub fn arrivals_at(&self, path: &str) -> Vec<Instant> {
        let arrivals = self.arrivals.lock().unwrap();
        let of_path = arrivals.iter().filter(|(_, request)| request.url.ends_with(path));
        let mut arrivals: Vec<_> = of_path.map(|(at, _)| *at).collect();
        arrivals.sort();
        arrivals
    }

    /// Returns the last part of every path, in the order in which requests arrived.
    pub fn paths(&self) -> Vec<String> {
        let arrivals = self.arrivals.lock().unwrap();
        arrivals.iter().map(|(_, request)| request.url.rsplit('/').next().unwrap().to_owned()).collect()
    }

    /// Returns the number of data requests and the number of token requests.
    pub fn seen(&self) -> (usize, usize) {
        let arrivals = self.arrivals.lock().unwrap();
        let tokens = arrivals.iter().filter(|(_, request)| request.form.is_some()).count();
        (arrivals.len() - tokens, tokens)
    }

    /// Returns the largest number of requests in flight at once.
    pub fn max_in_flight(&self) -> usize {
        self.in_flight.lock().unwrap().1
    }

    /// Returns the number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.lock().unwrap().0
    }
}

/// Counts a request as in flight until it is dropped.
struct InFlight<'s>(&'s Service);

impl<'s> InFlight<'s> {
    fn new(service: &'s Service) -> Self {
        let mut counts = service.in_flight.lock().unwrap();
        counts.0 += 1;
        counts.1 = counts.1.max(counts.0);
        Self(service)
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.lock().unwrap().0 -= 1;
    }
}

impl Transport for Service {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        Box::pin(async move {
            let _in_flight = InFlight::new(self);
            let timeout = request.timeout;
            let on_sent = request.on_sent.clone();
            let mock = {
                let mut arrivals = self.arrivals.lock().unwrap();
                let mock = self.script.lock().unwrap()(&request, arrivals.len());
                arrivals.push((Instant::now() + mock.arrives_after, request));
                mock
            };
            let outcome = async {
                if !mock.sent_after.is_zero() {
                    tokio::time::sleep(mock.sent_after).await;
                }
                on_sent.notify();
                tokio::time::sleep(mock.arrives_after.saturating_sub(mock.sent_after).saturating_add(mock.duration))
                    .await;
                mock.outcome
            };
            let late = |_| Err(Error::retryable(ErrorKind::Headers, "no complete response in time").timed_out());
            tokio::time::timeout(timeout, outcome).await.unwrap_or_else(late)
        })
    }

    fn reports_sent(&self) -> bool {
        self.reports_sent
    }
}

/// Creates a service with many failures, and the builder of a client for this service.
pub fn troubled() -> (Arc<Service>, Builder<Client>) {
    let service = Service::new(|_, before| match before {
        0 => failure(ErrorKind::Connect),
        1 => reply(200, &[], r#"{"access_token": "canary-token", "expires_in": 600}"#),
        2 => reply(503, &[], r#"{"message": "canary-token and canary-key"}"#),
        _ => ok(),
    });
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    let builder = service.builder().client_credentials("canary-id", "canary-secret").retry(retry);
    (service, builder.rate_limit(RateLimit::new(1, Duration::from_secs(1), 1)))
}
