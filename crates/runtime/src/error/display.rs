//! Formats an error in one line.
//!
//! The order is: request, problem, hint, attempts and time, body. Only `{:#}` and `Debug` print the causes. Code that
//! prints the causes separately uses `{}`, so that they are not printed twice.

use std::fmt;
use std::time::Duration;

use super::{Error, Inner, Timing, YEAR};
use crate::text::{excerpt, one_line};

/// Maximum number of bytes quoted from a body.
const MAX_BODY_BYTES: usize = 500;

impl Error {
    fn write_line(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { message, facts, .. } = &*self.0;
        match &facts.request {
            Some((endpoint, line)) if line.is_empty() => write!(f, "{endpoint}: ")?,
            Some((endpoint, line)) => write!(f, "{endpoint} ({line}): ")?,
            None => {}
        }
        if facts.token {
            f.write_str("token request failed: ")?;
        }
        f.write_str(message)?;
        if let Some(code) = &facts.code {
            write!(f, " (code {code})")?;
        }
        if let Some(retry_after) = facts.retry_after {
            write_retry_after(f, retry_after)?;
        }
        if !facts.hint.is_empty() {
            write!(f, "; {}", facts.hint)?;
        }
        // A data request that fails because of its token has only waited for the token, so its waiting time is omitted.
        let waited = if facts.token { Duration::ZERO } else { facts.timing.waited };
        write_account(f, &Timing { waited, ..facts.timing })?;
        match facts.body.as_deref().map(String::from_utf8_lossy) {
            Some(body) if !body.trim().is_empty() && !facts.has_body_message && !facts.page => {
                write!(f, "; body: {}", one_line(&excerpt(body.trim(), MAX_BODY_BYTES)))
            }
            _ => Ok(()),
        }
    }

    fn write_causes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            // A cause that the message already contains, such as the problem of a body, is not repeated.
            if !self.0.message.contains(&text) {
                write!(f, ": {text}")?;
            }
            cause = error.source();
        }
        Ok(())
    }
}

fn write_retry_after(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    if time > YEAR {
        return f.write_str("; retry after more than a year");
    }
    write!(f, "; retry after {:?}", rounded(time))
}

/// Adds attempts and times; zero values are omitted.
fn write_account(f: &mut fmt::Formatter<'_>, timing: &Timing) -> fmt::Result {
    let Timing { attempts, elapsed, waited } = *timing;
    match attempts {
        0 if elapsed < MILLISECOND => return Ok(()),
        0 => f.write_str("; after ")?,
        1 => f.write_str("; after 1 attempt in ")?,
        _ => write!(f, "; after {attempts} attempts in ")?,
    }
    write!(f, "{:?}", rounded(elapsed.max(MILLISECOND)))?;
    if waited < MILLISECOND { Ok(()) } else { write!(f, ", of which {:?} waiting", rounded(waited)) }
}

const MILLISECOND: Duration = Duration::from_millis(1);

fn rounded(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_millis() * 1_000_000)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_line(f)?;
        if f.alternate() { self.write_causes(f) } else { Ok(()) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // If `main` returns the error, this text is printed after `Error: `, so it contains the causes.
        write!(f, "{self:#}")
    }
}
