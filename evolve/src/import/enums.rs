//! Converts strings with a list of values to named types.

use codegen::duration;
use codegen::names::{self, Case};
use codegen::spec::{Type, TypeKind, Value as TypeValue};
use serde_yaml::Value;

use super::Reader;
use super::composed_schemas::constants;
use super::document::{items, text_of};
use super::omissions::Weight;
use super::schemas::is_component;
use crate::draft_types::type_name;
use crate::merge::values_of;
use crate::rust_names::is_value;

impl<'d> Reader<'d> {
    /// Returns the type of a schema for strings: `string` or a named type.
    pub(super) fn text_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let mut values: Vec<TypeValue> = Vec::new();
        // `null` does not become a value of the enum, because `type` already declares that the schema is nullable.
        for value in items(schema, "enum").iter().chain(constants(schema)).filter(|value| !value.is_null()) {
            let written = text_of(value.get("const").unwrap_or(value));
            if !is_value(&written) {
                self.omissions.add(Weight::Fact, "an `enum` value that has several lines or a comma", pointer);
            } else if !values.iter().any(|known| *known.value == written) {
                let summary = self.summary(value, &["description", "title"]);
                values.push(TypeValue { value: written.into(), summary, ..TypeValue::default() });
            }
        }
        let is_component = is_component(pointer);
        if values.len() == 1 && !is_component {
            self.omissions.add(Weight::Fact, "an `enum` with one value", pointer);
            values.clear();
        }
        let kind = if values.is_empty() { TypeKind::Identifier } else { TypeKind::Enum };
        if values.is_empty() && is_component {
            // Our own export states a type as a string with examples, because a service may add values.
            let examples = items(schema, "examples").iter().map(text_of).filter(|text| is_value(text));
            values.extend(values_of(examples));
            let ident = names::ident(name, Case::Pascal).unwrap_or_default();
            if values.is_empty() && self.known.ty(&ident).is_some() {
                return ident;
            }
        }
        if values.is_empty() { "string".to_owned() } else { self.named_type(schema, name, pointer, kind, values) }
    }

    fn named_type(
        &mut self,
        schema: &'d Value,
        name: &str,
        pointer: &str,
        kind: TypeKind,
        mut values: Vec<TypeValue>,
    ) -> String {
        let texts = |values: &[TypeValue]| values.iter().map(|value| value.value.to_string()).collect::<Vec<_>>();
        // Inline enums with the same values share one type.
        let same = self.types_by_values.entry(texts(&values)).or_default();
        let names = &self.draft.names;
        let is_it = |known: &&String| {
            !is_component(pointer) || names.get(known.as_str()).is_some_and(|wanted| wanted.name == name)
        };
        if let Some(known) = same.iter().find(is_it) {
            return known.clone();
        }
        let ty = type_name(self.draft.content.service.types.len());
        same.push(ty.clone());
        if values.iter().all(|value| duration::seconds(&value.value).is_some()) {
            for value in &mut values {
                value.duration = Some(value.value.clone());
            }
        }
        let (summary, evidence) = (self.summary(schema, &["description"]), self.options.evidence);
        let name = self.drafted(ty.clone(), name, pointer);
        self.draft.content.service.types.push(Type { name, kind, summary, evidence, values, ..Type::default() });
        ty
    }
}
