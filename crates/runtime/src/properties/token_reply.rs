//! Any response with a token is read, and any other response is rejected. No error repeats the content of the response.

use std::time::Duration;

use crate::auth::token::read_token;
use crate::values::Value;

/// Checks that the token equals the text in the response, and that its lifetime equals the lifetime in the response or
/// is unknown.
///
/// # Panics
///
/// If the property is violated.
pub fn token_reply(body: &[u8]) {
    let reply: Option<Value> = serde_json::from_slice(body).ok();
    let token = reply.as_ref().and_then(usable_token);
    match (read_token(body), token) {
        (Ok((read, lifetime)), Some(token)) => {
            assert_eq!(read, token);
            assert_life(lifetime, &reply.unwrap_or_default()["expires_in"]);
        }
        (Err(error), None) => assert!(KNOWN.contains(&error.to_string().as_str()), "{error}"),
        (read, token) => panic!("read {:?}, expected {token:?}", read.map(|(read, _)| read)),
    }
}

/// All possible messages; none contains a part of the response.
const KNOWN: [&str; 4] = [
    "invalid response from the token endpoint: it is not UTF-8",
    "invalid response from the token endpoint: it is not JSON",
    "invalid response from the token endpoint: it has no `access_token`",
    "invalid response from the token endpoint: its `token_type` is not `Bearer`",
];

fn usable_token(reply: &Value) -> Option<&str> {
    // White space around a token is not part of the token.
    let token = reply.get("access_token")?.as_str()?.trim();
    let kind = reply.get("token_type").and_then(Value::as_str).unwrap_or("bearer");
    if token.is_empty() || !kind.eq_ignore_ascii_case("bearer") { None } else { Some(token) }
}

/// Asserts that a lifetime is read as the nearest `f64`, and a negative lifetime as zero.
fn assert_life(life: Option<Duration>, expected: &Value) {
    let expected = match expected {
        // A lifetime that is a string has to be a number without white space around it.
        Value::String(text) if text.trim() == text => serde_json::from_str::<f64>(text).ok(),
        other => other.as_f64(),
    };
    let expected = expected.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
    assert_eq!(life, expected);
}
