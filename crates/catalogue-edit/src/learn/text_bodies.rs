//! Bodies in another format than JSON: whether the responses and the catalogue agree about the format, and the values of CSV
//! that are not numbers, times or texts.

use std::collections::BTreeMap;

use catalogue::model::BodyFormat;
use catalogue::spec::Record;
use serde_yaml::Value;

use crate::content::{Content, EntryPosition};
use crate::drafted_type::{TIMESTAMP, has_digits, innermost};
use crate::exact_numbers::{self, Number};
use crate::observed_values::is_marker;
use crate::saved_response::SavedResponse;

/// The format of the responses of an endpoint; `None` for JSON. Fails if they contradict each other or the catalogue.
pub(super) fn format_of(
    content: &Content,
    at: &EntryPosition,
    responses: &mut [SavedResponse],
) -> Result<Option<BodyFormat>, String> {
    let Some(known) = content.endpoint(at).body.known() else { return common_format(responses) };
    let declared = known.sent_as.as_deref().copied();
    for response in responses {
        if response.format.is_some() && response.format != declared {
            let found = word(response.format);
            return Err(format!(
                "{} is `{found}`, but the catalogue declares a body in `{}`; write `as: {found}` in the body, or use another \
                 response",
                response.origin,
                word(declared)
            ));
        }
        // A single line of JSON is one value, which is one record.
        if declared == Some(BodyFormat::Ndjson) && response.body.is_mapping() {
            response.body = Value::Sequence(vec![std::mem::take(&mut response.body)]);
        }
    }
    Ok(declared)
}

/// The format of all responses.
fn common_format(responses: &[SavedResponse]) -> Result<Option<BodyFormat>, String> {
    let Some(first) = responses.first() else { return Ok(None) };
    match responses.iter().find(|response| response.format != first.format) {
        Some(other) => Err(format!(
            "{} is `{}`, but {} is `{}`; use responses in one format",
            first.origin,
            word(first.format),
            other.origin,
            word(other.format)
        )),
        None => Ok(first.format),
    }
}

fn word(format: Option<BodyFormat>) -> &'static str {
    format.map_or("json", BodyFormat::word)
}

/// Converts the texts of columns in CSV to numbers or booleans, if all of them are, as JSON would have them. Texts that stand
/// for missing values may be among numbers. A column whose type in the catalogue is text is not converted.
pub(super) fn read_values(content: &Content, at: &EntryPosition, responses: &mut [SavedResponse]) {
    let known = content.body_record(&at.module, content.endpoint(at));
    let mut columns: BTreeMap<String, Column> = BTreeMap::new();
    for record in records(responses) {
        for (name, value) in cells(record) {
            if let Some(text) = value.as_str() {
                columns.entry(name).or_default().add(text);
            }
        }
    }
    columns.retain(|name, _| !is_text(known.as_ref(), name));
    for record in records(responses) {
        for (name, value) in cells(record) {
            if let Some(converted) = columns.get(&name).and_then(|column| column.converted(value.as_str()?)) {
                *value = converted;
            }
        }
    }
}

/// The values of a column of CSV.
#[derive(Default)]
struct Column {
    numbers: usize,
    booleans: usize,
    /// Texts that may stand for a missing value.
    markers: usize,
    texts: usize,
}

impl Column {
    fn add(&mut self, text: &str) {
        if number(text).is_some() {
            self.numbers += 1;
        } else if boolean(text).is_some() {
            self.booleans += 1;
        } else if is_marker(text.trim()) {
            self.markers += 1;
        } else {
            self.texts += 1;
        }
    }

    /// The value of a text of this column, if the column is not one of texts.
    fn converted(&self, text: &str) -> Option<Value> {
        match (self.numbers, self.booleans) {
            (1.., 0) if self.texts == 0 => number(text).or_else(|| Some(text.trim().into())),
            (0, 1..) if self.texts + self.markers == 0 => boolean(text).map(Value::Bool),
            _ => None,
        }
    }
}

/// The records of the responses in CSV.
fn records(responses: &mut [SavedResponse]) -> Vec<&mut Value> {
    let mut all = Vec::new();
    for response in responses {
        let is_csv = !matches!(response.format, None | Some(BodyFormat::Ndjson));
        if is_csv && let Some(records) = response.body.as_sequence_mut() {
            all.extend(records);
        }
    }
    all
}

/// The values of a record with the names or the positions of their columns.
fn cells(record: &mut Value) -> Vec<(String, &mut Value)> {
    let mut cells = Vec::new();
    match record {
        Value::Mapping(members) => {
            for (key, value) in members {
                cells.push((key.as_str().unwrap_or_default().to_owned(), value));
            }
        }
        Value::Sequence(values) => {
            for (index, value) in values.iter_mut().enumerate() {
                cells.push((index.to_string(), value));
            }
        }
        _ => {}
    }
    cells
}

fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    Number::parse(text)?;
    exact_numbers::parse(text).ok()
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// `true` if the catalogue declares a type for a column that is neither a number, a timestamp nor a boolean.
fn is_text(known: Option<&Record>, column: &str) -> bool {
    let Some(record) = known else { return false };
    let field = match column.parse::<usize>() {
        Ok(index) if record.positional => record.fields.get(index),
        _ => record.fields.iter().find(|field| *field.name == *column),
    };
    let Some(field) = field else { return false };
    let ty = innermost(&field.ty);
    !has_digits(ty) && !matches!(ty, TIMESTAMP | "boolean")
}
