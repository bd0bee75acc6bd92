//! Credentials: the API key, and the bearer token of the OAuth 2.0 client credentials flow.
//!
//! The builder passes keys and secrets; requests get headers. A token is fetched through the dispatcher like any other
//! request. `send` retries after a 401.

mod credentials;
pub(crate) mod token;

pub(crate) use credentials::{Credentials, DefaultHeader};
pub(crate) use token::{ClientCredentials, Token, TokenFlow};
