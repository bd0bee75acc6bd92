//! Converts the text of a body that is CSV or lines of JSON to a JSON list of its records.
//!
//! Everything behind this module reads JSON, so records, invalid records and their indices mean the same in every
//! format. A row or a line that is not a record becomes a string with its text, which the decoder reports as an invalid
//! record. If it is the last one and has no line end, the body ends too early, as JSON can.

use std::borrow::Cow;
use std::collections::HashSet;

use super::csv::{CsvRow, Rows};
use super::error::{DecodeError, ENDS_EARLY};
use super::error_body;
use super::scanner::{Scanner, ends_early, read};
use crate::error::{excerpt, one_line};
use crate::registry::{
    BodyFormat, BodyInfo, EndpointInfo, ErrorBodyInfo, FieldInfo, FieldSource, RecordInfo, RecordLayout, ValueType,
};
use crate::values::{Number, Value};

/// The maximum number of bytes quoted from a line.
const MAX_LINE_BYTES: usize = 60;

/// The maximum number of lines before the names of the columns.
pub const MAX_TITLE_LINES: usize = 20;

/// The maximum length of the JSON, as a multiple of the length of the text. The names of the columns are repeated in each
/// record, so a text with a long name and many short rows would need much memory.
const MAX_GROWTH: usize = 100;

/// Converts the body of an endpoint to JSON. A body that is JSON is not changed, whatever its endpoint declares: it may
/// be an error of the service.
pub fn as_json<'t>(
    text: &'t str,
    endpoint: &EndpointInfo,
    errors: &ErrorBodyInfo,
) -> Result<Cow<'t, str>, DecodeError> {
    let record = if let BodyInfo::Series { record, .. } = endpoint.body { record } else { None };
    match (endpoint.format, endpoint.format.separator()) {
        (_, Some(_)) if begins_structure(text.as_bytes().trim_ascii()) => Ok(text.into()),
        (_, Some(separator)) => TextRecords::new(text, record).csv(separator).map(Cow::Owned),
        (BodyFormat::Ndjson, _) if is_other_json(text, record, errors) => Ok(text.into()),
        (BodyFormat::Ndjson, _) => TextRecords::new(text, record).lines_of_json(errors).map(Cow::Owned),
        (BodyFormat::Text, _) if !is_value(text) => Ok(Value::from(text).to_string().into()),
        _ => Ok(text.into()),
    }
}

/// `true` if a body begins like a JSON object with members, or a list of objects, lists or strings. No text such
/// as CSV begins in this way.
pub(crate) fn begins_structure(body: &[u8]) -> bool {
    match body {
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start().first(), None | Some(b'"' | b'}')),
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start().first(), None | Some(b'{' | b'[' | b'"')),
        _ => false,
    }
}

/// `true` if a text that should be lines of JSON is one value instead: the list of the records, or an error of the
/// service.
fn is_other_json(text: &str, record: Option<&RecordInfo>, errors: &ErrorBodyInfo) -> bool {
    let records_are_lists = record.is_some_and(|record| record.layout == RecordLayout::Positional);
    let is_list = text.trim_start().starts_with('[') && !records_are_lists;
    is_value(text) && (is_list || error_body::is_error(text, record, errors))
}

fn is_value(text: &str) -> bool {
    read(text, Scanner::skip).is_ok()
}

/// The JSON list that is being written.
struct TextRecords<'t> {
    text: &'t str,
    /// The table of the records; `None` if their fields are unknown.
    record: Option<&'static RecordInfo>,
    json: String,
    /// The position of the last record in the text.
    at: usize,
}

/// A column of a CSV text.
struct Column<'t> {
    name: Cow<'t, str>,
    /// The field with the values; `None` if the catalogue has no such field.
    field: Option<&'static FieldInfo>,
}

impl<'t> TextRecords<'t> {
    fn new(text: &'t str, record: Option<&'static RecordInfo>) -> Self {
        let mut json = String::with_capacity(text.len() * 2);
        json.push('[');
        Self { text, record, json, at: 0 }
    }

    fn lines_of_json(mut self, errors: &ErrorBodyInfo) -> Result<String, DecodeError> {
        if is_value(self.text) {
            // A record over several lines, which is the only one.
            self.json.push_str(self.text);
            return Ok(self.end());
        }
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let record = line.trim();
            if is_value(record) {
                if let Some(message) = error_body::error_in_line(record, self.record, errors) {
                    let number = self.text[..start].matches('\n').count() + 1;
                    return Err(DecodeError::new(format!("line {number} is an error of the service: {message}")));
                }
                self.begin_record(start);
                self.json.push_str(record);
            } else if !record.is_empty() {
                if ends_early(record.as_bytes()) {
                    self.require_line_end(start, line)?;
                }
                self.invalid(start, record, "JSON")?;
            }
            start += line.len();
        }
        Ok(self.end())
    }

    fn csv(mut self, separator: char) -> Result<String, DecodeError> {
        if let Some(record) = self.record
            && record.layout == RecordLayout::Positional
        {
            self.rows_without_header(record, separator)?;
            return Ok(self.end());
        }
        let mut rows = Rows::new(self.text, separator);
        let columns = self.header(&mut rows)?;
        for row in rows {
            match &row.values {
                Some(values) if values.len() == columns.len() => self.object(row.start, &columns, values),
                values => {
                    if values.as_ref().is_none_or(|values| values.len() < columns.len()) {
                        self.require_line_end(row.start, row.text)?;
                    }
                    self.invalid(row.start, row.text, &format!("a row of {} values", columns.len()))?;
                }
            }
            if self.json.len() / MAX_GROWTH > self.text.len() {
                return Err(DecodeError::new("the names of its columns are too long for its rows".to_owned()));
            }
        }
        Ok(self.end())
    }

    /// Writes the rows of a text without a header. All must have as many values as the first one.
    fn rows_without_header(&mut self, record: &'static RecordInfo, separator: char) -> Result<(), DecodeError> {
        let mut width = None;
        for row in Rows::new(self.text, separator) {
            let values = row.values.unwrap_or_default();
            let width = *width.get_or_insert(values.len());
            if values.len() < width || values.is_empty() {
                self.require_line_end(row.start, row.text)?;
            }
            if values.len() != width || values.is_empty() {
                self.invalid(row.start, row.text, "CSV")?;
                continue;
            }
            self.begin_record(row.start);
            self.json.push('[');
            for (index, value) in values.iter().enumerate() {
                self.separate('[');
                self.value(value, record.fields.get(index));
            }
            self.json.push(']');
        }
        Ok(())
    }

    /// The columns that the first line of a CSV text names, or a later one, if the lines before it are no names: a title or
    /// a remark.
    fn header(&self, rows: &mut Rows<'t>) -> Result<Vec<Column<'t>>, DecodeError> {
        let Some(first) = rows.next() else {
            return Err(DecodeError::new("it has no line with the names of the columns".to_owned()).without_data());
        };
        let text = first.text;
        let start = first.start;
        let in_first_line = self.columns(first);
        if let Ok(columns) = &in_first_line
            && self.are_names(columns)
        {
            return in_first_line;
        }
        for row in rows.take(MAX_TITLE_LINES) {
            if let Ok(columns) = self.columns(row)
                && self.are_names(&columns)
            {
                return Ok(columns);
            }
        }
        in_first_line?;
        let found = one_line(&excerpt(text, MAX_LINE_BYTES));
        let problem = format!("expected the names of the columns, found {found:?}");
        Err(DecodeError::at_byte(problem, start).located(self.text).without_data())
    }

    /// The columns with the names in a row.
    fn columns(&self, row: CsvRow<'t>) -> Result<Vec<Column<'t>>, DecodeError> {
        let mut columns: Vec<Column<'t>> = Vec::new();
        let mut names = HashSet::new();
        for value in row.values.unwrap_or_default() {
            let name = trimmed(value);
            if !names.insert(name.clone()) {
                let problem = format!("the column {:?} occurs twice", excerpt(&name, MAX_LINE_BYTES));
                return Err(DecodeError::at_byte(problem, row.start).located(self.text));
            }
            let field = self.record.and_then(|record| field_of(record, &name));
            columns.push(Column { name, field });
        }
        Ok(columns)
    }

    /// `true` if columns have the names of fields, as far as the fields are known.
    fn are_names(&self, columns: &[Column<'t>]) -> bool {
        !columns.is_empty() && self.record.is_none_or(|record| names_a_field(columns, record))
    }

    fn object(&mut self, start: usize, columns: &[Column<'t>], values: &[Cow<'t, str>]) {
        self.begin_record(start);
        self.json.push('{');
        for (column, value) in columns.iter().zip(values) {
            self.separate('{');
            self.string(&column.name);
            self.json.push(':');
            self.value(value, column.field);
        }
        self.json.push('}');
    }

    /// Returns an error for a row or a line that is not a record and has no line end, so that the text ends within it.
    #[cold]
    fn require_line_end(&self, start: usize, row: &str) -> Result<(), DecodeError> {
        let end = start + row.len();
        if end < self.text.len() || row.ends_with('\n') || row.trim().is_empty() {
            return Ok(());
        }
        Err(DecodeError::at_byte(ENDS_EARLY.to_owned(), end).located(self.text))
    }

    /// Writes a row or a line that is not a record. If any value is a valid record, it is an error instead.
    #[cold]
    fn invalid(&mut self, start: usize, text: &str, expected: &str) -> Result<(), DecodeError> {
        if self.record.is_none() {
            let found = one_line(&excerpt(text, MAX_LINE_BYTES));
            let problem = format!("expected {expected}, found {found:?}");
            return Err(DecodeError::at_byte(problem, start).located(self.text));
        }
        self.begin_record(start);
        self.string(text);
        Ok(())
    }

    /// Writes a value of a CSV text in the form of its type in JSON. A text that is not of the type is written as it is,
    /// so that the decoder reports it. An empty value is null, if the field can have none.
    fn value(&mut self, text: &str, field: Option<&FieldInfo>) {
        let Some(field) = field else { return self.value_of_type(text, &ValueType::String) };
        match &field.ty {
            // A marker of a missing value can look like a number, and the decoder looks for it in texts.
            _ if field.nulls.contains(&text.trim()) => self.string(text.trim()),
            ValueType::String | ValueType::Named(_) if !field.optional => self.string(text),
            ValueType::Map(ty) if field.source == FieldSource::Others => self.value_of_type(text, ty),
            ty => self.value_of_type(text, ty),
        }
    }

    fn value_of_type(&mut self, text: &str, ty: &ValueType) {
        let word = text.trim();
        let is_number = match ty {
            ValueType::Timestamp(unit) => !unit.is_text(),
            ty => matches!(ty, ValueType::Integer | ValueType::Count | ValueType::Number | ValueType::Decimal),
        };
        let number = if is_number { number_in_json(word) } else { None };
        let is_boolean = matches!(ty, ValueType::Boolean);
        match ty {
            _ if text.is_empty() => self.json.push_str("null"),
            _ if is_boolean && word.eq_ignore_ascii_case("true") => self.json.push_str("true"),
            _ if is_boolean && word.eq_ignore_ascii_case("false") => self.json.push_str("false"),
            ValueType::String | ValueType::Named(_) => self.string(text),
            _ => match number {
                Some(number) => self.json.push_str(&number),
                None => self.string(word),
            },
        }
    }

    fn string(&mut self, text: &str) {
        let needs_escape = text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\');
        if needs_escape {
            self.json.push_str(&Value::from(text).to_string());
            return;
        }
        self.json.push('"');
        self.json.push_str(text);
        self.json.push('"');
    }

    /// Begins a record on the line on which it is in the text, so that errors name its line.
    fn begin_record(&mut self, start: usize) {
        if self.json.len() > 1 {
            self.json.push(',');
        }
        let lines = self.text[self.at..start].bytes().filter(|byte| *byte == b'\n').count();
        self.json.extend(std::iter::repeat_n('\n', lines));
        self.at = start;
    }

    /// Separates a value from the one before, unless it is the first after `opening`.
    fn separate(&mut self, opening: char) {
        if !self.json.ends_with(opening) {
            self.json.push(',');
        }
    }

    fn end(mut self) -> String {
        self.json.push(']');
        self.json
    }
}

/// The field with the values of a column: that of its name, or the field for members that are not listed.
fn field_of(record: &'static RecordInfo, name: &str) -> Option<&'static FieldInfo> {
    let listed = record.fields.iter().find(|field| field.source == FieldSource::Record && field.is_named(name));
    listed.or_else(|| record.fields.iter().find(|field| field.source == FieldSource::Others))
}

/// `true` if a column is a listed field, or if no field is listed.
fn names_a_field(columns: &[Column<'_>], record: &RecordInfo) -> bool {
    let is_listed = |field: &FieldInfo| field.source == FieldSource::Record;
    !record.fields.iter().any(is_listed) || columns.iter().filter_map(|column| column.field).any(is_listed)
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => text.trim().into(),
        Cow::Owned(text) => text.trim().to_owned().into(),
    }
}

/// A number as JSON writes it, with the same digits; `None` if the text is not a number. Other formats allow `+1` and
/// `.5`.
fn number_in_json(text: &str) -> Option<Cow<'_, str>> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let number: Cow<'_, str> = match unsigned.strip_prefix('.') {
        Some(fraction) if is_negative => format!("-0.{fraction}").into(),
        Some(fraction) => format!("0.{fraction}").into(),
        None => text.into(),
    };
    (Number::length(&number) == Some(number.len())).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::any;
    use crate::registry::Evidence;

    static FIELDS: [FieldInfo; 2] = [
        FieldInfo::new("day", "a", ValueType::String, Evidence::Documented),
        FieldInfo::new("rate", "b", ValueType::Number, Evidence::Documented),
    ];
    static RECORD: RecordInfo = RecordInfo::new("Rate", &FIELDS);
    static BY_POSITION: RecordInfo =
        RecordInfo { layout: RecordLayout::Positional, ..RecordInfo::new("Rate", &FIELDS) };

    fn endpoint(format: BodyFormat, record: Option<&'static RecordInfo>) -> EndpointInfo {
        let body = BodyInfo::Series { record, time: None, evidence: Evidence::Documented };
        EndpointInfo { body, format, ..EndpointInfo::of("market", "rates") }
    }

    #[test]
    fn any_text_is_an_error_or_becomes_json_with_each_of_its_lines() {
        let mut random = fastrand::Rng::with_seed(7);
        let formats = [BodyFormat::Csv, BodyFormat::Ndjson];
        let tables = [Some(&RECORD), Some(&BY_POSITION), None];
        let mut converted = 0;
        for round in 0..20_000 {
            let endpoint = endpoint(formats[round % 2], tables[round % 3]);
            let mut text = String::from(if endpoint.format == BodyFormat::Csv { "a,b\n" } else { "" });
            for _ in 0..random.usize(..12) {
                let parts = ["a", "é", " ", ",", "\"", "\n", "\r\n", "1.5", "-.5", "{", "}", "[1]", "{\"a\":1}"];
                text += parts[random.usize(..parts.len())];
            }
            let Ok(json) = as_json(&text, &endpoint, &ErrorBodyInfo::new(&[])) else { continue };
            let records = any(&json).unwrap_or_else(|error| panic!("{text:?} became {json:?}: {error}"));
            if let Some(records) = records.as_array() {
                assert!(records.len() <= text.lines().count() + text.matches('\r').count(), "{text:?}: {json:?}");
                converted += 1;
            }
        }
        assert!(converted > 10_000, "{converted}");
    }

    #[test]
    fn lines_before_the_names_of_the_columns_are_no_records() {
        let check = |text: &str| {
            let json = as_json(text, &endpoint(BodyFormat::CsvSemicolons, Some(&RECORD)), &ErrorBodyInfo::new(&[]));
            // The JSON has the lines of the text.
            json.map_or_else(|error| error.to_string(), |json| json.replace('\n', ""))
        };
        assert_eq!(check("Rates; 2024\n;;\nNote: all\n\na;b\nx;1\n"), r#"[{"a":"x","b":1}]"#);
        assert_eq!(check("a;b\nx;1\n"), r#"[{"a":"x","b":1}]"#);
        let none = "expected the names of the columns, found \"Error; try later\" at line 1 column 1";
        assert_eq!(check("Error; try later\nx;1\n"), none);
        assert_eq!(check("Error; try later\n"), none);
        let late = format!("{}a;b\nx;1\n", "title\n".repeat(30));
        assert!(check(&late).starts_with("expected the names of the columns"));
        assert_eq!(check("a;a\nx;1\n"), "the column \"a\" occurs twice at line 1 column 1");
    }

    /// Errors of the decoder have the line of the JSON.
    #[test]
    fn a_record_is_on_the_line_on_which_the_text_has_it() {
        let text = "Title\na,b\nx,1\n\"two\nlines\",2\n\nError\n";
        let json = as_json(text, &endpoint(BodyFormat::Csv, Some(&RECORD)), &ErrorBodyInfo::new(&[])).expect("records");
        let line = |lines: &str, part| lines.lines().position(|line| line.contains(part));
        for part in ["x", "two", "Error"] {
            assert_eq!(line(&json, part), line(text, part), "{part}: {json}");
        }
    }

    #[test]
    fn long_names_of_columns_do_not_fill_the_memory() {
        let name = "n".repeat(100_000);
        let text = format!("a,{name}\n{}", "1,\n".repeat(100_000));
        let error = as_json(&text, &endpoint(BodyFormat::Csv, None), &ErrorBodyInfo::new(&[])).expect_err("too long");
        assert_eq!(error.to_string(), "the names of its columns are too long for its rows");
    }

    #[test]
    fn many_columns_are_read_in_time_in_proportion() {
        let names: Vec<_> = (0..200_000).map(|index| index.to_string()).collect();
        let text = names.join(",");
        let json = as_json(&text, &endpoint(BodyFormat::Csv, None), &ErrorBodyInfo::new(&[]));
        assert_eq!(json.expect("a header"), "[]");
    }
}
