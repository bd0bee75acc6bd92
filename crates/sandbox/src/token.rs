//! The token endpoint, which returns a bearer token for client credentials, or the documented error.
//!
//! If a request is wrong in several ways, the API key is checked first, then the content type, then the credentials. It
//! is not documented in which order the service checks them. Tokens are kept until they expire or are revoked.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use runtime::Value;
use serde_json::json;

use crate::access;
use crate::rejection::Rejection;
use crate::seed::Seed;

/// A client id and its secret.
pub(crate) type ClientCredentials = (String, String);

/// Issues a token to the client of a request. Any client is accepted unless the settings name a client.
pub(crate) fn issue(
    headers: &HeaderMap,
    body: &Bytes,
    expected: Option<&ClientCredentials>,
    tokens: &Tokens,
) -> Result<Value, Rejection> {
    const FORM: &str = "application/x-www-form-urlencoded";
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case(FORM) {
        let message = format!("the content type is not `{FORM}`");
        return Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "invalid_content_type", message));
    }
    client(headers, expected).map_err(|message| Rejection::new(StatusCode::UNAUTHORIZED, "invalid_client", message))?;
    let grant = form_urlencoded::parse(body).find(|(name, _)| name == "grant_type");
    if grant.is_none_or(|(_, grant)| grant != "client_credentials") {
        let message = "`grant_type` is not `client_credentials`";
        return Err(Rejection::new(StatusCode::BAD_REQUEST, "unsupported_grant_type", message));
    }
    Ok(json!({
        "access_token": tokens.issue(),
        "expires_in": tokens.lifetime.as_secs(),
        "token_type": "Bearer",
    }))
}

/// Checks the client's credentials; the error describes the first problem.
fn client(headers: &HeaderMap, expected: Option<&ClientCredentials>) -> Result<(), &'static str> {
    let Some(encoded) = access::credentials(headers, "basic") else {
        return Err("the `Authorization` header does not have the Basic scheme");
    };
    let decoded = BASE64_STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some((id, secret)) = decoded.as_deref().and_then(|decoded| decoded.split_once(':')) else {
        return Err("the Basic value is not the base64 encoding of `CLIENT_ID:CLIENT_SECRET`");
    };
    let accepted = match expected {
        Some((expected_id, expected_secret)) => (id, secret) == (expected_id, expected_secret),
        None => !id.is_empty() && !secret.is_empty(),
    };
    if accepted { Ok(()) } else { Err("the client id or the client secret is wrong") }
}

/// The issued tokens.
#[derive(Debug)]
pub(crate) struct Tokens {
    lifetime: Duration,
    seed: Seed,
    issued: Mutex<Issued>,
}

#[derive(Debug, Default)]
struct Issued {
    count: i64,
    /// The expiry of each token; `None` if it is beyond the range of the clock.
    expiry: HashMap<String, Option<Instant>>,
}

impl Tokens {
    pub(crate) fn new(lifetime: Duration, seed: Seed) -> Self {
        Self { lifetime, seed: seed.name("token"), issued: Mutex::default() }
    }

    fn issue(&self) -> String {
        let now = Instant::now();
        let mut issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        issued.count += 1;
        let token = format!("sandbox-token-{}-{:016x}", issued.count, self.seed.number(issued.count).bits());
        // Expired tokens are removed, so that the map does not grow without limit.
        issued.expiry.retain(|_, expiry| expiry.is_none_or(|expiry| expiry > now));
        issued.expiry.insert(token.clone(), now.checked_add(self.lifetime));
        token
    }

    /// Returns the number of tokens issued so far, still valid or not.
    pub(crate) fn issued(&self) -> u64 {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner).count.unsigned_abs()
    }

    /// Revokes every token issued so far.
    pub(crate) fn revoke(&self) {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner).expiry.clear();
    }

    pub(crate) fn is_valid(&self, token: &str) -> bool {
        let issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        issued.expiry.get(token).is_some_and(|expiry| expiry.is_none_or(|expiry| expiry > Instant::now()))
    }
}
