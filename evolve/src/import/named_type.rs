//! Texts with a closed list of values become named types.

use codegen::duration;
use serde_yaml::Value;

use super::Reader;
use super::composition::constants;
use super::document::{items, text, text_of};
use super::draft::Named;
use super::numbered_types::type_name;
use super::schema::{is_component, owner};
use super::service::some;
use crate::fill::WantedName;
use crate::naming::is_value;
use crate::tree::Tree;

impl<'d> Reader<'d> {
    /// Text, or a named type of it.
    pub(super) fn text_type(&mut self, schema: &'d Value, name: &str, place: &str) -> String {
        let is_open = text(schema, "x-kind") == Some("identifier");
        let mut values: Vec<Tree> = Vec::new();
        let described = items(schema, "x-values");
        let listed = items(schema, "enum").iter().chain(constants(schema));
        let all: Vec<&Value> = if described.is_empty() { listed.collect() } else { described.iter().collect() };
        for value in all {
            let written = value.get("value").or(value.get("const")).map_or_else(|| text_of(value), text_of);
            // `null` among the values says that the value can be null, which the type says too.
            let is_value = !value.is_null() && is_value(&written);
            if is_value && !values.iter().any(|known| known.text("value") == Some(&written)) {
                values.push(self.said_of_one(value, &written));
            }
        }
        let is_one = values.len() == 1 && described.is_empty() && !is_component(place);
        if is_one || values.is_empty() && !is_open {
            return "string".to_owned();
        }
        type_name(self.named_type(schema, name, place, is_open, values))
    }

    /// A value of a named type, with its facts.
    fn said_of_one(&self, value: &'d Value, written: &str) -> Tree {
        let summary = ["summary", "description", "title"].iter().find_map(|key| text(value, key));
        let summary = summary.map(|text| self.prose(text)).filter(|summary| !summary.is_empty());
        Tree::map()
            .with("value", written)
            .with_some("ident", text(value, "ident"))
            .with_some("summary", summary)
            .with_some("duration", text(value, "duration").filter(|text| duration::seconds(text).is_some()))
            .with_some("evidence", text(value, "evidence"))
    }

    fn named_type(
        &mut self,
        schema: &'d Value,
        name: &str,
        place: &str,
        is_open: bool,
        mut values: Vec<Tree>,
    ) -> usize {
        let kind = if is_open { "identifier" } else { "enum" };
        let same = |known: &Named| {
            let written = known.tree.entries("values").iter().map(|value| value.get("value"));
            known.tree.text("kind") == Some(kind) && written.eq(values.iter().map(|value| value.get("value")))
        };
        // Equal inline enums share one type.
        let is_it = |known: &Named| same(known) && (!is_component(place) || known.wanted.name == name);
        if let Some(known) = self.draft.types.iter().position(is_it) {
            return known;
        }
        let said = self.completed(self.said(schema));
        let evidence = said.text("evidence").unwrap_or_default();
        for value in &mut values {
            value.inherit(evidence);
        }
        let index = self.draft.types.len();
        let tree = Tree::map()
            .with("name", type_name(index))
            .with("kind", kind)
            .with_some("summary", said.get("summary").cloned())
            .with("evidence", evidence)
            .with_some("shapes", schema.get("x-shapes").map(Tree::of_value))
            .with_some("values", some(values));
        let wanted = WantedName { name: name.to_owned(), owner: owner(place), is_shared: false };
        self.draft.types.push(Named { tree, wanted, rank: self.rank("schemas", name) });
        index
    }
}
