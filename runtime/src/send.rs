//! Sends a request and converts the response into the body type of its endpoint.
//!
//! The request is checked, sent with its credentials, and retried according to the retry rules. The response is decoded
//! to a [`Body`] or becomes an error. The dispatcher makes each attempt, and the credentials supply the tokens.

mod body;
mod exchange;
mod rejection_hints;
mod series;
mod service_clock;

pub use body::{AnyBody, AnySeries, Body, MetadataRecord, PageMetadata, Response, SeriesBody};
pub use series::Series;

pub(crate) use body::TimedRecords;
pub(crate) use exchange::{Connection, Options, UndecodedResponse, send};
pub(crate) use series::slice_of_records;
pub(crate) use service_clock::{Estimate, ServiceClock, WallClock};
