//! Converts strings with a complete list of values to named types.

use codegen::duration;
use codegen::names::{self, Case};
use codegen::spec::{Type, TypeKind, Value as TypeValue};
use serde_yaml::Value;

use super::Reader;
use super::composed_schemas::constants;
use super::document::{items, text_of};
use super::draft::wanted;
use super::omissions::Weight;
use super::schemas::{is_component, owner};
use crate::draft_types::type_name;
use crate::merge::values_of;
use crate::rust_names::is_value;

impl<'d> Reader<'d> {
    /// Returns the type of a schema for strings: `string` or a named type.
    pub(super) fn text_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let mut values: Vec<TypeValue> = Vec::new();
        for value in items(schema, "enum").iter().chain(constants(schema)) {
            let written = value.get("const").map_or_else(|| text_of(value), text_of);
            // `null` does not become a value of the enum, because `type` already declares that the schema is nullable.
            let is_value = is_value(&written);
            if !is_value && !value.is_null() {
                self.omissions.add(Weight::Fact, "an `enum` value that has several lines or a comma", pointer);
            }
            if is_value && !value.is_null() && !values.iter().any(|known| *known.value == written) {
                let summary = self.summary(value, &["description", "title"]);
                values.push(TypeValue { value: written.into(), summary, ..TypeValue::default() });
            }
        }
        if values.len() == 1 && !is_component(pointer) {
            self.omissions.add(Weight::Fact, "an `enum` with one value", pointer);
            values.clear();
        }
        let is_complete = !values.is_empty();
        if !is_complete && is_component(pointer) {
            // Our own export states a type as a string with examples, because a service may add values.
            let examples = items(schema, "examples").iter().map(text_of).filter(|text| is_value(text));
            values.extend(values_of(examples));
            let ident = names::ident(name, Case::Pascal).unwrap_or_default();
            if values.is_empty() && self.types.contains(&ident) {
                return ident;
            }
        }
        if values.is_empty() {
            return "string".to_owned();
        }
        let kind = if is_complete { TypeKind::Enum } else { TypeKind::Identifier };
        type_name(self.named_type(schema, name, pointer, (kind, values)))
    }

    fn named_type(
        &mut self,
        schema: &'d Value,
        name: &str,
        pointer: &str,
        (kind, mut values): (TypeKind, Vec<TypeValue>),
    ) -> usize {
        let texts: Vec<_> = values.iter().map(|value| value.value.to_string()).collect();
        // Inline enums with the same values share one type.
        let same = self.types_by_values.entry(texts).or_default();
        let is_it = |known: &&usize| !is_component(pointer) || self.draft.types[**known].1.name == name;
        if let Some(known) = same.iter().find(is_it) {
            return *known;
        }
        let index = self.draft.types.len();
        same.push(index);
        if values.iter().all(|value| duration::seconds(&value.value).is_some()) {
            for value in &mut values {
                value.duration = Some(value.value.clone());
            }
        }
        let (summary, evidence) = (self.summary(schema, &["description"]), self.options.evidence);
        let ty = Type { name: type_name(index).into(), kind, summary, evidence, values, ..Type::default() };
        self.draft.types.push((ty, wanted(name, owner(pointer))));
        index
    }
}
