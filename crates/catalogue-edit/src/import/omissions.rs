//! Facts that an import omits. Each fact is reported once, with the number and the first path of its occurrences. The
//! most severe facts are reported first.

use std::cmp::Reverse;

use indexmap::{IndexMap, IndexSet};
use serde_yaml::Value;

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

/// All omissions of an import.
///
/// The severity and the paths of each omission, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Omissions(IndexMap<String, (Weight, IndexSet<String>)>);

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

/// Keys that do not affect a request or a response.
const ASIDE: &str = "\
    deprecated externalDocs jsonSchemaDialect license links security servers unevaluatedProperties headers";

impl Omissions {
    /// Adds an omission for each key of an object that the import does not read. `known` contains the keys that the
    /// import reads.
    pub(super) fn unread(&mut self, object: &Value, known: &str, pointer: &str) {
        let has = |keys: &str, key: &str| keys.split_whitespace().any(|known| known == key);
        let keys = object.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str());
        for key in keys.filter(|key| *key != "$ref" && !key.starts_with("x-") && !has(known, key)) {
            let weight = if has(ASIDE, key) { Weight::Aside } else { Weight::Fact };
            self.add(weight, format!("`{key}`"), pointer);
        }
    }

    /// `true` if a note explains why the value at a path is missing or untyped.
    pub(super) fn is_explained(&self, pointer: &str) -> bool {
        self.0.values().any(|(weight, pointers)| *weight <= Weight::Untyped && pointers.contains(pointer))
    }

    pub(super) fn add(&mut self, weight: Weight, what: impl Into<String>, pointer: &str) {
        let (_, pointers) = self.0.entry(what.into()).or_insert_with(|| (weight, IndexSet::new()));
        pointers.insert(pointer.to_owned());
    }

    /// One line for each omission.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut sorted: Vec<_> = self.0.iter().collect();
        sorted.sort_by_key(|(_, (weight, pointers))| (*weight, Reverse(pointers.len())));
        let lines = sorted.into_iter().map(|(what, (_, pointers))| {
            let first = pointers.first().map_or("", String::as_str);
            let times = pointers.len();
            let times = if times > 1 { format!("{times} times, first ") } else { String::new() };
            format!("{what} ({times}at {first})")
        });
        lines.collect()
    }
}
