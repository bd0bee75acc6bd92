//! Secret strings: API keys, client secrets and tokens.
//!
//! The user passes a [`Secret`], which is sent only as a credential. [`Redact`] masks secrets in text before the text
//! is shown. The credentials implement [`Redact`], because they know the secrets.

mod mask;

use crate::headers::Headers;

/// A list of secrets that can mask them in text.
pub(crate) trait Redact {
    /// Every secret that must not appear in text.
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

/// A string that `Debug`, errors and logs never show. Surrounding white space is removed.
///
/// ```
/// # use generated_client_runtime::Secret;
/// assert_eq!(format!("{:?}", Secret::from("hunter2")), "Secret(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// The plain text, for the request that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `true` if the text is empty.
    pub(crate) fn is_blank(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        // A line break after a key is often copied from a file or the clipboard. HTTP trims white space around a header
        // value, and a service may repeat the trimmed value, which is masked only if the secret is trimmed too.
        Self(text.trim().into())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::from(&*text)
    }
}

crate::debug::opaque_debug!(Secret);
