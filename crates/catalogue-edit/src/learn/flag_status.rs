//! Recognizes a status that is 1 in bodies with data and 0 in the others, as in `{"status": "1", "message": "OK", "result":
//! [...]}` and `{"status": "0", "message": "NOTOK", "result": "Rate limit reached"}`.

use std::collections::BTreeSet;

use catalogue::spec::{ErrorBody, Text};
use serde_yaml::Value;

use super::error_leaves::{MESSAGES, add_word, written};
use super::error_signs::has_items;
use crate::json_paths::{entries_of, is_list_or_object};
use crate::saved_response::SavedResponse;
use crate::word_lists::is_among_plain;

/// The names of members with such a status, in lower case without separators.
const NAMES: &str = "ok s stat status success";
/// The status of a response with data.
const GOOD: &str = "1";
/// The status of an error, and of a response without data.
const FAILED: &str = "0";

/// The name of the member with such a status, if some of the responses have either value.
pub(super) fn name_of_status(responses: &[SavedResponse]) -> Option<String> {
    let first = responses.first()?;
    for (name, _) in entries_of(&first.body) {
        if is_among_plain(NAMES, name) && !name.contains('.') && is_status(name, responses) {
            return Some(name.to_owned());
        }
    }
    None
}

/// `true` if a member is 1 where the body has an object or a list with items, and 0 where it has a text instead.
fn is_status(name: &str, responses: &[SavedResponse]) -> bool {
    let mut has_good = false;
    let mut has_failed = false;
    for response in responses {
        match (value_of(name, response).as_deref(), has_data(&response.body)) {
            (Some(GOOD), true) => has_good = true,
            (Some(FAILED), false) if has_message(response, responses) => has_failed = true,
            _ => return false,
        }
    }
    has_good && has_failed
}

/// `true` if a response has the status of an error.
pub(super) fn is_failed(name: &str, response: &SavedResponse) -> bool {
    value_of(name, response).as_deref() == Some(FAILED)
}

/// `true` if a response has a message, or a text where another response has its data.
fn has_message(failed: &SavedResponse, responses: &[SavedResponse]) -> bool {
    for (name, value) in entries_of(&failed.body) {
        let is_message = is_among_plain(MESSAGES, name);
        let is_data = responses.iter().any(|response| response.body.get(name).is_some_and(is_list_or_object));
        if value.is_string() && (is_message || is_data) {
            return true;
        }
    }
    false
}

fn value_of(name: &str, response: &SavedResponse) -> Option<String> {
    response.body.get(name).and_then(written)
}

/// `true` if a body has a list with items or an object with members.
fn has_data(body: &Value) -> bool {
    entries_of(body).into_iter().any(|(_, value)| has_items(value))
}

/// The `error_body` of a service with such a status. If responses without data differ from errors by their message, the
/// message is the status.
pub(super) fn error_body(data: &[SavedResponse], failed: &[SavedResponse]) -> Option<ErrorBody> {
    let status = status_of(data, failed)?;
    let Some(message) = name_of_message(failed) else {
        return Some(ErrorBody { message: vec![status], success: vec![GOOD.into()], ..ErrorBody::default() });
    };
    let messages = Messages::read(&message, data, failed);
    if messages.tell_responses_apart() {
        return Some(ErrorBody {
            message: vec![message],
            success: texts(messages.of_data),
            no_data: texts(messages.without_data),
            ..ErrorBody::default()
        });
    }
    Some(ErrorBody { message: vec![message], code: vec![status], success: vec![GOOD.into()], ..ErrorBody::default() })
}

/// The messages of the responses of each kind.
#[derive(Default)]
struct Messages {
    of_data: BTreeSet<String>,
    without_data: BTreeSet<String>,
    of_errors: BTreeSet<String>,
}

impl Messages {
    fn read(name: &str, data: &[SavedResponse], failed: &[SavedResponse]) -> Self {
        let mut messages = Self::default();
        for response in data {
            messages.of_data.extend(message_of(name, response));
        }
        for response in failed {
            let kind = if is_without_data(response) { &mut messages.without_data } else { &mut messages.of_errors };
            kind.extend(message_of(name, response));
        }
        messages
    }

    /// `true` if the message shows whether a response has data, no data or an error.
    fn tell_responses_apart(&self) -> bool {
        let are_known = !self.of_data.is_empty() && !self.without_data.is_empty();
        let is_data_apart = self.of_data.is_disjoint(&self.without_data) && self.of_data.is_disjoint(&self.of_errors);
        are_known && is_data_apart && self.without_data.is_disjoint(&self.of_errors)
    }
}

/// Adds the messages of responses without data to an `error_body` whose status is the message.
pub(super) fn add_messages_without_data(known: &mut ErrorBody, failed: &[SavedResponse]) {
    let [message] = known.message.as_slice() else { return };
    if known.no_data.is_empty() || !known.code.is_empty() {
        return;
    }
    let mut words = BTreeSet::new();
    for response in failed {
        if is_flagged(response) && is_without_data(response) {
            words.extend(message_of(message, response));
        }
    }
    for word in words {
        add_word(&mut known.no_data, word);
    }
}

/// `true` if a member of a response has the status of an error.
fn is_flagged(response: &SavedResponse) -> bool {
    entries_of(&response.body).into_iter().any(|(name, _)| is_among_plain(NAMES, name) && is_failed(name, response))
}

/// The name of the status, by responses that are already told apart.
fn status_of(data: &[SavedResponse], failed: &[SavedResponse]) -> Option<String> {
    for (name, _) in entries_of(&data.first()?.body) {
        let are_good = data.iter().all(|response| value_of(name, response).as_deref() == Some(GOOD));
        let are_failed = failed.iter().all(|response| is_failed(name, response));
        if is_among_plain(NAMES, name) && !name.contains('.') && are_good && are_failed && !failed.is_empty() {
            return Some(name.to_owned());
        }
    }
    None
}

/// The name of the member with a message that all failed responses have.
fn name_of_message(failed: &[SavedResponse]) -> Option<String> {
    for (name, _) in entries_of(&failed.first()?.body) {
        let are_texts = failed.iter().all(|response| response.body.get(name).is_some_and(Value::is_string));
        if is_among_plain(MESSAGES, name) && !name.contains('.') && are_texts {
            return Some(name.to_owned());
        }
    }
    None
}

fn message_of(name: &str, response: &SavedResponse) -> Option<String> {
    Some(response.body.get(name)?.as_str()?.to_owned())
}

fn texts(words: BTreeSet<String>) -> Vec<Text> {
    let mut texts = Vec::new();
    for word in words {
        texts.push(word.into());
    }
    texts
}

/// `true` if a response has an empty list in the place of its records.
fn is_without_data(response: &SavedResponse) -> bool {
    entries_of(&response.body).into_iter().any(|(_, value)| value.is_sequence())
}
