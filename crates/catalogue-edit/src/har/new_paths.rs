//! The path of a new endpoint from the path of a recorded request: segments that look like data, or that the response
//! repeats, become params.

use std::collections::{BTreeSet, HashMap};

use catalogue::names::{self, Case};
use catalogue::url_path;

use super::entry::Entry;
use super::long_ids::is_long_id;
use super::repeated_values::RepeatedValues;
use crate::observed_query::QueryParam;
use crate::rust_names::singular;

/// A path with params, and the values that the request has sent.
pub(super) struct NewPath {
    pub(super) text: String,
    pub(super) values: Vec<QueryParam>,
}

impl NewPath {
    /// The path of an entry. A param has the name of the member of the response that repeats its value, or else is named
    /// after the segment before it. Two dates in succession are a range.
    pub(super) fn of(entry: &Entry, qualified: &QualifiedSegments) -> Self {
        let repeated = RepeatedValues::of(entry);
        let mut path = Self { text: String::new(), values: Vec::new() };
        let mut last_literal = "";
        for (index, segment) in entry.segments.iter().enumerate() {
            path.text.push('/');
            let names_endpoint = !last_literal.is_empty() && !is_base(last_literal);
            if let Some(member) = repeated.member(segment)
                && names_endpoint
            {
                path.push_param(&param_name(member), segment);
            } else if is_date(segment) && entry.segments.get(index + 1).is_some_and(|next| is_date(next)) {
                path.push_param("start", segment);
            } else if is_date(segment) && index > 0 && is_date(&entry.segments[index - 1]) {
                path.push_param("end", segment);
            } else if is_data_at(index, segment) || qualified.is_data(&entry.segments, index) {
                path.push_param(&param_name(&singular(last_literal)), segment);
            } else {
                path.text += segment;
                last_literal = segment;
            }
        }
        if path.text.is_empty() || entry.has_slash {
            path.text.push('/');
        }
        path
    }

    /// Adds a param with this name, and with a number behind it if the path has the name already.
    fn push_param(&mut self, name: &str, value: &str) {
        let mut free = name.to_owned();
        let mut number = 1;
        while self.values.iter().any(|param| param.name == free) {
            number += 1;
            free = format!("{name}_{number}");
        }
        self.text += &format!("{{{free}}}");
        self.values.push(QueryParam { name: free, value: value.to_owned() });
    }
}

fn param_name(word: &str) -> String {
    names::ident(word, Case::Snake).unwrap_or_else(|_| "id".to_owned())
}

/// `true` if a segment is a date of this or the last century without separators, which an hour may follow.
fn is_date(segment: &str) -> bool {
    let has_digits = segment.bytes().all(|byte| byte.is_ascii_digit());
    let has_century = segment.starts_with("19") || segment.starts_with("20");
    has_digits && has_century && matches!(segment.len(), 8 | 10)
}

/// `true` if a segment looks like data at its place in a path. A digit at the start of a path is usually a version.
fn is_data_at(index: usize, segment: &str) -> bool {
    let is_version = index == 0 && is_digit(segment);
    !is_version && is_data(segment)
}

/// `true` if a segment of a path looks like data: a number, an id, or the name of a coin or market, or several values
/// separated by commas. A version such as `v2` does not.
fn is_data(segment: &str) -> bool {
    let has_upper = segment.bytes().any(|byte| byte.is_ascii_uppercase());
    let has_lower = segment.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_symbol = has_upper && !has_lower;
    let has_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = has_digit && segment.bytes().all(|byte| byte.is_ascii_digit() || b"-.:".contains(&byte));
    let is_legal = url_path::check(&format!("/{segment}"), false).is_ok();
    !is_legal || is_number || is_symbol || is_long_id(segment) || segment.contains(',')
}

/// The segments of a path that name an endpoint: without params, and without the base path.
pub(super) fn naming_segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.retain(|segment| !segment.is_empty() && !segment.starts_with('{'));
    let base = segments.iter().take_while(|segment| is_base(segment)).count();
    segments.split_off(base)
}

/// Segments with a colon, such as `coingecko:bitcoin`. They are data where a recording has several of them, or other
/// data, in one place; alone, such a segment may be the name of a function.
#[derive(Default)]
pub(super) struct QualifiedSegments {
    /// The values of each place, which is the path with `*` for the segment and for data.
    places: HashMap<String, BTreeSet<String>>,
}

impl QualifiedSegments {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut all = Self::default();
        for entry in entries {
            for (index, segment) in entry.segments.iter().enumerate() {
                if is_variable(index, segment) {
                    all.places.entry(place(&entry.segments, index)).or_default().insert(segment.clone());
                }
            }
        }
        all
    }

    fn is_data(&self, segments: &[String], index: usize) -> bool {
        let has_colon = segments[index].contains(':');
        has_colon && self.places.get(&place(segments, index)).is_some_and(|values| values.len() > 1)
    }
}

/// The place of a segment in a path.
fn place(segments: &[String], at: usize) -> String {
    let mut place = at.to_string();
    for (index, segment) in segments.iter().enumerate() {
        place.push('/');
        place += if is_variable(index, segment) { "*" } else { segment };
    }
    place
}

/// `true` if a segment is data or may be.
fn is_variable(index: usize, segment: &str) -> bool {
    segment.contains(':') || is_data_at(index, segment)
}

fn is_digit(segment: &str) -> bool {
    segment.len() == 1 && segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// `true` if a segment belongs to the base path of many services, such as `api` and `v2`.
fn is_base(segment: &str) -> bool {
    let version = segment.strip_prefix(['v', 'V']).unwrap_or_default();
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_version || is_digit(segment) || ["api", "public", "rest"].contains(&segment)
}
