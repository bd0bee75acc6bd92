//! The body of a response.
//!
//! Clones of a body share its bytes. This module does not interpret the bytes.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

/// The complete body of a response, readable as a slice of bytes.
///
/// `Debug` shows only the length, because the content may be a token.
///
/// ```
/// # use generated_client_runtime::transport::ResponseBody;
/// let body = ResponseBody::from("{}");
/// assert_eq!((&*body, body.len()), (&b"{}"[..], 2));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ResponseBody(pub(crate) Bytes);

impl Deref for ResponseBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl<B: Into<Vec<u8>>> From<B> for ResponseBody {
    fn from(bytes: B) -> Self {
        Self(Bytes::from(bytes.into()))
    }
}
