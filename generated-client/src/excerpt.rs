//! Foreign text, cut and smoothed to what an error can show.

use std::borrow::Cow;

/// The beginning of a text, marked where it was cut.
pub(crate) fn excerpt(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}… ({} bytes)", &text[..end], text.len()))
}

/// A text without line breaks and whatever else could garble a terminal or a log.
pub(crate) fn one_line(text: &str) -> String {
    let visible = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    visible.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_between_characters() {
        assert_eq!(excerpt("abc", 3), "abc");
        assert_eq!(excerpt("abcd", 3), "abc… (4 bytes)");
        assert_eq!(excerpt("aé", 2), "a… (3 bytes)");
    }

    #[test]
    fn takes_control_characters_out() {
        assert_eq!(one_line("a\r\n\u{1b}[31m\"é\""), "a   [31m\"é\"");
    }
}
