//! The rate limit that several programs with the same API key share.
//!
//! By default, the programs of a machine share it through a file. If an option or an environment variable specifies the
//! URL of a Redis or Valkey server, the programs of several machines share it through this server, and a server that does
//! not respond is an error. If the first request has to wait, a message explains why. A password is read only from the
//! environment, because other users can see the command line.

use std::env;
use std::sync::OnceLock;
use std::time::Duration;

use clap::Args;
use runtime::{AnyClient, Builder, Error};
use shared_rate_limit::{SharedRateLimiter, Status};

use crate::failure::{ExitKind, Failure, Result, without_system_numbers};
use crate::log::Log;
use crate::notation::option;
use crate::program::service;
use crate::progress::counted;

/// The shared rate limit.
#[derive(Args, Debug)]
pub(crate) struct SharedRateLimitOptions {
    /// Redis or Valkey server that shares the rate limit with other machines: redis://host:6379; `off` also stops sharing it
    /// with other programs on this machine
    #[arg(long, value_name = "URL", conflicts_with = "sandbox", value_hint = clap::ValueHint::Url)]
    shared_rate_limit: Option<String>,
    /// Name of the rate limit on the server; one per API key
    #[arg(long, value_name = "NAME", default_value = "default")]
    shared_rate_limit_name: String,
}

/// The rate limiter of a command.
#[derive(Debug)]
pub(crate) enum SharedRateLimit {
    Off,
    OfThisMachine(SharedRateLimiter),
    OnServer(SharedRateLimiter),
}

/// The value that stops the sharing of the rate limit.
const OFF: &str = "off";

impl SharedRateLimitOptions {
    /// Opens the rate limiter for a client with these settings, and waits until its server has responded.
    pub(crate) async fn open(&self, builder: &Builder<AnyClient>, log: Log) -> Result<SharedRateLimit> {
        let opened = match self.server()? {
            Some(value) if value == OFF => return Ok(SharedRateLimit::Off),
            Some(url) => SharedRateLimit::OnServer(self.open_on_server(&url, builder, log).await?),
            None => SharedRateLimit::OfThisMachine(open_on_machine(builder, log).await),
        };
        if let Some(limiter) = opened.limiter() {
            // A command opens only one rate limiter, so the value is not set yet.
            drop(OPENED.set(limiter.clone()));
        }
        Ok(opened)
    }

    async fn open_on_server(&self, url: &str, builder: &Builder<AnyClient>, log: Log) -> Result<SharedRateLimiter> {
        let limit = builder.account().limit;
        let built = SharedRateLimiter::builder(url, limit).name(&*self.shared_rate_limit_name).build();
        let limiter = built.map_err(|error| Failure::usage(with_causes(&error)).help(self.help()))?;
        let status = limiter.status().await;
        let status = status.map_err(|error| Failure::new(ExitKind::Service, with_causes(&error)).help(self.help()))?;
        let why = "the shared limit is new, the server that stores it has restarted, or the limit is used up";
        announce_wait(&status, &format!("the shared rate limit `{}`", self.shared_rate_limit_name), why, log);
        Ok(limiter)
    }

    /// Names the setting with the URL of the server, without which no server is used.
    fn help(&self) -> String {
        let setting = if self.shared_rate_limit.is_some() { option("shared-rate-limit") } else { variable() };
        format!("without `{setting}`, the rate limit is shared with the programs on this machine")
    }

    /// The URL of the server, or `off`.
    fn server(&self) -> Result<Option<String>> {
        let variable = variable();
        match &self.shared_rate_limit {
            Some(url) if url.contains('@') => {
                let option = option("shared-rate-limit");
                let message =
                    format!("`{option}` accepts no user or password, because other users can see the command line");
                Err(Failure::usage(message).help(format!("set {variable} to the URL instead")))
            }
            Some(url) => Ok(Some(url.clone())),
            None => Ok(env::var(variable).ok().filter(|url| !url.is_empty())),
        }
    }
}

async fn open_on_machine(builder: &Builder<AnyClient>, log: Log) -> SharedRateLimiter {
    let limiter = SharedRateLimiter::of_this_machine(builder);
    match limiter.status().await {
        Ok(status) => {
            let why = "other programs have used it up, or its file was damaged";
            announce_wait(&status, "the rate limit of this machine", why, log);
        }
        Err(error) if log == Log::Verbose => log.remark(&of_this_process(&error)),
        Err(_) => {}
    }
    limiter
}

/// Explains why the first request has to wait.
fn announce_wait(status: &Status, limit: &str, why: &str, log: Log) {
    if status.opens_in >= Duration::from_secs(1) {
        let why = if status.resumes_in.is_zero() { why } else { "the service requested a pause" };
        log.remark(&format!("waiting {} s for {limit}: {why}", status.opens_in.as_secs()));
    }
}

fn of_this_process(error: &Error) -> String {
    format!("the rate limit applies to this process only: {}", without_system_numbers(with_causes(error)))
}

impl SharedRateLimit {
    pub(crate) fn limiter(&self) -> Option<&SharedRateLimiter> {
        match self {
            Self::Off => None,
            Self::OfThisMachine(limiter) | Self::OnServer(limiter) => Some(limiter),
        }
    }

    /// Formats the current status; `None` if the limit is not shared.
    pub(crate) async fn described(&self) -> Result<Option<String>> {
        let Some(limiter) = self.limiter() else { return Ok(None) };
        match (limiter.status().await, self) {
            (Ok(status), _) => Ok(Some(described(&status))),
            (Err(error), Self::OnServer(_)) => Err(Failure::new(ExitKind::Service, error.to_string())),
            (Err(error), _) => Ok(Some(of_this_process(&error))),
        }
    }
}

/// The rate limiter to shut down when the program ends.
static OPENED: OnceLock<SharedRateLimiter> = OnceLock::new();

/// The maximum wait for the store at the end of the program.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// If a rate limiter is open, releases the slots that this program holds. A slot is the permission for one of the concurrent
/// requests.
pub(crate) async fn shutdown() {
    if let Some(limiter) = OPENED.get() {
        // Failures are ignored, because the slots become free without it, at the latest at the end of the lease in any case.
        drop(tokio::time::timeout(SHUTDOWN_TIMEOUT, limiter.shutdown()).await);
    }
}

/// The variable of the environment with the URL of the server.
fn variable() -> String {
    format!("{}_SHARED_RATE_LIMIT", service().env_prefix)
}

/// Formats an error and its causes, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.ends_with(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}

/// Formats the status of a rate limiter.
fn described(status: &Status) -> String {
    let programs = counted(status.processes.len() as u64, "program");
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
        options.server().map_err(|failure| failure.to_string())
    }

    #[test]
    fn help_names_the_setting_of_the_server() {
        let help = |url: Option<&str>| {
            let shared_rate_limit = url.map(str::to_owned);
            SharedRateLimitOptions { shared_rate_limit, shared_rate_limit_name: "default".to_owned() }.help()
        };
        assert!(help(Some("redis://host")).starts_with("without `--shared-rate-limit`, "), "{}", help(Some("")));
        assert!(help(None).contains("_SHARED_RATE_LIMIT`, "), "{}", help(None));
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
