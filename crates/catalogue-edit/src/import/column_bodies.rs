//! Bodies whose records are columns: an object with a list of values for each field.

use catalogue::spec::Body;
use serde_yaml::Value;

use super::bodies::series_of;
use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::schema_facts::{is_scalar, type_of};
use super::schema_layers::Property;

impl<'d> DescriptionReader<'d> {
    /// The body whose records are columns: an object with at least two lists of scalars, one of them with timestamps.
    pub(super) fn column_body(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Option<Body> {
        let resolved = self.document.follow(schema)?;
        let pointer = resolved.pointer(pointer);
        let mut columns = Vec::new();
        let mut others = Vec::new();
        for property in self.document.properties(resolved.value, pointer) {
            match self.column(&property) {
                Some(column) => columns.push(column),
                None => others.push(property),
            }
        }
        if !self.are_columns(&columns) {
            return None;
        }
        for other in others {
            let what = format!("the key `{}` next to the records", other.name);
            self.omissions.add(Weight::Fact, what, &other.pointer);
        }
        // The same object may be a record elsewhere.
        let pointer = format!("{pointer}/columns");
        let index = match self.records.get(&pointer) {
            Some(known) => *known,
            None => self.column_record(resolved.value, name, &pointer, columns),
        };
        Some(series_of(Some(index)))
    }

    /// Adds the record of an object with these columns to the draft, and returns its index.
    fn column_record(&mut self, schema: &'d Value, name: &str, pointer: &str, columns: Vec<Property<'d>>) -> usize {
        let others = self.others_type_of_columns(schema, &columns, pointer);
        let index = self.add_record(schema, name, pointer, columns);
        let record = &mut self.draft.content.service.records[index];
        record.columns = true;
        record.others = others.map(Into::into);
        index
    }

    /// A list as the field that its items are; `None` for any other property.
    fn column(&self, list: &Property<'d>) -> Option<Property<'d>> {
        let items = self.document.follow(list.schema)?.value.get("items")?;
        let pointer = format!("{}/items", list.pointer);
        Some(Property { name: list.name.clone(), schema: items, pointer, is_required: list.is_required })
    }

    fn are_columns(&self, columns: &[Property<'d>]) -> bool {
        let mut has_time = false;
        for column in columns {
            if !is_scalar(type_of(column.schema)) {
                return false;
            }
            has_time |= self.is_timestamp(column.schema, &column.name);
        }
        has_time && columns.len() >= 2
    }
}
