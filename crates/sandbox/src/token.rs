//! The token endpoint, which returns a bearer token for client credentials, or the documented error.
//!
//! If a request is wrong in several ways, the API key is checked first, then the content type, then the credentials. It
//! is not documented in which order the service checks them. Tokens are kept until they expire or are revoked.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use runtime::Value;
use serde_json::json;

use crate::authorization::{credentials, header_text};
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
    let content_type = header_text(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case(FORM) {
        let message = format!("the content type is not `{FORM}`");
        return Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "invalid_content_type", message));
    }
    client(headers, expected).map_err(|message| Rejection::new(StatusCode::UNAUTHORIZED, "invalid_client", message))?;
    let grant = form_urlencoded::parse(body).find(|(name, _)| name == "grant_type");
    if !matches!(grant, Some((_, grant)) if grant == "client_credentials") {
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
    let Some(encoded) = credentials(headers, "basic") else {
        return Err("the `Authorization` header does not have the Basic scheme");
    };
    let Some((id, secret)) = decoded_pair(encoded) else {
        return Err("the Basic value is not the base64 encoding of `CLIENT_ID:CLIENT_SECRET`");
    };
    let accepted = match expected {
        Some((expected_id, expected_secret)) => id == *expected_id && secret == *expected_secret,
        None => !id.is_empty() && !secret.is_empty(),
    };
    if accepted { Ok(()) } else { Err("the client id or the client secret is wrong") }
}

/// The two texts that Basic authentication joins with a colon.
fn decoded_pair(encoded: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
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

/// `true` if an expiry, which is `None` beyond the range of the clock, is after a time.
fn is_after(expiry: Option<Instant>, time: Instant) -> bool {
    match expiry {
        Some(expiry) => expiry > time,
        None => true,
    }
}

impl Tokens {
    pub(crate) fn new(lifetime: Duration, seed: Seed) -> Self {
        Self { lifetime, seed: seed.name("token"), issued: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn issue(&self) -> String {
        let now = Instant::now();
        let mut issued = self.lock();
        issued.count += 1;
        let token = format!("sandbox-token-{}-{:016x}", issued.count, self.seed.number(issued.count).bits());
        // Expired tokens are removed, so that the map does not grow without limit.
        issued.expiry.retain(|_, expiry| is_after(*expiry, now));
        issued.expiry.insert(token.clone(), now.checked_add(self.lifetime));
        token
    }

    /// The number of tokens issued so far, still valid or not.
    pub(crate) fn issued(&self) -> u64 {
        self.lock().count.unsigned_abs()
    }

    /// Revokes every token issued so far.
    pub(crate) fn revoke(&self) {
        self.lock().expiry.clear();
    }

    pub(crate) fn is_valid(&self, token: &str) -> bool {
        match self.lock().expiry.get(token) {
            Some(expiry) => is_after(*expiry, Instant::now()),
            None => false,
        }
    }
}
