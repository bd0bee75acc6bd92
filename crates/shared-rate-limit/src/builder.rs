//! Settings of a rate limit that several machines share through a server.
//!
//! Building validates URL, limit and name, and starts the worker on a separate thread; an error names the invalid
//! setting. Building opens no connection. `Debug` omits the URL, which may contain a password.

use std::fmt;
use std::time::Duration;

use runtime::{Error, ErrorKind, RateLimit};

use crate::parts::{Parts, Settings, start};
use crate::redis_store::RedisStore;
use crate::shared_rate_limiter::SharedRateLimiter;

/// Settings of a [`SharedRateLimiter`], created by [`SharedRateLimiter::builder`].
#[must_use]
pub struct SharedRateLimiterBuilder {
    url: String,
    settings: Settings,
}

impl SharedRateLimiter {
    /// Returns the settings of a rate limiter whose state is on the server at a URL:
    /// `redis://[user:password@]host[:port][/database]`.
    ///
    /// The rate limiter connects with the first request.
    pub fn builder(url: impl Into<String>, limit: RateLimit) -> SharedRateLimiterBuilder {
        let name = "default".to_owned();
        let fail_after = Duration::from_secs(30);
        SharedRateLimiterBuilder { url: url.into(), settings: Settings { limit, name, fail_after, fallback: None } }
    }
}

impl SharedRateLimiterBuilder {
    /// Sets the name of the rate limiter on the server; default: `default`. Processes that share an API key use the same
    /// name, and each API key needs a name of its own. The name is visible on the server, in the name of a Redis key, so it
    /// must not contain a secret.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Sets the time after which an attempt of a request fails if the server cannot be used; default: 30 seconds. An
    /// attempt fails when both its wait and the outage of the server have lasted this long. The client then repeats it, like
    /// any transient failure, so a request with four attempts, the default, fails after two minutes.
    ///
    /// If the server rejects the password or accepts no writes, an attempt fails at once.
    pub fn fail_after(mut self, time: Duration) -> Self {
        self.settings.fail_after = time;
        self
    }

    /// Builds a rate limiter with these settings. An invalid URL is an error; the error does not contain the URL.
    pub fn build(self) -> Result<SharedRateLimiter, Error> {
        let parts = match Parts::new(self.settings, |name, _| RedisStore::new(&self.url, name)) {
            Ok(parts) => parts,
            Err(error) => {
                let message = if cfg!(not(feature = "tls")) && self.url.starts_with("rediss:") {
                    "a `rediss` URL of the shared rate limit's server requires the feature `tls`"
                } else {
                    "the URL of the shared rate limit's server cannot be used"
                };
                return Err(Error::new(ErrorKind::Builder, message).with_source(error));
            }
        };
        if let Err(error) = start(parts.workers) {
            let message = "cannot start the worker thread of the shared rate limit";
            return Err(Error::new(ErrorKind::Builder, message).with_source(error));
        }
        Ok(parts.limiter)
    }
}

impl fmt::Debug for SharedRateLimiterBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRateLimiterBuilder").field("name", &self.settings.name).finish_non_exhaustive()
    }
}
