//! The OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
//!
//! Client id and secret come in, bearer tokens go out: one is kept until shortly before it expires, and
//! whoever needs a new one waits for the one request that is under way and shares its outcome. A token that
//! still works is never given up for a new one that does not come.
//! Sending the token with a request, and trying again after a 401, is done where requests are sent.

mod basic;
mod cache;
pub(crate) mod reply;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::dispatch::observer::{Event, Waiting};
use crate::dispatch::{Dispatcher, LineClock, RequestContext, status};
use crate::error::Error;
use crate::registry::{ClientCredentialsInfo, ErrorBodyInfo};
use crate::secrets::Secret;
use crate::transport::Headers;

pub use basic::BasicEncoding;
use cache::Cache;
pub(crate) use cache::Token;
use reply::TokenReply;

/// What a token is asked for with.
pub(crate) struct ClientCredentials {
    pub(crate) id: Secret,
    pub(crate) secret: Secret,
    pub(crate) encoding: BasicEncoding,
}

/// The flow, and the token it has got.
pub(crate) struct TokenFlow {
    info: &'static ClientCredentialsInfo,
    error_body: &'static ErrorBodyInfo,
    /// Those of every request.
    headers: Headers,
    /// Those of the request for a token.
    asking_headers: Headers,
    secrets: [Secret; 2],
    cache: Mutex<Cache>,
    /// Held by whoever asks for a token; dropping it makes the next one ask.
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
        // It happens once in a while, and would make every request as large as a request for a token beside it.
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

    /// The token that is being asked for, by somebody else or by this caller.
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
        // That this caller had no time left says nothing to the others: the next in line asks again.
        if outcome.is_err() && context.is_out_of_time() {
            return outcome.map(Arc::new);
        }
        self.cache().answer(outcome)
    }

    /// Asks for a token as often as it takes and the rules allow.
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
    /// new one a short while ago; whether another token may let it in.
    pub(crate) fn refused(&self, token: &Arc<Token>, path: &str) -> bool {
        self.cache().refuse(token, path)
    }

    /// Takes note that a path was refused with a new token too.
    pub(crate) fn refused_again(&self, path: &str) {
        self.cache().refuse_again(path);
    }

    /// Takes note that a path was let in.
    pub(crate) fn accepted(&self, path: &str) {
        self.cache().accept(path);
    }

    /// Everything that no error may repeat.
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
        // The cache is whole between any two of its statements, so a panic elsewhere does no harm.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A token that works is replaced within this time and within a quarter of what its caller has left, both counted from
/// its turn at the gate, or not now.
const PATIENCE: Duration = Duration::from_secs(5);
