//! The `Basic` value of a token request, from client id and secret.
//!
//! The encoding matters only if they contain reserved characters.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::secrets::Secret;

/// The encoding of client id and secret before they are joined by a colon and encoded as base64.
///
/// The encoding does not change letters, digits, `-`, `.`, `_` and `*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BasicEncoding {
    /// No encoding, as in HTTP authentication (RFC 7617) and in the interface document.
    ///
    /// A colon in the client id is then read as the separator of id and secret.
    #[default]
    Plain,
    /// Client id and secret are form-encoded, as OAuth 2.0 (RFC 6749, section 2.3.1) requires.
    FormUrlEncoded,
}

impl BasicEncoding {
    pub(super) fn basic(self, id: &Secret, secret: &Secret) -> String {
        let (id, secret) = (id.expose(), secret.expose());
        BASE64_STANDARD.encode(match self {
            Self::FormUrlEncoded => format!("{}:{}", form_encode(id), form_encode(secret)),
            Self::Plain => format!("{id}:{secret}"),
        })
    }
}

fn form_encode(text: &str) -> String {
    const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_');
    utf8_percent_encode(text, FORM).to_string().replace("%20", "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_secrets_are_form_encoded() {
        let table = [
            ("abcXYZ019-._*", "abcXYZ019-._*"),
            ("a b", "a+b"),
            ("a:b/c+d=e%", "a%3Ab%2Fc%2Bd%3De%25"),
            ("ü~", "%C3%BC%7E"),
        ];
        for (text, expected) in table {
            assert_eq!(form_encode(text), expected);
        }
    }

    #[test]
    fn or_left_as_they_are() {
        let (id, secret) = ("id".into(), "a b+c".into());
        assert_eq!(BasicEncoding::Plain.basic(&id, &secret), BASE64_STANDARD.encode("id:a b+c"));
        assert_eq!(BasicEncoding::FormUrlEncoded.basic(&id, &secret), BASE64_STANDARD.encode("id:a+b%2Bc"));
    }
}
