//! The state that the requests of a client and its clones share.

use std::sync::Arc;

use super::host_outage::HostOutages;
use super::sent_fields::SentFields;
use super::service_clock::ServiceClock;
use crate::auth::Credentials;
use crate::dispatch::{Dispatcher, Observers, Policy, ShownParams};
use crate::error::Error;
use crate::rate_limit::Rank;
use crate::registry::ServiceInfo;
use crate::request::RequestTarget;

/// The state that the requests of a client and its clones share.
pub(crate) struct Connection {
    pub(crate) service: &'static ServiceInfo,
    pub(crate) credentials: Credentials,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) observers: Observers,
    pub(crate) clock: ServiceClock,
    pub(crate) sent_fields: SentFields,
    /// The outages that all followers of the client share.
    pub(crate) outages: HostOutages,
    /// The timeouts and retry rules of requests that set none.
    pub(crate) policy: Policy,
}

impl Connection {
    /// Returns the receivers of the events of a request.
    pub(crate) fn observers_of(&self, target: &RequestTarget, rank: Rank) -> Observers {
        let params = ShownParams { target, secrets: &self.credentials };
        self.observers.of_request(&params, rank == Rank::Live)
    }

    /// Adds a description of the request to an error, and masks secrets.
    pub(crate) fn with_request(&self, error: Error, target: &RequestTarget) -> Error {
        error.with_request(target.endpoint, target.to_string()).without_secrets(&self.credentials)
    }
}
