//! The rate limit that several programs with the same API key share through a Redis or Valkey server.
//!
//! If an option or an environment variable specifies the URL of the server, this module opens the rate limiter, which is the
//! client of the server. A server that does not respond is an error. If the first request has to wait, a message
//! explains why. A password is read only from the environment, because other users can see the command line.

use std::env;
use std::iter::successors;
use std::sync::OnceLock;
use std::time::Duration;

use clap::Args;
use runtime::RateLimit;
use shared_rate_limit::{SharedRateLimiter, Status};

use crate::failure::{ExitKind, Failure, Result};
use crate::log::Log;
use crate::program::service;
use crate::progress::counted;

/// The shared rate limit.
#[derive(Args, Debug)]
pub(crate) struct SharedRateLimitOptions {
    /// Redis or Valkey server that stores a rate limit shared with other programs: redis://host:6379
    #[arg(long, value_name = "URL", conflicts_with = "sandbox", value_hint = clap::ValueHint::Url)]
    shared_rate_limit: Option<String>,
    /// Name of the shared rate limit; one per API key
    #[arg(long, value_name = "NAME", default_value = "default")]
    shared_rate_limit_name: String,
}

impl SharedRateLimitOptions {
    /// Opens the rate limiter, and waits until its server has responded; returns `None` without a URL.
    ///
    /// `limit` returns the rate limit that the rate limiter enforces.
    pub(crate) async fn open(
        &self,
        limit: impl FnOnce() -> Result<RateLimit>,
        log: Log,
    ) -> Result<Option<SharedRateLimiter>> {
        let Some(url) = self.url()? else { return Ok(None) };
        let built = SharedRateLimiter::builder(url, limit()?).name(&*self.shared_rate_limit_name).build();
        let limiter = built.map_err(|error| Failure::usage(with_causes(&error)).help(HELP))?;
        let status = limiter.status().await;
        let status = status.map_err(|error| Failure::new(ExitKind::Service, with_causes(&error)).help(HELP))?;
        if status.opens_in >= Duration::from_secs(1) {
            let why = if status.resumes_in.is_zero() {
                "the shared limit is new, the server that stores it has restarted, or the limit is used up"
            } else {
                "the service requested a pause"
            };
            let (seconds, name) = (status.opens_in.as_secs(), &self.shared_rate_limit_name);
            log.remark(&format!("waiting {seconds} s for the shared rate limit `{name}`: {why}"));
        }
        // A command opens only one rate limiter, so the value is not set yet.
        drop(OPENED.set(limiter.clone()));
        Ok(Some(limiter))
    }

    fn url(&self) -> Result<Option<String>> {
        let variable = format!("{}_SHARED_RATE_LIMIT", service().env_prefix);
        match &self.shared_rate_limit {
            Some(url) if url.contains('@') => {
                let message =
                    "`--shared-rate-limit` accepts no user or password, because other users can see the command line";
                Err(Failure::usage(message).help(format!("set {variable} to the URL instead")))
            }
            Some(url) => Ok(Some(url.clone())),
            None => Ok(env::var(variable).ok().filter(|url| !url.is_empty())),
        }
    }
}

/// The rate limiter to shut down when the program ends.
static OPENED: OnceLock<SharedRateLimiter> = OnceLock::new();

/// The maximum wait for the server at the end of the program.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// If a rate limiter is open, releases the slots that this program holds on the server. A slot is the permission for one of the
/// concurrent requests.
pub(crate) async fn shutdown() {
    if let Some(limiter) = OPENED.get() {
        // Failures are ignored, because the server releases the slots at the end of the lease in any case.
        drop(tokio::time::timeout(SHUTDOWN_TIMEOUT, limiter.shutdown()).await);
    }
}

const HELP: &str = "without `--shared-rate-limit`, the rate limit applies to this process only";

/// Formats an error and its causes, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = successors(error.source(), |cause| cause.source()).map(ToString::to_string);
    causes.fold(error.to_string(), |text, cause| if text.ends_with(&cause) { text } else { format!("{text}: {cause}") })
}

/// Formats the status of a rate limiter.
pub(crate) fn described(status: &Status) -> String {
    let programs = counted(status.machines.len() as u64, "program");
    let slots = status.slots.map(|slots| format!(" of {slots}")).unwrap_or_default();
    let mut text = format!("{programs}, {}{slots} requests in flight", status.in_flight);
    if status.opens_in > Duration::from_secs(1) {
        text.push_str(&format!("; the next request in {} s", status.opens_in.as_secs()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(url: Option<&str>) -> Result<Option<String>, String> {
        let options = SharedRateLimitOptions {
            shared_rate_limit: url.map(str::to_owned),
            shared_rate_limit_name: "default".to_owned(),
        };
        options.url().map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_password_on_the_command_line_is_an_error() {
        assert_eq!(url(Some("redis://host:6379/1")), Ok(Some("redis://host:6379/1".to_owned())));
        let rejected = url(Some("redis://:canary@host")).unwrap_err();
        assert!(
            rejected.contains("accepts no user or password") && rejected.contains("_SHARED_RATE_LIMIT"),
            "{rejected}"
        );
        assert!(!rejected.contains("canary"), "{rejected}");
    }
}
