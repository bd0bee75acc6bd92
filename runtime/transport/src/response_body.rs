//! The body of a response.
//!
//! The bytes are shared and not copied, because most bodies arrive in one piece. Their content is not interpreted here.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

/// The complete body of a response, readable as a slice of bytes.
///
/// `Debug` shows only the length, because the content may be a token.
///
/// ```
/// # use generated_client_transport::ResponseBody;
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

impl From<Vec<u8>> for ResponseBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<String> for ResponseBody {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&[u8]> for ResponseBody {
    fn from(bytes: &[u8]) -> Self {
        Self(Bytes::copy_from_slice(bytes))
    }
}

impl<const N: usize> From<&[u8; N]> for ResponseBody {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl From<&str> for ResponseBody {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl From<ResponseBody> for Vec<u8> {
    fn from(body: ResponseBody) -> Self {
        body.0.into()
    }
}
