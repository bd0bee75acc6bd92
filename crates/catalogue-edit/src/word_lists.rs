//! Looks up words in lists, which are texts of words that are separated by spaces.

use crate::rust_names::singular;

/// `true` if a word is in a list.
pub(crate) fn is_among(words: &str, own: &str) -> bool {
    words.split_whitespace().any(|word| word == own)
}

/// `true` if a word is in a list of words in lower case without separators, regardless of its case and separators.
pub(crate) fn is_among_plain(words: &str, own: &str) -> bool {
    is_among(words, &own.to_lowercase().replace(['_', '-', ' '], ""))
}

/// `true` if a word or its singular is in a list.
pub(crate) fn is_among_or_singular(words: &str, own: &str) -> bool {
    is_among(words, own) || is_among(words, &singular(own))
}
