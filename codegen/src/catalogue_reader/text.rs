//! Checks texts for line breaks, blank content and invisible characters.

/// Ranges (first and last character) of characters that are invisible, or that reorder or hide text. Control characters
/// are checked separately.
pub(crate) const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Returns `true` if a text is one line that is not blank and has no invisible characters.
pub fn is_line(text: &str) -> bool {
    is_prose(text) && !has_lines(text)
}

/// Returns `true` if a text is not blank and has no invisible characters.
pub fn is_prose(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(is_invisible)
}

pub(super) fn has_lines(text: &str) -> bool {
    text.contains(['\n', '\r', '\t'])
}

/// Returns `true` if a character is invisible, or a control character other than a line break or a tab.
pub fn is_invisible(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
        || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&character))
}
