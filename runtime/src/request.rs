//! A request before it is sent: the endpoint, its params and the resulting URL.
//!
//! Values of params become a checked and encoded path and query. Nothing here depends on the type of an endpoint, and
//! nothing is sent.

mod base_url;
pub(crate) mod check;
mod key_param;
mod kind;
mod list;
mod target;

pub(crate) use base_url::BaseUrl;
pub(crate) use key_param::KeyParam;
pub use kind::RequestKind;
pub(crate) use list::ListText;
pub(crate) use target::RequestTarget;
