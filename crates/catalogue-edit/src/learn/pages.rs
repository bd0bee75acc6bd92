//! Learns how the pages of an endpoint follow each other, from what its responses have beside their records.

use serde_yaml::Value;

use crate::content::EntryPosition;
use crate::editor::Editor;
use crate::json_paths::{entries_of, joined};
use crate::pages::{Member, MemberContent, Recognized, line, recognize};
use crate::saved_response::SavedResponse;

/// The greatest number of keys in the path of a member that leads to the next page.
const MAX_DEPTH: usize = 3;

/// Sets the `pages` of a series whose responses and params show them, or adds a note with the line to add.
pub(super) fn propose_pages(editor: &mut Editor, at: &EntryPosition, responses: &[SavedResponse]) {
    let content = &editor.content;
    let endpoint = content.endpoint(at);
    let Some(body) = endpoint.body.known() else { return };
    if body.series.is_none() || endpoint.pages.is_some() {
        return;
    }
    let data = match (&body.data, &content.service.envelope) {
        (Some(own), _) => own.as_str(),
        (None, Some(envelope)) => envelope.data.as_str(),
        (None, None) => ".",
    };
    let members = all_members(responses, data);
    let params = content.params_of(endpoint).unwrap_or_default();
    match recognize(&params, &members) {
        None => {}
        Some(Recognized::Pages(pages)) => {
            editor.note(format!("the endpoint gets `{}`", line(&pages)));
            editor.content.endpoint_mut(at).pages = Some(*pages);
        }
        Some(Recognized::Candidate { cause, line }) => {
            editor.note(format!("there may be further pages: {cause}; if there are, add `{line}`"));
        }
    }
}

/// What any of the responses has beside its records.
fn all_members(responses: &[SavedResponse], data: &str) -> Vec<Member> {
    let mut all: Vec<Member> = Vec::new();
    for response in responses {
        let records = response.at(data).and_then(Value::as_sequence).map(Vec::len);
        let mut beside = Beside { data, records, members: Vec::new() };
        beside.read(&response.body, "", 0);
        for member in beside.members {
            match all.iter_mut().find(|known| known.path == member.path) {
                Some(known) => known.content = known.content.max(member.content),
                None => all.push(member),
            }
        }
    }
    all
}

/// The members of a response beside the records at a path.
struct Beside<'d> {
    data: &'d str,
    /// The number of records.
    records: Option<usize>,
    members: Vec<Member>,
}

impl Beside<'_> {
    /// Adds the members of an object. Of a list, only objects before its records are read, as in `[{"page": 1}, [...]]`.
    fn read(&mut self, value: &Value, path: &str, depth: usize) {
        if depth == MAX_DEPTH {
            return;
        }
        for (key, inner) in self.members_of(value, path) {
            // Such keys cannot be a part of a path.
            if key.is_empty() || key.contains(['.', '*']) {
                continue;
            }
            let path = joined(path, &key);
            if path == self.data {
                continue;
            }
            match inner {
                Value::Mapping(_) | Value::Sequence(_) => self.read(inner, &path, depth + 1),
                scalar => {
                    let content = self.content(scalar);
                    self.members.push(Member { path, content });
                }
            }
        }
    }

    /// The members of an object, or the first items of a list that contains the records.
    fn members_of<'v>(&self, value: &'v Value, path: &str) -> Vec<(String, &'v Value)> {
        let mut members = Vec::new();
        for (key, inner) in entries_of(value) {
            members.push((key.to_owned(), inner));
        }
        if let Value::Sequence(items) = value
            && self.are_records_in(path)
        {
            for (index, item) in items.iter().take(2).enumerate() {
                members.push((index.to_string(), item));
            }
        }
        members
    }

    /// `true` if the records are in the list at this path.
    fn are_records_in(&self, list: &str) -> bool {
        let mut rest = self.data;
        if !list.is_empty() {
            let Some(inner) = self.data.strip_prefix(&format!("{list}.")) else { return false };
            rest = inner;
        }
        let first = rest.split('.').next().unwrap_or_default();
        first.parse::<usize>().is_ok()
    }

    fn content(&self, scalar: &Value) -> MemberContent {
        match scalar {
            Value::Null => MemberContent::Nothing,
            Value::String(text) if text.is_empty() => MemberContent::Nothing,
            Value::String(text) if is_url(text) => MemberContent::Url,
            Value::String(text) => match text.parse::<u64>() {
                Ok(number) => self.number(Some(number)),
                Err(_) => MemberContent::Text,
            },
            Value::Number(number) => self.number(number.as_u64()),
            _ => MemberContent::Other,
        }
    }

    fn number(&self, number: Option<u64>) -> MemberContent {
        match (number, self.records) {
            (Some(number), Some(records)) if number > records as u64 => MemberContent::MoreThanThePage,
            _ => MemberContent::Number,
        }
    }
}

/// `true` if a text is the URL of a page, or its path with a query.
fn is_url(text: &str) -> bool {
    let is_path = text.starts_with('/') && text.contains('?');
    is_path || text.starts_with("https://") || text.starts_with("http://")
}
