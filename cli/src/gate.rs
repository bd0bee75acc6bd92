//! The gate that machines with one API key share, if one is named.
//!
//! Options and an environment variable come in; a gate goes out whose server has answered, or a failure that says why
//! it has not. If the gate keeps the first request back, a remark says so. A password is taken only from the
//! environment, since others can read the command line.

use std::env;
use std::sync::OnceLock;
use std::time::Duration;

use clap::Args;
use generated_client::{SERVICE, limits};
use shared_gate::{SharedGate, Status};

use crate::failure::{Ending, Failure, Result};
use crate::say::Say;

/// The gate that is shared.
#[derive(Args, Debug)]
pub(crate) struct GateOptions {
    /// Share the limits with all machines that name the same Redis or Valkey server: `redis://host:6379`
    ///
    /// A URL with a password goes into the environment instead. The first use of a gate waits for a minute, since
    /// requests before it are not known.
    #[arg(long, value_name = "URL", conflicts_with = "sandbox", value_hint = clap::ValueHint::Url)]
    gate: Option<String>,
    /// Which gate of that server: each API key needs one of its own
    #[arg(long, value_name = "NAME", default_value = "default")]
    gate_name: String,
}

impl GateOptions {
    /// The gate, once its server has answered; `None` if none is named.
    pub(crate) async fn open(&self, say: &Say) -> Result<Option<SharedGate>> {
        let Some(url) = self.url()? else { return Ok(None) };
        let built = SharedGate::builder(url, limits::all()).name(&*self.gate_name).build();
        let gate = built.map_err(|error| Failure::usage(with_causes(&error)).tip(TIP))?;
        let status = gate.status().await;
        let status = status.map_err(|error| Failure::new(Ending::Service, with_causes(&error)).tip(TIP))?;
        if let Some(why) = self.keeps_back(&status) {
            say.remark(&why);
        }
        // A command opens one gate.
        drop(OPENED.set(gate.clone()));
        Ok(Some(gate))
    }

    /// Why the first request waits, if the wait is long enough to be noticed.
    fn keeps_back(&self, status: &Status) -> Option<String> {
        if status.closed < Duration::from_secs(1) {
            return None;
        }
        let why = if status.paused.is_zero() {
            "it is new, or its server has restarted, and earlier requests may still count; or the limit is used up"
        } else {
            "the service asked all machines for a pause"
        };
        Some(format!("waiting {} s for the shared gate `{}`: {why}", status.closed.as_secs(), self.gate_name))
    }

    fn url(&self) -> Result<Option<String>> {
        let variable = format!("{}_GATE", SERVICE.env_prefix);
        match &self.gate {
            Some(url) if url.contains('@') => {
                let message = "`--gate` takes no user and no password, which others could read on the command line";
                Err(Failure::usage(message).tip(format!("put the URL into the variable {variable}")))
            }
            Some(url) => Ok(Some(url.clone())),
            None => Ok(env::var(variable).ok().filter(|url| !url.is_empty())),
        }
    }
}

/// The gate that is left when the program ends.
static OPENED: OnceLock<SharedGate> = OnceLock::new();

/// How long a program that ends waits for the server at most.
const LEAVING: Duration = Duration::from_secs(1);

/// Tells the server, if there is one, that this program's requests have ended: their places are free at once.
pub(crate) async fn leave() {
    if let Some(gate) = OPENED.get() {
        // If the server does not hear of it, it frees the places when the lease ends.
        drop(tokio::time::timeout(LEAVING, gate.leave()).await);
    }
}

const TIP: &str = "without a gate, this machine keeps to the limits alone";

/// An error and what caused it, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        if !told.ends_with(&next.to_string()) {
            told = format!("{told}: {next}");
        }
        cause = next.source();
    }
    told
}

/// The status of a gate, for people.
pub(crate) fn told(status: &Status) -> String {
    let machines = match status.machines.len() {
        1 => "1 machine".to_owned(),
        count => format!("{count} machines"),
    };
    let places = status.places.map(|places| format!(" of {places}")).unwrap_or_default();
    let mut told = format!("{machines}, {}{places} requests under way", status.under_way);
    if status.closed > Duration::from_secs(1) {
        told.push_str(&format!("; nothing leaves for {} s", status.closed.as_secs()));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(gate: Option<&str>) -> Result<Option<String>, String> {
        let options = GateOptions { gate: gate.map(str::to_owned), gate_name: "default".to_owned() };
        options.url().map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_password_is_not_taken_from_the_command_line() {
        assert_eq!(url(Some("redis://host:6379/1")), Ok(Some("redis://host:6379/1".to_owned())));
        let refused = url(Some("redis://:canary@host")).unwrap_err();
        assert!(refused.contains("takes no user and no password") && refused.contains("_GATE"), "{refused}");
        assert!(!refused.contains("canary"), "{refused}");
    }
}
