//! Writes a body as the text of its format: JSON, CSV or lines of JSON.

use runtime::Value;
use runtime::registry::{BodyFormat, BodyInfo, EndpointInfo, FieldSource, RecordLayout};

/// Writes the body of an endpoint.
pub(crate) fn body_text(body: &Value, endpoint: &EndpointInfo) -> String {
    let Value::Array(records) = body else { return body.to_string() };
    match (endpoint.format, endpoint.format.separator()) {
        (_, Some(separator)) => CsvText { text: String::new(), separator }.of_records(records, endpoint),
        (BodyFormat::Ndjson, _) => lines_of_json(records),
        _ => body.to_string(),
    }
}

fn lines_of_json(records: &[Value]) -> String {
    let mut text = String::new();
    for record in records {
        text += &format!("{record}\n");
    }
    text
}

/// The CSV that is being written.
struct CsvText {
    text: String,
    separator: char,
}

impl CsvText {
    fn of_records(mut self, records: &[Value], endpoint: &EndpointInfo) -> String {
        let columns = columns(records, endpoint);
        if let Some(columns) = &columns {
            self.push_row(columns.iter().cloned());
        }
        for record in records {
            match (record, &columns) {
                (Value::Array(values), _) => self.push_row(values.iter().map(cell)),
                (record, Some(columns)) => self.push_row(columns.iter().map(|name| cell(&record[name]))),
                (record, None) => self.push_row([cell(record)]),
            }
        }
        self.text
    }

    fn push_row(&mut self, cells: impl IntoIterator<Item = String>) {
        for (index, cell) in cells.into_iter().enumerate() {
            if index > 0 {
                self.text.push(self.separator);
            }
            if cell.contains(['"', self.separator, '\r', '\n']) {
                self.text += &format!("\"{}\"", cell.replace('"', "\"\""));
            } else {
                self.text += &cell;
            }
        }
        self.text.push('\n');
    }
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

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
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
