//! The failure of a command: its text on standard error, and its exit code.
//!
//! A failure is created where an error occurs, and `main` prints it in the format of clap's own errors. Scripts rely on
//! the exit codes, which `--help` lists.

use std::fmt;
use std::io;
use std::path::Path;

use dataset::quoted;
use runtime::{Error, ErrorKind};

use crate::durations::duration;
use crate::log;
use crate::notation::{command, python_text};
use crate::program::program;

/// The reason why a command failed. The values are the exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitKind {
    /// The reader of the data has closed the pipe, as in `| head`.
    BrokenPipe = 0,
    /// A local I/O error, for example a full disk or a missing permission.
    Machine = 1,
    /// An invalid command line or job file. Clap uses the same code.
    Usage = 2,
    /// Missing or rejected settings or credentials.
    Credentials = 3,
    /// The service is unreachable, has failed, or returned 429 even on the last attempt.
    Service = 4,
    /// The service rejected the request, or its response is unreadable.
    Rejected = 5,
    /// Some records could not be fetched, a series has never had a record, or a file is damaged.
    Incomplete = 6,
    /// SIGHUP: the terminal was closed.
    HungUp = 129,
    /// Ctrl-C.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

/// The exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = include_str!("exit_codes.txt").trim_ascii_end();

const UNUSED_PROXY: &str = "behind a proxy, set HTTPS_PROXY or `proxy` in the settings file";
const USED_PROXY: &str = "check HTTPS_PROXY, or `proxy` in the settings file";
const PROXY_CERTIFICATE: &str =
    "if a proxy decrypts the connection, set `root_certificates` or `system_roots = true` in the settings file";

/// The error of a command.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit_kind: ExitKind,
    message: String,
    /// Advice; empty if there is none.
    help: String,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// The advice about damaged files.
pub(crate) fn repair_help(path: &str) -> String {
    let name = program().name;
    let path = quoted(path);
    format!(
        "`{name} repair {path}` moves damaged files aside and keeps their readable rows; a backfill fetches the others"
    )
}

/// The command that rebuilds the state of a data set.
pub(crate) fn adopt_command(path: &str) -> String {
    let shell = format!("adopt {}", quoted(path));
    command(&shell, &format!("adopt({})", python_text(path)), &shell)
}

/// Prints the errors of tables that a command could not change, except the first, and returns the first.
pub(crate) fn first_of(failed: Vec<dataset::Error>) -> Result<()> {
    first(failed.into_iter().map(Failure::from).collect())
}

/// Prints all failures except the first, and returns the first, which `main` prints.
pub(crate) fn first(failed: Vec<Failure>) -> Result<()> {
    let mut failed = failed.into_iter();
    let first = failed.next();
    for other in failed {
        log::error(&other.to_string());
    }
    match first {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

impl Failure {
    pub(crate) fn new(exit_kind: ExitKind, message: impl Into<String>) -> Self {
        Self { exit_kind, message: without_system_numbers(message.into()), help: String::new() }
    }

    /// Creates the failure of a run for the error of its requests.
    pub(crate) fn of(error: &Error, message: String) -> Self {
        let advice = proxy_advice(error).map(str::to_owned);
        let pause = error.long_pause().map(|pause| format!("run the same command again in {}", duration(pause)));
        Self::new(exit_kind(error), message).help_if(advice).help_if(pause)
    }

    /// Creates the failure for an invalid command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitKind::Usage, message)
    }

    /// Creates the failure for an error of this machine.
    #[allow(clippy::needless_pass_by_value)] // `map_err` passes the error by value.
    pub(crate) fn machine(error: impl fmt::Display) -> Self {
        Self::new(ExitKind::Machine, error.to_string())
    }

    /// Creates the failure for a file or folder that cannot be read or written.
    pub(crate) fn file(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(ExitKind::Machine, format!("cannot {what} {}: {error}", quoted(path)))
    }

    /// Creates the failure for a file that a command could not write.
    pub(crate) fn write(path: &Path, error: dataset::Error) -> Self {
        match &error {
            dataset::Error::Storage { source, .. } => match source.downcast_ref() {
                Some(source) => Self::file("write", path, source),
                None => error.into(),
            },
            _ => error.into(),
        }
    }

    /// Creates the failure for a path where a backfill should have written.
    pub(crate) fn nothing_at(path: &str) -> Self {
        let is_missing = !path.contains("://") && !Path::new(path).exists();
        let why = if is_missing {
            "no such file or folder".to_owned()
        } else {
            format!("`{}` has written nothing here", command("backfill", "backfill", "fetch_records"))
        };
        Self::usage(format!("{}: {why}", quoted(path)))
    }

    /// `true` unless the user or the reader of the data has ended the command.
    pub(crate) fn is_error(&self) -> bool {
        use ExitKind::{BrokenPipe, HungUp, Interrupted, Terminated};

        !matches!(self.exit_kind, BrokenPipe | HungUp | Interrupted | Terminated)
    }

    /// Adds advice.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.help_if(Some(help.into()))
    }

    /// Adds advice, if there is any.
    pub(crate) fn help_if(mut self, help: Option<String>) -> Self {
        if !(self.help.is_empty() || help.is_none()) {
            self.help.push_str(if self.help.ends_with('?') { " " } else { "; " });
        }
        self.help.extend(help);
        self
    }

    /// Adds the reason: the message and the advice of another failure.
    pub(crate) fn because(mut self, reason: Self) -> Self {
        self.message = format!("{}: {}", self.message, reason.message);
        if reason.help.is_empty() { self } else { self.help(reason.help) }
    }

    /// Prefixes the message with a position in a job file.
    pub(crate) fn at(mut self, position: &str) -> Self {
        self.message = format!("{position}: {}", self.message);
        self
    }
}

/// Removes the numbers of system errors, whose texts are next to them.
pub(crate) fn without_system_numbers(mut text: String) -> String {
    while let Some((before, number)) = text.split_once(" (os error ") {
        let after = number.split_once(')').map_or("", |(_, after)| after);
        text = format!("{before}{after}");
    }
    text
}

/// The reason for the failure of a request, in one line and without the request, the body, the number of
/// attempts and the time of a retry, unless the client does not wait until that time.
pub(crate) fn brief(error: &Error) -> String {
    let text = error.to_string();
    let mut reason = if error.endpoint().is_some() { brief_text(&text) } else { shortened(&text) };
    if let Some(pause) = error.long_pause() {
        reason.push_str(&format!("; the service asks for a pause of {}", duration(pause)));
    }
    reason
}

/// The same as [`brief`] for the text of an error with an endpoint.
pub(crate) fn brief_text(text: &str) -> String {
    shortened(text.split_once("): ").map_or(text, |(_, reason)| reason))
}

fn shortened(reason: &str) -> String {
    let mut text = reason;
    for detail in ["; body: ", "; after ", "; retry "] {
        text = text.split(detail).next().unwrap_or_default();
    }
    text.to_owned()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  help: {}", self.help) }
    }
}

/// Whether an error occurs only when a file is written.
fn only_in_writing(error: &(dyn std::error::Error + 'static)) -> bool {
    let Some(error) = error.downcast_ref::<io::Error>() else { return false };
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::ReadOnlyFilesystem
    )
}

impl From<dataset::Error> for Failure {
    fn from(error: dataset::Error) -> Self {
        match error {
            dataset::Error::Request(error) => error.into(),
            dataset::Error::Storage { path, source, .. } => {
                let action = if only_in_writing(&*source) { "write" } else { "read or write" };
                Self::new(ExitKind::Machine, format!("cannot {action} {}: {source}", quoted(path)))
            }
            error @ dataset::Error::InUse { .. } => Self::new(ExitKind::Machine, error.to_string()).help(
                "wait until the other backfill has ended or, if it is a `poll`, stop it, then run the command again",
            ),
            error @ dataset::Error::Damaged { .. } => Self::new(ExitKind::Incomplete, error.to_string()),
            dataset::Error::StateMissing { ref path, .. } => {
                let help = format!("`{}` rebuilds it from the files", adopt_command(path));
                Self::new(ExitKind::Incomplete, error.to_string()).help(help)
            }
            other => Self::usage(other.to_string()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = if are_causes_useful(&error) { format!("{error:#}") } else { error.to_string() };
        // A page says nothing in one line, and the error names its title.
        let text = text.split("; body: <").next().unwrap_or_default();
        Self::of(&error, without_name_of_raw(text))
    }
}

fn exit_kind(error: &Error) -> ExitKind {
    match error.kind() {
        _ if error.is_auth() || error.is_missing_setting() => ExitKind::Credentials,
        _ if error.is_local() => ExitKind::Machine,
        // The service itself was not reached.
        ErrorKind::Status if error.is_page() => ExitKind::Service,
        ErrorKind::Builder => ExitKind::Usage,
        ErrorKind::Decode | ErrorKind::Incomplete => ExitKind::Rejected,
        ErrorKind::Status if error.status().is_some_and(|status| status < 500) && !error.is_rate_limited() => {
            ExitKind::Rejected
        }
        _ => ExitKind::Service,
    }
}

/// Whether the causes of an error help a user: those of a connection that a setting may repair.
fn are_causes_useful(error: &Error) -> bool {
    if error.kind() != ErrorKind::Connect {
        return false;
    }
    let causes = format!("{error:#}");
    error.is_timeout() || ["proxy", "certificate", "TLS"].iter().any(|word| causes.contains(word))
}

/// The text of an error. A request for a path that is not in the catalogue has no endpoint name, so only the path is
/// shown.
fn without_name_of_raw(text: &str) -> String {
    match text.strip_prefix("client.raw (") {
        Some(rest) => rest.replacen("): ", ": ", 1),
        None => text.to_owned(),
    }
}

/// Advice about a proxy, if a proxy may be the cause of a failed connection.
fn proxy_advice(error: &Error) -> Option<&'static str> {
    if error.kind() != ErrorKind::Connect {
        return None;
    }
    let message = error.to_string();
    let is = |sign: &str| message.contains(sign);
    if is("is not signed by a trusted root") || is("is self-signed") {
        Some(PROXY_CERTIFICATE)
    } else if is("certificate") {
        // The message names the clock, the host name or the setting that is the cause.
        None
    } else if is("through the proxy") {
        Some(USED_PROXY)
    } else if error.is_timeout() || is("does not use TLS") || is("DNS lookup failed") || is("unreachable") {
        Some(UNUSED_PROXY)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_is_named_only_if_it_may_be_the_cause() {
        for (message, expected) in [
            ("the certificate of `a.test:443` is not signed by a trusted root; …", Some(PROXY_CERTIFICATE)),
            ("the certificate of `a.test:443` is self-signed as that of an authority", Some(PROXY_CERTIFICATE)),
            ("the certificate of `a.test:443` is not valid before Tue, 01 Jan 2030 00:00:00 GMT; …", None),
            ("the certificate of `a.test:443` is for another host", None),
            ("the server `a.test:443` requires a client certificate; set `client_certificate`", None),
            ("the server `a.test:443` does not use TLS; check scheme and port of the base URL", Some(UNUSED_PROXY)),
            ("connection to `a.test:443` failed: DNS lookup failed; check the base URL", Some(UNUSED_PROXY)),
            ("connection to `a.test:443` failed: network unreachable; check the base URL", Some(UNUSED_PROXY)),
            ("connection to `a.test:443` refused; check the base URL", None),
            ("connection to `a.test:443` through the proxy `b.test:80` refused", Some(USED_PROXY)),
        ] {
            let error = Error::retryable(ErrorKind::Connect, message);
            assert_eq!(proxy_advice(&error), expected, "{message}");
        }
        let late = Error::retryable(ErrorKind::Body, "the response does not use TLS");
        assert_eq!(proxy_advice(&late), None);
    }
}
