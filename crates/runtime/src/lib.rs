//! The runtime of all clients that are generated from a catalogue.
//!
//! This crate is independent of any catalogue. An emitted crate passes the catalogue's description of a service to this
//! crate (see [`registry`]), and calls [`define_client!`] to define types such as `Client`. Users depend on the emitted
//! crate, which re-exports this crate.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `client`, by default | everything that sends requests; without it, only the registry, values and decoding remain, for tools |
//! | `blocking` | `send_blocking` on every request and iterators over a history, for code without async |
//! | `chrono`, `jiff`, `time` | conversions between `Timestamp` and the types of these crates |
//! | `gzip` | the built-in transport accepts compressed responses |
//! | `http2` | `Builder::http2`, which uses HTTP/2 with servers that offer it |
//! | `proxy` | `Builder::proxy`, and `Builder::env_proxy` for the proxy that the environment selects |
//! | `reqwest` | `transport::ReqwestTransport`, which sends with the user's `reqwest::Client` |
//! | `settings` | `ClientSettings`, which serde reads, and `Builder::from_file` |
//! | `rust_decimal` | conversion of `Decimal` to the type of this crate |
//! | `system-roots` | `Builder::system_roots`, which trusts the system's root certificates instead of bundled ones |
//! | `tracing` | a span for each request and an event for each step |
//! | `zones` | timestamps without an offset in a time zone that the catalogue names; without it, they are errors |

// Without the client, the decoder has functions that only the client calls.
#![cfg_attr(not(feature = "client"), allow(dead_code, unreachable_pub, unused_imports))]
#![allow(clippy::inline_always, reason = "a few functions take most instructions of a decoder")]

// The modules, lowest layer first. A module imports only from modules above it in this list, which
// `xtask/tests/it/layers.rs` checks.
mod debug;

#[doc(hidden)]
pub mod text;

mod html_page;

mod platform;

pub mod registry;

mod headers;

mod secrets;

mod error;

pub mod transport;

mod values;

mod decode;

#[cfg(feature = "client")]
mod request;

#[cfg(feature = "client")]
pub mod rate_limit;

#[cfg(feature = "client")]
mod dispatch;

#[cfg(feature = "client")]
mod auth;

#[cfg(feature = "client")]
mod send;

#[cfg(feature = "client")]
mod client;

#[cfg(feature = "client")]
mod pages;

#[cfg(feature = "client")]
pub mod history;

/// Records, and the elements of a series.
///
/// An emitted record consists of a table of fields, and a few lines of code that take the values from a `Row`.
pub mod record {
    pub use crate::decode::{AnyRecord, FieldValue, Item, Record, RecordValue, UnknownFields, Values};
    #[doc(hidden)]
    pub use crate::decode::{DecodedBody, MAX_TITLE_LINES, Row, as_json};
}

mod define_client;
#[cfg(feature = "client")]
#[doc(hidden)]
pub mod emitted;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod properties;

#[cfg(feature = "settings")]
pub use client::ClientSettings;
#[cfg(feature = "client")]
pub use client::{AnyClient, Builder, Dynamic, Endpoint, Raw, Request, ResponseFuture};
pub use decode::{BadRecord, Column, DecodeError};
#[cfg(feature = "client")]
pub use dispatch::{Retry, observer};
pub use error::{Error, ErrorKind};
#[cfg(feature = "client")]
pub use pages::{AllPages, PagesAccount};
#[cfg(feature = "client")]
pub use rate_limit::limit::RateLimit;
#[cfg(feature = "client")]
pub use request::RequestKind;
pub use secrets::Secret;
#[cfg(feature = "client")]
pub use send::{AnyBody, AnySeries, Body, Response, Series};
#[doc(hidden)]
pub use values::is_time_zone;
pub use values::{ConversionError, Decimal, Interval, Timestamp, Value, wire};
