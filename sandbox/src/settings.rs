//! Settings of a sandbox.
//!
//! [`Builder`] collects them; nothing is opened before [`Builder::start`], which reports settings that cannot be used.

use std::fmt;
use std::io;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use runtime::Timestamp;
use runtime::registry::{LimitInfo, Registry};

use crate::fault::{Faults, Rule};
use crate::query::Strictness;
use crate::routes::Shared;
use crate::sandbox::Sandbox;
use crate::seed::Seed;
use crate::token::{ClientCredentials, Tokens};
use crate::traffic::Traffic;

/// The settings that the server reads while it runs.
pub(crate) struct Settings {
    pub(crate) api_key: Option<String>,
    pub(crate) client_credentials: Option<ClientCredentials>,
    pub(crate) bearer_required: bool,
    pub(crate) seed: Seed,
    pub(crate) clock: Clock,
    pub(crate) strictness: Strictness,
    pub(crate) retry_after: RetryAfter,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key may be one that a real service accepts.
        f.debug_struct("Settings").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// How the header `Retry-After` of a 429 is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// As a count of seconds.
    #[default]
    Seconds,
    /// As a date, in GMT.
    Date,
    /// As one or the other, by chance from the seed.
    Either,
}

/// The last second of the year 9999.
const LAST_MOMENT: i64 = 253_402_300_799;

/// What time it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    Running,
    Stopped(i64),
}

impl Clock {
    pub(crate) fn now(self) -> i64 {
        match self {
            Self::Running => Timestamp::now().unix_seconds(),
            Self::Stopped(moment) => moment,
        }
    }
}

/// Settings of a [`Sandbox`]; from [`Sandbox::of`].
#[derive(Debug)]
#[must_use]
pub struct Builder {
    registry: Registry,
    port: u16,
    token_lifetime: Duration,
    limit_sets: Vec<String>,
    faults: Vec<Rule>,
    settings: Settings,
}

impl Builder {
    pub(crate) fn new(registry: Registry) -> Self {
        let settings = Settings {
            api_key: None,
            client_credentials: None,
            bearer_required: false,
            seed: Seed::new(0),
            clock: Clock::Running,
            strictness: Strictness::Strict,
            retry_after: RetryAfter::Seconds,
        };
        let token_lifetime = Duration::from_secs(24 * 60 * 60);
        Self { registry, port: 0, token_lifetime, limit_sets: Vec::new(), faults: Vec::new(), settings }
    }

    /// The port on 127.0.0.1; a free one unless set.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The only API key that is accepted; any one is unless set.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(key.into());
        self
    }

    /// The only client that gets a token; any one does unless set.
    pub fn client_credentials(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.settings.client_credentials = Some((id.into(), secret.into()));
        self
    }

    /// Whether data requests need a bearer token beside the API key; they do not unless set.
    pub fn bearer_required(mut self, required: bool) -> Self {
        self.settings.bearer_required = required;
        self
    }

    /// How long a token is valid; a day unless set.
    pub fn token_lifetime(mut self, lifetime: Duration) -> Self {
        self.token_lifetime = lifetime;
        self
    }

    /// The seed of all values; 0 unless set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Seed::new(seed);
        self
    }

    /// Stops the clock at a moment, in Unix seconds: the latest record is then always the same.
    ///
    /// There is no data before 2010, nor after the year 9999, where the clock stops at the latest.
    pub fn stop_clock_at(mut self, moment: i64) -> Self {
        self.settings.clock = Clock::Stopped(moment.clamp(0, LAST_MOMENT));
        self
    }

    /// Enforces only types, ranges, and which params are documented as required.
    ///
    /// Unless set, 422 is the response as well to params that the endpoint does not have, params that are missing and
    /// required by any evidence, values that are known to be refused or are not among those served, and times that look
    /// like another unit.
    pub fn lenient(mut self) -> Self {
        self.settings.strictness = Strictness::Lenient;
        self
    }

    /// Enforces as well that the values of open types are among the known ones, such as names that the service adds to.
    pub fn only_known_values(mut self) -> Self {
        self.settings.strictness = Strictness::OnlyKnownValues;
        self
    }

    /// Enforces a limit set of the registry as well, by its name; none is enforced unless set.
    ///
    /// A request beyond it is answered with 429 and uses nothing up.
    pub fn limit_set(mut self, name: impl Into<String>) -> Self {
        self.limit_sets.push(name.into());
        self
    }

    /// How the header `Retry-After` of a 429 is written; as seconds unless set.
    pub fn retry_after(mut self, form: RetryAfter) -> Self {
        self.settings.retry_after = form;
        self
    }

    /// Adds a rule for a fault on demand; there is none unless added.
    pub fn fault(mut self, rule: Rule) -> Self {
        self.faults.push(rule);
        self
    }

    /// Starts the server in its own thread.
    ///
    /// # Errors
    ///
    /// The port cannot be used, or the registry does not have a limit set or the endpoint of a fault; the error names it.
    pub fn start(self) -> io::Result<Sandbox> {
        let Self { registry, port, token_lifetime, limit_sets, faults, settings } = self;
        let limits = limit_sets.iter().map(|name| limit_set(registry, name)).collect::<io::Result<Vec<_>>>()?;
        let faults = Faults::new(faults, settings.seed, registry)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let shared = Shared {
            registry,
            tokens: Tokens::new(token_lifetime, settings.seed),
            traffic: Arc::new(Traffic::new(registry.service.limits, limits)),
            faults: RwLock::new(faults),
            settings,
        };
        Sandbox::start(port, shared)
    }
}

fn limit_set(registry: Registry, name: &str) -> io::Result<&'static LimitInfo> {
    let all = registry.service.limits;
    all.iter().find(|limit| limit.name == name).ok_or_else(|| {
        let known = all.iter().map(|limit| limit.name).collect::<Vec<_>>().join("`, `");
        let message = format!("there is no limit set `{name}`; the service has `{known}`");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })
}
