//! The message, the code and the status that a body contains.
//!
//! Some services report an error with a success status. The catalogue has the JSON paths at which the body says so.

use super::json_path::at_path;
use super::scanner::any;
use crate::error::{Error, ErrorKind, quoted};
use crate::registry::{ErrorBodyInfo, RecordInfo};
use crate::transport::HttpResponse;
use crate::values::Value;

/// The response, or the error that the status in its body reports.
pub(crate) fn accept(response: HttpResponse, paths: &ErrorBodyInfo) -> Result<HttpResponse, Error> {
    if paths.success.is_empty() {
        return Ok(response);
    }
    let text = std::str::from_utf8(&response.body).unwrap_or_default();
    let is_success = match statuses(text, paths).next() {
        Some(status) => is_one_of(status, paths.success),
        None => true,
    };
    if is_success {
        return Ok(response);
    }
    Err(refusal(response, paths, ", but the body is an error of the service", None))
}

/// `true` if a response means that a series has no records: by its HTTP status, or by the status in its body.
pub(crate) fn means_no_data(response: &HttpResponse, paths: &ErrorBodyInfo) -> bool {
    if paths.no_data_statuses.contains(&response.status) {
        return true;
    }
    if paths.no_data.is_empty() {
        return false;
    }
    let text = std::str::from_utf8(&response.body).unwrap_or_default();
    match statuses(text, paths).next() {
        Some(status) => is_one_of(status, paths.no_data),
        None => false,
    }
}

/// The JSON paths of the status in a body.
pub(crate) fn status_paths(paths: &ErrorBodyInfo) -> &'static [&'static str] {
    if paths.code.is_empty() { paths.message } else { paths.code }
}

/// The JSON text of each status in a body.
fn statuses<'a>(body: &'a str, paths: &ErrorBodyInfo) -> impl Iterator<Item = &'a str> {
    status_paths(paths).iter().filter_map(move |path| status_at(body, path))
}

/// The JSON text of the status at a path; `None` if there is none, or if it is null.
fn status_at<'a>(body: &'a str, path: &str) -> Option<&'a str> {
    match at_path(body, path)? {
        "null" => None,
        status => Some(status),
    }
}

/// `true` if a status, or the first item of a list, is one of these values. Numbers are compared as numbers. A
/// status that cannot be read is none of them.
fn is_one_of(status: &str, listed: &[&str]) -> bool {
    let Ok(value) = any(status) else { return false };
    is_listed(&value, listed) || value.get(0).is_some_and(|first| is_listed(first, listed))
}

fn is_listed(value: &Value, listed: &[&str]) -> bool {
    let text = match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let number = value.as_f64();
    listed.iter().any(|listed| *listed == text || (number.is_some() && listed.parse().ok() == number))
}

/// Creates the error for a response that is an error of the service. `meaning` is used if the body has no message.
pub(crate) fn refusal(response: HttpResponse, paths: &ErrorBodyInfo, text: &str, meaning: Option<String>) -> Error {
    let HttpResponse { status, headers, body, .. } = response;
    let is_rate_limited = reports_rate_limit(&body, paths);
    let mut message = find(&body, paths.message);
    let mut code = find(&body, paths.code);
    let oauth = OauthError::read(&body);
    if oauth.description.is_some() {
        message = oauth.description;
        code = code.or(oauth.error);
    } else {
        message = message.or(oauth.error);
    }
    let has_message = message.is_some();
    let problem = match message.or(meaning) {
        Some(meaning) => format!("status {status}{text}: {meaning}"),
        None => format!("status {status}{text}"),
    };
    Error::new(ErrorKind::Status, problem)
        .with_response(status, headers)
        .with_refusal(&body, code, has_message)
        .rate_limited(is_rate_limited)
}

fn reports_rate_limit(body: &[u8], paths: &ErrorBodyInfo) -> bool {
    let Ok(body) = std::str::from_utf8(body) else { return false };
    statuses(body, paths).any(|status| is_one_of(status, paths.rate_limited))
}

/// The error of an authorization server (RFC 6749, section 5.2).
#[derive(Default)]
struct OauthError {
    error: Option<String>,
    description: Option<String>,
}

impl OauthError {
    /// Reads the error in a body. A body without `error_description` is not necessarily such an error, so its `error` is
    /// used only if nothing else is known.
    fn read(body: &[u8]) -> Self {
        Self { error: text_at(body, "error"), description: text_at(body, "error_description") }
    }
}

/// `true` if a successful body of the token endpoint is an error.
pub(crate) fn is_oauth_error(body: &[u8]) -> bool {
    text_at(body, "error").is_some() && text_at(body, "access_token").is_none()
}

/// The string at a JSON path, if it is not empty.
fn text_at(body: &[u8], path: &str) -> Option<String> {
    let text = at_path(std::str::from_utf8(body).ok()?, path)?;
    let value = any(text).ok()?;
    match value.as_str()? {
        "" => None,
        text => Some(quoted(text)),
    }
}

/// `true` if a successful body is an error of the service: it has a value at the path of an error message, and
/// that path is not a field of the record. A status in the body has already decided, and replaces this rule.
pub(crate) fn is_error(body: &str, record: Option<&RecordInfo>, paths: &ErrorBodyInfo) -> bool {
    let has_status = !paths.success.is_empty() && statuses(body, paths).next().is_some();
    if has_status {
        return false;
    }
    let mut messages = Vec::new();
    for path in paths.message {
        let key = path.split('.').next().unwrap_or_default();
        if !has_field(record, key) && body.contains(key) {
            messages.push(*path);
        }
    }
    match find(body.as_bytes(), &messages) {
        // A number is not a message: `"error": 0` means that there is no error.
        Some(text) => text.parse::<f64>().is_err(),
        None => false,
    }
}

/// The message of a line among lines of JSON, if the line is an error of the service instead of a record: a service that
/// fails after it has sent records can report this only in a line. A line with a field of the record is a record, as is a
/// list, and without a table of fields every line is.
pub(crate) fn error_in_line(line: &str, record: Option<&RecordInfo>, paths: &ErrorBodyInfo) -> Option<String> {
    let fields = record?;
    if !has_failed_status(line, paths) && !is_error(line, record, paths) {
        return None;
    }
    let Ok(Value::Object(members)) = any(line) else { return None };
    if members.keys().any(|name| fields.index_of_name(name).is_some()) {
        return None;
    }
    Some(find(line.as_bytes(), paths.message).unwrap_or_else(|| "it has no message".to_owned()))
}

/// `true` if a body has a status that means neither success nor that there are no data.
fn has_failed_status(body: &str, paths: &ErrorBodyInfo) -> bool {
    match statuses(body, paths).next() {
        Some(status) if !paths.success.is_empty() => {
            !is_one_of(status, paths.success) && !is_one_of(status, paths.no_data)
        }
        _ => false,
    }
}

fn has_field(record: Option<&RecordInfo>, name: &str) -> bool {
    let Some(record) = record else { return false };
    record.fields.iter().any(|field| field.is_named(name))
}

/// `true` if the envelope of a series without records is an error of the service. Some services send a message
/// such as `success` with every response, so the body must also have an error code, if the catalogue has a path for it.
pub(crate) fn is_error_of_series(envelope: &str, paths: &ErrorBodyInfo) -> bool {
    is_error(envelope, None, paths) && (paths.code.is_empty() || find(envelope.as_bytes(), paths.code).is_some())
}

/// The value at the first of these JSON paths that leads to a string or a number, or to a list whose first item
/// is a string or a number.
pub(crate) fn find(body: &[u8], paths: &[&str]) -> Option<String> {
    let body = std::str::from_utf8(body).ok()?;
    for path in paths {
        let Some(text) = at_path(body, path) else { continue };
        let Ok(value) = any(text) else { continue };
        match value.get(0).unwrap_or(&value) {
            Value::String(text) if !text.is_empty() => return Some(quoted(text)),
            Value::Number(number) => return Some(number.to_string()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::Headers;
    use crate::registry::{Evidence, FieldInfo, ValueType};

    const ERRORS: &ErrorBodyInfo = &ErrorBodyInfo::new(&["error.message", "error", "note"]);

    #[test]
    fn status_in_a_body_decides() {
        let number = ErrorBodyInfo::new(&["note"]).code(&["status.code"]).success(&["0", "OK"]);
        let list = ErrorBodyInfo::new(&["error"]).success(&["[]"]);
        for (paths, body, expected) in [
            (&number, r#"{"status": {"code": 0}, "note": "fine"}"#, Ok(())),
            (&number, r#"{"status": {"code": "OK"}, "rest": 1e999}"#, Ok(())),
            (&number, r#"{"note": "a field"}"#, Ok(())),
            (&number, "[1]", Ok(())),
            (&number, r#"{"status": {"code": null}}"#, Ok(())),
            (&number, r#"{"status": {"code": 7}, "note": "too many"}"#, Err((Some("7"), ": too many"))),
            (&number, r#"{"data": [1], "status": {"code": "07"}}"#, Err((Some("07"), ""))),
            (&number, r#"{"status": {"code": 0.0}}"#, Ok(())),
            (&number, r#"{"status": {"code": 1e999}}"#, Err((None, ""))),
            (&list, r#"{"error": [], "result": 1}"#, Ok(())),
            (&list, r#"{"error": ["no pair"]}"#, Err((None, ": no pair"))),
        ] {
            let error = accept(HttpResponse::new(200, Headers::new(), body), paths).map(drop);
            let expected = expected.map_err(|(code, message): (Option<&str>, _)| {
                (code.map(str::to_owned), format!("status 200, but the body is an error of the service{message}"))
            });
            let seen = error.map_err(|error| {
                assert_eq!((error.kind(), error.body().is_some()), (ErrorKind::Status, true));
                let text = error.to_string();
                let text = text.split([';', '(']).next().unwrap_or_default().trim();
                (error.code().map(str::to_owned), text.to_owned())
            });
            assert_eq!(seen, expected, "{body}");
        }
    }

    #[test]
    fn rate_limit_is_compared_like_success() {
        let number = ErrorBodyInfo { code: &["code"], success: &["0"], rate_limited: &["7", "SLOW"], ..*ERRORS };
        let list = ErrorBodyInfo { message: &["error"], success: &["[]"], rate_limited: &["SLOW"], ..*ERRORS };
        for (paths, body, expected) in [
            (&number, r#"{"code": 7}"#, true),
            (&number, r#"{"code": 7.0}"#, true),
            (&number, r#"{"code": "SLOW"}"#, true),
            (&number, r#"{"code": "07"}"#, false),
            (&number, r#"{"code": 8}"#, false),
            (&list, r#"{"error": ["SLOW"]}"#, true),
            (&list, r#"{"error": ["FAST"]}"#, false),
        ] {
            let error = accept(HttpResponse::new(200, Headers::new(), body), paths).expect_err("an error");
            assert_eq!(error.is_rate_limited(), expected, "{body}");
        }
    }

    #[test]
    fn error_in_a_successful_body_has_a_message() {
        const NOTED: RecordInfo =
            RecordInfo::new("Noted", &[FieldInfo::new("note", "note", ValueType::String, Evidence::Documented)]);
        for (body, is_expected) in [
            (r#"{"error": {"message": "no"}}"#, true),
            (r#"{"error": "no"}"#, true),
            (r#"{"error": ["no"], "result": {}}"#, true),
            (r#"{"error": [], "result": {}}"#, false),
            (r#"{"error": "", "result": {}}"#, false),
            (r#"{"error": null}"#, false),
            (r#"{"note": "a field"}"#, false),
            ("[]", false),
        ] {
            assert_eq!(is_error(body, Some(&NOTED), ERRORS), is_expected, "{body}");
        }
        assert!(is_error(r#"{"note": "no field"}"#, None, ERRORS));
    }

    #[test]
    fn message_decides_if_a_body_has_no_status() {
        let paths = ErrorBodyInfo::new(&["msg", "error"]).code(&["code"]).success(&["0"]);
        for (body, is_expected) in [
            (r#"{"error": "maintenance"}"#, true),
            (r#"{"code": null, "msg": "maintenance"}"#, true),
            (r#"{"code": 0, "msg": "success"}"#, false),
            (r#"{"result": 1}"#, false),
        ] {
            assert!(accept(HttpResponse::new(200, Headers::new(), body), &paths).is_ok(), "{body}");
            assert_eq!(is_error(body, None, &paths), is_expected, "{body}");
        }
    }

    #[test]
    fn message_is_a_text_or_the_first_of_a_list() {
        let error_body = ErrorBodyInfo::new(&["errors", "error.message", "0.message.1.value"]);
        let table = [
            (r#"{"errors": ["wrong pair", "other"]}"#, Some("wrong pair")),
            (r#"{"errors": [], "error": {"message": "down"}}"#, Some("down")),
            (r#"{"errors": {"0": "x"}}"#, None),
            (r#"[{"message": [{"value": "a"}, {"value": "b"}]}]"#, Some("b")),
            (r#"[{"message": [{"value": "a"}]}]"#, None),
            ("[]", None),
        ];
        for (body, expected) in table {
            assert_eq!(find(body.as_bytes(), error_body.message).as_deref(), expected, "{body}");
        }
    }
}
