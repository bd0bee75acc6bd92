//! A sandbox for programs that a test starts.

use generated_client::REGISTRY;
use sandbox::{Builder, Sandbox};

/// A sandbox that runs for the lifetime of this value.
#[derive(Debug)]
pub(crate) struct Service {
    sandbox: Sandbox,
}

impl Service {
    /// Starts a service that requires the key `right-key`.
    pub(crate) fn start() -> Self {
        Self::with(|builder| builder)
    }

    pub(crate) fn with(settings: impl FnOnce(Builder) -> Builder) -> Self {
        Self { sandbox: settings(Sandbox::of(&REGISTRY).api_key("right-key")).start().unwrap() }
    }

    pub(crate) fn base_url(&self) -> &str {
        self.sandbox.base_url()
    }

    /// Returns the number of received requests.
    pub(crate) fn requests(&self) -> u64 {
        self.sandbox.counts().requests
    }
}
