//! Rows and columns, which are written as a table for users, as CSV or as JSON Lines.
//!
//! Numbers for programs have all digits, and numbers for users have seven significant digits.

use std::fmt::Write as _;

use anstyle::Style;
use clap::ValueEnum;
use console::{Alignment, measure_text_width, pad_str};
use runtime::text::one_line;
use runtime::{Timestamp, Value};

use crate::failure::{Failure, Result};
use crate::stdout;
use crate::time_arg;

/// The output format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // The formats have no doc comments, so that they fit on one line of the help.
    Table,
    Csv,
    Jsonl,
    Arrow,
}

impl Format {
    /// The chosen format. The default is a table on a terminal, and otherwise `program`.
    pub(crate) fn or_for_reader(chosen: Option<Self>, program: Self) -> Self {
        chosen.unwrap_or(if stdout::is_terminal() { Self::Table } else { program })
    }
}

/// Rows with the same columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Time(Timestamp),
    Value(Value),
    /// JSON as the service wrote it, on one line.
    Json(String),
}

impl Cell {
    pub(crate) const EMPTY: Self = Self::Value(Value::Null);

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Value(Value::String(text.into()))
    }

    /// A time; empty if there is none.
    pub(crate) fn time(time: Option<Timestamp>) -> Self {
        match time {
            Some(time) => Self::Time(time),
            None => Self::EMPTY,
        }
    }

    pub(crate) fn count(count: u64) -> Self {
        Self::Value(count.into())
    }

    fn for_users(&self, decimals: usize) -> String {
        match (self, self.number()) {
            (Self::Time(time), _) => time_arg::shown(*time),
            (_, Some(number)) => format!("{number:.decimals$}"),
            _ => readable(&self.for_programs()),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Value(Value::Number(number)) => number.as_f64(),
            _ => None,
        }
    }

    /// Formats the value with all digits of a number; null is formatted as empty text.
    pub(crate) fn for_programs(&self) -> String {
        match self {
            Self::Time(time) => time.to_string(),
            Self::Value(Value::Null) => String::new(),
            Self::Value(Value::String(text)) | Self::Json(text) => text.clone(),
            Self::Value(value) => value.to_string(),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Time(time) => Value::String(time.to_string()).to_string(),
            Self::Value(value) => value.to_string(),
            Self::Json(text) => text.clone(),
        }
    }
}

impl Table {
    /// Prints all rows: on a terminal as a table, otherwise as CSV.
    pub(crate) fn print(&self) -> Result<()> {
        if stdout::is_terminal() {
            stdout::styled(&self.for_terminal(stdout::width()))
        } else {
            stdout::print(self.csv(true)?)
        }
    }

    pub(crate) fn csv(&self, with_names: bool) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        if with_names {
            writer.write_record(&self.columns).map_err(Failure::machine)?;
        }
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::for_programs)).map_err(Failure::machine)?;
        }
        let bytes = writer.into_inner().map_err(Failure::machine)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn json_lines(&self) -> String {
        let mut lines = String::new();
        for row in &self.rows {
            // Each object is written without a map, because a map would sort the names.
            let mut members = Vec::with_capacity(row.len());
            for (column, cell) in self.columns.iter().zip(row) {
                members.push(format!("{}:{}", Value::from(column.as_str()), cell.json()));
            }
            let _ = writeln!(lines, "{{{}}}", members.join(","));
        }
        lines
    }

    /// Formats a table that is at most `width` columns wide. The last columns are omitted if they do not fit, and
    /// listed below the table.
    pub(crate) fn for_terminal(&self, width: usize) -> String {
        let mut widths = Vec::new();
        self.lines(width, &mut widths, true) + &omitted(&self.columns, &widths, width)
    }

    /// Formats the next lines of a table that is written page by page. `widths` are the column widths, which only grow.
    pub(crate) fn lines(&self, width: usize, widths: &mut Vec<usize>, with_names: bool) -> String {
        let mut rows = Vec::with_capacity(self.rows.len() + 1);
        if with_names {
            rows.push(self.columns.iter().map(|name| readable(name)).collect());
        }
        rows.extend(self.texts_for_users());
        widths.resize(self.columns.len(), 0);
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = measure_text_width(cell).max(*width);
            }
        }
        let mut alignments = Vec::new();
        for index in 0..fitting(widths, width) {
            alignments.push(if self.is_number(index) { Alignment::Right } else { Alignment::Left });
        }
        let mut out = String::new();
        for (index, row) in rows.iter().enumerate() {
            let style = if with_names && index == 0 { stdout::HEADING } else { Style::new() };
            let line = aligned(row, widths, &alignments);
            let _ = writeln!(out, "{style}{}{style:#}", line.trim_end());
        }
        out
    }

    /// Formats all values. The numbers of a column have the same number of decimals.
    fn texts_for_users(&self) -> Vec<Vec<String>> {
        let mut rows = vec![Vec::with_capacity(self.columns.len()); self.rows.len()];
        for index in 0..self.columns.len() {
            let numbers = self.rows.iter().filter_map(|row| row.get(index)?.number());
            let decimals = decimals(numbers);
            for (text, row) in rows.iter_mut().zip(&self.rows) {
                if let Some(cell) = row.get(index) {
                    text.push(cell.for_users(decimals));
                }
            }
        }
        rows
    }

    /// `true` if a column has numbers only.
    fn is_number(&self, index: usize) -> bool {
        let mut has_numbers = false;
        for row in &self.rows {
            let Some(cell) = row.get(index) else { continue };
            match cell.number() {
                Some(_) => has_numbers = true,
                None if *cell == Cell::EMPTY => {}
                None => return false,
            }
        }
        has_numbers
    }
}

/// A line of the first columns, one for each alignment.
fn aligned(row: &[String], widths: &[usize], alignments: &[Alignment]) -> String {
    let mut cells = Vec::with_capacity(alignments.len());
    for ((cell, width), alignment) in row.iter().zip(widths).zip(alignments) {
        cells.push(pad_str(cell, *width, *alignment, None));
    }
    cells.join("  ")
}

/// The number of columns that fit. The first column is always shown.
fn fitting(widths: &[usize], width: usize) -> usize {
    let mut used = 0;
    let mut count = 0;
    for column in widths {
        used += column + 2;
        if count > 0 && used > width + 2 {
            break;
        }
        count += 1;
    }
    count
}

/// A line with the names of the columns that do not fit; empty if all fit.
pub(crate) fn omitted(columns: &[String], widths: &[usize], width: usize) -> String {
    let names: Vec<_> = columns.iter().skip(fitting(widths, width)).map(|column| readable(column)).collect();
    if names.is_empty() { String::new() } else { format!("omitted for lack of space: {}\n", names.join(", ")) }
}

/// Removes line breaks, terminal control characters and changes of text direction from a received text.
pub(crate) fn readable(text: &str) -> String {
    one_line(text)
}

/// The number of decimals of a column with which its largest number has seven significant digits. Decimals that are
/// zero in all numbers are omitted.
fn decimals(numbers: impl Iterator<Item = f64>) -> usize {
    let numbers: Vec<f64> = numbers.collect();
    let mut largest = 0.0_f64;
    for number in &numbers {
        largest = largest.max(number.abs());
    }
    // The cast is safe, because the value is clamped to 0 to 10.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let max = (6.0 - largest.max(1e-4).log10().floor()).clamp(0.0, 10.0) as usize;
    let mut needed = 0;
    for number in &numbers {
        let text = format!("{number:.max$}");
        if let Some((_, fraction)) = text.split_once('.') {
            needed = needed.max(fraction.trim_end_matches('0').len());
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes styles, as for a reader without colours.
    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn ratios() -> Table {
        let columns = ["openDate", "site", "waterLevels"].map(str::to_owned).into();
        let row = |seconds: i64, site: &str, ratio: Value| {
            vec![Cell::Time(Timestamp::from_unix_seconds(seconds)), Cell::text(site), Cell::Value(ratio)]
        };
        let rows = vec![row(1_757_937_600, "Rio", 0.25.into()), row(1_757_941_200, "a,\"b\"", Value::Null)];
        Table { columns, rows }
    }

    #[test]
    fn programs_receive_untruncated_values() {
        let csv = "openDate,site,waterLevels\n2025-09-15T12:00:00Z,Rio,0.25\n2025-09-15T13:00:00Z,\"a,\"\"b\"\"\",\n";
        assert_eq!(ratios().csv(true).unwrap(), csv);
        let lines = "{\"openDate\":\"2025-09-15T12:00:00Z\",\"site\":\"Rio\",\"waterLevels\":0.25}\n{\"openDate\":\"2025-09-15T13:00:00Z\",\"site\":\"a,\\\"b\\\"\",\"waterLevels\":null}\n";
        assert_eq!(ratios().json_lines(), lines);
    }

    /// The text contains control characters, line breaks and changes of text direction.
    #[test]
    fn received_text_cannot_control_the_terminal() {
        let mut table = ratios();
        table.rows[1][1] = Cell::text("a\u{1b}[31m\r\nb\u{202e}c");
        let text = table.for_terminal(80);
        assert!(text.ends_with("\n2025-09-15 13:00  a [31m  b c\n"), "{text:?}");
        assert!(table.csv(false).unwrap().contains('\u{1b}'), "programs get all of it");
    }

    #[test]
    fn terminal_output_is_truncated_to_its_width() {
        let table =
            "openDate          site   waterLevels\n2025-09-15 12:00  Rio           0.25\n2025-09-15 13:00  a,\"b\"\n";
        assert_eq!(plain(&ratios().for_terminal(80)), table);
        let narrow = "openDate          site\n2025-09-15 12:00  Rio\n2025-09-15 13:00  a,\"b\"\nomitted for lack of space: waterLevels\n";
        assert_eq!(plain(&ratios().for_terminal(30)), narrow);
    }

    #[test]
    fn numbers_of_a_column_have_the_same_digits() {
        let table: [(&[f64], usize); 6] = [
            (&[0.25, -0.5], 2),
            (&[0.123_456_789], 7),
            (&[0.012_345_678_9, 0.5], 7),
            (&[3_298_101_915.68, 1.5], 0),
            (&[109_361.5], 1),
            (&[1.0, 2.0], 0),
        ];
        for (numbers, digits) in table {
            assert_eq!(decimals(numbers.iter().copied()), digits, "{numbers:?}");
        }
    }

    #[test]
    fn columns_grow_with_later_rows() {
        let mut widths = Vec::new();
        let table = ratios();
        assert!(plain(&table.lines(80, &mut widths, true)).starts_with("openDate"));
        let mut next = table.clone();
        next.rows = vec![vec![Cell::Time(Timestamp::from_unix_seconds(0)), Cell::text("x"), Cell::Value(7.into())]];
        assert_eq!(next.lines(80, &mut widths, false), "1970-01-01 00:00  x                7\n");
    }
}
