//! Finds the fields that distinguish records of one time, such as those of several markets.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::spec::Field;
use heck::ToSnakeCase;
use serde_yaml::{Mapping, Value};

use crate::content::{Content, EntryPosition};
use crate::drafted_type::is_number;
use crate::editor::Editor;
use crate::saved_response::SavedResponse;
use crate::word_lists::is_among;

/// The last words in the names of ids.
const IDS: &str = "id seq sequence tid trade uid uuid";

/// The greatest number of fields in a proposed key.
const MAX_FIELDS: usize = 3;

/// The greatest number of fields whose combinations are tried.
const MAX_CANDIDATES: usize = 8;

/// Adds a note with the `key` of a series whose responses have different records of one time. Some responses show by
/// chance what others do not, so the author decides.
pub(super) fn note_key(editor: &mut Editor, at: &EntryPosition, responses: &[SavedResponse]) {
    let Some(series) = Series::of(&editor.content, at) else { return };
    let pages = series.pages(responses);
    let has_equal_times = pages.iter().any(|records| !are_distinct(records, &series.time, &[]));
    if !has_equal_times {
        return;
    }
    let names = series.label_names();
    let key = combinations(&names)
        .into_iter()
        .find(|fields| pages.iter().all(|records| are_distinct(records, &series.time, fields)));
    editor.note(match key {
        Some(fields) => format!(
            "several records have the same time; if `key: [{}]` distinguishes them in all responses, add it to the \
             body",
            fields.join(", ")
        ),
        None => "several records have the same time; if some of their fields distinguish them, add a `key` to the body"
            .to_owned(),
    });
}

/// A series of an endpoint that has no key yet.
struct Series {
    /// The path of the records.
    data: String,
    /// The name of the time field.
    time: String,
    fields: Vec<Field>,
}

impl Series {
    fn of(content: &Content, at: &EntryPosition) -> Option<Self> {
        let endpoint = content.endpoint(at);
        let body = endpoint.body.known()?;
        if body.series.is_none() || !body.key.is_empty() || !body.labels.is_empty() {
            return None;
        }
        let envelope = content.service.envelope.as_ref();
        let data = match (body.data_path(), envelope) {
            (Some(own), _) => own.to_owned(),
            (None, Some(envelope)) => envelope.data.clone(),
            (None, None) => ".".to_owned(),
        };
        let time = match &body.time {
            Some(own) => own.to_string(),
            None => content.service.envelope_time()?.name.to_string(),
        };
        if time == "none" {
            return None;
        }
        let fields = content.body_record(&at.module, endpoint)?.fields;
        Some(Self { data, time, fields })
    }

    /// The records of each response, as objects.
    fn pages(&self, responses: &[SavedResponse]) -> Vec<Vec<Value>> {
        let mut pages = Vec::new();
        for response in responses {
            let Some(Value::Sequence(records)) = response.at(&self.data) else { continue };
            let records: Option<Vec<_>> = records.iter().map(|record| self.object(record)).collect();
            pages.extend(records);
        }
        pages
    }

    /// A record as an object; a list has its values in the order of the fields.
    fn object(&self, record: &Value) -> Option<Value> {
        let Value::Sequence(values) = record else { return record.is_mapping().then(|| record.clone()) };
        let mut object = Mapping::new();
        for (field, value) in self.fields.iter().zip(values) {
            object.insert(field.name.as_str().into(), value.clone());
        }
        Some(Value::Mapping(object))
    }

    /// The names of the fields that may be a part of a key, those of ids first.
    fn label_names(&self) -> Vec<&str> {
        let mut ids = Vec::new();
        let mut names = Vec::new();
        for field in self.fields.iter().filter(|field| *field.name != self.time) {
            let is_text = *field.ty == "string";
            if is_named_like_an_id(&field.name) && (is_text || is_number(&field.ty)) {
                ids.push(field.name.as_str());
            } else if is_text {
                names.push(field.name.as_str());
            }
        }
        ids.extend(names);
        ids.truncate(MAX_CANDIDATES);
        ids
    }
}

/// `true` if a name is that of a number of a record, such as `trade_id`.
fn is_named_like_an_id(name: &str) -> bool {
    name.to_snake_case().split('_').next_back().is_some_and(|word| is_among(IDS, word))
}

/// `true` if no two different records of one time have the same values in all of these fields.
fn are_distinct(records: &[Value], time: &str, fields: &[&str]) -> bool {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in records {
        let Some(time) = record.get(time) else { continue };
        if time.is_null() {
            continue;
        }
        let mut identity = vec![Some(time)];
        for field in fields {
            identity.push(record.get(*field));
        }
        let of_identity = seen.entry(format!("{identity:?}")).or_default();
        of_identity.insert(format!("{record:?}"));
        if of_identity.len() > 1 {
            return false;
        }
    }
    true
}

/// The combinations of names, those of fewer names first.
fn combinations<'n>(names: &[&'n str]) -> Vec<Vec<&'n str>> {
    let mut all = Vec::new();
    // The combinations of the last length, each with the position after its last name.
    let mut shorter: Vec<(Vec<&str>, usize)> = vec![(Vec::new(), 0)];
    for _ in 0..MAX_FIELDS {
        let mut longer = Vec::new();
        for (combination, next) in &shorter {
            for (index, name) in names.iter().enumerate().skip(*next) {
                let mut extended = combination.clone();
                extended.push(*name);
                all.push(extended.clone());
                longer.push((extended, index + 1));
            }
        }
        shorter = longer;
    }
    all
}
