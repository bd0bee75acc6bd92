//! Converts schemas to types of the catalogue, as far as possible.

use serde_yaml::{Mapping, Value};

use super::description_reader::DescriptionReader;
use super::number_types::{integer_type, number_in_quotes, number_type};
use super::omissions::{SCHEMA, Weight};
use super::schema_facts::{type_of, written_format};
use super::schema_layers::DEPTH;
use super::tree::text_or_empty;
use crate::drafted_type::{ANY, TIMESTAMP};
use crate::unix_time::is_unix_time;

impl<'d> DescriptionReader<'d> {
    /// The type of the schema at a path. An unnamed record or enum gets `name`.
    pub(super) fn type_at(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let Some(resolved) = self.resolve(schema, pointer) else { return ANY.to_owned() };
        let schema = resolved.value;
        let pointer = resolved.pointer(pointer);
        let name = match resolved.reference {
            Some(reference) => reference.rsplit('/').next().unwrap_or(name),
            None => name,
        };
        if self.schemas_in_record > DEPTH {
            self.omissions.add(Weight::Untyped, "a schema that becomes `any`, because it contains itself", pointer);
            return ANY.to_owned();
        }
        self.omissions.unread(schema, SCHEMA, pointer);
        self.schemas_in_record += 1;
        let ty = self.composed(schema, name, pointer);
        self.schemas_in_record -= 1;
        let is_empty = schema.as_mapping().is_none_or(Mapping::is_empty);
        if ty == ANY && !is_empty && !self.omissions.is_explained(pointer) {
            self.omissions.add(Weight::Untyped, "a schema that becomes `any`", pointer);
        }
        ty
    }

    /// The type of a schema that combines no others.
    pub(super) fn plain_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let ty = type_of(schema);
        let format = text_or_empty(schema, "format");
        if matches!(ty, "integer" | "number" | "boolean") && schema.get("enum").is_some() {
            self.omissions.add(Weight::Fact, "`enum` with values that are not strings", pointer);
        }
        if schema.get("const").is_some() {
            self.omissions.add(Weight::Fact, "a constant value", pointer);
        }
        match ty {
            "integer" | "string" if self.is_timestamp(schema, name) => TIMESTAMP.to_owned(),
            "string" => match number_in_quotes(format) {
                Some(number) => number.to_owned(),
                None => self.text_type(schema, name, pointer),
            },
            "integer" => integer_type(schema, format).to_owned(),
            "number" => number_type(schema, format).to_owned(),
            "boolean" => "boolean".to_owned(),
            "array" => self.list_type(schema, name, pointer),
            "object" => self.object_type(schema, name, pointer),
            _ => ANY.to_owned(),
        }
    }

    /// `true` if values are timestamps: they are declared as such, or are integers that are the time of every record, or
    /// are named like a time and have a timestamp as example.
    pub(super) fn is_timestamp(&self, schema: &Value, name: &str) -> bool {
        if self.document.declared_unit(schema).is_some() {
            return true;
        }
        let format = text_or_empty(schema, "format");
        // The type decides before the format: an integer with the format `date` is a number such as 20240131.
        if type_of(schema) != "integer" {
            return written_format(format).is_some();
        }
        if ["unixtime", "unix-time"].contains(&format) || self.is_time_of_every_record(name) {
            return true;
        }
        // The format `date-time` of an integer shows that it is a time, as its name does otherwise.
        let name = if format == "date-time" { "time" } else { name };
        let first_of_several = schema.get("examples").and_then(|examples| examples.get(0));
        match schema.get("example").or(first_of_several) {
            Some(example) => is_time_example(example, name),
            None => false,
        }
    }

    fn is_time_of_every_record(&self, name: &str) -> bool {
        match self.catalogue.service.envelope_time() {
            Some(time) => *time.name == name,
            None => false,
        }
    }
}

/// `true` if an example is a timestamp in seconds of a field or param that is named like a time.
pub(super) fn is_time_example(example: &Value, name: &str) -> bool {
    match example.as_f64() {
        Some(number) => example.is_i64() && is_unix_time(name, number),
        None => false,
    }
}
