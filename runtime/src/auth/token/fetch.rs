//! A token request, as a task that belongs to the client.
//!
//! The request uses the timeouts and retries of the client, not those of a caller. Its outcome is stored in the cache
//! and sent to all callers that wait for it.
//!
//! Only the token itself is required in the response. Errors never show the body, because it contains the token.

use std::sync::{Arc, Mutex};
use std::thread::panicking;
use std::time::Duration;

use tokio::sync::watch;

use super::cache::{Cache, Token};
use crate::decode;
use crate::dispatch::observer::Event;
use crate::dispatch::{Dispatcher, Observers, Policy, RequestContext, status};
use crate::error::{Error, ErrorKind};
use crate::platform::{Instant, Runtime, Task, lock, timeout};
use crate::registry::{ClientCredentialsInfo, ErrorBodyInfo};
use crate::request::RequestKind;
use crate::transport::Headers;
use crate::values::{Number, Value};

type Outcome = Result<Arc<Token>, Error>;

/// The settings of token requests.
pub(super) struct TokenSource {
    pub(super) info: &'static ClientCredentialsInfo,
    /// The path, with the API key if the query carries it.
    pub(super) path: String,
    pub(super) error_body: &'static ErrorBodyInfo,
    /// The headers of a data request, to which the bearer token is added.
    pub(super) headers: Headers,
    /// The headers of the token request.
    pub(super) token_headers: Headers,
    pub(super) policy: Policy,
}

/// A token request; dropping it cancels the request.
pub(super) struct Fetch {
    pub(super) follower: Follower,
    _task: Task<()>,
}

/// The handle with which a caller waits for a [`Fetch`].
#[derive(Clone)]
pub(super) struct Follower {
    /// Receives the outcome; `None` until the request is over. The channel closes without an outcome if the runtime of
    /// the request drops the task.
    pub(super) outcome: watch::Receiver<Option<Outcome>>,
    runtime: Runtime,
}

/// The interval at which a caller checks that the runtime of the request still runs.
const CHECK: Duration = Duration::from_secs(1);

impl Fetch {
    pub(super) fn start(
        source: &Arc<TokenSource>,
        cache: &Arc<Mutex<Cache>>,
        dispatcher: &Arc<Dispatcher>,
        observers: Observers,
    ) -> Result<Self, Error> {
        let runtime = Runtime::current().ok_or_else(|| Error::build("no Tokio runtime is running"))?;
        let (source, cache, dispatcher) = (source.clone(), cache.clone(), dispatcher.clone());
        let (sender, outcome) = watch::channel(None);
        let report = Report(sender);
        let task = runtime.spawn(async move {
            let context = RequestContext::new(RequestKind::Token, 1, source.policy.clone(), observers);
            let outcome = source.fetch(&dispatcher, context).await;
            let outcome = lock(&cache).store(outcome);
            report.0.send_replace(Some(outcome));
        });
        Ok(Self { follower: Follower { outcome, runtime }, _task: task })
    }

    pub(super) fn is_in_flight(&self) -> bool {
        self.follower.outcome.borrow().is_none() && self.follower.outcome.has_changed().is_ok()
    }
}

impl Follower {
    /// Returns `None` if the runtime of the request is not running and the request has no outcome. Otherwise returns
    /// the old token if it still works, or waits for the outcome of the request.
    pub(super) async fn outcome(&self, cache: &Mutex<Cache>) -> Option<Outcome> {
        let mut outcome = self.outcome.clone();
        loop {
            // The runtime is checked first, even if the old token still works, because a stalled request may occupy a
            // slot of the rate limiter that the caller needs later.
            if !self.runtime.is_running().await {
                return outcome.borrow().clone();
            }
            if let Some(token) = lock(cache).working() {
                return Some(Ok(token));
            }
            match timeout(CHECK, outcome.wait_for(Option::is_some)).await {
                Ok(Ok(outcome)) => return outcome.clone(),
                Ok(Err(_)) => return None,
                Err(_) => {}
            }
        }
    }
}

/// Sends an error if the request panics. Without that error, the callers that wait for the token would start the
/// request again and again.
struct Report(watch::Sender<Option<Outcome>>);

impl Drop for Report {
    fn drop(&mut self) {
        if panicking() {
            let error = Error::new(ErrorKind::Shutdown, "its task panicked").of_token();
            self.0.send_replace(Some(Err(error)));
        }
    }
}

impl TokenSource {
    /// Requests a token until one is received or the retry rules allow no further attempt.
    async fn fetch(&self, dispatcher: &Dispatcher, mut context: RequestContext) -> Result<Token, Error> {
        let outcome = loop {
            match self.request(dispatcher, &mut context).await {
                Ok(token) => {
                    dispatcher.retries.succeeded();
                    break Ok(token);
                }
                Err(error) => {
                    if let Err(error) = context.retry(&dispatcher.retries, error).await {
                        break Err(error.of_token().after(context.timing()));
                    }
                }
            }
        };
        context.observers.notify(&Event::Token { renewed: outcome.is_ok() });
        outcome
    }

    /// Requests a token, once.
    async fn request(&self, dispatcher: &Dispatcher, context: &mut RequestContext) -> Result<Token, Error> {
        let permit = dispatcher.permit(context).await?;
        // The lifetime is counted from a time before sending, so that the token is never used for too long.
        let begun = Instant::now();
        let form = Some("grant_type=client_credentials");
        let request = dispatcher.request(&self.path, self.token_headers.clone(), form, context);
        let response = dispatcher.send(request, permit, context).await?;
        // The body of a success may contain a token, so the error must not contain that body.
        let success = (200..300).contains(&response.status);
        let response = status::accept(response, self.info.errors, self.error_body)
            .map_err(|error| if success { error.without_body() } else { error })?;
        let fields = TokenResponse::read(&response.body)?;
        let mut headers = self.headers.clone();
        headers
            .insert_sensitive("authorization", &format!("Bearer {}", fields.access_token))
            .map_err(|_| unreadable("`access_token` contains characters that HTTP does not allow"))?;
        Ok(Token::new(fields.access_token.into(), fields.expires_in, headers, begun))
    }
}

/// A token and its lifetime.
pub(crate) struct TokenResponse {
    pub(crate) access_token: String,
    pub(crate) expires_in: Option<Duration>,
}

impl TokenResponse {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(body).map_err(|_| unreadable("it is not UTF-8"))?;
        let response = decode::any(text).map_err(|_| unreadable("it is not JSON"))?;
        let access_token = match response.get("access_token") {
            Some(Value::String(token)) if !token.trim().is_empty() => token.trim().to_owned(),
            _ => return Err(unreadable("it has no `access_token`")),
        };
        let kind = response.get("token_type").and_then(Value::as_str).unwrap_or("Bearer");
        if !kind.eq_ignore_ascii_case("bearer") {
            return Err(unreadable("its `token_type` is not `Bearer`"));
        }
        Ok(Self { access_token, expires_in: response.get("expires_in").and_then(lifetime) })
    }
}

/// Parses a lifetime in seconds, given as a number or as a string; an invalid value counts as absent.
fn lifetime(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => Number::parse(text)?.float(),
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// Creates the error for a response without a usable token.
pub(super) fn unreadable(why: &str) -> Error {
    Error::new(ErrorKind::Decode, format!("invalid response from the token endpoint: {why}"))
}

#[cfg(test)]
mod response_tests {
    use super::*;

    fn check(body: &str) -> Result<(String, Option<Duration>), String> {
        TokenResponse::read(body.as_bytes())
            .map(|response| (response.access_token, response.expires_in))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn token_lifetimes_are_parsed() {
        let table = [
            (r#""expires_in": 84706"#, Some(84_706)),
            (r#""expires_in": 8.4706e4"#, Some(84_706)),
            (r#""expires_in": "84706""#, Some(84_706)),
            (r#""expires_in": 0"#, Some(0)),
            (r#""expires_in": -5"#, Some(0)),
            (r#""expires_in": null"#, None),
            (r#""expires_in": "soon""#, None),
            (r#""expires_in": 1e300"#, None),
            (r#""token_type": "bearer""#, None),
        ];
        for (entry, seconds) in table {
            let body = format!(r#"{{"access_token": "t", {entry}}}"#);
            assert_eq!(check(&body), Ok(("t".to_owned(), seconds.map(Duration::from_secs))), "{entry}");
        }
    }

    #[test]
    fn invalid_token_responses_are_errors() {
        let table = [
            ("", "it is not JSON"),
            ("[]", "it has no `access_token`"),
            ("{}", "it has no `access_token`"),
            (r#"{"access_token": ""}"#, "it has no `access_token`"),
            (r#"{"access_token": 7}"#, "it has no `access_token`"),
            (r#"{"access_token": "t", "token_type": "mac"}"#, "its `token_type` is not `Bearer`"),
        ];
        for (body, why) in table {
            let expected = format!("invalid response from the token endpoint: {why}");
            assert_eq!(check(body), Err(expected), "{body}");
        }
    }
}
