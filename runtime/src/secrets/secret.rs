//! A secret text: an API key, a client secret, a token.
//!
//! It comes in as plain text and leaves only through [`Secret::expose`], which is private to the crate.
//! Memory is not wiped when it is dropped, since the buffers of connections hold copies.

use std::fmt;

/// A text that no `Debug`, error or log shows, without the white space around it.
///
/// ```
/// # use runtime::Secret;
/// assert_eq!(format!("{:?}", Secret::from("hunter2")), "Secret(..)");
/// ```
#[derive(Clone)]
pub struct Secret(Box<str>);

impl Secret {
    /// The text itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is empty.
    pub(crate) fn is_blank(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        // A line break behind a key comes from a file or the clipboard. HTTP carries no such space around a header's
        // value and a service repeats the value without it: the masked text has to be the repeated one.
        Self(text.trim().into())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::from(&*text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
