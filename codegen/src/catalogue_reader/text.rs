//! Checks texts for line breaks, blank content and invisible characters.

use std::sync::LazyLock;

/// Ranges (first and last character) of characters that are invisible, or that reorder or hide text. Control characters
/// are checked separately.
pub(crate) static INVISIBLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let character = |hexadecimal| char::from_u32(u32::from_str_radix(hexadecimal, 16).ok()?);
    let lines = include_str!("invisible_characters.txt").lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(first, last)| Some((character(first)?, character(last)?))).collect()
});

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
