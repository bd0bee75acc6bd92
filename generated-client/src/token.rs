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

use crate::error::Error;
use crate::observer::{Event, Waiting};
use crate::outlet::Outlet;
use crate::registry::ClientCredentialsInfo;
use crate::secret::Secret;
use crate::status;
use crate::transport::Headers;
use crate::trip::Trip;

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
    /// Those of every request.
    headers: Headers,
    /// Those of the request for a token.
    asking_headers: Headers,
    secrets: [Secret; 2],
    cache: Mutex<Cache>,
    /// Held by whoever asks for a token; dropping it makes the next one ask.
    asking: tokio::sync::Mutex<()>,
}

impl TokenFlow {
    /// Prepares the flow; `headers` are those of every request.
    pub(crate) fn new(
        info: &'static ClientCredentialsInfo,
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
            headers,
            asking_headers,
            secrets: [own.secret.clone(), basic.into()],
            cache: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        })
    }

    /// A token that is likely to be accepted, fetched if there is none.
    pub(crate) async fn token(&self, outlet: &Outlet, trip: &mut Trip) -> Result<Arc<Token>, Error> {
        if let Some(token) = self.cache().fresh() {
            return Ok(token);
        }
        trip.wait_for(Waiting::Token);
        let outcome = match self.renewed(outlet, trip).await {
            Some(token) => Ok(token),
            None => self.new_token(outlet, trip).await,
        };
        trip.arrived();
        outcome
    }

    /// A token that is likely to be accepted, if there is one.
    pub(crate) fn working(&self) -> Option<Arc<Token>> {
        self.cache().working()
    }

    /// A token that works although it is time for another: one caller sees to that, with little patience,
    /// and the others go on with what there is.
    async fn renewed(&self, outlet: &Outlet, trip: &Trip) -> Option<Arc<Token>> {
        let working = self.working()?;
        let Ok(_asking) = self.asking.try_lock() else { return Some(working) };
        if let Some(token) = self.cache().fresh() {
            return Some(token);
        }
        let asked = tokio::time::timeout(PATIENCE.min(trip.left() / 4), self.ask(outlet, &mut trip.branch())).await;
        trip.tell(&Event::Token { renewed: matches!(asked, Ok(Ok(_))) });
        if let Ok(Ok(token)) = asked {
            return self.cache().answer(Ok(token)).ok();
        }
        let mut cache = self.cache();
        cache.rest();
        cache.working()
    }

    /// The token that is being asked for, by somebody else or by this caller.
    async fn new_token(&self, outlet: &Outlet, trip: &Trip) -> Result<Arc<Token>, Error> {
        let answers_before = {
            let cache = self.cache();
            if let Some(token) = cache.fresh() {
                return Ok(token);
            }
            cache.answers()
        };
        let _asking = self.asking.lock().await;
        if let Some(outcome) = self.cache().outcome_after(answers_before) {
            return outcome;
        }
        let mut trip = trip.branch();
        let outcome = self.ask_repeatedly(outlet, &mut trip).await;
        trip.tell(&Event::Token { renewed: outcome.is_ok() });
        let outcome = outcome.map_err(|error| error.of_token().after(trip.account()));
        // That this caller had no time left says nothing to the others: the next in line asks again.
        if outcome.is_err() && trip.is_out_of_time() {
            return outcome.map(Arc::new);
        }
        self.cache().answer(outcome)
    }

    /// Asks for a token as often as it takes and the rules allow.
    async fn ask_repeatedly(&self, outlet: &Outlet, trip: &mut Trip) -> Result<Token, Error> {
        loop {
            match self.ask(outlet, trip).await {
                Ok(token) => {
                    outlet.retries().succeeded();
                    return Ok(token);
                }
                Err(error) => trip.retry(outlet.retries(), error).await?,
            }
        }
    }

    /// Makes the next request for data ask for a new token, unless there is one already.
    pub(crate) fn invalidate(&self, token: &Arc<Token>) {
        self.cache().refuse(token);
    }

    /// Everything that no error may repeat.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        self.secrets.iter().chain(self.cache().secrets()).cloned().collect()
    }

    /// Asks for a token, once.
    async fn ask(&self, outlet: &Outlet, trip: &mut Trip) -> Result<Token, Error> {
        let pass = outlet.enter(trip).await?;
        let asked = Instant::now();
        let form = "grant_type=client_credentials";
        let response = outlet.post(self.info.path, self.asking_headers.clone(), form, pass, trip).await?;
        let success = (200..300).contains(&response.status);
        let response = status::accept(response, self.info.errors)
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

/// A token that works is replaced within this time, and within a quarter of what its caller has left, or not now.
const PATIENCE: Duration = Duration::from_secs(5);
