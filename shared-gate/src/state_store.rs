//! Storage of the shared state: one text with a version, replaced only by a writer that knows the version, and a clock.
//!
//! An offer is answered with the stored text and the time of the store's clock. The text is opaque here.

use std::future::Future;
use std::time::Duration;

use runtime::rate_limit::rules::GateTime;

use crate::server_outage::Failure;

/// An offer of a machine to the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    /// The known version; empty if none is known.
    pub(crate) known: String,
    /// The new text, stored if the current version is the known one.
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
    /// The time of its clock.
    pub(crate) now: GateTime,
    /// The current run of the store: a text of another run may be out of date.
    pub(crate) run: String,
    /// The version that is stored from now on.
    pub(crate) version: String,
    pub(crate) update: Update,
}

/// The part of the response that is new to the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// Nothing: the known version was current, and the store has accepted the offer.
    None,
    /// The store has another text, or none.
    Other(Option<String>),
}

/// Stores the shared state.
pub(crate) trait StateStore: Send + Sync + 'static {
    /// Replaces the stored text if its version is the known one, in one step with reading the clock.
    ///
    /// After an error the store may or may not have accepted the offer.
    fn exchange(&self, offer: Offer) -> impl Future<Output = Result<Response, Failure>> + Send;
}

/// Lifetime of a shared state on the server after the last write.
pub(crate) const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);
