//! Texts from outside: of the service, of files that others have written, of other machines. They are shortened, and
//! without characters that steer a terminal, so that errors can quote them.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// A text from outside, which is displayed without characters that steer a terminal. They are escaped as in JSON, such as
/// `\u001b`; line breaks and tabs stay.
///
/// Whatever prints lines prints them as this type, because any of them can quote a text from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignText<'t>(pub &'t str);

impl fmt::Display for ForeignText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if steers_terminal(character) && !matches!(character, '\n' | '\t') {
                write!(f, "\\u{:04x}", u32::from(character))?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

/// Returns whether a character is no part of a text, but steers the terminal that shows it: control characters, and
/// characters that end a line or change the direction of the text after them.
pub fn steers_terminal(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text. If it is longer than `max_bytes`, returns its beginning, followed by `…` and the original length.
pub(crate) fn excerpt(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let end = (0..=max_bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}… ({} bytes)", &text[..end], text.len()))
}

/// Returns a text without line breaks and other characters that garble a terminal or a log.
pub fn one_line(text: &str) -> String {
    text.replace(steers_terminal, " ")
}

/// `true` if bytes are readable text: UTF-8 without control characters, except white space.
pub(crate) fn is_plain_text(bytes: &[u8]) -> bool {
    let has_control = bytes.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    !has_control && std::str::from_utf8(bytes).is_ok()
}

/// The maximum number of bytes of the service's message that are quoted.
const MAX_MESSAGE_BYTES: usize = 300;

/// The beginning of a text of the service in one line.
pub(crate) fn quoted(text: &str) -> String {
    one_line(&excerpt(text, MAX_MESSAGE_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_ends_between_characters() {
        assert_eq!(excerpt("abc", 3), "abc");
        assert_eq!(excerpt("abcd", 3), "abc… (4 bytes)");
        assert_eq!(excerpt("aé", 2), "a… (3 bytes)");
    }

    #[test]
    fn foreign_text_cannot_steer_a_terminal() {
        let text = ForeignText("é\n\tx\u{1b}]0;y\u{7}\r\u{9b}\u{202e}\u{61c}").to_string();
        assert_eq!(text, "é\n\tx\\u001b]0;y\\u0007\\u000d\\u009b\\u202e\\u061c");
    }

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(one_line("a\u{2028}b\u{202e}c\u{2067}d"), "a b c d");
        assert_eq!(one_line("a\r\n\u{1b}[31m\"é\""), "a   [31m\"é\"");
    }
}
