//! The current token and the tokens before it.
//!
//! Stores the outcomes of token requests, and returns a token for as long as it is probably valid. Nothing here sends
//! or waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::headers::Headers;
use crate::platform::Instant;
use crate::secrets::Secret;

/// A bearer token.
pub(crate) struct Token {
    secret: Secret,
    /// The headers of a data request that uses this token.
    pub(crate) headers: Headers,
    /// The time at which the token is due for renewal; `None` if it is used until it is rejected.
    renewal: Option<Instant>,
    /// The time of expiry; `None` if the response has no lifetime, or a lifetime that is too short to rely on.
    expiry: Option<Instant>,
}

impl Token {
    /// Creates a token from the response to a request that was sent at `sent_at`.
    pub(super) fn new(secret: Secret, lifetime: Option<Duration>, headers: Headers, sent_at: Instant) -> Self {
        let mut token = Self { secret, headers, renewal: None, expiry: None };
        match lifetime {
            Some(lifetime) if lifetime >= MIN_LIFETIME => {
                token.renewal = sent_at.checked_add(usable(lifetime));
                token.expiry = sent_at.checked_add(lifetime);
            }
            _ => {}
        }
        token
    }
}

/// `true` if a time is still to come.
fn is_ahead(time: Option<Instant>) -> bool {
    match time {
        Some(time) => Instant::now() < time,
        None => false,
    }
}

/// The current and previous tokens, and the outcomes of requests with them.
#[derive(Default)]
pub(crate) struct Cache {
    /// The current token; `None` before the first token, and after the service has rejected the current one.
    token: Option<Arc<Token>>,
    /// Previous tokens, from the oldest to the latest. Requests with them may still be in flight, so errors mask them
    /// too.
    previous: Vec<Arc<Token>>,
    /// After a failed renewal, the earliest time of the next renewal. Until that time, the old token is used if it
    /// still works.
    next_renewal: Option<Instant>,
    /// Paths that the service rejected even with a new token. Until the time in the map, a 401 for the path does not
    /// replace the token.
    closed: HashMap<Box<str>, Instant>,
}

impl Cache {
    /// The current token, unless it has expired or is due for renewal.
    pub(super) fn fresh(&self) -> Option<Arc<Token>> {
        let token = self.working()?;
        let is_due = token.renewal.is_some() && !is_ahead(token.renewal);
        if is_due && !is_ahead(self.next_renewal) { None } else { Some(token) }
    }

    /// The current token, unless it has expired.
    pub(crate) fn working(&self) -> Option<Arc<Token>> {
        let token = self.token.as_ref()?;
        let has_expired = token.expiry.is_some() && !is_ahead(token.expiry);
        if has_expired { None } else { Some(token.clone()) }
    }

    /// Stores the outcome of a token request, and returns it.
    pub(super) fn store(&mut self, outcome: Result<Token, Error>) -> Result<Arc<Token>, Error> {
        let token = match outcome {
            Ok(token) => Arc::new(token),
            Err(error) => {
                self.next_renewal = Instant::now().checked_add(RENEWAL_PAUSE);
                return Err(error);
            }
        };
        // Requests with the previous token may still be in flight, so errors about them must mask it.
        self.previous.extend(self.token.replace(token.clone()));
        if self.previous.len() > MAX_PREVIOUS {
            self.previous.remove(0);
        }
        // The pause after a failed renewal applies only to the previous token, so the new token ends the pause.
        self.next_renewal = None;
        Ok(token)
    }

    /// Processes a 401 for a request with this token. The next data request waits for a new token, unless the rejected
    /// token was already replaced.
    ///
    /// Returns false if another token would not help, because the path was recently rejected even with a new token.
    pub(crate) fn reject(&mut self, token: &Arc<Token>, path: &str) -> bool {
        // A late 401 for a previous token does not reject the current token.
        match &self.token {
            Some(current) if Arc::ptr_eq(current, token) => {}
            _ => return true,
        }
        if is_ahead(self.closed.get(path).copied()) {
            return false;
        }
        self.previous.extend(self.token.take());
        true
    }

    /// Notes that the service rejected a path even with a new token, so the token is not the reason.
    pub(crate) fn reject_again(&mut self, path: &str) {
        // Limits the memory of the map. Dropping all entries does little harm, because they expire soon.
        if self.closed.len() == MAX_CLOSED {
            self.closed.clear();
        }
        self.closed.insert(path.into(), Instant::now() + CLOSED_DURATION);
    }

    /// Notes that the service accepted a path, so that the next 401 for the path replaces the token again.
    pub(crate) fn accept(&mut self, path: &str) {
        self.closed.remove(path);
    }

    /// The tokens, which are masked in errors.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.previous.iter().chain(&self.token).map(|token| &token.secret)
    }
}

/// The maximum number of previous tokens that are stored. Requests in flight can use more tokens than that only if the
/// lifetimes are very short.
const MAX_PREVIOUS: usize = 4;

/// A token is replaced this long before it expires, or after nine tenths of its lifetime if that is later.
const MARGIN: Duration = Duration::from_secs(60);

/// If a path returns 401 even with a new token, further 401s of that path do not replace the token for this time. A
/// successful request for the path ends this time early.
const CLOSED_DURATION: Duration = Duration::from_secs(60);

/// The maximum number of paths in `closed`.
const MAX_CLOSED: usize = 64;

/// The delay between a failed renewal and the next attempt.
const RENEWAL_PAUSE: Duration = Duration::from_secs(5);

/// The minimum plausible lifetime. A shorter lifetime is assumed to be an error of the service and is ignored, so the
/// token is used until it is rejected.
const MIN_LIFETIME: Duration = Duration::from_secs(1);

/// The time for which a token with this lifetime is used.
fn usable(lifetime: Duration) -> Duration {
    lifetime.saturating_sub(MARGIN.min(lifetime / 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_replaced_before_they_expire() {
        let table = [(84_706, 84_646_000), (600, 540_000), (10, 9_000), (0, 0)];
        for (lifetime, milliseconds) in table {
            assert_eq!(usable(Duration::from_secs(lifetime)), Duration::from_millis(milliseconds));
        }
    }
}
