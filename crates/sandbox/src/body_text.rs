//! Writes a body as the text of its format: JSON, CSV or lines of JSON.

use runtime::Value;
use runtime::registry::{BodyFormat, BodyInfo, EndpointInfo, FieldSource, RecordLayout};

/// Writes the body of an endpoint.
pub(crate) fn body_text(body: &Value, endpoint: &EndpointInfo) -> String {
    match (endpoint.format, body) {
        (BodyFormat::Csv, Value::Array(records)) => csv(records, endpoint),
        (BodyFormat::Ndjson, Value::Array(records)) => lines_of_json(records),
        (_, body) => body.to_string(),
    }
}

fn lines_of_json(records: &[Value]) -> String {
    let mut text = String::new();
    for record in records {
        text += &format!("{record}\n");
    }
    text
}

fn csv(records: &[Value], endpoint: &EndpointInfo) -> String {
    let mut text = String::new();
    let columns = columns(records, endpoint);
    if let Some(columns) = &columns {
        push_row(&mut text, columns.iter().map(|name| in_quotes_if_needed(name)));
    }
    for record in records {
        match (record, &columns) {
            (Value::Array(values), _) => push_row(&mut text, values.iter().map(cell)),
            (record, Some(columns)) => push_row(&mut text, columns.iter().map(|name| cell(&record[name]))),
            (record, None) => push_row(&mut text, [cell(record)]),
        }
    }
    text
}

/// The names of the columns: the fields, and the other members of the records; `None` for records without names.
fn columns(records: &[Value], endpoint: &EndpointInfo) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    if let BodyInfo::Series { record: Some(record), .. } = endpoint.body {
        if record.layout == RecordLayout::Positional {
            return None;
        }
        for field in record.fields {
            if field.source == FieldSource::Record {
                names.push(field.wire_name.to_owned());
            }
        }
    }
    for record in records {
        for name in record.as_object().into_iter().flat_map(|members| members.keys()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Some(names)
}

fn push_row(text: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    *text += &cells.join(",");
    text.push('\n');
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => in_quotes_if_needed(text),
        other => in_quotes_if_needed(&other.to_string()),
    }
}

fn in_quotes_if_needed(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runtime::registry::{Evidence, FieldInfo, RecordInfo, ValueType};
    use serde_json::json;

    const FIELDS: [FieldInfo; 2] = [
        FieldInfo::new("day", "day", ValueType::String, Evidence::Documented),
        FieldInfo::new("rate", "rate, %", ValueType::Number, Evidence::Reported),
    ];
    const RECORD: RecordInfo = RecordInfo::new("Rate", &FIELDS);

    fn endpoint(format: BodyFormat, record: &'static RecordInfo) -> EndpointInfo {
        let body = BodyInfo::Series { record: Some(record), time: None, evidence: Evidence::Documented };
        EndpointInfo { body, ..EndpointInfo::of("market", "rates") }.format(format)
    }

    #[test]
    fn records_become_rows_or_lines() {
        const BY_POSITION: RecordInfo = RecordInfo { layout: RecordLayout::Positional, ..RECORD };
        let records = json!([{"day": "a \"b\"", "rate, %": 1.50, "more": true}, {"day": null}]);
        let csv = body_text(&records, &endpoint(BodyFormat::Csv, &RECORD));
        assert_eq!(csv, "day,\"rate, %\",more\n\"a \"\"b\"\"\",1.5,true\n,,\n");
        let lines = body_text(&json!([{"day": "a"}, {"day": "b"}]), &endpoint(BodyFormat::Ndjson, &RECORD));
        assert_eq!(lines, "{\"day\":\"a\"}\n{\"day\":\"b\"}\n");
        assert_eq!(body_text(&json!([]), &endpoint(BodyFormat::Csv, &RECORD)), "day,\"rate, %\"\n");
        let positional = body_text(&json!([["a", 1], ["b", null]]), &endpoint(BodyFormat::Csv, &BY_POSITION));
        assert_eq!(positional, "a,1\nb,\n");
    }
}
