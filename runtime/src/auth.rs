//! Credentials: the API key, and the bearer token of the OAuth 2.0 client credentials flow.
//!
//! The builder passes in the keys and secrets, and each request gets the resulting headers. A token is fetched through
//! the dispatcher like any other request. `send` tries again with a new token after a 401.

mod credentials;
pub(crate) mod token;

pub(crate) use credentials::{Credentials, DefaultHeader};
pub(crate) use token::Token;
