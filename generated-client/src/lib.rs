//! Typed access to a read-only HTTP and JSON data service.
//!
//! Groups, endpoints, params and records are emitted from a catalogue and live in the modules below;
//! the rest of this crate is the same for every catalogue.
//!
//! ```no_run
//! use generated_client::{Client, Timeframe};
//!
//! # async fn demo() -> Result<(), generated_client::Error> {
//! let client = Client::from_env()?;
//! let ratio = client
//!     .orderflow()
//!     .volume_ratio()
//!     .coin("BTC")
//!     .timeframe(Timeframe::H1)
//!     .limit(100)
//!     .await?;
//! for point in &ratio {
//!     println!("{} {:+.3}", point.open_date, point.volume_ratio);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A request is a value: build it, print it, compare it in a test, clone it, and `.await` it inside a Tokio
//! runtime. What the catalogue does not know is within reach too: [`Request::query`] for a param,
//! [`Client::raw`] for a path, `unknown_fields` for what a reply holds beyond its documented fields.
//!
//! Every fact in these docs that the interface document does not state says how it is known: "published" by the
//! provider elsewhere, or "reported" by public clients; see [`registry::Evidence`]. What is only reported is never
//! relied on: such a field is an `Option`, such a limit is left to the service to enforce.
//!
//! Requests are held back at a gate so that the service's limits are kept ([`RateLimit`]), sent again where
//! that helps ([`Retry`]), and given up in time. [`Builder`] has the settings, all of which have defaults.

pub mod gate;
pub mod observer;
pub mod record;
pub mod registry;
pub mod request;
pub mod transport;
pub mod wire;

mod base_url;
mod builder;
mod call;
mod cause;
mod check;
mod client;
mod credentials;
mod decode;
mod environment;
mod error;
mod excerpt;
mod field_error;
mod mask;
mod number;
mod outlet;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod properties;
#[cfg(test)]
mod requests;
mod retry;
mod retry_after;
mod secret;
mod send;
mod series;
mod slot;
#[cfg(feature = "tracing")]
mod spans;
mod status;
mod timestamp;
mod token;
mod trip;
mod unknown_fields;

#[rustfmt::skip]
mod generated;

pub use builder::Builder;
pub use client::Client;
pub use decode::DecodeError;
pub use error::{Error, ErrorKind};
pub use gate::{Gate, RateLimit};
pub use generated::*;
pub use observer::{Event, Observer};
pub use record::{Record, UnknownFields};
pub use request::{Endpoint, Raw, Request};
pub use retry::Retry;
pub use secret::Secret;
// A group may have any name, and its module would be taken for the crate without the colons.
pub use ::serde_json::Value;
pub use series::{Body, Item, Series};
pub use timestamp::{OutOfRange, ParseTimestampError, Timestamp};
pub use token::BasicEncoding;
pub use transport::Transport;
