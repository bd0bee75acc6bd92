//! Prints the output of commands: results to standard output, messages and errors to standard error. Each of them can quote
//! responses, descriptions and files of others, which cannot steer the terminal.

use std::io::{IsTerminal, Write, stderr, stdout};

use runtime::text::ForeignText;

/// The outcome of a command; an error is text for the user, with its line breaks.
pub(crate) type CommandResult = Result<(), String>;

/// Prints a result without adding a line break. A failed write is ignored.
pub(crate) fn print(text: &str) {
    let _ = stdout().write_all(ForeignText(text).to_string().as_bytes());
}

/// Prints a message or an error, which has colours on a terminal. A failed write is ignored.
pub(crate) fn print_error(text: &str) {
    let shown = if stderr().is_terminal() { with_colours(text) } else { ForeignText(text).to_string() };
    let _ = stderr().write_all(shown.as_bytes());
}

/// The beginning of the sequences that set colours.
const SEQUENCE: &str = "\u{1b}[";

/// Escapes all characters that steer a terminal, except the colours of diagnostics.
fn with_colours(text: &str) -> String {
    let mut parts = text.split(SEQUENCE);
    let mut shown = ForeignText(parts.next().unwrap_or_default()).to_string();
    for part in parts {
        shown += &match part.split_once('m') {
            Some((code, rest)) if is_colour(code) => format!("{SEQUENCE}{code}m{}", ForeignText(rest)),
            _ => format!("{}{}", ForeignText(SEQUENCE), ForeignText(part)),
        };
    }
    shown
}

/// `true` if a code sets a colour, sets bold or ends both.
fn is_colour(code: &str) -> bool {
    let is_number = code.bytes().all(|byte| byte.is_ascii_digit());
    is_number && matches!(code.parse(), Ok(0..=1 | 30..=37 | 90..=97_u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_reach_a_terminal() {
        let diagnostic = "\u{1b}[1m\u{1b}[91merror[rule]\u{1b}[0m: a\n\tb\n";
        assert_eq!(with_colours(diagnostic), diagnostic);
        let foreign = "\u{1b}[2Jx\u{1b}]0;pwn\u{7}\u{1b}[8mhidden\u{1b}[\u{202e}\u{1b}[+1m";
        let escaped = "\\u001b[2Jx\\u001b]0;pwn\\u0007\\u001b[8mhidden\\u001b[\\u202e\\u001b[+1m";
        assert_eq!(with_colours(foreign), escaped);
    }
}
