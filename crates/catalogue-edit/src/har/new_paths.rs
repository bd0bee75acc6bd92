//! The path of a new endpoint from the path of a recorded request: segments that look like data, or that the response
//! repeats, become params.

use catalogue::names::{self, Case};

use super::entry::Entry;
use super::path_data::{VaryingSegments, is_base, is_data_at};
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
    pub(super) fn of(entry: &Entry, varying: &VaryingSegments) -> Self {
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
            } else if repeated.member(segment).is_none() && varying.is_name_in_capitals(&entry.segments, index) {
                path.text += segment;
                last_literal = segment;
            } else if is_data_at(&entry.segments, index) || varying.are_data(&entry.segments, index) {
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

/// The segments of a path that name an endpoint: without params, and without the base path.
pub(super) fn naming_segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.retain(|segment| !segment.is_empty() && !segment.starts_with('{'));
    let base = segments.iter().take_while(|segment| is_base(segment)).count();
    segments.split_off(base)
}
