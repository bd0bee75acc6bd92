//! Recognizes segments of recorded paths that are data: by themselves, or because a recording has several of them in one
//! place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalogue::url_path;
use serde_json::Value;

use super::entry::Entry;
use crate::long_ids::may_be_secret;

/// The number of different words in one place of a path from which on they are data, if the responses are alike. Fewer
/// words may be the names of endpoints.
const MANY_WORDS: usize = 4;

/// The segments that vary between the paths of a recording.
#[derive(Default)]
pub(super) struct VaryingSegments {
    /// The segments in each place, which is the path with `*` for the segment and for data.
    places: HashMap<String, Place>,
}

/// The segments of requests in one place.
#[derive(Default)]
struct Place {
    /// The keys in the first response of each segment that shows records; none if no response does.
    keys_by_segment: BTreeMap<String, BTreeSet<String>>,
    /// The keys in the object that a response has under the segment, which is its only key.
    keys_below_segment: BTreeMap<String, BTreeSet<String>>,
}

impl VaryingSegments {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut all = Self::default();
        for entry in entries {
            let body = entry.body();
            let only_member = OnlyMember::of(&body);
            let mut keys = None;
            for (index, segment) in entry.segments.iter().enumerate() {
                let place = all.places.entry(place_of(&entry.segments, index)).or_default();
                let known = place.keys_by_segment.entry(segment.clone()).or_default();
                if known.is_empty() {
                    known.clone_from(keys.get_or_insert_with(|| keys_of_records(&body)));
                }
                if let Some(member) = &only_member
                    && member.name.eq_ignore_ascii_case(segment)
                {
                    place.keys_below_segment.insert(segment.clone(), member.keys.clone());
                }
            }
        }
        all
    }

    /// `true` if a segment is data because others are in its place: other qualified names, such as `coingecko:bitcoin`, or
    /// many other words before the same end of the path, such as `/collections/NAME/stats`, with responses that are alike;
    /// or other words that are the only keys of their responses, with objects that are alike. Alone, such a segment may be
    /// the name of a function or of an endpoint.
    pub(super) fn are_data(&self, segments: &[String], index: usize) -> bool {
        let Some(place) = self.places.get(&place_of(segments, index)) else { return false };
        if segments[index].contains(':') {
            return place.keys_by_segment.len() > 1;
        }
        if place.keys_below_segment.contains_key(&segments[index]) && place.has_like_members() {
            return true;
        }
        let is_last = index + 1 == segments.len();
        !is_last && place.has_many_like_responses()
    }

    /// `true` if a word in capitals is the name of an endpoint, such as `OHLC`: the last segment behind the base path that
    /// is not data, which its response does not repeat. Other words in capitals in its place make it data, unless their
    /// responses differ.
    pub(super) fn is_name_in_capitals(&self, segments: &[String], index: usize) -> bool {
        let is_behind_base = index > 0 && segments[..index].iter().all(|before| is_base(before));
        if !is_behind_base || !is_word_in_capitals(&segments[index]) {
            return false;
        }
        for after in index + 1..segments.len() {
            if !is_data_at(segments, after) {
                return false;
            }
        }
        let Some(place) = self.places.get(&place_of(segments, index)) else { return true };
        !place.keys_below_segment.contains_key(&segments[index]) && !place.has_like_words_in_capitals()
    }
}

impl Place {
    /// `true` if several words in capitals have responses whose keys do not tell them apart.
    fn has_like_words_in_capitals(&self) -> bool {
        let mut words = 0;
        let mut keys_of_words = Vec::new();
        for (segment, keys) in &self.keys_by_segment {
            if is_word_in_capitals(segment) {
                words += 1;
                keys_of_words.push(keys);
            }
        }
        keys_of_words.retain(|keys| !keys.is_empty());
        words > 1 && are_alike(&keys_of_words)
    }

    /// `true` if several segments are the only keys of their responses, with objects that are alike.
    fn has_like_members(&self) -> bool {
        let keys: Vec<_> = self.keys_below_segment.values().collect();
        keys.len() > 1 && are_alike(&keys)
    }

    /// `true` if many segments have responses with records, and these have most of their keys in common. Without records,
    /// the responses of different endpoints of a service are alike.
    fn has_many_like_responses(&self) -> bool {
        let mut with_records: Vec<_> = self.keys_by_segment.values().collect();
        with_records.retain(|keys| !keys.is_empty());
        with_records.len() >= MANY_WORDS && are_alike(&with_records)
    }
}

/// The only member of a body, if it is an object.
struct OnlyMember {
    name: String,
    /// The keys in the object.
    keys: BTreeSet<String>,
}

impl OnlyMember {
    fn of(body: &Value) -> Option<Self> {
        let members = body.as_object()?;
        let (name, object) = members.iter().next()?;
        if members.len() > 1 || !object.is_object() {
            return None;
        }
        Some(Self { name: name.clone(), keys: keys_of_records(object) })
    }
}

/// `true` if all responses have most of their keys in common with the first one.
fn are_alike(responses: &[&BTreeSet<String>]) -> bool {
    let Some(first) = responses.first() else { return true };
    for keys in responses {
        let shared = keys.intersection(first).count();
        let all = keys.union(first).count();
        if shared * 5 < all * 4 {
            return false;
        }
    }
    true
}

/// The place of a segment in a path. Qualified names and other words are in different places.
fn place_of(segments: &[String], at: usize) -> String {
    let kind = if segments[at].contains(':') { "qualified" } else { "word" };
    let mut place = format!("{at} {kind}");
    for (index, segment) in segments.iter().enumerate() {
        place.push('/');
        let is_variable = index == at || segment.contains(':') || is_data_at(segments, index);
        place += if is_variable { "*" } else { segment };
    }
    place
}

/// The keys of all objects in a body; none if it has an empty list or object in place of records.
fn keys_of_records(body: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut has_list = false;
    let mut is_empty = false;
    let mut values = vec![body];
    while let Some(value) = values.pop() {
        match value {
            Value::Object(members) => {
                is_empty |= members.is_empty();
                for (key, member) in members {
                    keys.insert(key.clone());
                    values.push(member);
                }
            }
            Value::Array(items) => {
                has_list |= !items.is_empty();
                is_empty |= items.is_empty();
                values.extend(items);
            }
            _ => {}
        }
    }
    if is_empty && !has_list {
        keys.clear();
    }
    keys
}

/// `true` if a segment looks like data at its place in a path. A digit in the base path is usually a version.
pub(super) fn is_data_at(segments: &[String], index: usize) -> bool {
    let segment = &segments[index];
    let is_version = is_digit(segment) && segments[..index].iter().all(|before| is_base(before));
    !is_version && is_data(segment)
}

/// `true` if a segment belongs to the base path of many services, such as `api` and `v2`.
pub(super) fn is_base(segment: &str) -> bool {
    let version = segment.strip_prefix(['v', 'V']).unwrap_or_default();
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_version || is_digit(segment) || ["api", "public", "rest"].contains(&segment)
}

/// `true` if a segment of a path looks like data: a number, an id, or the name of a coin or market, or several values
/// separated by commas, or what may be a secret. A version such as `v2` does not.
fn is_data(segment: &str) -> bool {
    let has_upper = segment.bytes().any(|byte| byte.is_ascii_uppercase());
    let has_lower = segment.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_symbol = has_upper && !has_lower;
    let has_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = has_digit && segment.bytes().all(|byte| byte.is_ascii_digit() || b"-.:".contains(&byte));
    let is_legal = url_path::check(&format!("/{segment}"), false).is_ok();
    !is_legal || is_number || is_symbol || may_be_secret(segment) || segment.contains(',')
}

fn is_word_in_capitals(segment: &str) -> bool {
    segment.len() > 1 && segment.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_digit(segment: &str) -> bool {
    segment.len() == 1 && segment.bytes().all(|byte| byte.is_ascii_digit())
}
