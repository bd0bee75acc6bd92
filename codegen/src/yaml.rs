//! YAML that every reader takes for the same, those of YAML 1.1 too.
//!
//! To many of them `on` is a boolean, `12:30` a number and `2024-01-01` a date, where YAML 1.2 has texts.
//! What has to stand in quotes for their sake is known to the library; the catalogue's own layout asks it.

use serde::Serialize;

/// A document in block style.
pub fn document(value: &impl Serialize) -> String {
    // Lines are not folded: whoever compares two documents wants a text to stay in its line.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).unwrap_or_default()
}

/// Whether a text of one line can stand without quotes.
pub fn is_plain(text: &str) -> bool {
    line(text, false) == text
}

/// A text in double quotes, with escapes for what cannot be seen.
pub fn escaped(text: &str) -> String {
    line(text, true)
}

fn line(text: &str, quote_all: bool) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false, quote_all: quote_all };
    let written = serde_saphyr::to_string_with_options(&text, options).unwrap_or_default();
    written.strip_suffix('\n').unwrap_or(&written).to_owned()
}
