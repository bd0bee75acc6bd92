//! Texts of which only certain ones can stand become named types.

use codegen::{duration, is_line};
use serde_yaml::Value;

use super::Reader;
use super::composition::constants;
use super::document::{items, text, text_of};
use super::plan::{Annotations, PlannedType, PlannedValue, Ty};
use super::schema::{is_component, owner};

impl<'d> Reader<'d> {
    /// Text, or a named type of it.
    pub(super) fn text_type(&mut self, schema: &'d Value, name: &str, place: &str) -> Ty {
        let is_open = text(schema, "x-kind") == Some("identifier");
        let mut values: Vec<PlannedValue> = Vec::new();
        let described = items(schema, "x-values");
        let listed = items(schema, "enum").iter().chain(constants(schema));
        let all: Vec<&Value> = if described.is_empty() { listed.collect() } else { described.iter().collect() };
        for value in all {
            let text_value = value.get("value").or(value.get("const")).map_or_else(|| text_of(value), text_of);
            let summary = ["summary", "description", "title"].iter().find_map(|key| text(value, key));
            let said = Annotations {
                summary: summary.map(|text| self.prose(text)).unwrap_or_default(),
                ident: text(value, "ident").map(str::to_owned),
                evidence: text(value, "evidence").map(str::to_owned),
                duration: text(value, "duration").filter(|text| duration::seconds(text).is_some()).map(str::to_owned),
                ..Annotations::default()
            };
            // `null` among the values says that the value can be null, which the type says too.
            let is_value = !value.is_null() && is_line(&text_value) && !text_value.contains(',');
            if is_value && !values.iter().any(|known| known.value == text_value) {
                values.push(PlannedValue { value: text_value, said });
            }
        }
        if values.len() == 1 && described.is_empty() && !is_component(place) {
            return Ty::Builtin("string");
        }
        if values.is_empty() && !is_open {
            return Ty::Builtin("string");
        }
        Ty::Named(self.named_type(schema, name, place, is_open, values))
    }

    fn named_type(
        &mut self,
        schema: &'d Value,
        name: &str,
        place: &str,
        is_open: bool,
        values: Vec<PlannedValue>,
    ) -> usize {
        let same = |known: &PlannedType| {
            known.is_open == is_open
                && known.values.iter().map(|value| &value.value).eq(values.iter().map(|value| &value.value))
        };
        // Inline enums repeat; one type serves all that are the same.
        let known =
            self.plan.types.iter().position(|known| same(known) && (!is_component(place) || known.name == name));
        known.unwrap_or_else(|| {
            let said = self.said(schema);
            let shapes = schema.get("x-shapes").cloned();
            let rank = self.rank("schemas", name);
            self.plan.types.push(PlannedType {
                name: name.to_owned(),
                owner: owner(place),
                rank,
                is_open,
                said,
                values,
                shapes,
            });
            self.plan.types.len() - 1
        })
    }
}
