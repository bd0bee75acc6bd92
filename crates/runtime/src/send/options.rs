//! The options of a request.
//!
//! The client's settings apply to every option that a request does not set. Most requests set none, and then nothing is
//! allocated.

use crate::decode::BadRecords;
use crate::dispatch::Policy;
use crate::error::Error;
use crate::transport::{Headers, InvalidHeader};

/// The options of a request.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// The timeouts and retry rules; `None` if those of the client apply.
    pub(super) policy: Option<Box<Policy>>,
    /// Whether records that cannot be decoded are errors or are skipped.
    pub(crate) bad_records: BadRecords,
    headers: Headers,
    /// The first invalid header. Setters do not fail, so the error is returned when the request is sent.
    invalid: Option<InvalidHeader>,
}

impl Options {
    /// Changes the timeouts and retry rules, which are initially those of the client.
    pub(crate) fn set(&mut self, clients: &Policy, change: impl FnOnce(&mut Policy)) {
        change(self.policy.get_or_insert_with(|| Box::new(clients.clone())));
    }

    /// Sets a header.
    pub(crate) fn header(&mut self, name: &str, value: &str) {
        let invalid = self.headers.insert_sensitive(name, value).err();
        self.invalid = self.invalid.take().or(invalid);
    }

    /// Returns the headers, or an error if one is invalid.
    pub(crate) fn headers(&self) -> Result<&Headers, Error> {
        match &self.invalid {
            Some(invalid) => Err(invalid.clone().into()),
            None => Ok(&self.headers),
        }
    }
}
