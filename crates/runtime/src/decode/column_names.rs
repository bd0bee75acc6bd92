//! The names of the values in records that are lists without names. They are a list elsewhere in the body.

use std::borrow::Cow;

use super::error::DecodeError;
use super::json_path::at_path;
use super::scanner::{Scanner, read};
use super::unknown_fields::{entry, member};
use crate::registry::RecordInfo;

/// The names of the values in a record, in their order.
#[derive(Debug)]
pub(super) struct ColumnNames<'a> {
    pub(super) columns: Vec<NamedColumn<'a>>,
}

#[derive(Debug)]
pub(super) struct NamedColumn<'a> {
    pub(super) name: Cow<'a, str>,
    /// The index of the field; `None` if the table does not list this column.
    pub(super) field: Option<usize>,
}

impl<'a> ColumnNames<'a> {
    /// Reads the names at a JSON path of a body or of a group of records; `None` if they are missing or null, as some
    /// services send them without records.
    pub(super) fn at(body: &'a str, path: &str, record: &RecordInfo) -> Result<Option<Self>, DecodeError> {
        match at_path(body, path) {
            None | Some("null") => Ok(None),
            Some(list) => Self::read(list, record).map(Some).map_err(|error| error.in_field(path)),
        }
    }

    /// Reads the names in a list of texts, or of objects with the text `name`.
    fn read(list: &'a str, record: &RecordInfo) -> Result<Self, DecodeError> {
        let mut columns = Vec::new();
        read(list, |json, next| {
            if next != b'[' {
                return Err(json.expected("a list with the names of the columns"));
            }
            json.list(|json, next| {
                let name = name(json, next).map_err(|error| error.at_index(columns.len()))?;
                let field = record.index_of_name(&name);
                columns.push(NamedColumn { name, field });
                Ok(())
            })
        })?;
        Ok(Self { columns })
    }

    /// The names, in their order.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name)
    }

    /// The text of a record as an object.
    pub(super) fn object(&self, record: &str) -> String {
        let mut entries = Vec::new();
        let mut names = self.names();
        let read = read(record, |json, next| {
            if next != b'[' {
                return json.skip(next);
            }
            json.list(|json, next| {
                let start = json.at;
                json.skip(next)?;
                let name = names.next().map_or_else(|| entries.len().to_string(), str::to_owned);
                entries.push(entry(&name, json.since(start)));
                Ok(())
            })
        });
        debug_assert!(read.is_ok(), "{record}");
        format!("{{{}}}", entries.join(","))
    }
}

/// Reads the name of a column.
fn name<'a>(json: &mut Scanner<'a>, next: u8) -> Result<Cow<'a, str>, DecodeError> {
    let start = json.at;
    match next {
        b'"' => json.text(),
        b'{' => {
            json.skip(next)?;
            match member(json.since(start), "name") {
                Some(name) if name.starts_with('"') => read(name, |json, _| json.text()),
                _ => Err(json.error("expected the name of a column in `name`")),
            }
        }
        _ => Err(json.expected("the name of a column")),
    }
}
