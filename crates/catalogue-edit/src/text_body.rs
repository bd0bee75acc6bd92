//! Reads bodies in another format than JSON: CSV, and lines of JSON.

use catalogue::model::{BodyFormat, TimeForm, TimeFormat};
use runtime::record::{MAX_TITLE_LINES, as_json};
use runtime::registry::{BodyInfo, EndpointInfo, ErrorBodyInfo, Evidence, RecordInfo, RecordLayout};
use serde_yaml::Value;

use crate::exact_numbers;

/// A body as a list of records.
#[derive(Debug)]
pub(super) struct TextBody {
    pub(super) format: BodyFormat,
    /// True if lines before the rows were skipped.
    has_title: bool,
    /// The records. Every value in CSV is a text or null; without a header, a record is a list.
    pub(super) records: Value,
}

impl TextBody {
    /// Reads a body in a format that is known.
    pub(super) fn read(text: &str, format: BodyFormat) -> Result<Self, String> {
        if format == BodyFormat::Ndjson {
            let known = endpoint(BodyFormat::Ndjson, None);
            let records = json(text, &known).map_err(|why| format!("invalid lines of JSON in the body: {why}"))?;
            return Ok(Self { format, has_title: false, records });
        }
        // Services label all of these formats as CSV.
        let layout = CsvLayout::of(text);
        let records = rows(layout.rows, layout.format).map_err(|why| format!("invalid CSV in the body: {why}"))?;
        let has_title = layout.rows.len() < text.trim_start_matches(['\r', '\n']).len();
        Ok(Self { format: layout.format, has_title, records })
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
        // Prose can have two lines with one comma each.
        let columns_of_prose = if body.has_title { 2 } else { 1 };
        let has_rows = columns > columns_of_prose && !text.trim_start().starts_with('<');
        let is_found = if is_json { records.len() > 1 } else { has_rows };
        if is_found { Some(body) } else { None }
    }
}

/// The format that a content type or the end of a file's name states, if it is another one than JSON. Our own export of a
/// catalogue states the separator.
pub(super) fn stated_format(label: &str) -> Option<BodyFormat> {
    let (label, options) = label.split_once(';').unwrap_or((label, ""));
    let label = label.trim().to_ascii_lowercase();
    match label.as_str() {
        "csv" | "text/csv" | "text/x-csv" | "application/csv" => Some(match options.trim() {
            "separator=semicolons" => BodyFormat::CsvSemicolons,
            "separator=pipes" => BodyFormat::CsvPipes,
            _ => BodyFormat::Csv,
        }),
        "tsv" | "text/tab-separated-values" | "text/tsv" => Some(BodyFormat::Tsv),
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

/// The formats of rows, the most usual first.
const ROW_FORMATS: [BodyFormat; 4] =
    [BodyFormat::Csv, BodyFormat::CsvSemicolons, BodyFormat::Tsv, BodyFormat::CsvPipes];

/// The number of lines by which the format of rows is recognized.
const SAMPLE_LINES: usize = 200;

/// The format of rows, and the text without lines before them, such as a title.
struct CsvLayout<'t> {
    format: BodyFormat,
    rows: &'t str,
}

impl<'t> CsvLayout<'t> {
    /// Recognizes the format of a text: the one in which all rows have the same number of values, after as few lines as
    /// possible. A text without such rows is CSV.
    fn of(text: &'t str) -> Self {
        let text = text.trim_start_matches(['\r', '\n']);
        let mut rows = text;
        for _ in 0..=MAX_TITLE_LINES {
            let titles = &text[..text.len() - rows.len()];
            if let Some(format) = format_after(titles, rows) {
                return Self { format, rows };
            }
            let Some((_, rest)) = rows.split_once('\n') else { break };
            rows = rest.trim_start_matches(['\r', '\n']);
        }
        Self { format: ROW_FORMATS[0], rows: text }
    }
}

/// The format with the most values in a row, if all rows have as many values.
fn format_after(titles: &str, rows: &str) -> Option<BodyFormat> {
    let mut widest = None;
    let mut most = 1;
    for format in ROW_FORMATS {
        let Some(width) = common_width(first_lines(rows), format) else { continue };
        if width > most && are_titles(titles, rows, width, format) {
            most = width;
            widest = Some(format);
        }
    }
    widest
}

/// `true` if the lines before rows have much fewer values, and rows remain.
fn are_titles(titles: &str, rows: &str, width: usize, format: BodyFormat) -> bool {
    let Some(separator) = format.in_registry().separator() else { return false };
    let mut are_short = true;
    for title in titles.lines() {
        are_short &= title.split(separator).filter(|value| !value.trim().is_empty()).count() <= width / 2;
    }
    let remain = rows.trim_end().contains('\n');
    titles.is_empty() || are_short && remain
}

/// The number of values in each row, if it is the same in all rows.
fn common_width(rows: &str, format: BodyFormat) -> Option<usize> {
    let lists = json(rows, &endpoint(format, Some(&BY_POSITION))).ok()?;
    let mut width = None;
    for row in lists.as_sequence()? {
        width = Some(row.as_sequence()?.len());
    }
    width
}

/// The first lines of a text.
fn first_lines(text: &str) -> &str {
    let mut length = 0;
    for line in text.split_inclusive('\n').take(SAMPLE_LINES) {
        length += line.len();
    }
    &text[..length]
}

static BY_POSITION: RecordInfo = RecordInfo::new("", &[]).layout(RecordLayout::Positional);

/// The rows of CSV as objects, or as lists if the first row has no names.
fn rows(text: &str, format: BodyFormat) -> Result<Value, String> {
    let lists = json(text, &endpoint(format, Some(&BY_POSITION)))?;
    if has_header(&lists) {
        return json(text, &endpoint(format, None));
    }
    for row in lists.as_sequence().into_iter().flatten() {
        if let Some(text) = row.as_str() {
            return Err(format!("expected a row with as many values as the first one, found {text:?}"));
        }
    }
    Ok(lists)
}

/// `true` unless the first value of the first row is a number or a time. Later names can look like numbers, such as years.
fn has_header(rows: &Value) -> bool {
    let Some(first) = rows.get(0).and_then(|row| row.get(0)).and_then(Value::as_str) else { return true };
    let first = first.trim();
    for format in [TimeFormat::Date, TimeFormat::Iso8601] {
        if TimeForm::Written(format).is_written(first) {
            return false;
        }
    }
    exact_numbers::Number::parse(first).is_none()
}

/// An endpoint with a series in this format.
fn endpoint(format: BodyFormat, record: Option<&'static RecordInfo>) -> EndpointInfo {
    let body = BodyInfo::Series { record, time: None, evidence: Evidence::Reported };
    EndpointInfo { body, ..EndpointInfo::of("", "") }.format(format.in_registry())
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
            (
                "day;rate\n2024-01-01;1,5\n2024-01-02;1,6\n",
                Some(r#"[{"day":"2024-01-01","rate":"1,5"},{"day":"2024-01-02","rate":"1,6"}]"#),
            ),
            ("day\trate\n2024-01-01\t1\n", Some(r#"[{"day":"2024-01-01","rate":"1"}]"#)),
            ("day|rate\n2024-01-01|1\n", Some(r#"[{"day":"2024-01-01","rate":"1"}]"#)),
            (
                "Rates, 2024\n\nday,rate,more,note\n2024-01-01,1,2,x\n",
                Some(r#"[{"day":"2024-01-01","rate":"1","more":"2","note":"x"}]"#),
            ),
            ("Rates\r\nof the bank;\r\nday;rate\r\n2024-01-01;1\r\n", None),
            ("Title\nday,rate\n", None),
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
        for (text, format) in [
            ("date;close\n2024-01-01;1,5\n", BodyFormat::CsvSemicolons),
            ("a\tb\n1\t2\n", BodyFormat::Tsv),
            ("a|b\n1|2\n", BodyFormat::CsvPipes),
            ("Rates\r\nof the bank;\r\nday;rate\r\n2024-01-01;1\r\n", BodyFormat::CsvSemicolons),
            ("a,b;c\n1,2;3\n", BodyFormat::Csv),
        ] {
            let body = TextBody::read(text, BodyFormat::Csv).expect("rows");
            assert_eq!(body.format, format, "{text}");
        }
        let why = TextBody::read("{\"a\":1}\n{\"a\":", BodyFormat::Ndjson).expect_err("a cut line");
        assert_eq!(why, "invalid lines of JSON in the body: the body ends too early at line 2 column 6");
        assert_eq!(stated_format("Text/CSV; charset=utf-8"), Some(BodyFormat::Csv));
        assert_eq!(stated_format("text/csv; separator=semicolons"), Some(BodyFormat::CsvSemicolons));
        assert_eq!(stated_format("application/json"), None);
    }
}
