//! The OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
//!
//! Client id and secret come in, bearer tokens go out. One is kept until shortly before it expires; all callers that
//! need a new one wait for one request and share its outcome. A token that still works is kept if its replacement
//! cannot be fetched. Sending the token with a request, and trying again after a 401, is done where requests are sent.

mod basic;
mod cache;
pub(crate) mod reply;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::dispatch::observer::{Event, Waiting};
use crate::dispatch::{Dispatcher, LineClock, RequestContext, status};
use crate::error::Error;
use crate::platform::Instant;
use crate::registry::{ClientCredentialsInfo, ErrorBodyInfo};
use crate::secrets::Secret;
use crate::transport::Headers;

pub use basic::BasicEncoding;
use cache::Cache;
pub(crate) use cache::Token;
use reply::TokenReply;

/// What a token is requested with.
pub(crate) struct ClientCredentials {
    pub(crate) id: Secret,
    pub(crate) secret: Secret,
    pub(crate) encoding: BasicEncoding,
}

/// The flow, and its current token.
pub(crate) struct TokenFlow {
    info: &'static ClientCredentialsInfo,
    error_body: &'static ErrorBodyInfo,
    /// The headers of every request.
    headers: Headers,
    /// The headers of the request for a token.
    asking_headers: Headers,
    secrets: [Secret; 2],
    cache: Mutex<Cache>,
    /// Held while a token is requested; once it is released, the next caller in line may ask.
    asking: tokio::sync::Mutex<()>,
    /// Runs while the request for a token stands in line.
    line: LineClock,
}

impl TokenFlow {
    /// Prepares the flow; `headers` are those of every request.
    pub(crate) fn new(
        info: &'static ClientCredentialsInfo,
        error_body: &'static ErrorBodyInfo,
        own: &ClientCredentials,
        headers: Headers,
    ) -> Result<Self, Error> {
        let basic = own.encoding.basic(&own.id, &own.secret);
        let mut asking_headers = headers.clone();
        asking_headers
            .insert_sensitive("authorization", &format!("Basic {basic}"))
            .map_err(|error| Error::header(&error))?;
        asking_headers
            .insert("content-type", "application/x-www-form-urlencoded")
            .map_err(|error| Error::header(&error))?;
        Ok(Self {
            info,
            error_body,
            headers,
            asking_headers,
            secrets: [own.secret.clone(), basic.into()],
            cache: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            line: LineClock::default(),
        })
    }

    /// A token that is likely to be accepted, fetched if there is none.
    pub(crate) async fn token(
        &self,
        dispatcher: &Dispatcher,
        context: &mut RequestContext<'_>,
    ) -> Result<Arc<Token>, Error> {
        if let Some(token) = self.cache().fresh() {
            return Ok(token);
        }
        context.wait_for(Waiting::Token)?;
        // Boxed, since it is rare and would enlarge the future of every request by that of a request for a token.
        let outcome = Box::pin(self.another(dispatcher, context)).await;
        context.waited();
        outcome
    }

    /// A token that is likely to be accepted, if there is one.
    pub(crate) fn working(&self) -> Option<Arc<Token>> {
        self.cache().working()
    }

    /// A token in place of one that is due for renewal or has expired.
    async fn another(&self, dispatcher: &Dispatcher, context: &mut RequestContext<'_>) -> Result<Arc<Token>, Error> {
        match self.renewed(dispatcher, context).await {
            Some(token) => Ok(token),
            None => self.new_token(dispatcher, context).await,
        }
    }

    /// A token that works although it is due for renewal: one caller renews it with a short timeout, the others use the
    /// old one.
    async fn renewed(&self, dispatcher: &Dispatcher, context: &mut RequestContext<'_>) -> Option<Arc<Token>> {
        let working = self.working()?;
        let Ok(_asking) = self.asking.try_lock() else { return Some(working) };
        if let Some(token) = self.cache().fresh() {
            return Some(token);
        }
        let patience = PATIENCE.min(context.left() / 4);
        let in_line = self.line.time();
        let asked = self.ask(dispatcher, &mut context.for_token().hurried(patience)).await;
        context.stood_in_line(self.line.time().saturating_sub(in_line));
        context.tell(&Event::Token { renewed: asked.is_ok() });
        if let Ok(token) = asked {
            return self.cache().answer(Ok(token)).ok();
        }
        let mut cache = self.cache();
        cache.rest();
        cache.working()
    }

    /// A new token, requested by this caller or by another one.
    async fn new_token(&self, dispatcher: &Dispatcher, caller: &mut RequestContext<'_>) -> Result<Arc<Token>, Error> {
        let answers_before = {
            let cache = self.cache();
            if let Some(token) = cache.fresh() {
                return Ok(token);
            }
            cache.answers()
        };
        let _asking = caller.in_time(&self.line, self.asking.lock()).await?;
        if let Some(outcome) = self.cache().outcome_after(answers_before) {
            return outcome;
        }
        let mut context = caller.for_token();
        let in_line = self.line.time();
        let outcome = self.ask_repeatedly(dispatcher, &mut context).await;
        caller.stood_in_line(self.line.time().saturating_sub(in_line));
        context.tell(&Event::Token { renewed: outcome.is_ok() });
        let outcome = outcome.map_err(|error| error.of_token().after(context.timing()));
        // If only this caller ran out of time, the others do not share its error: the next in line asks again.
        if outcome.is_err() && context.is_out_of_time() {
            return outcome.map(Arc::new);
        }
        self.cache().answer(outcome)
    }

    /// Asks for a token until one comes or the retry rules end it.
    async fn ask_repeatedly(&self, dispatcher: &Dispatcher, context: &mut RequestContext<'_>) -> Result<Token, Error> {
        loop {
            match self.ask(dispatcher, context).await {
                Ok(token) => {
                    dispatcher.retries().succeeded();
                    return Ok(token);
                }
                Err(error) => context.retry(dispatcher.retries(), error, None).await?,
            }
        }
    }

    /// Makes the next request for data ask for a new token, unless there is one already or the path was refused with a
    /// new one a short while ago; returns whether another token may help.
    pub(crate) fn refused(&self, token: &Arc<Token>, path: &str) -> bool {
        self.cache().refuse(token, path)
    }

    /// Notes that a path was refused with a new token too.
    pub(crate) fn refused_again(&self, path: &str) {
        self.cache().refuse_again(path);
    }

    /// Notes that a path was accepted.
    pub(crate) fn accepted(&self, path: &str) {
        self.cache().accept(path);
    }

    /// Every secret that errors mask.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        self.secrets.iter().chain(self.cache().secrets()).cloned().collect()
    }

    /// Asks for a token, once.
    async fn ask(&self, dispatcher: &Dispatcher, context: &mut RequestContext<'_>) -> Result<Token, Error> {
        let in_line = self.line.start();
        let permit = dispatcher.permit(context).await?;
        drop(in_line);
        let asked = Instant::now();
        let form = "grant_type=client_credentials";
        let request = dispatcher.post(self.info.path, self.asking_headers.clone(), form, context);
        let response = dispatcher.send(request, permit, context).await?;
        let success = (200..300).contains(&response.status);
        let response = status::accept(response, self.info.errors, self.error_body)
            .map_err(|error| if success { error.without_body() } else { error })?;
        let reply = TokenReply::read(&response.body)?;
        let mut headers = self.headers.clone();
        headers
            .insert_sensitive("authorization", &format!("Bearer {}", reply.access_token))
            .map_err(|_| reply::unreadable("`access_token` has characters that HTTP cannot carry"))?;
        Ok(Token::new(reply, headers, asked))
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // A panic leaves the cache valid, so a poisoned lock is taken all the same.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest time to renew a token that still works, and at most a quarter of what its caller has left. It does not
/// count time in line at the gate.
const PATIENCE: Duration = Duration::from_secs(5);
