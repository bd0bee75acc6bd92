//! Where the ledger is kept: one text with a version, replaced only by who knows the version, and a clock.
//!
//! An offer goes in, what the store holds and what its clock shows come out. What the text says is not known here.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use runtime::gate::rules::Moment;

use crate::outage::Failure;

/// What a machine says to the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    /// The version that it knows; empty if it knows none.
    pub(crate) known: String,
    /// What is to stand in its place, if that is still there.
    pub(crate) next: Option<Held>,
}

/// A text and what tells it from any other that was ever there.
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
    /// Which run of the store it is: it may have forgotten what it was told in another one.
    pub(crate) run: String,
    /// The version that it holds from now on.
    pub(crate) version: String,
    pub(crate) news: News,
}

/// What the machine that made the offer did not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing: the store held what it knew, and has taken what was offered.
    None,
    /// The store holds another text, or none at all.
    Other(Option<String>),
}

/// Keeps the ledger.
pub(crate) trait Store: Send + Sync + 'static {
    /// Replaces what the store holds if it is what is known, in one step with reading its clock.
    ///
    /// After an error the store may have taken the offer, or not.
    fn exchange(&self, offer: Offer) -> impl Future<Output = Result<Answer, Failure>> + Send;
}

/// For so long a ledger is kept that nobody writes.
pub(crate) const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
