//! The query param with the API key.
//!
//! The param is appended to the URL immediately before the request is sent, so that no other text contains the key.

use percent_encoding::utf8_percent_encode;

use super::target::QUERY;
use crate::secrets::Secret;

/// The query param with the API key, encoded.
pub(crate) struct KeyParam(Secret);

impl KeyParam {
    pub(crate) fn new(name: &str, key: &Secret) -> Self {
        let (name, value) = (utf8_percent_encode(name, QUERY), utf8_percent_encode(key.expose(), QUERY));
        Self(format!("{name}={value}").into())
    }

    /// Returns the URL with the param.
    pub(crate) fn added_to(&self, url: &str) -> String {
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}{}", self.0.expose())
    }
}
