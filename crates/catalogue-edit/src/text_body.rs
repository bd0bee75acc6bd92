//! Reads bodies in another format than JSON: CSV, and lines of JSON.

use catalogue::model::{BodyFormat, TimeForm, TimeFormat};
use runtime::record::as_json;
use runtime::registry::{self, BodyInfo, EndpointInfo, ErrorBodyInfo, Evidence, RecordInfo, RecordLayout};
use serde_yaml::Value;

use crate::exact_numbers;

/// A body as a list of records.
#[derive(Debug)]
pub(super) struct TextBody {
    pub(super) format: BodyFormat,
    /// The records. Every value in CSV is a text or null; without a header, a record is a list.
    pub(super) records: Value,
}

impl TextBody {
    /// Reads a body in a format that is known.
    pub(super) fn read(text: &str, format: BodyFormat) -> Result<Self, String> {
        let records = match format {
            BodyFormat::Csv => rows(text)?,
            BodyFormat::Ndjson => {
                let known = endpoint(registry::BodyFormat::Ndjson, None);
                json(text, &known).map_err(|why| format!("invalid lines of JSON in the body: {why}"))?
            }
        };
        Ok(Self { format, records })
    }

    /// Reads a body that is not JSON and whose format is not stated; `None` if it is in no such format. Lines of JSON have at
    /// least two records, and CSV has at least two columns and a record.
    pub(super) fn recognized(text: &str) -> Option<Self> {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let body = Self::read(text, if is_json { BodyFormat::Ndjson } else { BodyFormat::Csv }).ok()?;
        let records = body.records.as_sequence()?;
        let columns = match records.first()? {
            Value::Mapping(members) => members.len(),
            Value::Sequence(values) => values.len(),
            _ => 0,
        };
        let is_found = if is_json { records.len() > 1 } else { columns > 1 && !text.trim_start().starts_with('<') };
        if is_found { Some(body) } else { None }
    }
}

/// The format that a content type or the end of a file's name states, if it is another one than JSON.
pub(super) fn stated_format(label: &str) -> Option<BodyFormat> {
    let label = label.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match label.as_str() {
        "csv" | "text/csv" | "text/x-csv" | "application/csv" => Some(BodyFormat::Csv),
        "ndjson"
        | "jsonl"
        | "application/ndjson"
        | "application/x-ndjson"
        | "application/jsonl"
        | "application/x-jsonl"
        | "application/jsonlines"
        | "application/x-jsonlines"
        | "application/json-lines" => Some(BodyFormat::Ndjson),
        _ => None,
    }
}

/// The rows of CSV as objects, or as lists if the first row has no names.
fn rows(text: &str) -> Result<Value, String> {
    static BY_POSITION: RecordInfo = RecordInfo::new("", &[]).layout(RecordLayout::Positional);
    let invalid = |why: String| format!("invalid CSV in the body: {why}");
    if let Some(separators) = other_separators(text) {
        return Err(invalid(format!(
            "the values are separated by {separators}, but the client reads commas; write `body: unknown`, and use the text \
             of the response"
        )));
    }
    let lists = json(text, &endpoint(registry::BodyFormat::Csv, Some(&BY_POSITION))).map_err(invalid)?;
    if has_header(&lists) {
        return json(text, &endpoint(registry::BodyFormat::Csv, None)).map_err(invalid);
    }
    for row in lists.as_sequence().into_iter().flatten() {
        if let Some(text) = row.as_str() {
            return Err(invalid(format!("expected a row with as many values as the first one, found {text:?}")));
        }
    }
    Ok(lists)
}

/// What separates the values of the first line, if that is not commas.
fn other_separators(text: &str) -> Option<&'static str> {
    let first = text.trim_start_matches(['\r', '\n']).lines().next()?;
    if first.contains(',') {
        return None;
    }
    let separators = [(';', "semicolons"), ('\t', "tabs"), ('|', "vertical bars")];
    let (_, name) = separators.into_iter().find(|(separator, _)| first.contains(*separator))?;
    Some(name)
}

/// `true` unless the first value of the first row is a number or a time. Later names can look like numbers, such as years.
fn has_header(rows: &Value) -> bool {
    let Some(first) = rows.get(0).and_then(|row| row.get(0)).and_then(Value::as_str) else { return true };
    let is_time = [TimeFormat::Date, TimeFormat::Iso8601]
        .into_iter()
        .any(|format| TimeForm::Written(format).is_written(first.trim()));
    !is_time && exact_numbers::Number::parse(first.trim()).is_none()
}

/// An endpoint with a series in this format.
fn endpoint(format: registry::BodyFormat, record: Option<&'static RecordInfo>) -> EndpointInfo {
    let body = BodyInfo::Series { record, time: None, evidence: Evidence::Reported };
    EndpointInfo { body, ..EndpointInfo::of("", "") }.format(format)
}

/// Converts a text to JSON, as the client does.
fn json(text: &str, endpoint: &EndpointInfo) -> Result<Value, String> {
    let json = as_json(text, endpoint, &ErrorBodyInfo::new(&[])).map_err(|error| error.to_string())?;
    exact_numbers::parse(&json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_recognized_by_its_content() {
        for (text, expected) in [
            ("day,rate\n2024-01-01,1.50\n", Some(r#"[{"day":"2024-01-01","rate":"1.50"}]"#)),
            ("2024-01-01,1.50\n2024-01-02,\n", Some(r#"[["2024-01-01","1.50"],["2024-01-02",null]]"#)),
            ("country,2023,2024\nA,1,2\n", Some(r#"[{"country":"A","2023":"1","2024":"2"}]"#)),
            ("{\"a\":1}\n{\"a\":2}\n", Some(r#"[{"a":1},{"a":2}]"#)),
            ("day,rate\n", None),
            ("day\n2024-01-01\n", None),
            ("day,rate\n2024-01-01\n", None),
            ("{\"a\":1}\n{\"a\":", None),
            ("<a>,b\n1,2\n", None),
            ("Sorry, no data", None),
            ("", None),
        ] {
            let found = TextBody::recognized(text).map(|body| serde_json::to_string(&body.records).expect("JSON"));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn stated_format_needs_fewer_records() {
        let read = |text, format| TextBody::read(text, format).map(|body| serde_json::to_string(&body.records));
        let csv = read("<DAY>\n2024-01-01\n", BodyFormat::Csv).expect("CSV").expect("JSON");
        assert_eq!(csv, r#"[{"<DAY>":"2024-01-01"}]"#);
        let why = TextBody::read("a,b\n1,2\n3\n", BodyFormat::Csv).expect_err("a short row");
        assert_eq!(why, "invalid CSV in the body: expected a row of 2 values, found \"3\" at line 3 column 1");
        for (text, separators) in [("date;close\n2024-01-01;1,5\n", "semicolons"), ("a\tb\n1\t2\n", "tabs")] {
            let why = TextBody::read(text, BodyFormat::Csv).expect_err("another separator");
            assert!(why.contains(&format!("separated by {separators}, but the client reads commas")), "{why}");
        }
        let why = TextBody::read("{\"a\":1}\n{\"a\":", BodyFormat::Ndjson).expect_err("a cut line");
        assert_eq!(why, "invalid lines of JSON in the body: the body ends too early at line 2 column 6");
        assert_eq!(stated_format("Text/CSV; charset=utf-8"), Some(BodyFormat::Csv));
        assert_eq!(stated_format("application/json"), None);
    }
}
