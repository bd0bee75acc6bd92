//! The texts that all records of a response have in common: a service often repeats the params of a request in them.

use serde_json::Value;

use super::entry::Entry;

/// Members of a response that have the same text wherever they occur.
pub(super) struct RepeatedValues {
    members: Vec<Member>,
}

struct Member {
    name: String,
    /// `None` if the member has several values.
    text: Option<String>,
}

impl RepeatedValues {
    pub(super) fn of(entry: &Entry) -> Self {
        let mut all = Self { members: Vec::new() };
        all.add(&entry.body());
        all
    }

    /// The name of the member whose text is equal to a segment of the path, apart from upper and lower case.
    pub(super) fn member(&self, segment: &str) -> Option<&str> {
        for member in &self.members {
            if let Some(text) = &member.text
                && text.eq_ignore_ascii_case(segment)
            {
                return Some(&member.name);
            }
        }
        None
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) => self.note(name, text),
                        other => self.add(other),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.add(item);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, name: &str, text: &str) {
        let Some(known) = self.members.iter_mut().find(|member| member.name == name) else {
            self.members.push(Member { name: name.to_owned(), text: Some(text.to_owned()) });
            return;
        };
        if known.text.as_deref() != Some(text) {
            known.text = None;
        }
    }
}
