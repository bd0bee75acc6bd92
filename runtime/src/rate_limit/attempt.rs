//! An attempt for which the client requests a permit: its endpoint, its weight and its number.
//!
//! A rate limiter can use these values to prioritize token requests and retries. An attempt contains neither params nor
//! credentials.

use crate::registry::EndpointInfo;
use crate::request::RequestKind;

/// An attempt that is about to be sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// The kind of the request.
    pub request: RequestKind,
    /// The number of the attempt, counted from one.
    pub number: u32,
}

impl Attempt {
    /// Creates attempt `number` of a request.
    pub fn new(request: RequestKind, number: u32) -> Self {
        Self { request, number }
    }

    /// Returns the weight of the endpoint, which is the number of requests that the service counts for the attempt.
    pub fn weight(self) -> u32 {
        self.endpoint().map_or(1, |endpoint| endpoint.weight.max(1))
    }

    /// Returns the endpoint of a data request; `None` for a token request.
    pub(super) fn endpoint(self) -> Option<&'static EndpointInfo> {
        match self.request {
            RequestKind::Data(endpoint) => Some(endpoint),
            RequestKind::Token => None,
        }
    }
}
