//! The scalars in a body that can be a status, a code or the message of an error.

use catalogue::spec::Text;
use serde_yaml::Value;

use crate::json_paths::{entries_of, joined};
use crate::word_lists::is_among_plain;

/// The names of members that contain a status code, in lower case without underscores.
pub(super) const CODES: &str = "code errcode errno errorcode resultcode retcode statuscode";
/// The names of members that contain the message of an error, in lower case without underscores.
pub(super) const MESSAGES: &str = "err errmsg error errormessage errors message msg retmsg";
/// The names of members whose word is the status of a response, in lower case without separators.
const STATUSES: &str = "ok response result resultstatus s stat state status success";
/// The names of objects at the top of a body that have its status. A status elsewhere is usually one of a record.
pub(super) const CONTAINERS: &str = "envelope head header info meta metadata response status";
/// Words that mean success.
pub(super) const SUCCESSES: &str = "ok okay requestsucceeded succeeded success successful true";
/// Words that mean failure.
pub(super) const FAILURES: &str = "bad badrequest denied err error fail failed failure false invalid nok notok \
    requestfailed requestnotprocessed requestfailedinvalidparameters unauthorized";
/// Words that mean that there are no records.
pub(super) const WITHOUT_DATA: &str = "empty nodata norecords noresults";
/// The names of further members that contain the message of an error.
const DETAILS: &str = "description detail errordescription information note reason title";

/// The greatest depth of a status or a message in a body.
const MAX_DEPTH: usize = 4;

/// A scalar in a body, with its JSON path.
pub(super) struct Leaf<'v> {
    pub(super) path: String,
    name: String,
    pub(super) value: &'v Value,
}

/// A list or an object in a body, with its JSON path.
struct Inner<'v> {
    path: String,
    value: &'v Value,
}

impl Leaf<'_> {
    /// `true` if the value is a status, and one of several words.
    pub(super) fn is_status_among(&self, words: &str) -> bool {
        self.is_status() && written(self.value).is_some_and(|word| is_among_plain(words, &plain(&word)))
    }

    fn is_status(&self) -> bool {
        let is_in_place = match self.path.rsplit_once('.') {
            Some((around, _)) => is_among_plain(CONTAINERS, around),
            None => true,
        };
        is_in_place && is_among_plain(STATUSES, &self.name)
    }

    /// `true` if the value is a text for users that explains an error.
    pub(super) fn is_message(&self) -> bool {
        self.message_rank().is_some()
    }

    /// The rank of a text that explains an error among those of one object; the smallest is the best.
    fn message_rank(&self) -> Option<u8> {
        if self.value.as_str().is_none_or(str::is_empty) {
            return None;
        }
        let path = self.path.to_lowercase();
        let is_in_message = path.contains("message") || path.contains("error");
        if is_among_plain(MESSAGES, &self.name) {
            Some(0)
        } else if is_among_plain(DETAILS, &self.name) {
            Some(1)
        } else if is_in_message && is_among_plain("text value", &self.name) {
            // An error can have a wrong `value` too.
            Some(2)
        } else {
            None
        }
    }

    /// The path of the object or list that contains the value.
    fn container(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(container, _)| container)
    }

    pub(super) fn is_code(&self) -> bool {
        written(self.value).is_some() && is_among_plain(CODES, &self.name)
    }
}

/// A word in lower case, without anything but letters and digits.
fn plain(word: &str) -> String {
    let mut plain = String::new();
    for letter in word.chars() {
        if letter.is_alphanumeric() {
            plain.extend(letter.to_lowercase());
        }
    }
    plain
}

/// A status as the catalogue writes it.
pub(super) fn written(status: &Value) -> Option<String> {
    match status {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Sequence(items) if items.is_empty() => Some("[]".to_owned()),
        _ => None,
    }
}

/// The text that explains an error: the best in the first object that has one.
pub(super) fn message_among<'l, 'v>(leaves: &'l [Leaf<'v>]) -> Option<&'l Leaf<'v>> {
    let first = leaves.iter().find(|leaf| leaf.is_message())?;
    let of_object = leaves.iter().filter(|leaf| leaf.is_message() && leaf.container() == first.container());
    of_object.min_by_key(|leaf| leaf.message_rank())
}

/// The scalars of a body, those at its top first. Of a list, only the first item is read.
pub(super) fn leaves(body: &Value) -> Vec<Leaf<'_>> {
    let mut found = Vec::new();
    let mut level = vec![Inner { path: String::new(), value: body }];
    for _ in 0..MAX_DEPTH {
        let mut deeper = Vec::new();
        for Inner { path, value } in level {
            for (name, inner) in members(value) {
                if name.contains('.') || name == "*" {
                    continue;
                }
                let path = joined(&path, name);
                let name = name.to_owned();
                match inner {
                    Value::Sequence(items) if items.first().is_some_and(Value::is_string) => {
                        found.push(Leaf { path, name, value: &items[0] });
                    }
                    Value::Mapping(_) | Value::Sequence(_) => deeper.push(Inner { path, value: inner }),
                    scalar => found.push(Leaf { path, name, value: scalar }),
                }
            }
        }
        level = deeper;
    }
    found
}

/// The members of an object, or the first item of a list.
fn members(value: &Value) -> Vec<(&str, &Value)> {
    let Value::Sequence(items) = value else { return entries_of(value) };
    match items.first() {
        Some(first) => vec![("0", first)],
        None => Vec::new(),
    }
}

/// Adds a word to a list, unless it is there.
pub(super) fn add_word(words: &mut Vec<Text>, word: String) {
    if words.iter().all(|known| **known != word) {
        words.push(word.into());
    }
}
