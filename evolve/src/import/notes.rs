//! Facts that an import loses: each loss once, the most severe first, with its count and paths.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_yaml::Value;

/// The severity of a loss, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// An item is missing, or unknown.
    Missing,
    /// An item is present without its type.
    Untyped,
    /// A fact about an item is missing.
    Fact,
    /// A text is missing, or a fact that does not affect requests.
    Aside,
}

/// All losses of an import.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The notes, in the order of their first occurrence.
    list: Vec<Note>,
    /// The indices of the notes by text.
    known: HashMap<String, usize>,
    /// Paths whose omission has already been noted.
    explained: HashSet<String>,
}

#[derive(Debug)]
struct Note {
    weight: Weight,
    what: String,
    places: Vec<String>,
    seen: BTreeSet<String>,
}

/// The keys that the import reads, by object.
pub(super) const ROOT: &str = "openapi info servers paths components tags security";
pub(super) const PATH: &str = "get parameters summary description";
pub(super) const OPERATION: &str = "operationId tags summary description parameters responses deprecated";
pub(super) const PARAM: &str =
    "name in required schema content description style explode example examples allowEmptyValue";
pub(super) const RESPONSE: &str = "description content";
pub(super) const SCHEMA: &str = "\
    type properties required items prefixItems additionalProperties allOf anyOf oneOf enum const format nullable title \
    description example examples default minimum maximum";

/// Keys that do not affect a request or a response.
const ASIDE: &str = "\
    deprecated externalDocs jsonSchemaDialect license links security servers unevaluatedProperties headers readOnly";

impl Notes {
    /// Notes the keys of an object that the import does not read.
    pub(super) fn unread(&mut self, object: &Value, known: &str, place: &str) {
        let has = |keys: &str, key: &str| keys.split_whitespace().any(|known| known == key);
        let keys = object.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str());
        for key in keys.filter(|key| *key != "$ref" && !key.starts_with("x-") && !has(known, key)) {
            let weight = if has(ASIDE, key) { Weight::Aside } else { Weight::Fact };
            self.add(weight, format!("`{key}`"), place);
        }
    }

    /// Notes the reason why a path is not imported; other losses at that path are then not noted.
    pub(super) fn explain(&mut self, weight: Weight, why: impl Into<String>, place: &str) {
        self.explained.insert(place.to_owned());
        self.add(weight, why.into(), place);
    }

    /// Returns whether the omission of a path has been noted.
    pub(super) fn is_explained(&self, place: &str) -> bool {
        self.explained.contains(place)
    }

    pub(super) fn add(&mut self, weight: Weight, what: String, place: &str) {
        let index = *self.known.entry(what.clone()).or_insert(self.list.len());
        if index == self.list.len() {
            self.list.push(Note { weight, what, places: Vec::new(), seen: BTreeSet::new() });
        }
        let note = &mut self.list[index];
        if note.seen.insert(place.to_owned()) {
            note.places.push(place.to_owned());
        }
    }

    /// The notes, one line each, with all paths or only the first.
    pub(super) fn lines(&self, all: bool) -> Vec<String> {
        let mut sorted: Vec<&Note> = self.list.iter().collect();
        sorted.sort_by_key(|note| (note.weight, Reverse(note.places.len())));
        let lines = sorted.into_iter().map(|Note { what, places, .. }| match places.as_slice() {
            [place] => format!("{what} (at {place})"),
            places if all => format!("{what} ({} places)\n  {}", places.len(), places.join("\n  ")),
            [first, ..] => format!("{what} ({} places, first at {first})", places.len()),
            [] => what.clone(),
        });
        lines.collect()
    }
}
