//! An attempt for which the client requests a permit: its endpoint, its weight, its number and its rank.
//!
//! A rate limiter can use these values to decide which attempt is next. An attempt contains neither params nor
//! credentials.

use crate::registry::EndpointInfo;
use crate::request::RequestKind;

/// The rank of an attempt in the queue: the lowest is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rank {
    /// A token request, for which data requests wait.
    Token,
    /// A request of a follower, whose records are wanted as soon as they are published.
    Live,
    /// A request that has been sent before, and has waited before.
    Retry,
    /// A request that has not been sent before.
    First,
    /// A further page of a history, or of the backlog of a follower. It waits for as long as others use the entire limit.
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
    /// The rank in the queue.
    pub rank: Rank,
    /// The number of requests that the service counts for the attempt.
    pub(crate) weight: u32,
}

impl Attempt {
    /// Creates attempt `number` of a request that is not a follower's or a further page of a history.
    pub fn new(request: RequestKind, number: u32) -> Self {
        let weight = if let RequestKind::Data(endpoint) = request { endpoint.weight.max(1) } else { 1 };
        Self::with_rank(request, number, Rank::First, weight)
    }

    /// Creates attempt `number` of a request with the rank `first` of its first attempt, if it is a data request.
    pub(crate) fn with_rank(request: RequestKind, number: u32, first: Rank, weight: u32) -> Self {
        let rank = match (request, first, number) {
            (RequestKind::Token, ..) => Rank::Token,
            (_, Rank::First | Rank::Bulk, 2..) => Rank::Retry,
            _ => first,
        };
        Self { request, number, rank, weight }
    }

    /// Returns the weight of the request, which is the number of requests that the service counts for the attempt.
    pub fn weight(self) -> u32 {
        self.weight
    }

    /// Returns the endpoint of a data request; `None` for a token request.
    pub(super) fn endpoint(self) -> Option<&'static EndpointInfo> {
        match self.request {
            RequestKind::Data(endpoint) => Some(endpoint),
            RequestKind::Token => None,
        }
    }
}
