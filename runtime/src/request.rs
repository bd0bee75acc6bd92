//! A request before it is sent: the endpoint, its params and the resulting URL.
//!
//! The values of params are checked, and encoded into the path and query. This module does not depend on the Rust type
//! of an endpoint, and sends nothing.

mod base_url;
pub(crate) mod check;
mod request_kind;
mod target;

pub(crate) use base_url::base_url;
pub use request_kind::RequestKind;
pub(crate) use target::{RequestTarget, key_param};
