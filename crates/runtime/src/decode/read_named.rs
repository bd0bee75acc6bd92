//! Reads records that are lists, whose names are elsewhere in the body.

use std::borrow::Cow;

use super::column_names::NamedColumn;
use super::error::DecodeError;
use super::row::Row;
use super::scanner::Scanner;
use super::unknown_fields::entry;

impl<'a> Row<'a> {
    /// Assigns each value of a list to the field with the name of its column.
    #[inline(never)] // Within `fill`, it would slow down other records.
    pub(super) fn fill_by_column_names(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let depth = json.deeper(depth)?;
        let Some(names) = self.column_names.take() else {
            return Err(json.error("the names of the columns are missing in the body"));
        };
        let mut index = 0;
        let read = json.list(|json, next| {
            self.fill_column(names.columns.get(index), index, json, next, depth)?;
            index += 1;
            Ok(())
        });
        self.column_names = Some(names);
        read
    }

    /// Reads a value of a column; `None` for a value after the last column.
    fn fill_column(
        &mut self,
        column: Option<&NamedColumn<'a>>,
        index: usize,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
    ) -> Result<(), DecodeError> {
        let name = match column {
            Some(NamedColumn { name, field: Some(field) }) => {
                return self.fill_value(*field, json, next, depth).map_err(|error| error.in_field(name));
            }
            Some(column) => Cow::Borrowed(&*column.name),
            None => Cow::Owned(index.to_string()),
        };
        if column.is_none() || !self.take_other(&name, json, next) {
            let start = json.at;
            json.skip(next)?;
            self.unknown.push(&entry(&name, json.since(start)));
        }
        Ok(())
    }
}
