//! Sends a request and converts the response into the body type of its endpoint.
//!
//! The request is checked, sent with its credentials, and retried according to the retry rules. The response is decoded
//! to a [`Body`] or becomes an error. The dispatcher makes each attempt, and the credentials supply the tokens.

// The modules, lowest layer first, as in `lib.rs`.
mod rejection_hints;

mod service_clock;

mod host_outage;

mod sent_fields;

mod connection;

mod options;

mod undecoded_response;

mod send_request;

mod body;

mod series;

mod any_body;

pub use any_body::{AnyBody, AnySeries};
pub use body::{Body, MetadataRecord, PageMetadata, Response, SeriesBody};
pub use series::Series;

pub(crate) use body::TimedRecords;
pub(crate) use connection::Connection;
pub(crate) use host_outage::{HostOutage, HostOutages, OthersOutage};
pub(crate) use options::Options;
pub(crate) use send_request::send;
pub(crate) use sent_fields::SentFields;
pub(crate) use series::slice_of_records;
pub(crate) use service_clock::{Estimate, ServiceClock, WallClock};
pub(crate) use undecoded_response::UndecodedResult;
