//! Futures Exchange Market Data v1
//!
//! Public market data of a futures exchange, without an API key.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
#[rustfmt::skip]
mod generated;

#[cfg(feature = "settings")]
#[doc(inline)]
pub use ::runtime::ClientSettings;
#[doc(inline)]
pub use ::runtime::{
    AllPages, AnyBody, AnySeries, BadRecord, Body, Column, ConversionError, DecodeError, Dynamic, Endpoint, Error,
    ErrorKind, RateLimit, Raw, RequestKind, Response, ResponseFuture, Retry, Secret, Timestamp, Value, history,
    observer, rate_limit, record, registry, transport, wire,
};
pub use generated::*;
