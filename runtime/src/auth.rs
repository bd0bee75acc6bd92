//! Credentials: the API key, and the bearer token of the OAuth 2.0 client credentials flow.
//!
//! Keys and secrets come in from the builder, the headers of a request go out. A token is fetched through the
//! dispatcher like any other request. Sending again after a 401 is for `send` to do.

mod credentials;
pub(crate) mod token;

pub(crate) use credentials::{Credentials, DefaultHeader};
pub use token::BasicEncoding;
pub(crate) use token::{ClientCredentials, Token};
