//! Text that looks like a key or a token, anywhere in a text.
//!
//! Text comes in, the places to hide come out. It finds too much rather than too little: values after certain names,
//! values after an authentication scheme, and words that look random.

use std::ops::Range;

/// Names whose value is a secret, in small letters and with `_` for every `-`.
const NAMES: [&str; 13] = [
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "api_key",
    "apikey",
    "x_api_key",
    "authorization",
    "proxy_authorization",
    "cookie",
    "set_cookie",
    "password",
    "signature",
];

const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// A word that looks random has this many characters, and changes this often between letter and digit.
const LONG: usize = 20;
const CHANGES: usize = 4;

/// Overwrites what looks like a secret with asterisks.
pub(super) fn hide(text: &str) -> String {
    let mut hidden = text.to_owned();
    for place in places(text) {
        let stars = "*".repeat(text.get(place.clone()).map_or(0, str::len));
        hidden.replace_range(place, &stars);
    }
    hidden
}

/// The lines, counted from 1, that have what looks like a secret.
pub(super) fn lines_with(text: &str) -> Vec<usize> {
    let lines = text.lines().enumerate().filter(|(_, line)| !places(line).is_empty());
    lines.map(|(index, _)| index + 1).collect()
}

fn places(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut before = "";
    let mut rest = 0;
    for word in words(text) {
        let said = text.get(word.clone()).unwrap_or_default();
        let between = text.get(rest..word.start).unwrap_or_default();
        if is_announced(before, between) || is_credential(before, between, said) || is_drawn_by_lot(said) {
            places.push(word.clone());
        }
        (before, rest) = (said, word.end);
    }
    places
}

/// Runs of the characters of keys and tokens; never a run of asterisks.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (index, character) in text.char_indices() {
        if !(character.is_ascii_alphanumeric() || "+/_-.~".contains(character)) {
            continue;
        }
        match words.last_mut() {
            Some(word) if word.end == index => word.end += 1,
            _ => words.push(index..index + 1),
        }
    }
    words
}

/// Whether a name says that what follows is a secret: `access_token: …`, `"api_key":"…"`, `api_key=…`.
fn is_announced(before: &str, between: &str) -> bool {
    let name = before.rsplit(['/', '.']).next().unwrap_or_default().to_ascii_lowercase().replace('-', "_");
    let assigned = between.trim_matches(|c: char| c.is_whitespace() || "\"'\\".contains(c));
    NAMES.contains(&&*name) && matches!(assigned, ":" | "=")
}

/// Whether it follows a scheme, as in `Bearer …`.
fn is_credential(before: &str, between: &str, said: &str) -> bool {
    let scheme = SCHEMES.contains(&&*before.to_ascii_lowercase());
    scheme && !between.is_empty() && between.trim().is_empty() && said.chars().any(|c| c.is_ascii_digit())
}

fn is_drawn_by_lot(word: &str) -> bool {
    let piece = |piece: &str| {
        let kinds = piece.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.is_ascii_digit());
        let kinds = kinds.collect::<Vec<_>>();
        piece.len() >= LONG && kinds.windows(2).filter(|pair| pair[0] != pair[1]).count() >= CHANGES
    };
    // A dot separates the pieces of a token, and a number is not random.
    word.split('.').any(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden() {
        let table = [
            (r#"{"access_token":"hunter2","expires_in":86400}"#, r#"{"access_token":"*******","expires_in":86400}"#),
            (r#"{"access_token": "hunter2"}"#, r#"{"access_token": "*******"}"#),
            (r#""{\"client_secret\":\"hunter2\"}""#, r#""{\"client_secret\":\"*******\"}""#),
            ("GET /v2/klines?coin=BTC&api_key=hunter2&limit=5", "GET /v2/klines?coin=BTC&api_key=*******&limit=5"),
            ("x-api-key: hunter2", "x-api-key: *******"),
            ("Authorization: Basic aWQ6c2VjcmV0", "Authorization: ***** ************"),
            ("the token Bearer abc123", "the token Bearer ******"),
            ("key Zx8Kp2Lm9QwErT5yUiOp1aSd is here", "key ************************ is here"),
            ("123e4567-e89b-12d3-a456-426614174000", "************************************"),
            ("sandbox-token-1-9f8a7c6d5e4b3a21", "********************************"),
            (
                "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2ln",
                "*********************************************************",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(hide(text), expected);
            assert_eq!(lines_with(&format!("\n{text}\n")), [2], "{text}");
            assert_eq!(hide(expected), expected, "what is hidden is no secret");
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in [
            "GET /v2/anchoredTopTraderPositions?coin=BTC&exchange=coinbaseadvanced_perp_stable&startTime=1718449200",
            r#"{"openDate":1718449200,"volumeRatio":-0.30000000000000004,"size":1.2345678901234567e-17}"#,
            "the API key in the header `x-api-key` is missing",
            "the `Authorization` header does not have the Basic scheme",
            "the Basic value is not base64 of client id, colon and client secret",
            "the Basic credentials were not accepted",
            r#"{"token_type":"Bearer","token":"BTC"}"#,
            "retry-after: Sat, 15 Jun 2024 12:34:56 GMT",
            "2024-06-15T12:34:56Z",
            "",
        ] {
            assert_eq!(hide(text), text);
            assert!(lines_with(text).is_empty(), "{text}");
        }
    }
}
