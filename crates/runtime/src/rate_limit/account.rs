//! The account of a client: what the service counts requests for.

use super::limit::RateLimit;
use crate::secrets::Secret;

/// The settings of a client that determine which other clients share its rate limit.
pub struct Account {
    /// The base URL up to its path.
    pub origin: String,
    /// The API key and the client id, as far as they are set.
    credentials: Vec<Secret>,
    /// The rate limit that applies unless the user sets a rate limiter.
    pub limit: RateLimit,
}

impl Account {
    pub(crate) fn new(base_url: &str, credentials: Vec<Secret>, limit: RateLimit) -> Self {
        let base_url = base_url.trim().to_ascii_lowercase();
        // The slashes after the scheme are not part of the path.
        let host_at = base_url.find("://").map_or(0, |colon| colon + 3);
        let path_at = base_url[host_at..].find('/').map_or(base_url.len(), |slash| host_at + slash);
        Self { origin: base_url[..path_at].to_owned(), credentials, limit }
    }

    /// The credentials, from which a caller computes a digest. They must not be shown.
    pub fn credentials(&self) -> impl Iterator<Item = &[u8]> {
        self.credentials.iter().map(|secret| secret.expose().as_bytes())
    }
}

crate::debug::opaque_debug!(Account);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_of_one_host_have_one_origin() {
        for (base_url, expected) in [
            ("https://Example.com/v2", "https://example.com"),
            (" https://example.com ", "https://example.com"),
            ("http://127.0.0.1:8080/a/b", "http://127.0.0.1:8080"),
            ("invalid", "invalid"),
            ("", ""),
        ] {
            assert_eq!(Account::new(base_url, Vec::new(), RateLimit::none()).origin, expected);
        }
    }
}
