//! The settings that the server reads while it runs.

use std::fmt;

use runtime::Timestamp;

use crate::query::Strictness;
use crate::seed::Seed;
use crate::token::ClientCredentials;

/// The settings that the server reads while it runs.
pub(crate) struct ServerSettings {
    pub(crate) api_key: Option<String>,
    pub(crate) client_credentials: Option<ClientCredentials>,
    pub(crate) bearer_required: bool,
    pub(crate) seed: Seed,
    pub(crate) clock: Clock,
    pub(crate) strictness: Strictness,
    pub(crate) retry_after: RetryAfter,
}

impl fmt::Debug for ServerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Secrets are omitted, because the key may be a real key.
        f.debug_struct("ServerSettings").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// The format of the header `Retry-After` in a 429 response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// A number of seconds.
    #[default]
    Seconds,
    /// A date in GMT.
    Date,
    /// Either of them, chosen at random; the seed determines the choices.
    Either,
}

/// The last second of the year 9999.
pub(crate) const MAX_TIME: i64 = 253_402_300_799;

/// The clock of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    Running,
    Stopped(i64),
}

impl Clock {
    pub(crate) fn now(self) -> i64 {
        match self {
            Self::Running => Timestamp::now().unix_seconds(),
            Self::Stopped(time) => time,
        }
    }
}
