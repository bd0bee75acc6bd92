//! Events of requests, for observers.
//!
//! Events are values of this crate, in the order in which they occur to one request. They contain no URL, no param and
//! nothing from the service but its status, so they are safe in any log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
#[cfg(feature = "tracing")]
use crate::registry::EndpointInfo;
use crate::request::RequestKind;

/// Receives the events of the requests of a client and its clones.
///
/// It is called on the task that sends the request, so it has to be quick: count here, and read the counters elsewhere.
/// If it panics, that event is lost and nothing else: the panic is caught, and the request continues.
///
/// ```
/// # use generated_client_runtime::observer::{Event, Observer};
/// # extern crate generated_client_runtime as runtime;
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::Client;
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

/// Something that happened to a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// It had to wait.
    #[non_exhaustive]
    Wait {
        /// Which request it is.
        request: RequestKind,
        /// The reason for the wait.
        reason: WaitReason,
        /// For how long.
        elapsed: Duration,
    },
    /// It was sent, and answered or not.
    #[non_exhaustive]
    Attempt {
        /// Which request it is.
        request: RequestKind,
        /// Which time it was sent, counted from one.
        number: u32,
        /// The outcome: the status, or the phase in which the attempt failed.
        outcome: Result<u16, ErrorKind>,
        /// How many bytes the body had, decoded.
        bytes: usize,
        /// How long the attempt took.
        elapsed: Duration,
    },
    /// It failed and is to be sent again.
    #[non_exhaustive]
    Retry {
        /// Which request it is.
        request: RequestKind,
        /// The phase in which it failed.
        kind: ErrorKind,
        /// How long it waits before.
        delay: Duration,
    },
    /// Records had no field of the catalogue except the time: the fields have probably been renamed.
    ///
    /// No data is lost: all fields are in the records' unknown fields. `learn` corrects the catalogue from such a
    /// response. Reported once for each response.
    #[non_exhaustive]
    UnrecognizedRecords {
        /// Which request it is.
        request: RequestKind,
        /// The number of records.
        records: usize,
    },
    /// It has ended: sent once for every request for data that was sent or failed before, and after all its other
    /// events.
    ///
    /// Requests for a token on its behalf have attempts of their own, and waiting for them counts as time waited.
    #[non_exhaustive]
    End {
        /// Which request it is.
        request: RequestKind,
        /// How it ended.
        outcome: Outcome,
        /// The size of the response body in bytes, decoded.
        bytes: usize,
        /// How often it was sent.
        attempts: u32,
        /// The time from the first step of the request to its last, or to its response.
        elapsed: Duration,
        /// How much of it was spent waiting: for a token, at the gate, between attempts.
        waited: Duration,
    },
    /// A follower's request failed in a way that may pass; it is sent again after a pause.
    #[non_exhaustive]
    Outage {
        /// Which request it is.
        request: RequestKind,
        /// The phase in which it failed.
        kind: ErrorKind,
        /// The time since the first request that failed.
        elapsed: Duration,
    },
    /// A request for a token ended, with a token or an error.
    #[non_exhaustive]
    Token {
        /// Whether there is a new one.
        renewed: bool,
    },
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// With a successful response.
    #[non_exhaustive]
    Success {
        /// The status of the response.
        status: u16,
    },
    /// With an error.
    #[non_exhaustive]
    Failure {
        /// The phase in which it failed.
        kind: ErrorKind,
        /// The status of the response, if one arrived.
        status: Option<u16>,
    },
    /// Its future was dropped before.
    Cancelled,
}

impl Outcome {
    /// The failure in an error.
    pub(crate) fn of(error: &Error) -> Self {
        Self::Failure { kind: error.kind(), status: error.status() }
    }
}

/// The reason why a request waits before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// A token, which others may be fetching.
    Token,
    /// A permit of the rate limiter.
    RateLimiter,
    /// The time of the next attempt.
    Delay,
}

/// The functions that log for `tracing`, with the emitted crate as their target; [`shell!`](crate::shell) defines them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// Begins the span of a request.
    #[cfg(feature = "tracing")]
    pub span: fn(&EndpointInfo, &dyn std::fmt::Display) -> tracing::Span,
    /// Logs an event.
    #[cfg(feature = "tracing")]
    pub event: fn(&Event),
}

/// The receivers of events: the user's observer, and `tracing`.
#[derive(Clone)]
pub(crate) struct Observers {
    observer: Option<Arc<dyn Observer>>,
    #[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "without `tracing` there is no log"))]
    log: Log,
    /// The span of the request; disabled for what belongs to no request.
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

impl Observers {
    pub(crate) fn new(observer: Option<Arc<dyn Observer>>, log: Log) -> Self {
        Self {
            observer,
            log,
            #[cfg(feature = "tracing")]
            span: tracing::Span::none(),
        }
    }

    /// The receivers of the events of one request, which are logged in a span.
    #[cfg(feature = "tracing")]
    pub(crate) fn in_span(&self, endpoint: &EndpointInfo, params: &dyn std::fmt::Display) -> (Self, tracing::Span) {
        let span = (self.log.span)(endpoint, params);
        (Self { span: span.clone(), ..self.clone() }, span)
    }

    pub(crate) fn notify(&self, event: &Event) {
        #[cfg(feature = "tracing")]
        self.span.in_scope(|| (self.log.event)(event));
        if let Some(observer) = &self.observer {
            // It is also called from `drop`, where a second panic would abort the process. The panic hook has reported it.
            let _ = catch_unwind(AssertUnwindSafe(|| observer.observe(event)));
        }
    }
}
