//! Facts that an import omits. Each fact is reported once, with the number and the first path of its occurrences. The
//! most severe facts are reported first.

use std::cmp::Reverse;

use indexmap::{IndexMap, IndexSet};
use serde_yaml::Value;

use crate::json_paths::entries_of;
use crate::word_lists::is_among;

/// The severity of an omission, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// An item is missing, or unknown.
    Missing,
    /// An item is present without its type.
    Untyped,
    /// A fact about an item is missing.
    Fact,
    /// A text is missing, or a fact without an effect on requests and responses.
    Aside,
}

/// The occurrences of one omission.
#[derive(Debug)]
struct Occurrences {
    weight: Weight,
    /// The paths in the description, in the order in which they were found.
    pointers: IndexSet<String>,
}

/// All omissions of an import, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Omissions {
    by_text: IndexMap<String, Occurrences>,
}

/// The keys that the import reads in the root of a description. The next constants contain the keys of other objects.
pub(super) const ROOT: &str = "openapi info servers paths components tags security";
pub(super) const PATH: &str = "get parameters servers summary description";
pub(super) const OPERATION: &str =
    "operationId tags summary description parameters responses deprecated security servers";
pub(super) const PARAM: &str = "name in required schema content description style explode example examples";
pub(super) const RESPONSE: &str = "description content";
pub(super) const SCHEMA: &str = "\
    type properties required items prefixItems additionalProperties allOf anyOf oneOf enum const format nullable title \
    description example examples default minimum maximum readOnly writeOnly";

/// The omission of the schema for the properties that an object does not list.
pub(super) const NEXT_TO_PROPERTIES: &str = "`additionalProperties` next to `properties`";

/// Keys that do not affect a request or a response.
const ASIDE: &str = "\
    deprecated externalDocs jsonSchemaDialect license links security servers unevaluatedProperties headers";

impl Omissions {
    /// Adds an omission for each key of an object that the import does not read. `known` contains the keys that the
    /// import reads.
    pub(super) fn unread(&mut self, object: &Value, known: &str, pointer: &str) {
        for (key, _) in entries_of(object) {
            if key == "$ref" || key.starts_with("x-") || is_among(known, key) {
                continue;
            }
            let weight = if is_among(ASIDE, key) { Weight::Aside } else { Weight::Fact };
            self.add(weight, format!("`{key}`"), pointer);
        }
    }

    /// `true` if a note explains why the value at a path is missing or untyped.
    pub(super) fn is_explained(&self, pointer: &str) -> bool {
        for occurrences in self.by_text.values() {
            if occurrences.weight <= Weight::Untyped && occurrences.pointers.contains(pointer) {
                return true;
            }
        }
        false
    }

    pub(super) fn add(&mut self, weight: Weight, what: impl Into<String>, pointer: &str) {
        let new = Occurrences { weight, pointers: IndexSet::new() };
        let occurrences = self.by_text.entry(what.into()).or_insert(new);
        occurrences.pointers.insert(pointer.to_owned());
    }

    /// One line for each omission.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut sorted = Vec::from_iter(&self.by_text);
        sorted.sort_by_key(|(_, occurrences)| (occurrences.weight, Reverse(occurrences.pointers.len())));
        let mut lines = Vec::new();
        for (what, occurrences) in sorted {
            let mut place = String::new();
            if occurrences.pointers.len() > 1 {
                place = format!("{} times, first ", occurrences.pointers.len());
            }
            if let Some(first) = occurrences.pointers.first() {
                place += &format!("at {first}");
            }
            lines.push(format!("{what} ({place})"));
        }
        lines
    }
}
