//! Finds the fields that distinguish records of one time, such as those of several markets.

use std::collections::{BTreeMap, BTreeSet};

use serde_yaml::Value;

use crate::content::At;
use crate::editor::Editor;
use crate::saved_response::SavedResponse;

/// The greatest number of fields in a proposed key.
const MAX_FIELDS: usize = 3;

/// The greatest number of fields whose combinations are tried.
const MAX_CANDIDATES: usize = 8;

/// Adds a note with the `key` of a series whose responses have different records of one time. Some responses show by
/// chance what others do not, so the author decides.
pub(super) fn note_key(editor: &mut Editor, at: &At, responses: &[SavedResponse]) {
    let endpoint = editor.endpoint(at);
    let Some(body) = endpoint.body.known().filter(|body| body.key.is_empty() && body.labels.is_empty()) else { return };
    let Some(record) = editor.body_record(&at.module, endpoint).filter(|_| body.series.is_some()) else { return };
    let shared = editor.service.envelope.as_ref();
    let data = body.data.as_deref().cloned().or(shared.map(|envelope| envelope.data.clone()));
    let time = body
        .time
        .as_ref()
        .map(ToString::to_string)
        .or(editor.service.envelope_time().map(|time| time.name.to_string()));
    let Some(time) = time.filter(|time| time != "none") else { return };
    let names = record.fields.iter().filter(|field| *field.ty == "string").map(|field| field.name.as_str());
    let names: Vec<_> = names.filter(|name| *name != time).take(MAX_CANDIDATES).collect();
    let pages: Vec<_> = responses.iter().filter_map(|response| records_of(response, data.as_deref())).collect();
    let has_equal_times = pages.iter().any(|records| !are_distinct(records, &time, &[]));
    if !has_equal_times {
        return;
    }
    let is_key = |fields: &&Vec<&str>| pages.iter().all(|records| are_distinct(records, &time, fields));
    let found = combinations(&names).iter().find(is_key).map(|fields| fields.join(", "));
    editor.note(match found {
        Some(fields) => format!(
            "several records have the same time; if `key: [{fields}]` distinguishes them in all responses, add it to \
             the body"
        ),
        None => "several records have the same time; if some of their fields distinguish them, add a `key` to the body"
            .to_owned(),
    });
}

fn records_of<'r>(response: &'r SavedResponse, data: Option<&str>) -> Option<&'r Vec<Value>> {
    let records = response.at(data.unwrap_or("."))?.as_sequence()?;
    Some(records).filter(|records| records.iter().all(Value::is_mapping))
}

/// Returns whether no two different records of one time have the same values in all of these fields.
fn are_distinct(records: &[Value], time: &str, fields: &[&str]) -> bool {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in records {
        let Some(at) = record.get(time).filter(|at| !at.is_null()) else { continue };
        let mut identity = vec![Some(at)];
        identity.extend(fields.iter().map(|field| record.get(*field)));
        let of_identity = seen.entry(format!("{identity:?}")).or_default();
        of_identity.insert(format!("{record:?}"));
        if of_identity.len() > 1 {
            return false;
        }
    }
    true
}

/// Returns the combinations of names, those of fewer names first.
fn combinations<'n>(names: &[&'n str]) -> Vec<Vec<&'n str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut begin = 0;
    for _ in 0..MAX_FIELDS {
        let end = all.len();
        for index in begin..end {
            let last = all[index].last().and_then(|last| names.iter().position(|name| name == last));
            for name in &names[last.map_or(0, |last| last + 1)..] {
                all.push([all[index].as_slice(), &[name]].concat());
            }
        }
        begin = end;
    }
    all.remove(0);
    all
}
