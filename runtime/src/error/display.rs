//! Formats an error in one line.
//!
//! The order is: request, problem, hint, attempts and time, body. Only `{:#}` and `Debug` print the causes. Code that
//! prints the causes separately uses `{}`, so that they are not printed twice.
//!
//! Text from other sources is shortened, and its control characters are removed, so that errors can quote it.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use super::{Error, Inner, Timing};

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
            write!(f, "; retry after {}s", retry_after.as_secs_f64())?;
        }
        if !facts.hint.is_empty() {
            write!(f, "; {}", facts.hint)?;
        }
        // A data request that fails because of its token has only waited for the token, so its waiting time is omitted.
        let waited = if facts.token { Duration::ZERO } else { facts.timing.waited };
        write_account(f, &Timing { waited, ..facts.timing })?;
        match facts.body.as_deref().map(String::from_utf8_lossy) {
            Some(body) if !body.trim().is_empty() && !facts.has_body_message => {
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

/// Returns the text. If it is longer than `max_bytes`, returns its beginning, followed by `…` and the original length.
pub(crate) fn excerpt(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let end = (0..=max_bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}… ({} bytes)", &text[..end], text.len()))
}

/// Returns a text without line breaks and other characters that garble a terminal or a log.
pub(crate) fn one_line(text: &str) -> String {
    // Line separators outside ASCII, and characters that change the writing direction of the following text.
    let garbles = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|character| if garbles(character) { ' ' } else { character }).collect()
}

/// The maximum number of bytes of the service's message that are quoted.
const MAX_MESSAGE_BYTES: usize = 300;

/// Returns the beginning of a text of the service in one line.
pub(crate) fn quoted(text: &str) -> String {
    one_line(&excerpt(text, MAX_MESSAGE_BYTES))
}

#[cfg(test)]
mod excerpt_tests {
    use super::*;

    #[test]
    fn excerpt_ends_between_characters() {
        assert_eq!(excerpt("abc", 3), "abc");
        assert_eq!(excerpt("abcd", 3), "abc… (4 bytes)");
        assert_eq!(excerpt("aé", 2), "a… (3 bytes)");
    }

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(one_line("a\u{2028}b\u{202e}c\u{2067}d"), "a b c d");
        assert_eq!(one_line("a\r\n\u{1b}[31m\"é\""), "a   [31m\"é\"");
    }
}
