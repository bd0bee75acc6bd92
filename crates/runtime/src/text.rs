//! Texts from other sources, shortened and without control characters, so that errors can quote them.

use std::borrow::Cow;

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

/// Returns whether bytes are readable text: UTF-8 without control characters, except white space.
pub(crate) fn is_plain_text(bytes: &[u8]) -> bool {
    let is_allowed = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    bytes.iter().all(is_allowed) && std::str::from_utf8(bytes).is_ok()
}

/// The maximum number of bytes of the service's message that are quoted.
const MAX_MESSAGE_BYTES: usize = 300;

/// Returns the beginning of a text of the service in one line.
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
    fn control_characters_are_removed() {
        assert_eq!(one_line("a\u{2028}b\u{202e}c\u{2067}d"), "a b c d");
        assert_eq!(one_line("a\r\n\u{1b}[31m\"é\""), "a   [31m\"é\"");
    }
}
