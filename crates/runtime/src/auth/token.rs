//! The OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
//!
//! Client id and secret are exchanged for bearer tokens. A token is stored until shortly before it expires. A task that
//! belongs to the client fetches the token, so a caller that is cancelled or times out does not end the fetch. All
//! callers that need the token wait for that task and share its outcome. A token that still works is used while its
//! replacement is fetched. The sending code adds the token to a request, and repeats the request after a 401.

mod cache;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::panicking;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use tokio::sync::watch;

use super::key_source::RotatingKey;
use super::sent_key::{insert_key, with_key};
use crate::decode::{self, error_body};
use crate::dispatch::observer::{Event, WaitReason};
use crate::dispatch::{Dispatcher, Observers, Policy, RequestContext, status};
use crate::error::{Error, ErrorKind};
use crate::headers::Headers;
use crate::platform::{Instant, Runtime, Task, lock, timeout};
use crate::registry::{ClientCredentialsInfo, ServiceInfo};
use crate::request::{RequestKind, key_param};
use crate::secrets::Secret;
use crate::values::{Number, Value};

pub(crate) use cache::{Cache, Token};

/// The token flow of a client, with its current token.
pub(crate) struct TokenFlow {
    source: Arc<TokenSource>,
    cache: Arc<Mutex<Cache>>,
    secrets: [Secret; 2],
    /// The last request for a token, which may be in flight.
    fetch: Mutex<Option<Fetch>>,
}

impl TokenFlow {
    /// Prepares the flow with the client id and secret. `path` is the path of the token endpoint, with the API key if the
    /// query carries it, and `rotating` the API key if it can be replaced. `headers` are added to every request, and `policy` applies to every token request.
    pub(crate) fn new(
        info: &'static ClientCredentialsInfo,
        path: String,
        rotating: Option<Arc<RotatingKey>>,
        service: &'static ServiceInfo,
        (id, secret): (Secret, Secret),
        headers: Headers,
        policy: Policy,
    ) -> Result<Self, Error> {
        // Encoded as RFC 7617 (HTTP Basic authentication) and the interface document specify, without the additional
        // form encoding of OAuth.
        let basic = BASE64_STANDARD.encode(format!("{}:{}", id.expose(), secret.expose()));
        let mut token_headers = headers.clone();
        token_headers.insert_sensitive("authorization", &format!("Basic {basic}"))?;
        token_headers.insert("content-type", "application/x-www-form-urlencoded")?;
        let source = Arc::new(TokenSource { info, path, rotating, service, headers, token_headers, policy });
        let secrets = [secret, basic.into()];
        Ok(Self { source, cache: Arc::default(), secrets, fetch: Mutex::default() })
    }

    /// Returns a token that is probably valid, and fetches a token if the cache contains none.
    pub(crate) async fn token(
        &self,
        dispatcher: &Arc<Dispatcher>,
        context: &mut RequestContext,
    ) -> Result<Arc<Token>, Error> {
        if let Some(token) = lock(&self.cache).fresh() {
            return Ok(token);
        }
        context.begin_wait(WaitReason::Token)?;
        // Boxed, because this future is rarely needed and would enlarge the future of every request.
        let replacing = Box::pin(self.replacement(dispatcher, context.observers.of_token()));
        let outcome = timeout(context.left(), replacing).await.unwrap_or_else(|_| Err(context.timed_out("timeout")));
        context.end_wait();
        outcome
    }

    /// The cache, which contains the current token and the rejected paths.
    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        lock(&self.cache)
    }

    /// Starts a token request, unless one is in flight. Returns the old token if it still works; otherwise waits for
    /// the token request and returns its outcome. If the Tokio runtime that drives the token request has
    /// stopped, starts another token request.
    async fn replacement(&self, dispatcher: &Arc<Dispatcher>, observers: Observers) -> Result<Arc<Token>, Error> {
        loop {
            let follower = {
                let mut last = lock(&self.fetch);
                // The cache is checked again under the lock, because another caller may have fetched a token meanwhile.
                if let Some(token) = lock(&self.cache).fresh() {
                    return Ok(token);
                }
                if let Some(fetch) = last.as_ref().filter(|fetch| fetch.is_in_flight()) {
                    fetch.follower.clone()
                } else {
                    let fetch = self.start(dispatcher, observers.clone())?;
                    last.insert(fetch).follower.clone()
                }
            };
            if let Some(outcome) = follower.outcome(&self.cache).await {
                return outcome;
            }
            let stalled = lock(&self.fetch).take_if(|last| follower.outcome.same_channel(&last.follower.outcome));
            // Dropped after the lock is released, because this drop runs the destructors of everything that the request
            // owns.
            drop(stalled);
        }
    }

    /// Starts a token request. It uses the timeouts and retries of the client, not those of a caller. Its outcome is
    /// stored in the cache, and sent to all callers that wait for it.
    fn start(&self, dispatcher: &Arc<Dispatcher>, observers: Observers) -> Result<Fetch, Error> {
        let runtime = Runtime::current().ok_or_else(|| Error::build("no Tokio runtime is running"))?;
        let source = self.source.clone();
        let cache = self.cache.clone();
        let dispatcher = dispatcher.clone();
        let (sender, outcome) = watch::channel(None);
        let report = Report(sender);
        let task = runtime.spawn(async move {
            let context = RequestContext::new(RequestKind::Token, 1, source.policy.clone(), observers);
            let outcome = source.fetch(&dispatcher, context).await;
            let outcome = lock(&cache).store(outcome);
            report.0.send_replace(Some(outcome));
        });
        Ok(Fetch { follower: Follower { outcome, runtime }, _task: task })
    }

    /// The secrets of the flow, which are masked in errors.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        self.secrets.iter().chain(lock(&self.cache).secrets()).cloned().collect()
    }
}

type TokenOutcome = Result<Arc<Token>, Error>;

/// The settings of token requests.
struct TokenSource {
    info: &'static ClientCredentialsInfo,
    /// The path, with the API key if the query carries it.
    path: String,
    rotating: Option<Arc<RotatingKey>>,
    service: &'static ServiceInfo,
    /// The headers of a data request, to which the bearer token is added.
    headers: Headers,
    /// The headers of the token request.
    token_headers: Headers,
    policy: Policy,
}

/// A token request; dropping it cancels the request.
struct Fetch {
    follower: Follower,
    _task: Task<()>,
}

/// The handle with which a caller waits for a [`Fetch`].
#[derive(Clone)]
struct Follower {
    /// Receives the outcome; `None` until the request is over. The channel closes without an outcome if the runtime of
    /// the request drops the task.
    outcome: watch::Receiver<Option<TokenOutcome>>,
    runtime: Runtime,
}

/// The interval at which a caller checks that the runtime of the request still runs.
const CHECK: Duration = Duration::from_secs(1);

impl Fetch {
    fn is_in_flight(&self) -> bool {
        self.follower.outcome.borrow().is_none() && self.follower.outcome.has_changed().is_ok()
    }
}

impl Follower {
    /// Returns `None` if the runtime of the request is not running and the request has no outcome. Otherwise returns
    /// the old token if it still works, or waits for the outcome of the request.
    async fn outcome(&self, cache: &Mutex<Cache>) -> Option<TokenOutcome> {
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
struct Report(watch::Sender<Option<TokenOutcome>>);

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

    /// The path and the headers of a token request with the current API key.
    fn signed(&self) -> Result<(Cow<'_, str>, Headers), Error> {
        let mut headers = self.token_headers.clone();
        let Some(rotating) = &self.rotating else { return Ok((Cow::Borrowed(&self.path), headers)) };
        let key = rotating.current()?;
        insert_key(self.service, &mut headers, &key)?;
        let param = self.service.api_key_query.map(|name| key_param(name, &key));
        Ok((Cow::Owned(with_key(self.info.path, param.as_ref())), headers))
    }

    /// Requests a token, once.
    async fn request(&self, dispatcher: &Dispatcher, context: &mut RequestContext) -> Result<Token, Error> {
        let permit = dispatcher.permit(context).await?;
        // The lifetime is counted from a time before sending, so that the token is never used for too long.
        let begun = Instant::now();
        let form = Some("grant_type=client_credentials");
        let (path, token_headers) = self.signed()?;
        let url = [dispatcher.base_urls.service(), &path].concat();
        let request = dispatcher.request(url, token_headers, form, context);
        let response = dispatcher.send(request, permit, context).await?;
        // The body of a success may contain a token, so the error must not contain that body.
        let is_success = (200..300).contains(&response.status);
        let response = status::accept(response, self.service, self.info.errors)
            .map_err(|error| if is_success { error.without_body() } else { error })?;
        if error_body::is_oauth_error(&response.body) {
            let message = ", but the body is an error of the service";
            return Err(error_body::refusal(response, &self.service.error_body, message, None).without_body());
        }
        // Only the token itself is required in the response.
        let (token, lifetime) = read_token(&response.body)?;
        let mut headers = self.headers.clone();
        headers
            .insert_sensitive("authorization", &format!("Bearer {token}"))
            .map_err(|_| unreadable("`access_token` contains characters that HTTP does not allow"))?;
        Ok(Token::new(token.into(), lifetime, headers, begun))
    }
}

/// Reads the token in a response, and its lifetime if it is known.
pub(crate) fn read_token(body: &[u8]) -> Result<(String, Option<Duration>), Error> {
    let text = std::str::from_utf8(body).map_err(|_| unreadable("it is not UTF-8"))?;
    let response = decode::any(text).map_err(|_| unreadable("it is not JSON"))?;
    let token = match response.get("access_token") {
        Some(Value::String(token)) if !token.trim().is_empty() => token.trim().to_owned(),
        _ => return Err(unreadable("it has no `access_token`")),
    };
    let kind = response.get("token_type").and_then(Value::as_str).unwrap_or("Bearer");
    // Some services send `BearerToken`.
    if !["bearer", "bearertoken"].contains(&&*kind.trim().to_ascii_lowercase()) {
        return Err(unreadable("its `token_type` is not `Bearer`"));
    }
    Ok((token, response.get("expires_in").and_then(lifetime)))
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

/// Creates the error for a response without a usable token. It never shows the body, because that contains the token.
fn unreadable(why: &str) -> Error {
    Error::new(ErrorKind::Decode, format!("invalid response from the token endpoint: {why}"))
}

#[cfg(test)]
mod response_tests {
    use super::*;

    fn check(body: &str) -> Result<(String, Option<Duration>), String> {
        read_token(body.as_bytes()).map_err(|error| error.to_string())
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
            (r#""token_type": " Bearer\n""#, None),
            (r#""token_type": "BearerToken""#, None),
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
