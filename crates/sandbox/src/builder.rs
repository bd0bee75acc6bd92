//! The settings of a sandbox before it starts.

use std::io;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use runtime::registry::{LimitInfo, Registry};

use crate::fault::{Faults, Rule};
use crate::query::Strictness;
use crate::sandbox::Sandbox;
use crate::seed::Seed;
use crate::settings::{Clock, MAX_TIME, RetryAfter, ServerSettings};
use crate::shared::Shared;
use crate::token::Tokens;
use crate::traffic::Traffic;

/// Settings of a [`Sandbox`], created by [`Sandbox::of`].
#[derive(Debug)]
#[must_use]
pub struct Builder {
    registry: Registry,
    port: u16,
    token_lifetime: Duration,
    limit_sets: Vec<String>,
    faults: Vec<Rule>,
    settings: ServerSettings,
}

impl Sandbox {
    /// Returns the settings of a server for the client of this registry.
    pub fn of(registry: &Registry) -> Builder {
        Builder::new(*registry)
    }
}

impl Builder {
    fn new(registry: Registry) -> Self {
        let settings = ServerSettings {
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

    /// Sets the port on 127.0.0.1; default: a free port.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets the accepted API key; default: any key.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(key.into());
        self
    }

    /// Sets the only client id and secret that can request tokens; default: any.
    pub fn client_credentials(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.settings.client_credentials = Some((id.into(), secret.into()));
        self
    }

    /// Requires a bearer token for data requests, in addition to the API key; default: not required.
    pub fn bearer_required(mut self, required: bool) -> Self {
        self.settings.bearer_required = required;
        self
    }

    /// Sets the lifetime of a token; default: a day.
    pub fn token_lifetime(mut self, lifetime: Duration) -> Self {
        self.token_lifetime = lifetime;
        self
    }

    /// Sets the seed of all values; default: 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Seed::new(seed);
        self
    }

    /// Stops the clock at a time, in Unix seconds, so that the latest record is always the same.
    ///
    /// The data begins in 2010. A time after the year 9999 is replaced by the last second of that year.
    pub fn stop_clock_at(mut self, time: i64) -> Self {
        self.settings.clock = Clock::Stopped(time.clamp(0, MAX_TIME));
        self
    }

    /// Enforces only types, ranges, and params that are documented as required.
    ///
    /// By default, the response is also a 422 for params that the endpoint does not have, for missing params that any
    /// source describes as required, for values that are listed as rejected or not listed as allowed, and for times
    /// that are probably in another unit.
    pub fn lenient(mut self) -> Self {
        self.settings.strictness = Strictness::Lenient;
        self
    }

    /// Also rejects unknown values of open types, which are types to which the service may add values.
    pub fn only_known_values(mut self) -> Self {
        self.settings.strictness = Strictness::OnlyKnownValues;
        self
    }

    /// Enforces the limit set with this name in the registry. Further calls add limit sets. By default, none is
    /// enforced.
    ///
    /// A request beyond the limit gets a 429 response. Such a request does not count against the limit.
    pub fn limit_set(mut self, name: impl Into<String>) -> Self {
        self.limit_sets.push(name.into());
        self
    }

    /// Sets the format of the header `Retry-After` in a 429 response beyond a limit; default: seconds. The fault
    /// `status=429` sends no such header.
    pub fn retry_after(mut self, format: RetryAfter) -> Self {
        self.settings.retry_after = format;
        self
    }

    /// Adds a rule for a fault on demand; default: none.
    pub fn fault(mut self, rule: Rule) -> Self {
        self.faults.push(rule);
        self
    }

    /// Starts the server in its own thread.
    ///
    /// # Errors
    ///
    /// Returns an error if the port cannot be used, or if a limit set or the target of a fault is unknown.
    pub fn start(self) -> io::Result<Sandbox> {
        let Self { registry, port, token_lifetime, limit_sets, faults, settings } = self;
        let mut limits = Vec::new();
        for name in &limit_sets {
            limits.push(limit_set(registry, name)?);
        }
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
    let mut known = Vec::new();
    for limit in registry.service.limits {
        if limit.name == name {
            return Ok(limit);
        }
        known.push(limit.name);
    }
    let message = format!("unknown limit set `{name}`; the service has `{}`", known.join("`, `"));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}
