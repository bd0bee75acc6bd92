//! Checks a request before it is sent.
//!
//! Only documented and published constraints are enforced. A reported constraint may be out of date, so the client
//! sends the request, and the service decides. Unknown params are not checked.
//!
//! A base URL must use HTTPS unless the host is this machine or `allow_http` is set. It must have the suffix that the
//! catalogue requires. It must not contain a password, because errors may contain the URL.

use http::Uri;
use percent_encoding::percent_decode_str;

use crate::error::{Error, quoted};
use crate::registry::{Evidence, ListFormat, ParamInfo, ParamLocation, Range, TimeUnit, ValueType};
use crate::transport::address::{is_loopback, is_port_usable};
use crate::values::Timestamp;

/// Checks the value of a known param.
pub(crate) fn value(info: &ParamInfo, value: &str) -> Result<(), Error> {
    let name = info.wire_name;
    if info.location == ParamLocation::Path && matches!(value, "" | "." | "..") {
        return Err(Error::build(format!("`{name}` cannot be {value:?} in a path")));
    }
    if info.list_setter.is_some() && value.is_empty() {
        return Err(Error::build(format!("`{name}` is empty")).with_hint("set a value or omit it"));
    }
    if matches!(info.ty, ValueType::Integer | ValueType::Count | ValueType::Number) {
        // The value may be a list of numbers, each of which is checked.
        let items = match info.list_as {
            ListFormat::Json => value.strip_prefix('[').and_then(|items| items.strip_suffix(']')).unwrap_or(value),
            _ => value,
        };
        for item in items.split(info.separator().unwrap_or(',')) {
            number(info, item)?;
        }
        return Ok(());
    }
    match (info.ty, value.parse()) {
        (ValueType::Timestamp(unit), Ok(count)) if !unit.is_text() => time(info, count, unit),
        _ => Ok(()),
    }
}

pub(crate) fn is_required(info: &ParamInfo) -> bool {
    info.location == ParamLocation::Path || info.required.is_some_and(Evidence::is_enforced)
}

/// Rejects a time after the year 9999, which is probably a number in a finer unit than that of the param.
fn time(info: &ParamInfo, count: i64, unit: TimeUnit) -> Result<(), Error> {
    let timestamp = Timestamp::from_wire(count, unit);
    if timestamp <= Timestamp::LAST_WRITABLE {
        return Ok(());
    }
    let seconds = timestamp.unix_seconds();
    Err(Error::build(format!("`{}` is after the year 9999 ({seconds} Unix seconds)", info.wire_name))
        .with_hint(format!("divide {} by 1000", unit.finer())))
}

fn number(info: &ParamInfo, text: &str) -> Result<(), Error> {
    let name = info.wire_name;
    let number = match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number,
        _ => return Err(Error::build(format!("`{name}` is not a number: {text:?}"))),
    };
    if !info.evidence.is_enforced() || info.range.contains(number) {
        return Ok(());
    }
    Err(Error::build(format!("`{name}` is {text}, expected {}", bounds(info.range))))
}

/// Formats a range.
pub(crate) fn bounds(range: Range) -> String {
    match (range.min, range.max) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any number".to_owned(),
    }
}

/// Checks a path after its params were inserted.
pub(crate) fn path(path: &str) -> Result<(), Error> {
    if !path.starts_with('/') {
        return Err(Error::build(format!("the path {path:?} does not begin with `/`")));
    }
    if let Some(byte) = path.bytes().find(|byte| is_illegal(*byte)) {
        let hint = if byte == b'?' { "add params with `query`" } else { "percent-encode it" };
        let character = std::ascii::escape_default(byte);
        return Err(Error::build(format!("the path {path:?} has a `{character}`")).with_hint(hint));
    }
    if has_dot_segment(path) {
        return Err(Error::build(format!("the path {path:?} has a segment `.` or `..`")));
    }
    Ok(())
}

/// `true` if a byte cannot be in the path of a URL without encoding.
fn is_illegal(byte: u8) -> bool {
    !byte.is_ascii_graphic() || br##""#<>?\^`{|}"##.contains(&byte)
}

/// `true` if a segment is `.` or `..`, even if it is percent-encoded. Servers and proxies may resolve such a path
/// to another path.
pub(crate) fn has_dot_segment(path: &str) -> bool {
    let decoded: Vec<u8> = percent_decode_str(path).collect();
    decoded.split(|byte| matches!(byte, b'/' | b'\\')).any(|segment| matches!(segment, b"." | b".."))
}

/// Checks a base URL, which must end in `suffix`, and returns it without surrounding white space and without a slash at
/// its end. An error begins with `what`.
pub(crate) fn base_url(what: &str, text: &str, suffix: &str, allow_http: bool) -> Result<String, Error> {
    let text = text.trim();
    let url = text.strip_suffix('/').unwrap_or(text);
    let Some(problem) = problem(url, suffix, allow_http) else { return Ok(url.to_owned()) };
    let mut shown = String::new();
    if let Some(url) = without_secrets(text) {
        shown = format!(" {url:?}");
    }
    Err(Error::build(format!("{what}{shown} {problem}")).with_hint(format!("expected `https://host{suffix}`")))
}

/// A URL for a message; `None` if it may contain a password or a key: before an `@`, or anywhere in a text that
/// does not begin like a URL or a host. The query and the fragment are omitted.
fn without_secrets(url: &str) -> Option<String> {
    let shown = url.split(['?', '#']).next().unwrap_or_default();
    let host = shown.split('/').next().unwrap_or_default();
    let begins_like_url = shown.contains("://") || shown.starts_with('/') || is_like_a_host(host);
    if begins_like_url && !shown.contains('@') { Some(quoted(shown)) } else { None }
}

fn is_like_a_host(text: &str) -> bool {
    let is_of_host = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b':' | b'-'));
    is_of_host && text.contains(['.', ':'])
}

fn problem(url: &str, suffix: &str, allow_http: bool) -> Option<String> {
    let Ok(uri) = url.parse::<Uri>() else { return Some("is not a URL".to_owned()) };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Some("is not absolute".to_owned());
    };
    let path = uri.path();
    let is_unencrypted = scheme == "http" && !is_loopback(authority.host());
    let problems = [
        ("must not contain credentials", authority.as_str().contains('@')),
        ("has no host", authority.host().is_empty()),
        ("has a port that is not from 1 to 65535", !is_port_usable(authority)),
        ("must not have a query or a fragment", url.contains(['?', '#'])),
        ("has a segment `.` or `..`", has_dot_segment(path)),
        ("has a control character", percent_decode_str(path).any(|byte| byte.is_ascii_control())),
        ("must be percent-encoded", !path.is_ascii()),
        ("ends in more than one slash", url.ends_with('/')),
        (&format!("must end in `{suffix}`"), !path.ends_with(suffix)),
        ("is not encrypted; set `allow_http` to permit it", is_unencrypted && !allow_http),
        ("has neither the scheme `https` nor `http`", scheme != "http" && scheme != "https"),
    ];
    let (problem, _) = problems.into_iter().find(|(_, is_present)| *is_present)?;
    Some(problem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_paths_are_rejected() {
        let table = [
            ("/volumeRatio", None),
            ("/a/b%20c/d.json", None),
            ("", Some(r#"the path "" does not begin with `/`"#)),
            ("volumeRatio", Some(r#"the path "volumeRatio" does not begin with `/`"#)),
            ("/a?b=c", Some(r#"the path "/a?b=c" has a `?`; add params with `query`"#)),
            ("/a b", Some(r#"the path "/a b" has a ` `; percent-encode it"#)),
            ("/a\r\nb", Some(r#"the path "/a\r\nb" has a `\r`; percent-encode it"#)),
            ("/{symbol}", Some(r#"the path "/{symbol}" has a `{`; percent-encode it"#)),
            ("/../v1/x", Some(r#"the path "/../v1/x" has a segment `.` or `..`"#)),
            ("/%2e%2e/v1/x", Some(r#"the path "/%2e%2e/v1/x" has a segment `.` or `..`"#)),
            ("/a/.%2E", Some(r#"the path "/a/.%2E" has a segment `.` or `..`"#)),
            ("/..%2fv1", Some(r#"the path "/..%2fv1" has a segment `.` or `..`"#)),
            ("/..%5Cv1", Some(r#"the path "/..%5Cv1" has a segment `.` or `..`"#)),
            ("/a..b/...", None),
            ("/a%2Fb", None),
        ];
        for (text, expected) in table {
            let error = path(text).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected, "{text}");
        }
    }

    fn limit(ty: ValueType) -> ParamInfo {
        ParamInfo::new("limit", "limit", ty, Evidence::Documented)
    }

    fn check(info: &ParamInfo, text: &str) -> Option<String> {
        value(info, text).err().map(|error| error.to_string())
    }

    #[test]
    fn fractions_below_the_unit_are_not_sent() {
        for (unit, per_second, finer) in
            [(TimeUnit::Seconds, 1, "milliseconds"), (TimeUnit::Milliseconds, 1000, "microseconds")]
        {
            let ty = ValueType::Timestamp(unit);
            let start = ParamInfo::new("start_time", "startTime", ty, Evidence::Documented);
            for seconds in [1_700_000_000, 0, -1, 253_402_300_799_i64] {
                assert_eq!(check(&start, &(seconds * per_second).to_string()), None, "{seconds}");
            }
            let expected = format!(
                "`startTime` is after the year 9999 (1700000000000 Unix seconds); \
                 divide {finer} by 1000"
            );
            assert_eq!(check(&start, &(1_700_000_000_000 * per_second).to_string()), Some(expected));
        }
    }

    #[test]
    fn enforced_ranges_are_checked() {
        let range = Range { min: Some(1.0), max: Some(1000.0) };
        let count = ParamInfo { range, ..limit(ValueType::Count) };
        assert_eq!(check(&count, "1"), None);
        assert_eq!(check(&count, "1000"), None);
        let refused = check(&count, "1001");
        assert_eq!(refused.as_deref(), Some("`limit` is 1001, expected from 1 to 1000"));
        let refused = check(&ParamInfo { list_setter: Some("limits"), ..count }, "5,0");
        assert_eq!(refused.as_deref(), Some("`limit` is 0, expected from 1 to 1000"));
        assert_eq!(check(&ParamInfo { evidence: Evidence::Reported, ..count }, "1001"), None);
    }

    #[test]
    fn implausible_ranges_are_rejected() {
        let number = limit(ValueType::Number);
        assert_eq!(check(&number, "NaN").as_deref(), Some(r#"`limit` is not a number: "NaN""#));
        assert_eq!(check(&number, "5,ten").as_deref(), Some(r#"`limit` is not a number: "ten""#));
        for number in [number, ParamInfo { list_setter: Some("limits"), ..number }] {
            assert_eq!(check(&number, "5,10"), None);
        }
        let list = ParamInfo { list_setter: Some("limits"), ..limit(ValueType::String) };
        let refused = check(&list, "");
        assert_eq!(refused.as_deref(), Some("`limit` is empty; set a value or omit it"));
        let path = ParamInfo { location: ParamLocation::Path, ..limit(ValueType::String) };
        assert_eq!(check(&path, "..").as_deref(), Some(r#"`limit` cannot be ".." in a path"#));
        assert_eq!(check(&path, "a/b"), None);
    }
}

#[cfg(test)]
mod base_url_tests {
    use super::*;

    #[test]
    fn valid_base_urls_are_accepted() {
        let table = [
            ("https://example.com/v2", "https://example.com/v2"),
            ("https://example.com/v2/", "https://example.com/v2"),
            ("https://example.com:8443/api/v2", "https://example.com:8443/api/v2"),
            ("http://localhost:8700/v2", "http://localhost:8700/v2"),
            (" https://example.com/v2/\r\n", "https://example.com/v2"),
            ("http://127.0.0.1:8700/v2", "http://127.0.0.1:8700/v2"),
            ("http://127.9.9.9/v2", "http://127.9.9.9/v2"),
            ("http://[::1]:8700/v2", "http://[::1]:8700/v2"),
        ];
        for (text, expected) in table {
            assert_eq!(base_url("the base URL", text, "/v2", false).ok().as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn invalid_base_urls_are_rejected() {
        let table = [
            ("", "is not a URL"),
            ("example.com/v2", "is not a URL"),
            ("/v2", "is not absolute"),
            ("https:///v2", "is not a URL"),
            ("https://example.com", "must end in `/v2`"),
            ("https://example.com/v1", "must end in `/v2`"),
            ("https://example.com/v2//", "ends in more than one slash"),
            ("https://example.com/ü/v2", "must be percent-encoded"),
            ("https://example.com/v2/volumeRatio", "must end in `/v2`"),
            ("https://example.com/v2?key=1", "must not have a query or a fragment"),
            ("https://example.com/v2#top", "must not have a query or a fragment"),
            ("https://example.com:99999/v2", "has a port that is not from 1 to 65535"),
            ("https://example.com:0/v2", "has a port that is not from 1 to 65535"),
            ("https://example.com:/v2", "has a port that is not from 1 to 65535"),
            ("https://[::1]:70000/v2", "has a port that is not from 1 to 65535"),
            ("https://example.com/a/../v2", "has a segment `.` or `..`"),
            ("https://example.com/a/%2E%2e/v2", "has a segment `.` or `..`"),
            ("https://example.com/./v2", "has a segment `.` or `..`"),
            ("https://example.com/v2%0a/v2", "has a control character"),
            ("https://example.com/%7f/v2", "has a control character"),
            ("https://me:hunter2@example.com/v2", "must not contain credentials"),
            ("http://example.com/v2", "is not encrypted; set `allow_http` to permit it"),
            ("http://localhost.example.com/v2", "is not encrypted; set `allow_http` to permit it"),
            ("http://127.0.0.1.example.com/v2", "is not encrypted; set `allow_http` to permit it"),
            ("ftp://example.com/v2", "has neither the scheme `https` nor `http`"),
        ];
        for (text, expected) in table {
            let error = base_url("the base URL", text, "/v2", false).unwrap_err().to_string();
            assert!(error.starts_with("the base URL "), "{error}");
            assert!(error.ends_with(&format!(" {expected}; expected `https://host/v2`")), "{error}");
            assert!(!error.contains("hunter2") && !error.contains("key"), "{error}");
        }
    }

    #[test]
    fn rejected_value_is_shown_without_secrets() {
        for (text, shown) in [
            ("https://example.com/v1", r#" "https://example.com/v1""#),
            (" https://exa mple.com/v2\n", r#" "https://exa mple.com/v2""#),
            ("example.com/v2", r#" "example.com/v2""#),
            ("https://example.com/v2?key=hunter2", r#" "https://example.com/v2""#),
            ("https://me:hunter2@example.com/v2", ""),
            ("hunter2", ""),
            ("aGVsbG8/d29ybGQ", ""),
            ("", ""),
        ] {
            let error = base_url("the base URL", text, "/v2", false).unwrap_err().to_string();
            let after = error.strip_prefix("the base URL").unwrap();
            assert!(after.starts_with(&format!("{shown} ")) && (!shown.is_empty() || !after.contains('"')), "{error}");
        }
    }

    #[test]
    fn any_suffix_and_http_are_accepted_if_allowed() {
        for text in ["http://example.com", "http://example.com/", "http://example.com/api"] {
            assert!(base_url("the base URL", text, "", true).is_ok(), "{text}");
        }
        for text in ["http://example.com//", "http://example.com/api//"] {
            assert!(base_url("the base URL", text, "", true).is_err(), "{text}");
        }
    }
}
