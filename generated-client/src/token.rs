//! The OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
//!
//! Client id and secret come in, bearer tokens go out: one is kept until shortly before it expires, and
//! whoever needs a new one waits for the one request that is under way and shares its outcome.
//! Sending the token with a request, and trying again after a 401, is done where requests are sent.

mod reply;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::time::Instant;

use crate::error::Error;
use crate::outlet::Outlet;
use crate::registry::ClientCredentialsInfo;
use crate::secret::Secret;
use crate::status;
use crate::transport::Headers;

use reply::TokenReply;

/// What a token is asked for with.
pub(crate) struct ClientCredentials {
    pub(crate) id: Secret,
    pub(crate) secret: Secret,
}

/// A bearer token.
pub(crate) struct Token {
    secret: Secret,
    bearer: HeaderValue,
    /// When to ask for another; `None` if only a refusal tells.
    renewal: Option<Instant>,
}

impl Token {
    /// The header that carries it.
    pub(crate) fn bearer(&self) -> HeaderValue {
        self.bearer.clone()
    }

    fn is_fresh(&self) -> bool {
        self.renewal.is_none_or(|renewal| Instant::now() < renewal)
    }
}

/// The flow, and the token it has got.
pub(crate) struct TokenFlow {
    info: &'static ClientCredentialsInfo,
    headers: Headers,
    secrets: [Secret; 2],
    cache: Mutex<Cache>,
    /// Held by whoever asks for a token; dropping it makes the next one ask.
    asking: tokio::sync::Mutex<()>,
}

/// What is known of tokens so far.
#[derive(Default)]
struct Cache {
    token: Option<Arc<Token>>,
    /// Whether the service has refused the token.
    refused: bool,
    /// How many requests for a token have been answered, well or badly.
    answers: u64,
    /// The last answer, if it was bad.
    failure: Option<Error>,
}

impl Cache {
    fn fresh(&self) -> Option<Arc<Token>> {
        self.token.clone().filter(|token| !self.refused && token.is_fresh())
    }
}

impl TokenFlow {
    /// Prepares the flow; `headers` are those of every request.
    pub(crate) fn new(
        info: &'static ClientCredentialsInfo,
        own: &ClientCredentials,
        mut headers: Headers,
    ) -> Result<Self, Error> {
        let pair = format!("{}:{}", form_encode(own.id.expose()), form_encode(own.secret.expose()));
        let basic = BASE64_STANDARD.encode(pair);
        let mut value = HeaderValue::try_from(format!("Basic {basic}"))
            .map_err(|_| Error::build("the client credentials do not fit a header"))?;
        value.set_sensitive(true);
        headers.put(AUTHORIZATION, value);
        headers.put(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        Ok(Self {
            info,
            headers,
            secrets: [own.secret.clone(), basic.into()],
            cache: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        })
    }

    /// A token that is likely to be accepted, fetched if there is none.
    pub(crate) async fn token(&self, outlet: &Outlet) -> Result<Arc<Token>, Error> {
        let answers_before = {
            let cache = self.cache();
            if let Some(token) = cache.fresh() {
                return Ok(token);
            }
            cache.answers
        };
        let _asking = self.asking.lock().await;
        if let Some(outcome) = self.outcome_after(answers_before) {
            return outcome;
        }
        let outcome = self.ask(outlet).await.map_err(Error::of_token);
        self.cache().answer(outcome)
    }

    /// What others were answered since.
    fn outcome_after(&self, answers: u64) -> Option<Result<Arc<Token>, Error>> {
        let cache = self.cache();
        if cache.answers == answers {
            return None;
        }
        match &cache.failure {
            Some(failure) => Some(Err(failure.clone())),
            None => cache.token.clone().filter(|_| !cache.refused).map(Ok),
        }
    }

    /// Makes the next request for data ask for a new token, unless there is one already.
    pub(crate) fn invalidate(&self, token: &Arc<Token>) {
        let mut cache = self.cache();
        if cache.token.as_ref().is_some_and(|cached| Arc::ptr_eq(cached, token)) {
            cache.refused = true;
        }
    }

    /// Shows everything that no error may repeat.
    pub(crate) fn with_secrets(&self, mut see: impl FnMut(&str)) {
        for secret in &self.secrets {
            see(secret.expose());
        }
        if let Some(token) = &self.cache().token {
            see(token.secret.expose());
        }
    }

    /// Asks for a token, once.
    async fn ask(&self, outlet: &Outlet) -> Result<Token, Error> {
        let asked = Instant::now();
        let form = "grant_type=client_credentials";
        let response = outlet.post(self.info.path, self.headers.clone(), form).await?;
        let body = status::accept(response, self.info.errors)?;
        let reply = TokenReply::read(&body)?;
        let mut bearer = HeaderValue::try_from(format!("Bearer {}", reply.access_token))
            .map_err(|_| reply::unreadable("`access_token` has characters that HTTP cannot carry"))?;
        bearer.set_sensitive(true);
        let renewal = reply.expires_in.and_then(|lifetime| asked.checked_add(usable(lifetime)));
        Ok(Token { secret: reply.access_token.into(), bearer, renewal })
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // The cache is whole between any two of its statements, so a panic elsewhere does no harm.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    fn answer(&mut self, outcome: Result<Token, Error>) -> Result<Arc<Token>, Error> {
        self.answers += 1;
        match outcome {
            Ok(token) => {
                let token = Arc::new(token);
                self.token = Some(token.clone());
                self.refused = false;
                self.failure = None;
                Ok(token)
            }
            Err(failure) => {
                self.failure = Some(failure.clone());
                Err(failure)
            }
        }
    }
}

/// A token is replaced this long before it expires …
const MARGIN: Duration = Duration::from_secs(60);

/// How long to use a token that lives so long: … or after nine tenths of a short life.
fn usable(lifetime: Duration) -> Duration {
    lifetime.saturating_sub(MARGIN.min(lifetime / 10))
}

/// What RFC 6749, section 2.3.1, has done to id and secret before they are joined.
fn form_encode(text: &str) -> String {
    const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_');
    utf8_percent_encode(text, FORM).to_string().replace("%20", "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_secrets_are_form_encoded() {
        let table = [
            ("abcXYZ019-._*", "abcXYZ019-._*"),
            ("a b", "a+b"),
            ("a:b/c+d=e%", "a%3Ab%2Fc%2Bd%3De%25"),
            ("ü~", "%C3%BC%7E"),
        ];
        for (text, expected) in table {
            assert_eq!(form_encode(text), expected);
        }
    }

    #[test]
    fn tokens_are_replaced_before_they_expire() {
        let table = [(84_706, 84_646_000), (600, 540_000), (10, 9_000), (0, 0)];
        for (lifetime, milliseconds) in table {
            assert_eq!(usable(Duration::from_secs(lifetime)), Duration::from_millis(milliseconds));
        }
    }
}
