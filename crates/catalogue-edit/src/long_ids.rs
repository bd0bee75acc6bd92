//! Recognizes long ids, keys and tokens, and other segments of paths that may be secrets, and hides them in messages.

/// The minimum length of ids without separators, and the minimum number of digits in them.
const MIN_ID_LENGTH: usize = 16;
const MIN_ID_DIGITS: usize = 4;

/// `true` if a text is long, and has many digits or mixes letters and digits, as ids, keys and tokens do.
pub(crate) fn is_long_id(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.len() >= MIN_ID_LENGTH && (digits >= MIN_ID_DIGITS || is_mixed(text))
}

/// `true` if half of the characters are of another kind than the one before, and digits are in several places. In names,
/// capitals begin words, and digits are in one place.
fn is_mixed(text: &str) -> bool {
    let mut changes = 0;
    let mut places_of_digits = 0;
    let mut last = None;
    let letters_and_digits = text.bytes().filter(u8::is_ascii_alphanumeric);
    for byte in letters_and_digits.clone() {
        let kind = (byte.is_ascii_digit(), byte.is_ascii_uppercase());
        if last.replace(kind) != Some(kind) {
            changes += 1;
            places_of_digits += usize::from(byte.is_ascii_digit());
        }
    }
    places_of_digits > 1 && changes * 2 >= letters_and_digits.count()
}

/// `true` if a segment of a path may be a secret: a long id, a value with its name, such as `session=abc`, or an address
/// of mail.
pub(crate) fn may_be_secret(segment: &str) -> bool {
    is_long_id(segment) || segment.contains(['=', '@'])
}

/// A path for messages, in which `…` is in place of segments that may be secrets.
pub(crate) fn shown_path<'s>(segments: impl IntoIterator<Item = &'s str>) -> String {
    let mut shown = String::new();
    for segment in segments {
        shown.push('/');
        shown += if may_be_secret(segment) { "…" } else { segment };
    }
    shown
}
