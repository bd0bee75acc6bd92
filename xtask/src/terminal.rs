//! Prints the output of commands: results to standard output, messages and errors to standard error.

use std::borrow::Cow;
use std::io::{Write, stderr, stdout};

/// The outcome of a command; an error is text for the user, with its line breaks.
pub(crate) type Outcome = Result<(), String>;

/// Prints a result without adding a line break. A failed write is ignored.
pub(crate) fn print(text: &str) {
    let _ = stdout().write_all(safe(text).as_bytes());
}

/// Prints a message or an error. A failed write is ignored.
pub(crate) fn print_error(text: &str) {
    let _ = stderr().write_all(safe(text).as_bytes());
}

/// Returns a text in which characters that control a terminal are escaped, because it can quote responses, descriptions
/// and files of others: control characters except line breaks and tabs, and characters that change the direction or the
/// lines of the text after them.
fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if controls(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

fn controls(character: char) -> bool {
    let is_control = character.is_control() && !matches!(character, '\n' | '\t');
    is_control || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_of_a_terminal_are_escaped() {
        assert_eq!(safe("error: é\n\tnext\n"), "error: é\n\tnext\n");
        assert_eq!(safe("x\u{1b}]0;pwn\u{7}\u{202e}\u{9b}"), "x\\u{1b}]0;pwn\\u{7}\\u{202e}\\u{9b}");
        assert_eq!(safe("a\rb"), "a\\u{d}b");
    }
}
