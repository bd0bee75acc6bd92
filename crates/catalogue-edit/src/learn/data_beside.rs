//! Judges what a body has next to its list of records: facts about the response, such as counts and pages, or data of its
//! own, such as the balance of an account next to its transactions.

use catalogue::spec::Field;
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::guess_type::{is_time_field, time_index};
use super::metadata::Around;
use crate::drafted_type::TIMESTAMP;
use crate::observed_values::Observed;
use crate::page_names::{LINKS, MORE, NUMBERS, OFFSETS, PAGE_COUNTS, SIZES, TOTALS, names_cursor};
use crate::record_time::time_of_record;
use crate::saved_response::SavedResponse;
use crate::sent_values::SentValues;
use crate::unix_time::{ends_in, is_named_like_a_time};
use crate::word_lists::{is_among, is_among_plain};

/// The last words in the names of members with facts about a response, its request or its records.
const FACTS: &str = "api attribution base begin by category code coin copyright count credit currency decimals detail \
    description disclaimer duration elapsed end error format frequency from granularity height hint href id index info \
    instrument interval jsonrpc language length license limit link locale market message ms msg name note number offset \
    ok order page pair period precision quota quote remaining resolution result retry size sort source start status \
    success symbol testnet ticker timezone title to took type tz unit url usage uuid version warning";
/// The first words in such names.
const FIRST_WORDS: &str = "has is ms n nb ns num page query request server us";
/// The names of objects with such facts, in lower case without separators.
const CONTAINERS: &str = "context cursor envelope error errors head header headers info link links meta metadata page \
    pageinfo pagination paging parameters params query ratelimit request response status usage";
/// The number of texts, flags and lists that a response may have next to its records without being a record.
const FEW: usize = 3;

/// The members next to a list of records that are data of their own.
#[derive(Debug)]
pub(super) struct DataBeside {
    /// The path of the records.
    list: String,
    /// The paths of the members.
    members: Vec<String>,
    /// `true` if the body is probably one object, of which the list is a field.
    pub(super) is_much: bool,
}

/// The meaning of a member next to a list of records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// A fact about the response, its request or its records.
    Fact,
    /// A text, a flag or a list, which can be either.
    Detail,
    Data,
}

impl DataBeside {
    /// The data next to the records at a path; `None` if there are none.
    pub(super) fn of(responses: &[SavedResponse], path: &str, sent: &SentValues) -> Option<Self> {
        if path.contains('*') {
            return None;
        }
        let around = Around { data: path, metadata: None }.of_all(responses);
        let mut members = Vec::new();
        let mut details = 0;
        for (member, seen) in &around.fields {
            let name = member.rsplit('.').next().unwrap_or(member);
            let meaning = meaning(name, seen, sent);
            if meaning != Meaning::Fact {
                members.push(member.clone());
            }
            details += usize::from(meaning == Meaning::Detail);
        }
        if members.is_empty() {
            return None;
        }
        let is_much = details > FEW || members.len() > details;
        Some(Self { list: path.to_owned(), members, is_much })
    }

    /// The note about a series, whose records do not have the members.
    pub(super) fn note_of_series(&self) -> String {
        let (are, them) = if self.members.len() == 1 { ("is", "it") } else { ("are", "them") };
        format!(
            "{}, next to `{}`, {are} not in the records, so the fields do not list {them}; the client has {them} in \
             `unknown_fields` of the series",
            self.names(),
            self.list
        )
    }

    /// The note about an object, of which the list is a field.
    pub(super) fn note_of_object(&self) -> String {
        let are = if self.members.len() == 1 { "is" } else { "are" };
        format!(
            "the body is one object with the list `{}`, because {}, next to it, {are} data too; for a list alone, write \
             `body: {{series: unknown, data: {}}}` and learn again",
            self.list,
            self.names(),
            self.list
        )
    }

    fn names(&self) -> String {
        let mut names = Vec::new();
        for member in &self.members {
            names.push(format!("`{member}`"));
        }
        names.join(", ")
    }
}

fn meaning(name: &str, seen: &Observed, sent: &SentValues) -> Meaning {
    if seen.objects > 0 {
        return meaning_of_objects(name, seen, sent);
    }
    if seen.values() == 0 || is_fact(name) || is_echo(seen, sent) || are_urls(seen) {
        Meaning::Fact
    } else if seen.are_numbers() {
        Meaning::Data
    } else {
        Meaning::Detail
    }
}

fn meaning_of_objects(name: &str, seen: &Observed, sent: &SentValues) -> Meaning {
    if is_among_plain(CONTAINERS, name) || seen.fields.is_empty() {
        return Meaning::Fact;
    }
    let are_facts = seen.fields.iter().all(|(name, inner)| meaning(name, inner, sent) == Meaning::Fact);
    if are_facts { Meaning::Fact } else { Meaning::Data }
}

fn are_urls(seen: &Observed) -> bool {
    seen.text_times == seen.values() && seen.texts.iter().all(|text| text.starts_with("http"))
}

/// `true` if a member with this name describes the response, its request or its records.
fn is_fact(name: &str) -> bool {
    let snake = name.to_snake_case();
    let first = snake.split('_').next().unwrap_or_default();
    let is_of_pages =
        [LINKS, MORE, NUMBERS, OFFSETS, PAGE_COUNTS, SIZES, TOTALS].iter().any(|names| is_among(names, &snake));
    let is_word = ends_in(name, FACTS) || is_among(FIRST_WORDS, first) && first != snake;
    is_word || is_of_pages || names_cursor(&snake) || is_named_like_a_time(name)
}

/// `true` if the values are those that the requests have sent.
fn is_echo(seen: &Observed, sent: &SentValues) -> bool {
    if seen.are_numbers() {
        return seen.min.total_cmp(&seen.max).is_eq() && sent.contains(&seen.max.to_string());
    }
    !seen.texts.is_empty() && seen.texts.iter().all(|text| sent.contains(text))
}

/// `true` if the records at a path have a time of their own.
pub(super) fn is_time_series(responses: &[SavedResponse], path: &str) -> bool {
    let mut all = Vec::new();
    for response in responses {
        if let Some(Value::Sequence(records)) = response.at(path) {
            all.extend(records);
        }
    }
    let records = Observed::of(all);
    let mut times = Vec::new();
    for (name, values) in &records.fields {
        if is_time_field(name, values) {
            let optional = values.values() < records.objects;
            times.push(Field { name: name.as_str().into(), ty: TIMESTAMP.into(), optional, ..Field::default() });
        }
    }
    time_index(&records).is_some() || time_of_record(&times, None).is_some()
}
