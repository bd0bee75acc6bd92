//! Macro Statistics 2
//!
//! Public statistics of economies, without an API key.

#[rustfmt::skip]
mod generated;

#[doc(inline)]
pub use ::runtime::{
    AllPages, AnyBody, AnySeries, BadRecord, Body, Column, ConversionError, Decimal, DecodeError, Dynamic, Endpoint,
    Error, ErrorKind, PagesAccount, RateLimit, Raw, RequestKind, Response, ResponseFuture, Retry, Secret, Timestamp,
    Value, history, observer, rate_limit, record, registry, transport, wire,
};
#[cfg(feature = "settings")]
#[doc(inline)]
pub use ::runtime::ClientSettings;
pub use generated::*;
