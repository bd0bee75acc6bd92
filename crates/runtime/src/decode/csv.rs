//! Splits CSV (RFC 4180), also with another separator than commas, into rows of values.
//!
//! A row that is not CSV, such as one with a quote that is never closed, ends with its line, so that it costs no other
//! row. Any line ending is accepted.

use std::borrow::Cow;

/// The rows of a text, without empty lines.
pub(super) struct Rows<'t> {
    text: &'t str,
    /// The character between two values.
    separator: char,
    /// The position of the next byte.
    at: usize,
}

/// One row of a text.
pub(super) struct CsvRow<'t> {
    /// The position of the row in the text.
    pub(super) start: usize,
    /// The row as it is written, without the end of its line.
    pub(super) text: &'t str,
    /// The values; `None` if the row is not CSV.
    pub(super) values: Option<Vec<Cow<'t, str>>>,
}

impl<'t> Rows<'t> {
    pub(super) fn new(text: &'t str, separator: char) -> Self {
        Self { text, separator, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Reads the values up to the end of a row; `None` if they are not CSV.
    fn values(&mut self) -> Option<Vec<Cow<'t, str>>> {
        let mut values = Vec::new();
        loop {
            let value = if self.rest().starts_with('"') { self.quoted_value()? } else { self.plain_value() };
            values.push(value);
            if !self.rest().starts_with(self.separator) {
                break;
            }
            self.at += 1;
        }
        let is_end = self.rest().is_empty() || self.rest().starts_with(LINE_ENDS);
        is_end.then_some(values)
    }

    /// Reads a value without quotes around it. A quote within it is a part of the value.
    fn plain_value(&mut self) -> Cow<'t, str> {
        let rest = self.rest();
        let length = rest.find([self.separator, '\r', '\n']).unwrap_or(rest.len());
        self.at += length;
        rest[..length].into()
    }

    /// Reads a value in quotes, in which two quotes stand for one; `None` if the quotes are not closed.
    fn quoted_value(&mut self) -> Option<Cow<'t, str>> {
        self.at += 1;
        let mut value = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let length = rest.find('"')?;
            self.at += length + 1;
            value += &rest[..length];
            if !self.rest().starts_with('"') {
                return Some(value);
            }
            self.at += 1;
            value += "\"";
        }
    }
}

const LINE_ENDS: [char; 2] = ['\r', '\n'];

impl<'t> Iterator for Rows<'t> {
    type Item = CsvRow<'t>;

    fn next(&mut self) -> Option<CsvRow<'t>> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(LINE_ENDS).len();
        let start = self.at;
        if self.rest().is_empty() {
            return None;
        }
        let values = self.values();
        if values.is_none() {
            self.at = start + self.text[start..].find(LINE_ENDS).unwrap_or(self.text.len() - start);
        }
        Some(CsvRow { start, text: &self.text[start..self.at], values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_by_commas_and_rows_by_line_ends() {
        let pair = vec![vec!["a", "b"], vec!["1", "2"]];
        for (text, expected) in [
            ("a,b\n1,2\n", pair.clone()),
            ("a,b\r\n1,2", pair.clone()),
            ("\n\na,b\r1,2\r\n\r\n", pair),
            ("a,\n,2\n,", vec![vec!["a", ""], vec!["", "2"], vec!["", ""]]),
            ("\"a\",\"b, c\"\n", vec![vec!["a", "b, c"]]),
            ("\"a\"\"b\",\"\"\n\"two\nlines\",2", vec![vec!["a\"b", ""], vec!["two\nlines", "2"]]),
            ("5\" pipe,a b ,é", vec![vec!["5\" pipe", "a b ", "é"]]),
            ("", vec![]),
            ("\r\n", vec![]),
        ] {
            let mut rows = Vec::new();
            for row in Rows::new(text, ',') {
                rows.push(row.values.expect("a row of values"));
            }
            assert_eq!(rows, expected, "{text:?}");
        }
    }

    #[test]
    fn other_separators_have_the_same_rules() {
        for separator in [';', '|', '\t'] {
            let text = "day#rate\n\"a#b\"#1,5\n".replace('#', &separator.to_string());
            let mut rows = Vec::new();
            for row in Rows::new(&text, separator) {
                rows.push(row.values.expect("a row of values"));
            }
            assert_eq!(rows, [["day".into(), "rate".into()], [format!("a{separator}b"), "1,5".to_owned()]]);
        }
    }

    /// Texts in which all rows are CSV by the rules of this module have the same rows for a widely used reader, which accepts
    /// more.
    #[test]
    fn rows_are_those_of_another_reader() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut compared = 0;
        for _ in 0..20_000 {
            let length = random.usize(..16);
            let text: String =
                (0..length).filter_map(|_| random.choice(['a', 'é', ' ', ',', '"', '"', '\n', '\r'])).collect();
            let rows: Vec<_> = Rows::new(&text, ',').collect();
            if rows.iter().any(|row| row.values.is_none()) {
                continue;
            }
            let mut other = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let expected: Vec<Vec<String>> =
                other.records().map(|row| row.expect("UTF-8").iter().map(str::to_owned).collect()).collect();
            let found: Vec<_> = rows.into_iter().map(|row| row.values.unwrap_or_default()).collect();
            assert_eq!(found, expected, "{text:?}");
            compared += usize::from(!expected.is_empty());
        }
        assert!(compared > 5000, "{compared}");
    }

    #[test]
    fn row_that_is_not_csv_costs_no_other_row() {
        for invalid in ["\"a,1", "\"a\"b,1", "1,\"", "a,\"b\" ,c"] {
            let text = format!("x,1\r\n{invalid}\r\ny,\"2\"\n");
            let rows: Vec<_> = Rows::new(&text, ',').collect();
            let texts: Vec<_> = rows.iter().map(|row| row.text).collect();
            let are_valid: Vec<_> = rows.iter().map(|row| row.values.is_some()).collect();
            assert_eq!(texts, ["x,1", invalid, "y,\"2\""], "{text:?}");
            assert_eq!(are_valid, [true, false, true], "{text:?}");
        }
    }
}
