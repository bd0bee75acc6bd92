//! Reads records that are columns: an object with a list for each field.
//!
//! A first pass notes where each value begins. The records are then read from these positions, so no text is copied,
//! and an error has its position in the body.

use std::borrow::Cow;

use super::error::DecodeError;
use super::row::Row;
use super::scanner::Scanner;
use super::unknown_fields::UnknownText;
use crate::registry::RecordInfo;
use crate::values::Value;

/// The maximum number of bytes in the name of a column that the table does not list. Each record keeps that name, so
/// a long name would take much more memory than the body.
const MAX_NAME_BYTES: usize = 100;

/// A member of the object.
pub(super) struct Column<'a> {
    name: Cow<'a, str>,
    /// The index of the field; `None` if the table does not list this column.
    field: Option<usize>,
    /// The first byte of the value.
    first: u8,
    /// The position of each value, if this is a list.
    values: Vec<usize>,
    /// The text of the member.
    text: &'a str,
}

/// The records of an object.
pub(super) struct Columns<'a> {
    columns: Vec<Column<'a>>,
    /// The number of records.
    pub(super) length: usize,
}

impl<'a> Columns<'a> {
    /// Reads the object, and adds its other members to `others`. A list that the table does not list is a column if it
    /// has a value for each record.
    pub(super) fn read(
        json: &mut Scanner<'a>,
        record: &RecordInfo,
        others: &mut UnknownText,
    ) -> Result<Self, DecodeError> {
        let mut members = members(json, record)?;
        let length = common_length(&members, json)?;
        members.retain(|member| {
            let is_usable = member.field.is_some() || (length > 0 && member.name.len() <= MAX_NAME_BYTES);
            let is_column = member.first == b'[' && member.values.len() == length && is_usable;
            if !is_column {
                others.push(member.text);
            }
            is_column
        });
        Ok(Self { columns: members, length })
    }

    /// The text of a record as an object.
    pub(super) fn text(&self, json: &mut Scanner<'a>, index: usize) -> Result<String, DecodeError> {
        let mut entries = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            entries.push(column.entry(json, index)?);
        }
        Ok(format!("{{{}}}", entries.join(",")))
    }
}

impl<'a> Column<'a> {
    /// Moves to the value of a record, and returns its first byte.
    fn seek(&self, json: &mut Scanner<'a>, index: usize) -> Result<u8, DecodeError> {
        json.at = self.values[index];
        json.next_value()
    }

    /// The text of a value, with its name.
    fn entry(&self, json: &mut Scanner<'a>, index: usize) -> Result<String, DecodeError> {
        let next = self.seek(json, index)?;
        json.skip(next)?;
        Ok(format!("{}:{}", Value::from(&*self.name), json.since(self.values[index])))
    }
}

/// The length of the listed columns, which must be the same.
fn common_length(members: &[Column<'_>], json: &Scanner<'_>) -> Result<usize, DecodeError> {
    let mut first: Option<&Column<'_>> = None;
    let mut has_null = false;
    for member in members {
        match (member.first, first) {
            _ if member.field.is_none() => {}
            (b'[', None) => first = Some(member),
            (b'[', Some(first)) if first.values.len() != member.values.len() => {
                return Err(json.error(unequal(first, member)));
            }
            (next, _) => has_null |= next == b'n',
        }
    }
    match first {
        Some(first) => Ok(first.values.len()),
        // `null` in place of the columns means that there are no records.
        None if has_null => Ok(0),
        None => Err(json.error("found none of the columns").without_data()),
    }
}

/// Reads all members of the object.
fn members<'a>(json: &mut Scanner<'a>, record: &RecordInfo) -> Result<Vec<Column<'a>>, DecodeError> {
    let mut members: Vec<Column<'_>> = Vec::new();
    json.object(|json| {
        let start = json.at;
        let mut values = Vec::new();
        let (name, first) = json.any_key()?;
        let field = record.index_of_name(&name);
        if first == b'[' {
            let is_repeated = members.iter().any(|member| member.field == field && member.first == b'[');
            match field {
                Some(field) if is_repeated && record.fields[field].also_named.is_empty() => {
                    return Err(json.duplicate(&name));
                }
                _ => {}
            }
            json.list(|json, next| {
                values.push(json.at);
                json.skip(next)
            })?;
        } else {
            json.skip(first)?;
        }
        members.push(Column { name, field, first, values, text: json.since(start) });
        Ok(())
    })?;
    Ok(members)
}

fn unequal(first: &Column<'_>, other: &Column<'_>) -> String {
    let length = first.values.len();
    let other_length = other.values.len();
    format!("columns of different lengths: {length} in {:?}, {other_length} in {:?}", first.name, other.name)
}

impl<'a> Row<'a> {
    /// Reads the record at an index of the columns into the row.
    pub(super) fn fill_from(
        &mut self,
        columns: &Columns<'a>,
        json: &mut Scanner<'a>,
        index: usize,
        depth: u8,
    ) -> Result<(), DecodeError> {
        self.clear();
        for column in &columns.columns {
            let next = column.seek(json, index)?;
            if let Some(field) = column.field {
                self.fill_value(field, json, next, depth).map_err(|error| error.in_field(&column.name))?;
            } else if !self.take_other(&column.name, json, next) {
                self.unknown.push(&column.entry(json, index)?);
            }
        }
        self.end()
    }
}
