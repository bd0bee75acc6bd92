//! What every request carries to be let in.
//!
//! Keys and secrets come in from the builder; headers go out: the API key, and a bearer token beside it
//! if the token flow is configured. Getting that token is the flow's job.

use std::fmt;
use std::sync::Arc;

use super::token::{ClientCredentials, Token, TokenFlow};
use crate::dispatch::{Dispatcher, RequestContext};
use crate::error::Error;
use crate::registry::ServiceInfo;
use crate::secrets::{Redact, Secret};
use crate::transport::Headers;

/// The credentials of one client and its clones.
pub(crate) struct Credentials {
    /// What every request carries, tokens aside.
    headers: Headers,
    api_key: Option<Secret>,
    flow: Option<TokenFlow>,
}

impl Credentials {
    /// Checks that the credentials are those that the service takes.
    pub(crate) fn new(
        service: &'static ServiceInfo,
        agent: &str,
        api_key: Option<Secret>,
        client_credentials: Option<ClientCredentials>,
    ) -> Result<Self, Error> {
        let mut headers = Headers::new();
        headers.insert("accept", "application/json").map_err(|error| Error::header(&error))?;
        headers.insert("user-agent", agent).map_err(|error| Error::header(&error))?;
        match (service.api_key_header, &api_key) {
            (Some(_), Some(key)) if key.is_blank() => {
                return Err(Error::build("the API key is empty").with_hint("set it with `api_key`"));
            }
            (Some(name), Some(key)) => headers
                .insert_sensitive(name, key.expose())
                .map_err(|error| Error::build(format!("the API key does not fit: {error}")))?,
            (Some(_), None) => {
                return Err(Error::build("there is no API key").with_hint("set it with `api_key`"));
            }
            (None, Some(_)) => return Err(Error::build("the service takes no API key")),
            (None, None) => {}
        }
        let flow = match (&service.client_credentials, client_credentials) {
            (_, None) => None,
            (Some(_), Some(own)) if own.id.is_blank() => return Err(Error::build("the client id is empty")),
            (Some(_), Some(own)) if own.secret.is_blank() => return Err(Error::build("the client secret is empty")),
            (Some(info), Some(own)) => Some(TokenFlow::new(info, &service.error_body, &own, headers.clone())?),
            (None, Some(_)) => {
                return Err(Error::build("the service has no client credentials flow"));
            }
        };
        Ok(Self { headers, api_key, flow })
    }

    /// The token to send, if the flow is configured; fetched if need be.
    pub(crate) async fn token(
        &self,
        dispatcher: &Dispatcher,
        context: &mut RequestContext,
    ) -> Result<Option<Arc<Token>>, Error> {
        match &self.flow {
            Some(flow) => flow.token(dispatcher, context).await.map(Some),
            None => Ok(None),
        }
    }

    /// The token to send that is there already, if there is one.
    pub(crate) fn working_token(&self) -> Option<Arc<Token>> {
        self.flow.as_ref().and_then(TokenFlow::working)
    }

    /// Takes note that the service refused a token.
    pub(crate) fn invalidate(&self, token: &Arc<Token>) {
        if let Some(flow) = &self.flow {
            flow.invalidate(token);
        }
    }

    /// The headers of a request for data.
    pub(crate) fn headers(&self, token: Option<&Arc<Token>>) -> Headers {
        token.map_or(&self.headers, |token| token.headers()).clone()
    }
}

impl Redact for Credentials {
    fn secrets(&self) -> Vec<Secret> {
        let mut secrets = self.flow.as_ref().map(TokenFlow::secrets).unwrap_or_default();
        secrets.extend(self.api_key.clone());
        secrets
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("api_key", &self.api_key)
            .field("token_flow", &self.flow.is_some())
            .finish_non_exhaustive()
    }
}
