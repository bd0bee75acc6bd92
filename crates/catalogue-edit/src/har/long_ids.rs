//! Recognizes long ids, keys and tokens, and hides them in messages.

/// The minimum length of ids without separators, and the minimum number of digits in them.
const MIN_ID_LENGTH: usize = 16;
const MIN_ID_DIGITS: usize = 4;

/// `true` if a text is long and has many digits, as ids, keys and tokens have.
pub(super) fn is_long_id(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.len() >= MIN_ID_LENGTH && digits >= MIN_ID_DIGITS
}

/// A path for messages, in which `…` is in place of long ids, because they may be keys.
pub(super) fn shown_path<'s>(segments: impl IntoIterator<Item = &'s str>) -> String {
    let mut shown = String::new();
    for segment in segments {
        shown.push('/');
        shown += if is_long_id(segment) { "…" } else { segment };
    }
    shown
}
