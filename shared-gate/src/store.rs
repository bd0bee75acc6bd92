//! Where the shared state is kept: one text with a version, replaced only by a writer that knows the version, and a clock.
//!
//! An offer goes in; the held text and the time of its clock come out. The text's meaning is not known here.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use runtime::rate_limit::rules::Moment;

use crate::outage::Failure;

/// An offer of a machine to the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    /// The version that it knows; empty if it knows none.
    pub(crate) known: String,
    /// The text that replaces it, if the store still holds that version.
    pub(crate) next: Option<Held>,
}

/// A text and its version, which no other text ever had.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) version: String,
    pub(crate) text: String,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version)
    }
}

/// What the store answers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// What its clock shows.
    pub(crate) now: Moment,
    /// Which run of the store it is: a text of another run may be out of date.
    pub(crate) run: String,
    /// The version that it holds from now on.
    pub(crate) version: String,
    pub(crate) update: Update,
}

/// The part of the answer that is new to the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// Nothing: the store held that version, and has taken the offer.
    None,
    /// The store holds another text, or none at all.
    Other(Option<String>),
}

/// Keeps the shared state.
pub(crate) trait Store: Send + Sync + 'static {
    /// Replaces the held text if its version is the known one, in one step with reading the clock.
    ///
    /// After an error the store may have taken the offer, or not.
    fn exchange(&self, offer: Offer) -> impl Future<Output = Result<Answer, Failure>> + Send;
}

/// How long the server keeps a shared state after the last write.
pub(crate) const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
