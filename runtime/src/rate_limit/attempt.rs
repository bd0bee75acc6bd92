//! An attempt for which the client requests a permit: its endpoint, its weight, its number and its priority.
//!
//! A rate limiter can use these values to decide which attempt is next. An attempt contains neither params nor
//! credentials.

use crate::registry::EndpointInfo;
use crate::request::RequestKind;

/// How urgent a request is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Priority {
    /// A request of a follower, whose records are wanted as soon as they are published.
    Live,
    /// Any other request, including the first of a history.
    #[default]
    Normal,
    /// A further page of a history.
    Bulk,
}

/// An attempt that is about to be sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// The kind of the request.
    pub request: RequestKind,
    /// The number of the attempt, counted from one.
    pub number: u32,
    /// The priority of the request.
    pub priority: Priority,
}

impl Attempt {
    /// Creates attempt `number` of a request.
    pub fn new(request: RequestKind, number: u32) -> Self {
        Self { request, number, priority: Priority::Normal }
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
