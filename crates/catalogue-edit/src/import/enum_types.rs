//! Converts schemas of strings to named types: enums, and identifiers with known values.

use catalogue::duration;
use catalogue::names::{self, Case};
use catalogue::spec::{Type, TypeKind, Value as TypeValue};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::schema_facts::{is_component, wanted_name};
use super::schema_parts::constants;
use super::tree::{items, text_of};
use crate::enum_values::{is_value, values_of};

impl<'d> DescriptionReader<'d> {
    /// The type of a schema for strings: `string` or a named type.
    pub(super) fn text_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let is_component = is_component(pointer);
        let mut kind = TypeKind::Enum;
        let mut values = self.enum_values(schema, pointer);
        if values.len() == 1 && !is_component {
            self.omissions.add(Weight::Fact, "an `enum` with one value", pointer);
            values.clear();
        }
        if values.is_empty() && is_component {
            kind = TypeKind::Identifier;
            values = example_values(schema);
            let ident = names::ident(name, Case::Pascal).unwrap_or_default();
            if values.is_empty() && self.catalogue.ty(&ident).is_some() {
                return ident;
            }
        }
        if values.is_empty() {
            return "string".to_owned();
        }
        self.named_type(schema, name, pointer, Type { kind, values, ..Type::default() })
    }

    /// The values of an enum, each once.
    fn enum_values(&mut self, schema: &'d Value, pointer: &str) -> Vec<TypeValue> {
        let mut listed: Vec<&Value> = Vec::from_iter(items(schema, "enum"));
        listed.extend(constants(schema));
        let mut values: Vec<TypeValue> = Vec::new();
        for value in listed {
            // `null` does not become a value of the enum, because it makes the schema nullable.
            if value.is_null() {
                continue;
            }
            let constant = value.get("const").unwrap_or(value);
            if constant.is_f64() {
                let what =
                    "the digits of an `enum` value that is a number and not a text, such as 1.10, which becomes 1.1";
                self.omissions.add(Weight::Fact, what, pointer);
            }
            let written = text_of(constant);
            if !is_value(&written) {
                self.omissions.add(Weight::Fact, "an `enum` value that has several lines or a comma", pointer);
            } else if !values.iter().any(|known| *known.value == written) {
                let summary = self.summary(value, &["description", "title"]);
                values.push(TypeValue { value: written.into(), summary, ..TypeValue::default() });
            }
        }
        values
    }

    /// Adds a named type to the draft. Inline enums with the same values share one type.
    fn named_type(&mut self, schema: &'d Value, name: &str, pointer: &str, mut new: Type) -> String {
        let values: Vec<String> = new.values.iter().map(|value| value.value.to_string()).collect();
        if let Some(known) = self.same_type(name, pointer, &values) {
            return known;
        }
        set_durations(&mut new);
        new.summary = self.summary(schema, &["description"]);
        new.evidence = self.options.evidence;
        let provisional = self.draft.add_type(new, wanted_name(name, pointer));
        self.types_by_values.entry(values).or_default().push(provisional.clone());
        provisional
    }

    /// The drafted type with the same values. For a component, it must have the same name too.
    fn same_type(&self, name: &str, pointer: &str, values: &[String]) -> Option<String> {
        for known in self.types_by_values.get(values)? {
            let has_name = self.draft.names.get(known).is_some_and(|wanted| wanted.name == name);
            if has_name || !is_component(pointer) {
                return Some(known.clone());
            }
        }
        None
    }
}

/// The values of a type that our own export states as a string with examples, because a service may add values.
fn example_values(schema: &Value) -> Vec<TypeValue> {
    let mut examples = Vec::new();
    for example in items(schema, "examples") {
        let example = text_of(example);
        if is_value(&example) {
            examples.push(example);
        }
    }
    values_of(examples)
}

/// Sets the durations of the values, if all of them are durations.
fn set_durations(ty: &mut Type) {
    if ty.values.iter().any(|value| duration::step(&value.value).is_none()) {
        return;
    }
    for value in &mut ty.values {
        value.duration = Some(value.value.clone());
    }
}
