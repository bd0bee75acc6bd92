//! Secret strings: API keys, client secrets and tokens.
//!
//! The user passes a [`Secret`], which is sent only as a credential. [`Redact`] masks secrets in text before the text
//! is shown. The credentials implement [`Redact`], because they know the secrets.

mod mask;
mod secret;

pub use secret::Secret;

use crate::transport::Headers;

/// A list of secrets that can mask them in text.
pub(crate) trait Redact {
    /// Returns every secret that must not appear in text.
    fn secrets(&self) -> Vec<Secret>;

    /// Masks every secret in a text, in any of its encodings.
    fn redact(&self, text: &mut String) {
        let mut bytes = std::mem::take(text).into_bytes();
        self.redact_bytes(&mut bytes);
        *text = String::from_utf8(bytes).unwrap_or_default();
    }

    /// Masks every secret in the values of headers.
    fn redact_headers(&self, headers: &mut Headers) {
        headers.rewrite(|value| self.redact_bytes(value));
    }

    /// Masks every secret in bytes, which need not be valid UTF-8.
    fn redact_bytes(&self, bytes: &mut [u8]) {
        let mut secrets = self.secrets();
        // Longer secrets are masked first. A short secret may be part of a long one; if the short secret were masked
        // first, the rest of the long secret would stay visible.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        for secret in &secrets {
            mask::mask(bytes, secret.expose());
        }
    }
}
