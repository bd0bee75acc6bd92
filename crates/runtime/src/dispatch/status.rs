//! The interpretation of HTTP statuses.
//!
//! A successful response is returned. Any other response becomes an error, which contains the message of the body or
//! the catalogue's description of the status. The module `retry` decides about retries.

use super::readable_body::readable;
use super::retry::{again, read_retry_after};
use crate::decode::error_body;
use crate::error::{Error, ErrorKind, quoted};
use crate::registry::{ErrorBodyInfo, StatusInfo};
use crate::transport::HttpResponse;

/// Returns a successful response, or the error for its status or for the status in its body.
pub(crate) fn accept(
    response: HttpResponse,
    known: &[StatusInfo],
    paths: &ErrorBodyInfo,
) -> Result<HttpResponse, Error> {
    let outcome = match response.status {
        200..=299 => error_body::accept(readable(response)?, paths),
        300..=399 => Err(redirect(response)),
        _ => Err(refusal(response, known, paths)),
    };
    outcome.map_err(|error| {
        let retry_after = error.headers().and_then(read_retry_after);
        error.with_retry_after(retry_after)
    })
}

/// Creates the error for a redirect. Redirects are not followed, because that could send the credentials to any host.
fn redirect(response: HttpResponse) -> Error {
    let target = response.headers.get("location").map_or("an unknown target".to_owned(), target);
    let status = response.status;
    Error::new(ErrorKind::Status, format!("status {status}, a redirect to {target}, is not followed"))
        .with_hint("check the base URL")
        .with_response(status, response.headers)
}

/// Describes the target of a redirect: the name of another host, or another path of the same host.
fn target(location: &str) -> String {
    let scheme = if location.starts_with("//") { "https:" } else { "" };
    let whole = format!("{scheme}{location}");
    let first = whole.split(['/', '?', '#']).next().unwrap_or_default();
    if !first.ends_with(':') {
        return "another path of the same host".to_owned();
    }
    let host = whole.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(quoted));
    host.map_or("an unknown target".to_owned(), |host| format!("the host `{host}`"))
}

fn refusal(response: HttpResponse, known: &[StatusInfo], paths: &ErrorBodyInfo) -> Error {
    let status = response.status;
    let info = known.iter().find(|info| info.status == status);
    let meaning = info.map(|info| clause(info.summary)).filter(|meaning| !meaning.is_empty());
    let error = error_body::refusal(response, paths, "", meaning);
    let again = again(if error.is_rate_limited() { 429 } else { status });
    error.again(again).with_hint(info.map(|info| clause(info.advice)).unwrap_or_default())
}

/// Converts a sentence of the catalogue to a clause: `Check the key.` becomes `check the key`. A first word such as
/// `API` keeps its capitals.
fn clause(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::Headers;
    use crate::registry::Evidence;

    const NONE: ErrorBodyInfo = ErrorBodyInfo::new(&[]);

    #[test]
    fn undocumented_status_has_no_description() {
        let known = [
            StatusInfo { label: Some("Teapot"), ..StatusInfo::new(418, Evidence::Documented) },
            StatusInfo { summary: "Too many requests.", ..StatusInfo::new(429, Evidence::Documented) },
        ];
        for (status, expected) in [(418, "status 418"), (429, "status 429: too many requests"), (499, "status 499")] {
            let response = HttpResponse::new(status, Headers::new(), "");
            let error = accept(response, &known, &NONE).expect_err("a failure");
            assert_eq!(error.to_string(), expected);
        }
    }
}
