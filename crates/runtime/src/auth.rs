//! Credentials: the API key, and the bearer token of the OAuth 2.0 client credentials flow.
//!
//! The builder passes in the keys and secrets, and each request gets the resulting headers. Token requests go through
//! the dispatcher, like data requests. After a 401, `send` repeats a data request with a new token.

// The modules, lowest layer first, as in `lib.rs`.
mod sent_key;

mod key_source;

pub(crate) mod token;

use std::sync::Arc;

use crate::dispatch::Policy;
use crate::error::Error;
use crate::headers::Headers;
use crate::registry::{BodyFormat, ServiceInfo};
use crate::request::{RequestTarget, key_param};
use crate::secrets::{Redact, Secret};

pub(crate) use key_source::KeySource;
use key_source::RotatingKey;
use sent_key::{insert_key, with_key};
pub(crate) use token::Token;
use token::TokenFlow;

/// The credentials of one client and its clones.
pub(crate) struct Credentials {
    /// The headers of a request that has no bearer token.
    headers: Headers,
    service: &'static ServiceInfo,
    /// The query param with the API key.
    key_param: Option<Secret>,
    /// The API key that can be replaced while the client is in use; `None` if it is fixed.
    rotating: Option<Arc<RotatingKey>>,
    /// The API key in every form that is sent, and the values of the user's secret headers.
    secrets: Vec<Secret>,
    /// The token flow, if it is configured.
    pub(crate) flow: Option<TokenFlow>,
}

/// A header that the user sends with every request.
pub(crate) struct DefaultHeader {
    pub(crate) name: String,
    pub(crate) value: Secret,
    /// True if the value is masked in responses that repeat it.
    pub(crate) is_secret: bool,
}

impl Credentials {
    /// Creates the credentials, or returns an error if the service does not accept credentials of this kind.
    pub(crate) fn new(
        service: &'static ServiceInfo,
        agent: &str,
        defaults: &[DefaultHeader],
        key_source: Option<KeySource>,
        client_credentials: Option<(Secret, Secret)>,
        policy: &Policy,
    ) -> Result<Self, Error> {
        let api_key = key_source.as_ref().map(KeySource::read).transpose().map_err(Error::of_setting)?;
        let rotating = match (key_source, &api_key) {
            (None | Some(KeySource::Fixed(_)), _) | (_, None) => None,
            (Some(source), Some(key)) => Some(Arc::new(RotatingKey::new(source, key.clone()))),
        };
        check_names(defaults.iter().map(|header| header.name.as_str()))?;
        let mut headers = default_headers(service, agent, defaults)?;
        // The check rejects every header that carries credentials, so it runs before the API key is inserted.
        check(service.api_key_header, client_credentials.is_some(), &headers)?;
        check_key(service, api_key.as_ref())?;
        if let Some(key) = &api_key {
            insert_key(service, &mut headers, key)?;
        }
        let key_param = match (service.api_key_query, &api_key) {
            (Some(name), Some(key)) => Some(key_param(name, key)),
            _ => None,
        };
        check_client(service, client_credentials.as_ref())?;
        let flow = match (&service.client_credentials, client_credentials) {
            (Some(info), Some(own)) => {
                let path = with_key(info.path, key_param.as_ref());
                let rotating = rotating.clone();
                Some(TokenFlow::new(info, path, rotating, service, own, headers.clone(), policy.clone())?)
            }
            _ => None,
        };
        let secrets = secrets(service, api_key.as_ref(), defaults);
        Ok(Self { headers, service, key_param, rotating, secrets, flow })
    }

    /// Reads the current API key for a request; `None` if the key is fixed.
    pub(crate) fn current_key(&self) -> Result<Option<Secret>, Error> {
        self.rotating.as_ref().map(|rotating| rotating.current()).transpose()
    }

    /// `true` if there is another API key than the one that the service rejected.
    pub(crate) fn has_replaced(&self, rejected: Option<&Secret>) -> bool {
        match (&self.rotating, rejected) {
            (Some(rotating), Some(rejected)) => rotating.has_replaced(rejected),
            _ => false,
        }
    }

    /// Returns an error if the user set the param that carries the API key.
    pub(crate) fn check_params(&self, target: &RequestTarget) -> Result<(), Error> {
        match self.service.api_key_query {
            Some(name) if target.value(name).is_some() => {
                let error = Error::build(format!("the param `{name}` is reserved for the credentials"));
                Err(error.with_hint("use `api_key`"))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error if the user's headers include a header that carries the credentials, or one of the transport.
    pub(crate) fn check(&self, headers: &Headers) -> Result<(), Error> {
        check_names(headers.iter().map(|(name, _)| name))?;
        check(self.service.api_key_header, self.flow.is_some(), headers)
    }

    /// Adds the query param with the API key to a URL, so that only the transport sees it. `key` is the current key,
    /// unless the key is fixed.
    pub(crate) fn url_with_key(&self, url: &str, key: Option<&Secret>) -> String {
        match self.service.api_key_query.zip(key) {
            Some((name, key)) => with_key(url, Some(&key_param(name, key))),
            None => with_key(url, self.key_param.as_ref()),
        }
    }

    /// The headers of a data request. `key` is the current key, unless the key is fixed. `format` is that of the body
    /// that the request accepts, unless the user has set the header.
    pub(crate) fn headers(
        &self,
        token: Option<&Arc<Token>>,
        key: Option<&Secret>,
        format: BodyFormat,
    ) -> Result<Headers, Error> {
        let mut headers = token.map_or(&self.headers, |token| &token.headers).clone();
        if format != BodyFormat::Json && headers.get("accept") == Some(default_accept(self.service)) {
            headers.insert("accept", format.accept())?;
        }
        if let Some(key) = key {
            insert_key(self.service, &mut headers, key)?;
        }
        Ok(headers)
    }
}

/// The headers that every request of a client has, without credentials.
fn default_headers(service: &ServiceInfo, agent: &str, defaults: &[DefaultHeader]) -> Result<Headers, Error> {
    let mut headers = Headers::new();
    headers.insert("accept", default_accept(service))?;
    headers.insert("user-agent", agent)?;
    for (name, value) in service.headers {
        headers.insert(name, value)?;
    }
    for DefaultHeader { name, value, .. } in defaults {
        headers.insert_sensitive(name, value.expose())?;
    }
    Ok(headers)
}

/// The header `accept` of the service's requests for JSON.
fn default_accept(service: &ServiceInfo) -> &'static str {
    let declared = service.headers.iter().find(|(name, _)| *name == "accept");
    declared.map_or(BodyFormat::Json.accept(), |(_, value)| *value)
}

/// Every text of an API key that is sent, and each part that a response may repeat alone.
fn forms(service: &ServiceInfo, key: &Secret) -> Vec<Secret> {
    let mut forms = vec![key.clone()];
    if service.api_key_basic {
        // The scheme `Basic` at the start of the value is not secret, so only the part after it is masked.
        let value = service.api_key_value(key.expose());
        forms.extend(value.strip_prefix(service.api_key_prefix).map(Secret::from));
        // A response may repeat the password without the user name.
        forms.extend(key.expose().split_once(':').map(|(_, password)| Secret::from(password)));
    }
    forms
}

/// Returns an error if a required API key is missing, or if the service does not accept the key that is set.
fn check_key(service: &ServiceInfo, key: Option<&Secret>) -> Result<(), Error> {
    const HINT: &str = "set it with `api_key`";
    match key {
        Some(_) if !service.takes_api_key() => Err(Error::build("the service does not accept an API key")),
        Some(key) if key.is_blank() => Err(Error::build("the API key is empty").with_hint(HINT)),
        Some(key) if service.api_key_basic && !key.expose().contains(':') => {
            Err(Error::build("the API key does not have the form `name:password`").with_hint("it contains no colon"))
        }
        None if service.takes_api_key() && !service.api_key_optional => {
            Err(Error::build("the API key is missing").with_hint(HINT))
        }
        _ => Ok(()),
    }
}

/// The API key in all forms, and the values of secret headers.
fn secrets(service: &ServiceInfo, api_key: Option<&Secret>, defaults: &[DefaultHeader]) -> Vec<Secret> {
    let mut secrets = Vec::new();
    if let Some(key) = api_key {
        secrets = forms(service, key);
    }
    for header in defaults {
        if header.is_secret {
            secrets.push(header.value.clone());
        }
    }
    secrets
}

/// Rejects client credentials that are empty, or that the service does not support.
fn check_client(service: &ServiceInfo, credentials: Option<&(Secret, Secret)>) -> Result<(), Error> {
    let Some((id, secret)) = credentials else { return Ok(()) };
    if service.client_credentials.is_none() {
        return Err(Error::build("the service does not support client credentials"));
    }
    if id.is_blank() {
        return Err(Error::build("the client id is empty"));
    }
    if secret.is_blank() {
        return Err(Error::build("the client secret is empty"));
    }
    Ok(())
}

/// The headers that a transport sets to match the connection and the body.
const OF_TRANSPORT: [&str; 5] = ["accept-encoding", "connection", "content-length", "host", "transfer-encoding"];

/// Returns an error if the user's headers would replace a header that the transport sets.
fn check_names<'h>(mut names: impl Iterator<Item = &'h str>) -> Result<(), Error> {
    match names.find_map(|name| OF_TRANSPORT.iter().find(|own| own.eq_ignore_ascii_case(name))) {
        Some(name) => Err(Error::build(format!("the header `{name}` is set by the transport")).with_hint("omit it")),
        None => Ok(()),
    }
}

fn reserved(header: &str) -> Error {
    Error::build(format!("the header `{header}` is reserved for the credentials"))
}

/// Returns an error if the user's headers would replace a header that the API key or the token flow sets.
fn check(api_key_header: Option<&str>, has_flow: bool, headers: &Headers) -> Result<(), Error> {
    if let Some(name) = api_key_header.filter(|name| headers.contains(name)) {
        return Err(reserved(name).with_hint("use `api_key`"));
    }
    if has_flow && headers.contains("authorization") {
        return Err(reserved("authorization").with_hint("omit either this header or `client_credentials`"));
    }
    Ok(())
}

impl Redact for Credentials {
    fn secrets(&self) -> Vec<Secret> {
        let mut secrets = self.secrets.clone();
        if let Some(flow) = &self.flow {
            secrets.extend(flow.secrets());
        }
        if let Some(rotating) = &self.rotating {
            for key in rotating.known() {
                secrets.extend(forms(self.service, &key));
            }
        }
        secrets
    }
}
