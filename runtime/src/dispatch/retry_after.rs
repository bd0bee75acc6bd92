//! The header `Retry-After` (RFC 9110, section 10.2.3).
//!
//! If the header contains a date, the duration is counted from the `Date` of the response, so that a wrong local clock
//! does no harm. Callers decide whether to wait that long.

use std::time::Duration;

use crate::platform;
use crate::transport::Headers;

/// Returns the duration that the service requests; `None` if the header is missing or unreadable.
pub(crate) fn read(headers: &Headers) -> Option<Duration> {
    let text = headers.get("retry-after")?.trim();
    seconds(text).or_else(|| {
        let until = httpdate::parse_http_date(text).ok()?;
        let date = headers.get("date").and_then(|date| httpdate::parse_http_date(date.trim()).ok());
        Some(until.duration_since(date.unwrap_or_else(platform::now)).unwrap_or_default())
    })
}

/// Parses a number of seconds; some services send fractions.
fn seconds(text: &str) -> Option<Duration> {
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !text.split('.').all(are_digits) {
        return None;
    }
    let whole = text.parse().map(Duration::from_secs).ok();
    // A number that is too large for a `Duration` is treated as the maximum.
    whole.or_else(|| text.parse().ok().map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str) -> Option<Duration> {
        let mut headers = Headers::new();
        headers.insert("retry-after", value).unwrap();
        headers.insert("date", "Tue, 15 Nov 1994 08:12:31 GMT").unwrap();
        read(&headers)
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
        assert_eq!(read(&Headers::new()), None);
    }
}
