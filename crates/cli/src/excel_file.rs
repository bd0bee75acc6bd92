//! Writes rows to an Excel file.

use runtime::Timestamp;
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::{Map, Value};

/// Maximum number of rows of a sheet after its header.
pub(crate) const MAX_ROWS: u32 = 1_048_575;

/// The largest integer up to which a float has every integer.
const MAX_INTEGER: u64 = 1 << 53;

/// A column.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) is_time: bool,
}

/// One sheet of rows. Times are in UTC, which the header says, because Excel has no time zones.
pub(crate) struct ExcelFile {
    columns: Vec<Column>,
    sheet: Worksheet,
    times: Format,
    rows: u32,
}

impl ExcelFile {
    pub(crate) fn new(columns: Vec<Column>) -> Result<Self, XlsxError> {
        let mut sheet = Worksheet::new();
        let bold = Format::new().set_bold();
        for (index, column) in columns.iter().enumerate() {
            let name = if column.is_time { format!("{} (UTC)", column.name) } else { column.name.clone() };
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            sheet.write_string_with_format(0, index, name, &bold)?;
            if column.is_time {
                sheet.set_column_width(index, 20)?;
            }
        }
        sheet.set_freeze_panes(1, 0)?;
        let times = Format::new().set_num_format("yyyy-mm-dd hh:mm:ss");
        Ok(Self { columns, sheet, times, rows: 0 })
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// Adds a row, whose values are by name as in JSON Lines.
    pub(crate) fn add(&mut self, row: &Map<String, Value>) -> Result<(), XlsxError> {
        self.rows += 1;
        for (index, column) in self.columns.iter().enumerate() {
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            match row.get(&column.name).unwrap_or(&Value::Null) {
                Value::Null => {}
                Value::Bool(flag) => {
                    self.sheet.write_boolean(self.rows, index, *flag)?;
                }
                Value::Number(number) => match number.as_f64().filter(|_| is_exact(number)) {
                    Some(value) => {
                        self.sheet.write_number(self.rows, index, value)?;
                    }
                    None => {
                        self.sheet.write_string(self.rows, index, number.to_string())?;
                    }
                },
                Value::String(text) => match date_time(text).filter(|_| column.is_time) {
                    Some(time) => {
                        self.sheet.write_datetime_with_format(self.rows, index, &time, &self.times)?;
                    }
                    None => {
                        self.sheet.write_string(self.rows, index, text)?;
                    }
                },
                other => {
                    self.sheet.write_string(self.rows, index, other.to_string())?;
                }
            }
        }
        Ok(())
    }

    /// The bytes of the file.
    pub(crate) fn finish(self) -> Result<Vec<u8>, XlsxError> {
        let mut book = Workbook::new();
        book.push_worksheet(self.sheet);
        book.save_to_buffer()
    }
}

/// Whether a number of Excel, which is a float, has every digit.
fn is_exact(number: &serde_json::Number) -> bool {
    number.is_f64() || number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= MAX_INTEGER)
}

/// A time from 1900 on, the first year of Excel.
fn date_time(text: &str) -> Option<ExcelDateTime> {
    let time: Timestamp = text.parse().ok()?;
    ExcelDateTime::from_timestamp(time.unix_seconds()).ok()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use serde_json::json;

    use super::*;

    fn part(book: &[u8], name: &str) -> String {
        let mut archive = zip::ZipArchive::new(Cursor::new(book)).unwrap();
        let mut text = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    /// Times are days since 1900, and numbers keep every digit.
    #[test]
    fn a_sheet_has_the_times_numbers_and_texts_of_its_rows() {
        let columns = [("at", true), ("rate", false), ("id", false), ("note", false)];
        let columns = columns.map(|(name, is_time)| Column { name: name.to_owned(), is_time });
        let mut excel = ExcelFile::new(columns.into()).unwrap();
        for row in [
            json!({ "at": "2025-01-01T12:00:00Z", "rate": -0.000_012_5, "id": 7, "note": "a <b> & c" }),
            json!({ "at": "2025-01-02T00:00:00Z", "rate": null, "id": 9_007_199_254_740_993_u64, "note": true }),
        ] {
            excel.add(row.as_object().unwrap()).unwrap();
        }
        assert_eq!(excel.rows(), 2);
        let book = excel.finish().unwrap();
        let sheet = part(&book, "xl/worksheets/sheet1.xml");
        for (cell, value) in [("A2", "45658.5"), ("A3", "45659"), ("B2", "-0.0000125"), ("C2", "7"), ("D3", "1")] {
            let found = sheet.split_once(&format!("<c r=\"{cell}\"")).unwrap().1;
            let number = found.split_once("<v>").and_then(|(_, rest)| rest.split_once("</v>")).unwrap().0;
            let [number, value] = [number, value].map(|text| text.parse::<f64>().unwrap());
            assert!((number - value).abs() < 1e-12, "{cell}: {number}");
        }
        assert!(!sheet.contains("r=\"B3\""), "{sheet}");
        let texts = part(&book, "xl/sharedStrings.xml");
        for text in ["at (UTC)", "rate", "9007199254740993", "a &lt;b&gt; &amp; c"] {
            assert!(texts.contains(&format!(">{text}<")), "{texts}");
        }
    }
}
