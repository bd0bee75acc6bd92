//! Masks secrets in text that is shown.
//!
//! Replaces a secret with asterisks. The secret is also found in upper or lower case, if it is percent-encoded for a URL
//! or a form, escaped for JSON or `Debug`, or both, in base64, also as a part of a longer text, and if it is truncated at
//! the end of an excerpt. Other fragments and other encodings of a secret are not found.

use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD, Engine as _};

/// The minimum length of a secret that is masked. A shorter secret would match by chance and make other text
/// unreadable.
const MIN_BYTES: usize = 4;

/// The mark at the end of a truncated excerpt.
const CUT: &[u8] = "…".as_bytes();

/// The maximum number of bytes that truncation can leave of one encoded character, such as `\u002` of `\u002f`.
const MAX_STUB: usize = 5;

/// Overwrites every occurrence of a secret with asterisks.
pub(super) fn mask(bytes: &mut [u8], secret: &str) {
    if secret.len() < MIN_BYTES {
        return;
    }
    mask_text(bytes, secret);
    for encoded in in_base64(secret) {
        mask_text(bytes, &encoded);
    }
}

/// The characters of base64 that depend on a secret alone, for each position of the secret in a longer text and
/// for both alphabets.
fn in_base64(secret: &str) -> Vec<String> {
    let mut texts = Vec::new();
    // Three bytes are four characters, so the position matters only up to a multiple of three.
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret.as_bytes());
        // Six bits are one character; characters that other bytes contribute to are omitted.
        let first = (before * 8).div_ceil(6);
        let end = bytes.len() * 8 / 6;
        for engine in [&BASE64_STANDARD_NO_PAD, &BASE64_URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&bytes);
            texts.extend(encoded.get(first..end).map(str::to_owned));
        }
    }
    texts.dedup();
    texts
}

fn mask_text(bytes: &mut [u8], secret: &str) {
    let mut start = 0;
    while start < bytes.len() {
        let rest = &mut bytes[start..];
        match length(rest, secret) {
            Some(length) => {
                rest[..length].fill(b'*');
                start += length;
            }
            None => start += 1,
        }
    }
}

/// The length of the secret at the beginning of a text, in any encoding; `None` if the text does not begin with
/// the secret.
fn length(text: &[u8], secret: &str) -> Option<usize> {
    let first = *text.first()?;
    // Fast path, because a body can be long and almost no position of it matches.
    let begins = secret.bytes().next().is_some_and(|byte| byte.eq_ignore_ascii_case(&first));
    if !begins && !matches!(first, b'%' | b'\\' | b'+') {
        return None;
    }
    ENCODINGS.iter().filter_map(|encoding| encoding.length(text, secret)).max()
}

/// The encoding of a text: percent-encoded, escaped, both or neither.
///
/// In each encoding, a text has only one meaning, because percent-encoded text has no literal `%`, and escaped text has
/// no literal `\`.
#[derive(Clone, Copy)]
struct Encoding {
    percent: bool,
    escapes: bool,
}

const ENCODINGS: [Encoding; 4] = [
    Encoding { percent: false, escapes: false },
    Encoding { percent: false, escapes: true },
    Encoding { percent: true, escapes: false },
    Encoding { percent: true, escapes: true },
];

impl Encoding {
    fn length(self, text: &[u8], secret: &str) -> Option<usize> {
        let mut rest = text;
        for (matched_bytes, character) in secret.char_indices() {
            match self.after(rest, character) {
                Some(after) => rest = after,
                None if matched_bytes >= MIN_BYTES && is_cut(rest) => break,
                None => return None,
            }
        }
        Some(text.len() - rest.len())
    }

    /// The text after the character, if the text begins with the character in upper or lower case.
    fn after(self, text: &[u8], character: char) -> Option<&[u8]> {
        let other_case = if character.is_ascii_uppercase() {
            character.to_ascii_lowercase()
        } else {
            character.to_ascii_uppercase()
        };
        self.after_exact(text, character).or_else(|| self.after_exact(text, other_case))
    }

    fn after_exact(self, text: &[u8], character: char) -> Option<&[u8]> {
        let mut utf8 = [0; 4];
        let plain = character.encode_utf8(&mut utf8).as_bytes();
        let mut after = None;
        if self.percent {
            after = after_percent(text, plain);
        }
        if self.escapes && after.is_none() {
            after = after_escape(text, character);
        }
        after.or_else(|| text.strip_prefix(plain))
    }
}

/// `true` if `text` begins with the end of an excerpt, possibly within an encoded character.
fn is_cut(text: &[u8]) -> bool {
    (0..=MAX_STUB).filter_map(|stub| text.get(stub..)).any(|rest| rest.starts_with(CUT))
}

fn after_percent<'t>(text: &'t [u8], plain: &[u8]) -> Option<&'t [u8]> {
    // In a form, `+` is a space.
    if plain == b" " {
        if let Some(rest) = text.strip_prefix(b"+") {
            return Some(rest);
        }
    }
    let mut rest = text;
    for byte in plain {
        rest = after_hex(rest.strip_prefix(b"%")?, 2, (*byte).into())?;
    }
    Some(rest)
}

fn after_escape(text: &[u8], character: char) -> Option<&[u8]> {
    let (letter, rest) = text.strip_prefix(b"\\")?.split_first()?;
    let meant = match letter {
        b'u' => {
            let mut rest = text;
            for unit in character.encode_utf16(&mut [0; 2]) {
                rest = after_hex(rest.strip_prefix(br"\u")?, 4, *unit)?;
            }
            return Some(rest);
        }
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        other => char::from(*other),
    };
    if meant == character { Some(rest) } else { None }
}

/// The text after `number`, if the text begins with `number` as `digits` hexadecimal digits.
fn after_hex(text: &[u8], digits: usize, number: u16) -> Option<&[u8]> {
    let (hex, rest) = text.split_at_checked(digits)?;
    let read = u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?;
    if read == number { Some(rest) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, secret: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        mask(&mut bytes, secret);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn secrets_are_masked() {
        let table = [
            ("key hunter2 and hunter2", "hunter2", "key ******* and *******"),
            ("hunter", "hunter2", "hunter"),
            ("a key", "key", "a key"),
            ("schlüssel", "lüss", "sch*****el"),
            ("hunthunter2", "hunter2", "hunt*******"),
            ("", "hunter2", ""),
            ("key HUNTER2 and Hunter2", "hUnter2", "key ******* and *******"),
        ];
        for (text, secret, expected) in table {
            assert_eq!(check(text, secret), expected);
        }
    }

    #[test]
    fn encoded_secrets_are_masked() {
        let secrets = [
            ("a+b/c==", "a%2Bb%2fc%3D="),
            ("a+b/c==", r"a+b\/c=\u003d"),
            ("a+b/c==", r"a%2Bb\/c%3d%3D"),
            ("+b/c==", "%2Bb/c=="),
            ("/b/c==", r"\/b\/c=="),
            ("a b c", "a+b%20c"),
            (" abc", "+abc"),
            ("100%25", "100%2525"),
            ("100%25", "100%25"),
            (r"a\b\\c", r"a\\b\\\\c"),
            (r"a\b\\c", r"a\b\\c"),
            ("a\"b\tc", r#"a\"b\tc"#),
            ("schlüssel", "schl%C3%BCssel"),
            ("schlüssel", r"schl\u00FCssel"),
            ("key 🔑", r"key \ud83d\udd11"),
        ];
        for (secret, text) in secrets {
            assert_eq!(check(&format!("<{text}>"), secret), format!("<{}>", "*".repeat(text.len())), "{text}");
        }
    }

    #[test]
    fn secret_in_base64_is_masked() {
        use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
        let secret = "hunter2~\u{fe}?>key";
        for before in ["", "m", "me", "me:", "name:"] {
            let text = format!("{before}{secret}-after");
            for encoded in [BASE64_STANDARD.encode(&text), BASE64_URL_SAFE_NO_PAD.encode(&text)] {
                let masked = check(&format!("<{encoded}>"), secret);
                let hidden = masked.matches('*').count();
                assert!(hidden >= secret.len() * 8 / 6 - 1, "{encoded} {masked}");
                assert!(masked.starts_with('<') && masked.ends_with('>'), "{masked}");
            }
        }
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in ["a%2Bb%2Fc%3D", "a%2", "a+b", r"a+b\", r"a+b\u00", "%", "\\", "a%2Bb%2Fc%3D%3E", "a b/c=="] {
            assert_eq!(check(text, "a+b/c=="), text);
        }
    }

    #[test]
    fn truncated_secret_is_masked() {
        let table = [
            ("a+b/c=… (90 bytes)", "******… (90 bytes)"),
            ("a%2Bb%2… (90 bytes)", "a%2Bb%2… (90 bytes)"),
            ("a%2Bb%2Fc%3… (90 bytes)", "*********%3… (90 bytes)"),
            (r"a+b\/c\u003… (90 bytes)", r"******\u003… (90 bytes)"),
            ("a+b… (90 bytes)", "a+b… (90 bytes)"),
        ];
        for (text, expected) in table {
            assert_eq!(check(text, "a+b/c=="), expected);
        }
    }
}
