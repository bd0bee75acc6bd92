//! HTTP headers.
//!
//! [`Headers`] wraps the map of the `http` crate, because that crate is not part of the public API. The default
//! transport converts headers without copying them.

use std::fmt;

use http::header::{HeaderMap, HeaderName, HeaderValue, SET_COOKIE};

/// Headers of a request or a response.
///
/// The output of `Debug` omits values that were inserted as sensitive, and cookies that a server has set.
///
/// ```
/// # use generated_client_runtime::transport::{Headers, InvalidHeader};
/// let mut headers = Headers::new();
/// headers.insert("Retry-After", "7")?;
/// headers.insert_sensitive("x-api-key", "hunter2")?;
/// assert_eq!(headers.get("retry-after"), Some("7"));
/// assert!(!format!("{headers:?}").contains("hunter2"));
/// # Ok::<(), InvalidHeader>(())
/// ```
#[derive(Clone, Default)]
pub struct Headers(pub(crate) HeaderMap);

impl Headers {
    /// Creates empty headers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the first value of a header; `None` if the header is missing or the value is not text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.to_str().ok()
    }

    /// Returns whether a header is present.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets all headers in `others`, replacing previous values.
    pub fn extend(&mut self, others: &Self) {
        for (name, value) in &others.0 {
            self.0.insert(name.clone(), value.clone());
        }
    }

    /// Returns all headers, with their names in lower case. Sensitive values are included, because a transport has to
    /// send them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// Sets a header, replacing its previous value. Returns an error if the name or the value is invalid in HTTP.
    pub fn insert(&mut self, name: &str, value: &str) -> Result<(), InvalidHeader> {
        self.try_put(name, value, false)
    }

    /// Sets a header like [`insert`](Self::insert), for a value that `Debug` must not show.
    pub fn insert_sensitive(&mut self, name: &str, value: &str) -> Result<(), InvalidHeader> {
        self.try_put(name, value, true)
    }

    fn try_put(&mut self, name: &str, value: &str, sensitive: bool) -> Result<(), InvalidHeader> {
        let (Ok(header), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
            return Err(InvalidHeader(name.to_owned()));
        };
        value.set_sensitive(sensitive);
        self.0.insert(header, value);
        Ok(())
    }

    /// Changes each value in place; a change that makes a value invalid is ignored.
    pub(crate) fn rewrite(&mut self, change: impl Fn(&mut [u8])) {
        for value in self.0.values_mut() {
            let mut bytes = value.as_bytes().to_vec();
            change(&mut bytes);
            if let Ok(mut changed) = HeaderValue::from_maybe_shared(bytes::Bytes::from(bytes)) {
                changed.set_sensitive(value.is_sensitive());
                *value = changed;
            }
        }
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        for (name, value) in &mut shown {
            value.set_sensitive(value.is_sensitive() || name == SET_COOKIE);
        }
        shown.fmt(f)
    }
}

/// The error for an invalid header; it does not contain the value.
#[derive(Clone, PartialEq, Eq)]
pub struct InvalidHeader(String);

impl fmt::Display for InvalidHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the header `{}` contains characters that HTTP does not allow", self.0)
    }
}

impl std::error::Error for InvalidHeader {}

crate::debug::debug_as_display!(InvalidHeader);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_header_stays_masked() {
        let mut headers = Headers::new();
        headers.insert_sensitive("x-api-key", "canary").unwrap();
        headers.insert("set-cookie", "canary").unwrap();
        headers.insert("x-echo", "canary").unwrap();
        headers.insert("x-kept", "unfit").unwrap();
        headers.rewrite(|value| match &*value {
            b"unfit" => value.fill(b'\n'),
            _ => value.make_ascii_uppercase(),
        });
        assert_eq!(headers.get("x-api-key"), Some("CANARY"));
        assert_eq!(headers.get("x-kept"), Some("unfit"));
        let seen = format!("{headers:?}");
        assert_eq!(seen.matches("CANARY").count(), 1, "{seen}");
    }
}
