//! The parts of a description that are missing from our own export of the imported catalogue, with every place.
//!
//! Both are walked side by side. What the import reads is not known here: whatever the export lacks is lost. If the
//! import has noted why it left something out, that note is used instead.

mod credentials;
mod operations;
mod schema;

use std::collections::{BTreeMap, HashSet};

use serde_yaml::Value;

use super::document::{Document, Layer, entries, entries_of, items, text, text_of};
use super::groups::module;
use super::notes::{Notes, Weight};
use super::security::is_optional;

/// Keys that do not affect a request or a reply.
const ASIDE: &str = "\
    additionalProperties contact deprecated example examples externalDocs jsonSchemaDialect license links security \
    servers tags termsOfService unevaluatedProperties";

/// Keys for readers.
const TEXTS: [&str; 5] = ["advice", "description", "notes", "summary", "title"];

/// The losses, and how many texts are among them.
#[derive(Debug, Default)]
pub(super) struct Lost {
    pub(super) notes: Notes,
    /// Texts that were not to be imported.
    pub(super) left_out: usize,
    /// Texts of which only the beginning was imported.
    pub(super) cut: usize,
}

/// A description, beside the export of what was imported from it.
pub(super) struct Subtraction<'d> {
    said: &'d Document,
    kept: &'d Document,
    /// The paths of the description, and their paths in the catalogue.
    paths: &'d BTreeMap<String, String>,
    /// Whether texts are imported.
    texts: bool,
    lost: Lost,
    /// Schemas that have been compared, by place and by the exported layers.
    compared: HashSet<(String, Vec<*const Value>)>,
    /// Components of the description that something refers to.
    used: HashSet<String>,
}

/// All objects that hold at a place: the object itself, and those that it refers to.
type Layers<'d> = Vec<Layer<'d>>;

/// All values that a key has.
fn all<'l, 'd>(layers: &'l [Layer<'d>], key: &'l str) -> impl Iterator<Item = &'d Value> + Clone + use<'l, 'd> {
    layers.iter().filter_map(move |(layer, _)| layer.get(key))
}

/// The first of these.
fn find<'d>(layers: &[Layer<'d>], key: &str) -> Option<&'d Value> {
    all(layers, key).next()
}

/// The value that is equal, or else the first.
fn nearest<'d>(layers: &[Layer<'d>], key: &str, said: &Value) -> Option<&'d Value> {
    let mut values = all(layers, key);
    values.clone().find(|kept| *kept == said).or_else(|| values.next())
}

/// The keys of all layers, each with the place that it stands at.
fn keys<'l, 'd>(layers: &'l [Layer<'d>]) -> impl Iterator<Item = (&'d str, &'d Value, &'l str)> {
    let keys =
        layers.iter().flat_map(|(layer, at)| layer.as_mapping().into_iter().flatten().zip(std::iter::repeat(at)));
    keys.filter_map(|((key, value), at)| Some((key.as_str()?, value, at.as_str())))
}

impl<'d> Subtraction<'d> {
    /// The losses, added to the notes.
    pub(super) fn lost(
        said: &'d Document,
        kept: &'d Document,
        paths: &'d BTreeMap<String, String>,
        texts: bool,
        notes: Notes,
    ) -> Lost {
        let lost = Lost { notes, ..Lost::default() };
        let mut subtraction = Self { said, kept, paths, texts, lost, compared: HashSet::new(), used: HashSet::new() };
        subtraction.document();
        subtraction.lost
    }

    fn document(&mut self) {
        let (said, kept) = (self.said.root(), self.kept.root());
        for (key, value, at) in keys(&[(said, "#".to_owned())]) {
            match key {
                "openapi" | "x-generated" | "components" => {}
                "paths" => self.paths(value),
                "servers" if !self.said.is_ours() => self.servers(value),
                "tags" => self.tags(value),
                "security" if is_optional(said) == is_optional(kept) => {}
                "webhooks" => self.lose(Weight::Missing, "`webhooks`".to_owned(), at),
                _ => self.value(key, value, kept.get(key), at),
            }
        }
        for (kind, components) in entries(said, "components") {
            match kind {
                "securitySchemes" => self.security_schemes(components),
                "schemas" | "parameters" | "responses" | "pathItems" => {
                    for (name, _) in entries_of(components) {
                        let place = format!("#/components/{kind}/{name}");
                        if !self.used.contains(&place) {
                            self.lose(Weight::Aside, format!("{kind} of nothing that is taken over"), &place);
                        }
                    }
                }
                _ => self.value(kind, components, None, "#/components"),
            }
        }
    }

    /// Notes a loss at a place.
    fn lose(&mut self, weight: Weight, what: String, place: &str) {
        self.lost.notes.add(weight, what, place);
    }

    /// Notes that everything at a place is lost, unless the import has noted why.
    fn lose_all(&mut self, weight: Weight, what: String, place: &str) {
        if !self.lost.notes.is_explained(place) {
            self.lose(weight, what, place);
        }
    }

    fn lose_key(&mut self, key: &str, place: &str) {
        let is_aside = key.starts_with("x-") || ASIDE.split_whitespace().any(|aside| aside == key);
        self.lose(if is_aside { Weight::Aside } else { Weight::Fact }, format!("`{key}`"), place);
    }

    /// Compares the value of a key of any type.
    fn value(&mut self, key: &str, said: &Value, kept: Option<&Value>, place: &str) {
        match (said, kept) {
            (Value::Null | Value::Bool(false), None) => {}
            (Value::String(text), _) if TEXTS.contains(&key.trim_start_matches("x-")) => {
                self.text(key, text, kept.and_then(Value::as_str), place);
            }
            (Value::Mapping(_), Some(Value::Mapping(_))) => {
                let below = format!("{place}/{key}");
                for (inner, value) in entries_of(said) {
                    self.value(inner, value, kept.and_then(|kept| kept.get(inner)), &below);
                }
            }
            (Value::Sequence(said), Some(Value::Sequence(kept))) => {
                for item in said {
                    match kept.iter().find(|kept| is_item(item, kept)) {
                        Some(kept) => self.value(key, item, Some(kept), place),
                        None => self.lose_key(key, place),
                    }
                }
            }
            (said, Some(kept)) if is_same(said, kept) => {}
            _ => self.lose_key(key, place),
        }
    }

    /// A text for readers, of which the first paragraph is imported.
    fn text(&mut self, key: &str, said: &str, kept: Option<&str>, place: &str) {
        let (first, rest) = said.trim().split_once("\n\n").unwrap_or((said, ""));
        let (first, rest, kept) = (words(first), words(rest), kept.map(words).unwrap_or_default());
        if kept.starts_with(&(first.clone() + &rest)) {
            return;
        }
        if !self.texts {
            self.lost.left_out += 1;
        } else if !first.is_empty() && kept.starts_with(&first) {
            self.lost.cut += 1;
        } else {
            self.lose(Weight::Aside, format!("`{key}`"), place);
        }
    }

    fn tags(&mut self, tags: &'d Value) {
        for tag in tags.as_sequence().into_iter().flatten() {
            let name = text(tag, "name").unwrap_or_default();
            let place = format!("#/tags/{name}");
            let kept = items(self.kept.root(), "tags").iter();
            match kept.clone().find(|kept| text(kept, "name") == Some(&module(name))) {
                Some(kept) => self.others(&[(tag, place)], &[(kept, String::new())], &["name"]),
                None => self.lose(Weight::Aside, "tags of no endpoint that is taken over".to_owned(), &place),
            }
        }
    }

    /// The import notes the first server itself.
    fn servers(&mut self, servers: &'d Value) {
        for (index, server) in servers.as_sequence().into_iter().flatten().enumerate() {
            if index > 0 {
                self.lose(Weight::Aside, "servers beyond the first".to_owned(), "#/servers");
                continue;
            }
            self.others(&[(server, "#/servers".to_owned())], &[], &["url", "variables"]);
            for (name, variable) in entries(server, "variables") {
                self.others(&[(variable, format!("#/servers/variables/{name}"))], &[], &["default"]);
            }
        }
    }

    /// All keys except those that are compared otherwise.
    fn others(&mut self, said: &[Layer<'d>], kept: &[Layer<'d>], but: &[&str]) {
        for (key, value, at) in keys(said).filter(|(key, ..)| *key != "$ref" && !but.contains(key)) {
            self.value(key, value, nearest(kept, key, value), at);
        }
    }

    /// An object and those that it refers to, which count as used; `None` if the reference leads nowhere.
    fn follow(&mut self, value: &'d Value, place: &str) -> Option<Layers<'d>> {
        let layers = self.said.referred(value, place);
        self.used.extend(layers.iter().map(|(_, at)| at.clone()));
        let leads_nowhere = layers.last().is_none_or(|(last, _)| last.get("$ref").is_some());
        if leads_nowhere {
            self.lose(Weight::Missing, "a reference that leads nowhere".to_owned(), place);
        }
        (!leads_nowhere).then_some(layers)
    }
}

/// Whether an item of a list is the same one: the same value, or an object of the same name.
fn is_item(said: &Value, kept: &Value) -> bool {
    let name = ["name", "value", "operationId", "suffix", "status"].into_iter().find(|key| said.get(key).is_some());
    match name {
        Some(key) => said.get(key) == kept.get(key),
        None => said == kept || is_same(said, kept),
    }
}

/// Whether two scalars are the same, however they are written.
fn is_same(said: &Value, kept: &Value) -> bool {
    let is_number = said.is_number() && said.as_f64() == kept.as_f64();
    let is_scalar = !matches!(said, Value::Mapping(_) | Value::Sequence(_) | Value::Null);
    is_number || is_scalar && text_of(said).trim() == text_of(kept)
}

/// Whether one text begins as another.
fn starts_alike(said: &str, kept: &str) -> bool {
    words(kept).starts_with(&words(said.trim().split("\n\n").next().unwrap_or_default()))
}

/// A text without what Markdown may have added to it.
fn words(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).collect()
}
