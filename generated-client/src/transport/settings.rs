//! What the built-in transport can be told.
//!
//! The builder fills it in; a transport of the user's own makes no use of any of it, and should be told so.

use std::time::Duration;

#[cfg(feature = "proxy")]
use super::proxy::Choice;
use super::roots::Roots;

/// Settings of the built-in transport.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) roots: Roots,
    #[cfg(feature = "proxy")]
    pub(crate) proxy: Option<Choice>,
}

impl Settings {
    /// The time for a connection to be made.
    pub(super) fn connect_timeout(&self) -> Duration {
        self.connect_timeout.unwrap_or(Duration::from_secs(10))
    }

    /// The name of a setting that was made, if any was.
    pub(crate) fn made(&self) -> Option<&'static str> {
        #[cfg(feature = "proxy")]
        if let Some(choice) = &self.proxy {
            return Some(choice.setting());
        }
        self.connect_timeout.map(|_| "connect_timeout").or(self.roots.setting())
    }
}
