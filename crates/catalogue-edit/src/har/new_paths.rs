//! The path of a new endpoint from the path of a recorded request: segments that look like data become params.

use catalogue::names::{self, Case};
use catalogue::url_path;

use super::entry::Entry;
use crate::rust_names::singular;

/// The path of an entry with params, each named after the segment before it.
pub(super) fn path_with_params(entry: &Entry) -> String {
    let mut path = String::new();
    let mut params: Vec<String> = Vec::new();
    let mut last_literal = "";
    for segment in &entry.segments {
        path.push('/');
        if is_data(segment) {
            let param = param_name(last_literal, &params);
            path += &format!("{{{param}}}");
            params.push(param);
        } else {
            path += segment;
            last_literal = segment;
        }
    }
    if path.is_empty() || entry.has_slash {
        path.push('/');
    }
    path
}

/// A name for a param that the path does not have yet.
fn param_name(literal: &str, known: &[String]) -> String {
    let name = names::ident(&singular(literal), Case::Snake).unwrap_or_else(|_| "id".to_owned());
    let mut free = name.clone();
    let mut number = 1;
    while known.contains(&free) {
        number += 1;
        free = format!("{name}_{number}");
    }
    free
}

/// `true` if a segment of a path looks like data: a number, an id, or the name of a coin or market. A version such as
/// `v2` does not.
fn is_data(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let has_upper = segment.bytes().any(|byte| byte.is_ascii_uppercase());
    let has_lower = segment.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_symbol = has_upper && !has_lower;
    let is_long_id = segment.len() >= 16 && digits >= 4;
    let is_number = digits > 0 && segment.bytes().all(|byte| byte.is_ascii_digit() || b"-.:".contains(&byte));
    let is_legal = url_path::check(&format!("/{segment}"), false).is_ok();
    !is_legal || is_number || is_symbol || is_long_id
}

/// The segments of a path that name an endpoint: without params, and without the base path.
pub(super) fn naming_segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.retain(|segment| !segment.is_empty() && !segment.starts_with('{'));
    let base = segments.iter().take_while(|segment| is_base(segment)).count();
    segments.split_off(base)
}

/// `true` if a segment belongs to the base path of many services, such as `api` and `v2`.
fn is_base(segment: &str) -> bool {
    let version = segment.strip_prefix(['v', 'V']).unwrap_or_default();
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_version || ["api", "public", "rest"].contains(&segment)
}
