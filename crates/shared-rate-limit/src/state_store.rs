//! Storage of the shared state: a clock, and one text with a version. Only a writer that knows the version can replace
//! the text.
//!
//! Each exchange returns the stored text, if it is new to the caller, and the time of the store's clock. The store does
//! not interpret the text.

use std::future::Future;
use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;

use crate::failure::Failure;

/// The request of a process to the store: to replace the stored text, or only to read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    /// The version that the process knows; empty if it knows none.
    pub(crate) known: String,
    /// The new text, which is stored if the current version equals `known`; `None` to only read.
    pub(crate) next: Option<Stored>,
}

/// A text and its unique version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) version: String,
    pub(crate) text: String,
}

/// The store's response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    /// The time of the store's clock.
    pub(crate) now: LimiterTime,
    /// If nothing is stored, no process has used the store since this time.
    pub(crate) unused_since: LimiterTime,
    /// The current run of the store, which changes with every restart. A text that was written in another run may be
    /// out of date.
    pub(crate) run: String,
    /// The version that is stored after the exchange. It begins with the run and a colon, and ends there if nothing is
    /// stored.
    pub(crate) version: String,
    /// The stored text. `None` if nothing is stored, if the process knew the current version, or if its own text was
    /// stored.
    pub(crate) text: Option<String>,
}

impl Response {
    pub(crate) fn is_empty(&self) -> bool {
        self.version.ends_with(':')
    }
}

/// Stores the shared state.
pub(crate) trait StateStore: Send + Sync + 'static {
    /// Interval at which a process renews its lease.
    const RENEWAL: Duration;

    /// `true` if nothing but this crate writes to the store. Then an unreadable text is damage and is replaced, and a
    /// missing text is restored by the processes that know it.
    const IS_PRIVATE: bool;

    /// The store, as errors name it.
    const NAME: &'static str;

    /// Reads the clock, and replaces the stored text if its version is `offer.known`. Both happen in one atomic step.
    ///
    /// After an error, the text may or may not have been replaced.
    fn exchange(&self, offer: Offer) -> impl Future<Output = Result<Response, Failure>> + Send;

    /// `true` if a process has certainly ended. Otherwise its lease shows whether it lives.
    fn has_ended(&self, process: &str) -> bool {
        let _ = process;
        false
    }
}
