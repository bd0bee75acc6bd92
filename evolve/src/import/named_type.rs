//! Converts texts with a closed list of values to named types.

use serde_yaml::Value;

use super::Reader;
use super::composition::constants;
use super::document::{items, text, text_of};
use super::draft::Named;
use super::schema::{is_component, owner};
use crate::fill::WantedName;
use crate::naming::is_value;
use crate::numbered_types::type_name;
use crate::yaml_tree::Tree;

impl<'d> Reader<'d> {
    /// The type of a text: `string`, or a named type.
    pub(super) fn text_type(&mut self, schema: &'d Value, name: &str, place: &str) -> String {
        let mut values: Vec<Tree> = Vec::new();
        for value in items(schema, "enum").iter().chain(constants(schema)) {
            let written = value.get("const").map_or_else(|| text_of(value), text_of);
            // `null` among the values makes the type nullable, which is also read from `type`.
            let is_value = !value.is_null() && is_value(&written);
            if is_value && !values.iter().any(|known| known.text("value") == Some(&written)) {
                values.push(self.said_of_one(value, &written));
            }
        }
        if values.is_empty() || values.len() == 1 && !is_component(place) {
            return "string".to_owned();
        }
        type_name(self.named_type(schema, name, place, values))
    }

    /// A value of a named type, with its facts.
    fn said_of_one(&self, value: &'d Value, written: &str) -> Tree {
        let summary = ["description", "title"].iter().find_map(|key| text(value, key));
        let summary = summary.map(|text| self.prose(text)).filter(|summary| !summary.is_empty());
        Tree::map().with("value", written).with_some("summary", summary)
    }

    fn named_type(&mut self, schema: &'d Value, name: &str, place: &str, values: Vec<Tree>) -> usize {
        let texts: Vec<_> = values.iter().filter_map(|value| value.text("value")).map(str::to_owned).collect();
        // Equal inline enums share one type.
        let same = self.types_by_values.entry(texts).or_default();
        let is_it = |known: &&usize| !is_component(place) || self.draft.types[**known].wanted.name == name;
        if let Some(known) = same.iter().find(is_it) {
            return *known;
        }
        same.push(self.draft.types.len());
        let said = self.completed(self.said(schema));
        let index = self.draft.types.len();
        let tree = Tree::map()
            .with("name", type_name(index))
            .with("kind", "enum")
            .with_some("summary", said.get("summary").cloned())
            .with("evidence", self.options.evidence.as_str())
            .with("values", values);
        let wanted = WantedName { name: name.to_owned(), owner: owner(place), is_chosen: false };
        self.draft.types.push(Named { tree, wanted, rank: self.rank("schemas", name) });
        index
    }
}
