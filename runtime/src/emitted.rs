//! What emitted code calls, and nobody else.
//!
//! These names may change with any release: an emitted crate names the exact version of the runtime it was made for.

pub use crate::client::{Core, Request, Shell};
pub use crate::decode::EnvelopeRest;
pub use crate::gate::Window;
pub use crate::send::{MetadataRecord, UndecodedResponse};

use crate::decode::{self, DecodeError, Push};
use crate::error::Error;
use crate::gate::RateLimit;
use crate::registry::{LimitInfo, RecordInfo};
use crate::send;

/// Reads a series from the text of its envelope.
pub fn decode_series<M: MetadataRecord>(
    text: &str,
    record: Option<&'static RecordInfo>,
    records: &mut dyn Push,
) -> Result<EnvelopeRest<M>, DecodeError> {
    decode::series(text, M::ENVELOPE, record, records)
}

/// Reads a series from what a request was answered with.
pub fn read_series<M: MetadataRecord>(
    response: Result<Box<UndecodedResponse>, Error>,
    record: Option<&'static RecordInfo>,
    records: &mut dyn Push,
) -> Result<EnvelopeRest<M>, Error> {
    send::read_series(response, record, records)
}

/// Fails if the service says that it left out some of what was asked for.
pub fn require_complete(unsupported: &[String]) -> Result<(), Error> {
    send::require_complete(unsupported)
}

/// A set of limits by the name that the catalogue gives it.
pub fn limit_named(name: &str, sets: &[LimitInfo]) -> Result<RateLimit, Error> {
    RateLimit::named(name, sets)
}

/// What satisfies all sets of limits at once.
pub fn limit_all(sets: &[LimitInfo]) -> RateLimit {
    RateLimit::all(sets)
}
