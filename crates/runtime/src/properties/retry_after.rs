//! No `Retry-After` header delays a request for longer than the retry rules allow.

use std::time::Duration;

use crate::dispatch::retry::{Attempts, Retries, Retry};
use crate::dispatch::retry_after::read_retry_after;
use crate::error::{CanRetry, Error, ErrorKind};
use crate::headers::Headers;

/// Checks a text whose first line is the header and whose optional second line is the `Date` of the response.
///
/// # Panics
///
/// If the property is violated.
pub fn retry_after(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let (value, date) = text.split_once('\n').unwrap_or((text, "Tue, 15 Nov 1994 08:12:31 GMT"));
    let mut headers = Headers::new();
    if headers.insert("retry-after", value).is_err() || headers.insert("date", date).is_err() {
        return;
    }
    let asked = read_retry_after(&headers);
    assert_bounded(asked);
    if !text.is_ascii() {
        return assert!(value.is_ascii() || asked.is_none(), "a header cannot contain {value:?}");
    }
    assert_read(value.trim(), date.trim(), asked);
}

/// Asserts that the header is read correctly, to the second.
fn assert_read(value: &str, date: &str, asked: Option<Duration>) {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = value.parse().map_or(Duration::MAX, Duration::from_secs);
        return assert_eq!(asked, Some(seconds), "{value}");
    }
    let (until, since) = (httpdate::parse_http_date(value), httpdate::parse_http_date(date));
    match (until, since) {
        (Ok(until), Ok(since)) => {
            let asked = asked.expect("a date is read");
            assert_eq!(since.max(until), since + asked, "{value} from {date}");
        }
        (Ok(_), Err(_)) => assert!(asked.is_some(), "{value}"),
        (Err(_), _) => assert_eq!(asked.is_some(), is_decimal(value), "{value}"),
    }
}

fn is_decimal(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && value.parse::<f64>().is_ok()
        && !value.starts_with('.')
        && !value.ends_with('.')
}

/// Asserts that neither a pause of the rate limiter nor a delay before an attempt is longer than the retry rules allow,
/// and that a request fails at once if its `Retry-After` is longer.
fn assert_bounded(asked: Option<Duration>) {
    let longest = Duration::from_secs(60);
    let rules = Retry::default().max_retry_after(longest);
    assert!(rules.pause(asked) <= longest);
    let history = Attempts { sent: 1, failures: 1, ..Attempts::default() };
    let error = Error::new(ErrorKind::Status, "too many")
        .with_response(429, Headers::new())
        .can_retry(CanRetry::Yes)
        .with_retry_after(asked);
    match Retries::new(&rules).decide(&rules, error, history, Duration::MAX) {
        Ok((delay, _)) => assert!(asked.unwrap_or_default() <= delay && delay <= longest, "{asked:?} became {delay:?}"),
        Err(_) => assert!(asked > Some(longest), "{asked:?} is short enough, but the request failed"),
    }
}
