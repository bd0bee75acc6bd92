//! Writing a recording, one exchange after the other.
//!
//! No secret is written: request headers are left out, secrets of the request are masked in the reply, and so is
//! everything that looks like a key.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};
use generated_client::SERVICE;

use super::{Exchange, layout, secrets};
use crate::access;
use crate::invented;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: Mutex<File>,
}

/// The headers of a reply that are recorded.
const KEPT: [&str; 4] = ["content-type", "location", "retry-after", invented::MARK];

impl Recorder {
    /// Begins a new file, in place of one that is there.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{} cannot be written: {error}", path.display()));
        let mut file = File::create(path).map_err(named)?;
        file.write_all(b"# Exchanges with the sandbox, without credentials. Play them with `--replay`.\n")
            .map_err(named)?;
        Ok(Self { file: Mutex::new(file) })
    }

    /// Adds an exchange.
    pub(crate) fn write(&self, exchange: &Written<'_>) -> io::Result<()> {
        let entry = serde_yaml::to_string(&[exchange.stripped()]).map_err(io::Error::other)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(entry.as_bytes())
    }
}

/// An exchange as it took place.
#[derive(Debug)]
pub(crate) struct Written<'e> {
    pub(crate) method: &'e str,
    /// Path and query.
    pub(crate) target: &'e str,
    /// The headers of the request, which are not written; they show which secrets to remove.
    pub(crate) asked: &'e HeaderMap,
    pub(crate) status: u16,
    /// The headers of the reply.
    pub(crate) headers: &'e HeaderMap,
    pub(crate) body: &'e [u8],
}

impl Written<'_> {
    fn stripped(&self) -> Exchange {
        let carried = carried(self.asked);
        let kept = KEPT.iter().filter_map(|name| Some((*name, self.headers.get(*name)?.to_str().ok()?)));
        Exchange {
            request: written(self.method, self.target, &carried),
            status: self.status,
            headers: kept.map(|(name, value)| (name.to_owned(), strip(value, &carried))).collect(),
            body: layout::in_lines(&strip(&String::from_utf8_lossy(self.body), &carried)),
        }
    }
}

/// A request as a recording has it.
pub(super) fn written(method: &str, target: &str, carried: &[String]) -> String {
    format!("{method} {}", strip(target, carried))
}

/// The secrets in the headers of a request; the longest first, as one may be a part of another.
fn carried(headers: &HeaderMap) -> Vec<String> {
    let key = SERVICE.api_key_header.and_then(|name| headers.get(name)).and_then(|value| value.to_str().ok());
    let credentials = ["bearer", "basic"].iter().filter_map(|scheme| access::credentials(headers, scheme));
    let whole = headers.get(AUTHORIZATION).map(HeaderValue::to_str).and_then(Result::ok);
    let all = key.into_iter().chain(credentials).chain(whole).filter(|secret| secret.len() >= 4);
    let mut all = all.map(str::to_owned).collect::<Vec<_>>();
    all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    all
}

fn strip(text: &str, carried: &[String]) -> String {
    let known = carried.iter().fold(text.to_owned(), |text, secret| text.replace(secret, &"*".repeat(secret.len())));
    secrets::hide(&known)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        pairs.collect()
    }

    #[test]
    fn nothing_secret_is_written() {
        let asked = headers(&[("x-api-key", "canary"), ("authorization", "Bearer token-canary"), ("cookie", "canary")]);
        let reply = headers(&[("content-type", "application/json"), ("set-cookie", "canary"), ("date", "today")]);
        let exchange = Written {
            method: "GET",
            target: "/v2/klines?coin=BTC&echo=canary&api_key=other",
            asked: &asked,
            status: 200,
            headers: &reply,
            body: br#"{"data":[{"echo":"token-canary","access_token":"another"}]}"#,
        };
        let text = serde_yaml::to_string(&[exchange.stripped()]).unwrap();
        let expected = "- request: GET /v2/klines?coin=BTC&echo=******&api_key=*****\n  status: 200\n  headers:\n    \
                        content-type: application/json\n  body: |-\n    {\"data\":[\n    \
                        {\"echo\":\"************\",\"access_token\":\"*******\"}\n    ]}\n";
        assert_eq!(text, expected);
        assert!(super::super::Recording::read(&text).is_ok());
    }
}
