//! Texts that must not be seen: API keys, client secrets, tokens.
//!
//! The user passes a [`Secret`], which is sent only in its header. [`Redact`] masks secrets in text that is about to be
//! shown; the credentials list them.

mod mask;
mod secret;

pub use secret::Secret;

use crate::transport::Headers;

/// A list of secrets, and the masking of their occurrences.
pub(crate) trait Redact {
    /// Every secret that no text may repeat.
    fn secrets(&self) -> Vec<Secret>;

    /// Masks every secret that a text repeats, however it is encoded there.
    fn redact(&self, text: &mut String) {
        let mut bytes = std::mem::take(text).into_bytes();
        self.redact_bytes(&mut bytes);
        *text = String::from_utf8(bytes).unwrap_or_default();
    }

    /// The same for the values of headers.
    fn redact_headers(&self, headers: &mut Headers) {
        headers.rewrite(|value| self.redact_bytes(value));
    }

    /// The same for what may not be text.
    fn redact_bytes(&self, bytes: &mut [u8]) {
        let mut secrets = self.secrets();
        // The longest first: a part of one may be another, which would leave the rest of it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        for secret in &secrets {
            mask::mask(bytes, secret.expose());
        }
    }
}
