//! Reads the members of a record that the catalogue does not list, if it declares the type of their values.

use super::row::{BoxedValue, DecodedValue, Row};
use super::scanner::{DEPTH, INEXACT, QUOTED, Scanner};
use super::unknown_fields::entry;
use crate::registry::ValueType;

impl<'a> Row<'a> {
    /// Reads a member that is not in the table into the field for such members. Returns `false`, and reads nothing, if
    /// the record has no such field, or if the value is not of its type: the member is then an unknown field.
    #[inline]
    pub(super) fn take_other(&mut self, key: &str, json: &mut Scanner<'a>, next: u8) -> bool {
        match self.record.others {
            Some(field) => self.read_other(field, key, json, next),
            None => false,
        }
    }

    #[inline(never)] // Few records have such a field.
    fn read_other(&mut self, field: usize, key: &str, json: &mut Scanner<'a>, next: u8) -> bool {
        let ValueType::Map(ty) = self.record.fields[field].ty else { return false };
        let start = json.at;
        // The form of a value is noted for the value itself.
        let outer = std::mem::replace(&mut json.forms, 0);
        let read = DecodedValue::read(ty, json, next, DEPTH);
        let forms = std::mem::replace(&mut json.forms, outer);
        let Ok(value) = read else {
            json.at = start;
            return false;
        };
        if forms & (INEXACT | QUOTED) != 0 {
            self.unknown.keep(field, &format!("{{{}}}", entry(key, json.since(start))));
        }
        self.add_other(field, key, value);
        true
    }

    /// Adds an entry to the map of the field for members that are not in the table.
    fn add_other(&mut self, field: usize, key: &str, value: DecodedValue<'a>) {
        let entry = (key.to_owned(), value);
        if let DecodedValue::Boxed(boxed) = &mut self.values[field]
            && let BoxedValue::Map(entries) = &mut **boxed
        {
            return entries.push(entry);
        }
        self.values[field] = BoxedValue::Map(vec![entry]).into();
        self.present += 1;
    }
}
