//! The header `Retry-After` (RFC 9110, section 10.2.3): the time after which the service accepts requests again.
//!
//! If the header contains a date, the duration is counted from the `Date` of the response, so that a wrong local clock does
//! no harm.

use std::time::{Duration, SystemTime};

use crate::headers::Headers;
use crate::platform;

/// The duration that the service requests; `None` if the header is missing or unreadable.
pub(crate) fn read_retry_after(headers: &Headers) -> Option<Duration> {
    let text = headers.get("retry-after")?.trim();
    if let Some(delay) = seconds(text) {
        return Some(delay);
    }
    let until = httpdate::parse_http_date(text).ok()?;
    Some(until.duration_since(date(headers)).unwrap_or_default())
}

/// The time of the service at which it sent a response; the time of this machine if the response has no `Date`.
fn date(headers: &Headers) -> SystemTime {
    let date = headers.get("date").and_then(|date| httpdate::parse_http_date(date.trim()).ok());
    date.unwrap_or_else(platform::now)
}

/// The time since 1970 at which the service sent a response.
pub(super) fn service_time(headers: &Headers) -> Duration {
    date(headers).duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Parses a number of seconds; some services send fractions.
fn seconds(text: &str) -> Option<Duration> {
    if !text.split('.').all(is_digits) {
        return None;
    }
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    // A number that is too large for a `Duration` is treated as the maximum.
    let seconds = text.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str) -> Option<Duration> {
        let mut headers = Headers::new();
        headers.insert("retry-after", value).unwrap();
        headers.insert("date", "Tue, 15 Nov 1994 08:12:31 GMT").unwrap();
        read_retry_after(&headers)
    }

    #[test]
    fn every_format_of_retry_after_is_parsed() {
        let table = [
            ("7", Some(7.0)),
            (" 7 ", Some(7.0)),
            ("0", Some(0.0)),
            ("1.5", Some(1.5)),
            ("86400", Some(86_400.0)),
            ("Tue, 15 Nov 1994 08:12:41 GMT", Some(10.0)),
            ("Tuesday, 15-Nov-94 08:12:41 GMT", Some(10.0)),
            ("Tue Nov 15 08:12:41 1994", Some(10.0)),
            ("Tue, 15 Nov 1994 08:00:00 GMT", Some(0.0)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            ("1.", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
        ];
        for (value, expected) in table {
            assert_eq!(check(value), expected.map(Duration::from_secs_f64), "{value}");
        }
        assert_eq!(check("9007199254740993"), Some(Duration::from_secs(9_007_199_254_740_993)));
        assert_eq!(check("99999999999999999999999999"), Some(Duration::MAX));
        assert_eq!(read_retry_after(&Headers::new()), None);
    }
}
