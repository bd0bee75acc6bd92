//! A secret string: an API key, a client secret or a token.
//!
//! A secret is created from plain text, and read only with [`Secret::expose`], which is private to the crate. Its
//! memory is not wiped on drop: copies would remain in the buffers of connections.

/// A string that `Debug`, errors and logs never show. Surrounding white space is removed.
///
/// ```
/// # use generated_client_runtime::Secret;
/// assert_eq!(format!("{:?}", Secret::from("hunter2")), "Secret(..)");
/// ```
#[derive(Clone)]
pub struct Secret(Box<str>);

impl Secret {
    /// Returns the plain text, for the request that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether the text is empty.
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

crate::transport::opaque_debug!(Secret);
