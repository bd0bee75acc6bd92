//! Warnings of `poll` about pauses that a service requests and that are longer than a request waits.

use std::collections::BTreeMap;
use std::time::Instant;

use runtime::Error;

use crate::endpoint_names::full_name;
use crate::failure::brief;

/// The pauses that were printed: the end of each, by its endpoint; `None` for a pause of all endpoints.
#[derive(Debug, Default)]
pub(crate) struct PauseWarnings(BTreeMap<Option<String>, Instant>);

impl PauseWarnings {
    /// Returns the warning about an error; empty if another series has already met the same pause. `None` if the service
    /// has requested no long pause.
    pub(crate) fn of(&mut self, error: &Error, now: Instant) -> Option<String> {
        let pause = error.long_pause()?;
        let endpoint = if error.is_long_pause_of_client() { None } else { error.endpoint().map(full_name) };
        let place = endpoint.as_ref().map(|endpoint| format!("{endpoint}: ")).unwrap_or_default();
        if self.0.get(&endpoint).is_some_and(|end| now < *end) {
            return Some(String::new());
        }
        self.0.insert(endpoint, now + pause);
        Some(format!("{place}{}; trying again after it", brief(error)))
    }
}
