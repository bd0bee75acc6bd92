//! Events of requests, for observers.
//!
//! The events of one request are reported in the order in which they occur. They contain no URL, of the params only those
//! of the catalogue with secrets masked, and of the response only its status, its size and names of fields, so they can be
//! written to any log. The cause of a failure without a response is the message of its error, with secrets masked.

use std::sync::Arc;
use std::time::Duration;

pub use super::request_params::RequestParams;
use crate::error::ErrorKind;
use crate::request::RequestKind;

/// Receives the events of the requests of a client and its clones.
///
/// An observer is called on the task that sends the request, so it must be fast: count events here, and read the
/// counters elsewhere. A panic in an observer is caught: only that event is lost, and the request continues.
///
/// ```
/// # use generated_client_runtime::observer::{Event, Observer};
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Client;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// #[derive(Default)]
/// struct Retries(AtomicU64);
///
/// impl Observer for Retries {
///     fn observe(&self, event: &Event) {
///         if let Event::Retry { .. } = event {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let builder = Client::builder("https://example.com/v2").observer(Retries::default());
/// ```
pub trait Observer: Send + Sync + 'static {
    /// Receives an event.
    fn observe(&self, event: &Event);
}

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn observe(&self, event: &Event) {
        (**self).observe(event);
    }
}

/// An event of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The request waited before it was sent. A wait of zero duration is not reported.
    #[non_exhaustive]
    Wait {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The reason for the wait.
        reason: WaitReason,
        /// The duration of the wait.
        elapsed: Duration,
    },
    /// The request was sent, and got a response or failed.
    #[non_exhaustive]
    Attempt {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The number of the attempt, counted from one.
        number: u32,
        /// The outcome: the status, or the phase in which the attempt failed.
        outcome: Result<u16, ErrorKind>,
        /// The size of the decoded body in bytes.
        bytes: usize,
        /// The duration of the attempt.
        elapsed: Duration,
        /// The time for which the client sends nothing, if the service rate-limited the attempt.
        pause: Option<Duration>,
    },
    /// The request failed and will be retried.
    #[non_exhaustive]
    Retry {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The phase in which it failed.
        kind: ErrorKind,
        /// The reason why a data request got no response, which can name the server; `None` if a response arrived.
        cause: Option<String>,
        /// The delay before the next attempt.
        delay: Duration,
    },
    /// The records had no field of the catalogue except the time: the fields have probably been renamed.
    ///
    /// No data is lost: all fields are in the records' unknown fields. The command `learn` corrects the catalogue from
    /// such a response. Reported once for each response.
    #[non_exhaustive]
    UnrecognizedRecords {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The number of records.
        records: usize,
    },
    /// Values did not fit the types of their fields, which are not documented: the fields are `None`.
    ///
    /// No data is lost: the values are in the records' unknown fields. Reported once for each response.
    #[non_exhaustive]
    UnexpectedValues {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The number of values.
        values: usize,
    },
    /// No record of a response has a value for a field that earlier responses for the endpoint had: the service no longer
    /// sends the field, or sends it under another name.
    ///
    /// The field is `None` in the records. An update of the program may know a new name; the command `learn` adds it to the
    /// catalogue. Reported once for each endpoint and field, for the series that this client and its clones receive.
    #[non_exhaustive]
    FieldMissing {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The name of the field on the wire.
        field: &'static str,
        /// The names of fields that are not in the catalogue, and that the first response did not have.
        new: Vec<String>,
    },
    /// The request has ended. This is the last event of every data request, including a request that failed before it
    /// was sent.
    ///
    /// The attempts of a token request are not counted in `attempts`; the wait for the token is part of `waited`.
    #[non_exhaustive]
    End {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The outcome.
        outcome: Outcome,
        /// The reason why the request got no response, which can name the server; `None` if a response arrived.
        cause: Option<String>,
        /// The size of the decoded body in bytes.
        bytes: usize,
        /// The number of attempts.
        attempts: u32,
        /// The time from the first poll of the request to its response or its failure.
        elapsed: Duration,
        /// The part of `elapsed` spent waiting: for a token, in the rate-limit queue or between attempts.
        waited: Duration,
    },
    /// A follower's request failed with a retryable error; the follower requests again after a pause.
    #[non_exhaustive]
    Outage {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The phase in which it failed.
        kind: ErrorKind,
        /// The time since the first failed request was sent, or since the last response if that was later.
        elapsed: Duration,
        /// True for the first failure after a response.
        is_first: bool,
        /// True if requests have just failed for the time that [`Follow::outage_after`](crate::history::Follow::outage_after)
        /// sets: those of this follower, or those of others while this one waits.
        is_outage: bool,
    },
    /// A follower's request got a response after one or more failures.
    #[non_exhaustive]
    Recovered {
        /// The kind of the request.
        request: RequestKind,
        /// The params of the request.
        params: RequestParams,
        /// The time for which requests had failed.
        elapsed: Duration,
        /// True if the failures were reported as an outage.
        was_outage: bool,
    },
    /// A token request ended, with a token or with an error.
    #[non_exhaustive]
    Token {
        /// True if the request returned a new token.
        renewed: bool,
    },
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The request got a successful response.
    #[non_exhaustive]
    Success {
        /// The status of the response.
        status: u16,
    },
    /// The request failed.
    #[non_exhaustive]
    Failure {
        /// The phase in which it failed.
        kind: ErrorKind,
        /// The status of the response, if one arrived.
        status: Option<u16>,
    },
    /// The future of the request was dropped before it ended.
    Cancelled,
}

/// The reason why a request waits before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// A token, possibly one that another request is fetching.
    Token,
    /// A permit of the rate limiter.
    RateLimiter,
    /// The delay before the next attempt.
    Delay,
}
