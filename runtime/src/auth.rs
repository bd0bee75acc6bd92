//! Credentials: the API key, and the bearer token of the OAuth 2.0 client credentials flow.
//!
//! The builder passes in the keys and secrets, and each request gets the resulting headers. Token requests go through
//! the dispatcher, like data requests. After a 401, `send` repeats a data request with a new token.

mod credentials;
pub(crate) mod token;

pub(crate) use credentials::{Credentials, DefaultHeader};
pub(crate) use token::Token;
