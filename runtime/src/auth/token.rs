//! The OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
//!
//! Client id and secret are exchanged for bearer tokens. A token is stored until shortly before it expires. A task that
//! belongs to the client fetches the token, so a caller that is cancelled or times out does not end the fetch. All
//! callers that need the token wait for that task and share its outcome. A token that still works is used while its
//! replacement is fetched. The sending code adds the token to a request, and repeats the request after a 401.

mod cache;

pub(crate) mod fetch;

use std::sync::{Arc, Mutex, MutexGuard};

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::dispatch::observer::WaitReason;
use crate::dispatch::{Dispatcher, Observers, Policy, RequestContext};
use crate::error::Error;
use crate::platform::{lock, timeout};
use crate::registry::{ClientCredentialsInfo, ErrorBodyInfo};
use crate::secrets::Secret;
use crate::transport::Headers;

pub(crate) use cache::{Cache, Token};
use fetch::{Fetch, TokenSource};

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
    /// query carries it. `headers` are added to every request, and `policy` applies to
    /// every token request.
    pub(crate) fn new(
        info: &'static ClientCredentialsInfo,
        path: String,
        error_body: &'static ErrorBodyInfo,
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
        let source = Arc::new(TokenSource { info, path, error_body, headers, token_headers, policy });
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
        context.wait_for(WaitReason::Token)?;
        // Boxed, because this future is rarely needed and would enlarge the future of every request.
        let replacing = Box::pin(self.replacement(dispatcher, context.observers.clone()));
        let outcome = timeout(context.left(), replacing).await.unwrap_or_else(|_| Err(context.timed_out("timeout")));
        context.waited();
        outcome
    }

    /// Returns the cache, which contains the current token and the rejected paths.
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
                    let fetch = Fetch::start(&self.source, &self.cache, dispatcher, observers.clone())?;
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

    /// Returns the secrets of the flow, which are masked in errors.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        self.secrets.iter().chain(lock(&self.cache).secrets()).cloned().collect()
    }
}
