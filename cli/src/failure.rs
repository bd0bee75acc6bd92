//! The failure of a command: its text on standard error, and its exit code.
//!
//! A failure is made where something goes wrong and printed in one place, in the form in which clap prints its own. The
//! codes are a promise to scripts; `derivs --help` lists them.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use generated_client::{Error, ErrorKind};

/// How a command ended that did not do all of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nobody reads the data any more, as behind `| head`.
    Unheard = 0,
    /// A disk, a permission or something else of this machine failed.
    Machine = 1,
    /// The command line has a mistake, or names what does not exist. The code is clap's.
    Usage = 2,
    /// Settings or credentials are missing or not accepted.
    Credentials = 3,
    /// The service cannot be reached, or failed, or answered 429 until the attempts were used up.
    Service = 4,
    /// The service refused the request, or its answer cannot be read.
    Refused = 5,
    /// All is done but some windows of time, whose requests failed.
    Incomplete = 6,
    /// Ctrl-C.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

/// The exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    all is done; also if the reader of a pipe left early
  1    something of this machine failed: a disk, a permission
  2    the command line has a mistake, or names what does not exist
  3    settings or credentials are missing, or not accepted
  4    the service cannot be reached, or failed
  5    the service refused the request, or its answer cannot be read
  6    done, but some windows of time could not be fetched
  130  Ctrl-C (143: SIGTERM); a backfill has kept all whole pages, and goes on from there";

const CONNECTION: &str = "a proxy is named by HTTPS_PROXY, or by `proxy` in a settings file, where `root_certificates` \
                          and `system_roots` say what is trusted";

/// Why a command did not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    ending: Ending,
    message: String,
    tips: Vec<String>,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub(crate) fn new(ending: Ending, message: impl Into<String>) -> Self {
        Self { ending, message: message.into(), tips: Vec::new() }
    }

    /// The command line has a mistake.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Ending::Usage, message)
    }

    /// A file or folder that cannot be used.
    pub(crate) fn file(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(Ending::Machine, format!("cannot {what} `{}`: {}", path.display(), reason(error)))
    }

    /// Adds what to do.
    pub(crate) fn tip(mut self, tip: impl Into<String>) -> Self {
        self.tips.push(tip.into());
        self
    }

    /// Adds what to do, if that is known.
    pub(crate) fn tip_if(self, tip: Option<String>) -> Self {
        match tip {
            Some(tip) => self.tip(tip),
            None => self,
        }
    }

    /// Whether the same would be refused again.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.ending, Ending::Refused)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.ending as u8)
    }

    /// Whether there is nothing to print: after Ctrl-C the user knows why the command ended.
    pub(crate) fn is_silent(&self) -> bool {
        self.message.is_empty()
    }
}

/// What the system says, without the number of its error.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (index, tip) in self.tips.iter().enumerate() {
            write!(f, "{}  tip: {tip}", if index == 0 { "\n\n" } else { "\n" })?;
        }
        Ok(())
    }
}

impl From<tables::Error> for Failure {
    fn from(error: tables::Error) -> Self {
        match error {
            tables::Error::Request(error) => error.into(),
            tables::Error::Storage { path, source, .. } => {
                let said = source.to_string();
                let reason = said.split(" (os error").next().unwrap_or_default();
                Self::new(Ending::Machine, format!("{path}: {reason}"))
            }
            error @ tables::Error::InUse { .. } => Self::new(Ending::Machine, error.to_string())
                .tip("wait until it has ended; then the same command asks for what is still missing"),
            other => Self::usage(other.to_string()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let ending = match error.kind() {
            _ if error.is_auth() => Ending::Credentials,
            ErrorKind::Build => Ending::Usage,
            ErrorKind::Decode | ErrorKind::Incomplete => Ending::Refused,
            ErrorKind::Status if error.status().is_some_and(|status| status < 500) && !error.is_rate_limited() => {
                Ending::Refused
            }
            _ => Ending::Service,
        };
        // With its causes: a program that has ended cannot be asked for them.
        let failure = Self::new(ending, format!("{error:#}"));
        match error.kind() {
            ErrorKind::Connect => failure.tip(CONNECTION),
            _ => failure,
        }
    }
}
