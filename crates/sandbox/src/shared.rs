//! State that all requests share.

use std::sync::{Arc, PoisonError, RwLock};

use axum::response::Response;
use runtime::registry::Registry;

use crate::fault::{Faults, Rule, RuleError};
use crate::rejection::Rejection;
use crate::settings::ServerSettings;
use crate::token::Tokens;
use crate::traffic::Traffic;

/// The service that the server imitates, and the state of the server.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) registry: Registry,
    pub(crate) settings: ServerSettings,
    pub(crate) tokens: Tokens,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) faults: RwLock<Faults>,
}

impl Shared {
    /// The rules that are active now.
    pub(crate) fn faults(&self) -> Faults {
        self.faults.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the active rules; an unknown name in a rule is an error.
    pub(crate) fn set_faults(&self, rules: impl IntoIterator<Item = Rule>) -> Result<(), RuleError> {
        let faults = Faults::new(rules, self.settings.seed, self.registry)?;
        *self.faults.write().unwrap_or_else(PoisonError::into_inner) = faults;
        Ok(())
    }

    pub(crate) fn response(&self, error: &Rejection) -> Response {
        error.response(self.registry.service)
    }
}
