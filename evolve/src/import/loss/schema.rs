//! Schemas side by side: a composed one is compared as if all of its parts stood at one place.

use serde_yaml::{Mapping, Value};

use super::{Subtraction, all, find, is_same, keys, nearest, starts_alike};
use crate::import::composition::{alternatives, constants};
use crate::import::document::{Layer, entries_of, text_of};
use crate::import::notes::Weight;
use crate::import::schema::{FORMATS, is_nullable, types};

/// Facts about a value of any type.
const OF_ANY: [&str; 5] = ["description", "title", "example", "examples", "default"];

/// The consequence for a schema whose type is lost.
#[derive(Clone, Copy)]
pub(super) struct Instead(Weight, &'static str);

pub(super) const ANY: Instead = Instead(Weight::Untyped, "which becomes `any`");
pub(super) const UNKNOWN: Instead = Instead(Weight::Missing, "so that the body is unknown");

impl<'d> Subtraction<'d> {
    /// The schema of a param; some facts may stand at the param itself.
    pub(super) fn schema_of_param(&mut self, param: &[Layer<'d>], kept: &[Layer<'d>]) {
        let Some((schema, at)) = param.iter().find_map(|(layer, at)| Some((layer.get("schema")?, at))) else { return };
        let mut beside = self.kept.layers(find(kept, "schema").unwrap_or(&Value::Null), "");
        let said = self.said.layers(schema, "");
        let is_list = |layers: &[Layer<'_>]| all(layers, "type").any(|ty| types(ty).contains(&"array"));
        let (style, is_exploded) = style(param);
        let mut place = format!("{at}/schema");
        let mut value = schema;
        if is_list(&said) && !is_list(&beside) {
            let why = "params that are repeated, or written otherwise than with commas, which take one value";
            self.lose(Weight::Missing, why.to_owned(), at);
            value = find(&said, "items").unwrap_or(&Value::Null);
            place += "/items";
        } else {
            let is_kept = if is_list(&said) {
                (style.clone(), is_exploded) == self::style(kept)
            } else {
                matches!(style.as_str(), "form" | "simple")
            };
            if !is_kept {
                self.lose(Weight::Fact, format!("`style: {style}`"), at);
            }
        }
        beside.extend(kept.iter().cloned());
        self.schema(value, &beside, &place, ANY);
    }

    /// A schema, and the exported layers.
    pub(super) fn schema(&mut self, schema: &'d Value, kept: &[Layer<'d>], place: &str, instead: Instead) {
        let made_of = kept.iter().map(|(layer, _)| std::ptr::from_ref(*layer)).collect();
        if !self.compared.insert((place.to_owned(), made_of)) {
            return;
        }
        let said = self.said.layers(schema, place);
        self.used.extend(said.iter().map(|(_, at)| at.clone()));
        let is_explained = said.iter().any(|(_, at)| self.lost.notes.is_explained(at));
        if find(kept, "type").is_none()
            && let Some(what) = self.type_in_words(&said)
        {
            let Instead(weight, becomes) = instead;
            if !is_explained {
                self.lose(weight, format!("{what}, {becomes}"), place);
            }
            for (key, value, at) in keys(&said).filter(|(key, ..)| OF_ANY.contains(key)) {
                self.said_of_value(key, value, kept, at);
            }
            return;
        }
        if said.iter().any(|(layer, _)| is_nullable(layer))
            && !kept.iter().any(|(layer, _)| is_nullable(layer))
            && find(kept, "type").is_some()
        {
            self.lose(Weight::Fact, "a value that can be `null`".to_owned(), place);
        }
        for (key, value, at) in keys(&said) {
            match key {
                "$ref" | "allOf" | "nullable" => {}
                "anyOf" | "oneOf" => self.alternatives(&said, key, kept, at),
                "type" => self.types(value, kept, at),
                "enum" if is_same_enum(items_of(value), kept) => {}
                "properties" => self.properties(value, kept, at),
                "required" => self.required(value, kept, at),
                "items" if value.is_mapping() && find(kept, "items").is_some() => {
                    let kept: Vec<_> = all(kept, "items").flat_map(|items| self.kept.layers(items, "")).collect();
                    self.schema(value, &kept, &format!("{at}/items"), ANY);
                }
                "additionalProperties" if value.is_mapping() && find(kept, key).is_some() => {
                    let kept: Vec<_> = all(kept, key).flat_map(|values| self.kept.layers(values, "")).collect();
                    self.schema(value, &kept, &format!("{at}/{key}"), ANY);
                }
                "items" if has_places(kept) && value.as_mapping().is_none_or(Mapping::is_empty) => {}
                "prefixItems" | "x-prefixItems" if has_places(kept) => self.places(key, value, kept, at),
                "additionalProperties" if value.as_bool() == Some(true) => {}
                "additionalProperties" | "unevaluatedProperties" => self.lose_key(key, at),
                _ => self.said_of_value(key, value, kept, at),
            }
        }
    }

    /// A fact about a value beside its type.
    fn said_of_value(&mut self, key: &str, said: &'d Value, kept: &[Layer<'d>], place: &str) {
        match key {
            "format" if FORMATS.contains(&text_of(said).as_str()) => {}
            "format" if all(kept, key).all(|kept| kept != said) => {
                self.lose(Weight::Fact, format!("`format: {}`", text_of(said)), place);
            }
            "minimum" | "maximum" => {
                let reported = all(kept, "x-range").find_map(|range| range.get(&key[..3]));
                self.value(key, said, nearest(kept, key, said).or(reported), place);
            }
            "example" | "examples" => self.example(key, said, kept, place),
            "description" => {
                let said = said.as_str().unwrap_or_default();
                let mut texts = all(kept, key).filter_map(Value::as_str);
                self.text(key, said, texts.find(|kept| starts_alike(said, kept)), place);
            }
            _ => self.value(key, said, nearest(kept, key, said), place),
        }
    }

    /// Examples, of which a catalogue keeps one.
    pub(super) fn example(&mut self, key: &str, said: &'d Value, kept: &[Layer<'d>], place: &str) {
        let values = |value: &'d Value| value.as_sequence().map_or(std::slice::from_ref(value), Vec::as_slice);
        let kept = all(kept, "example").chain(all(kept, "examples")).flat_map(values);
        if !values(said).iter().all(|said| kept.clone().any(|kept| is_same(said, kept))) {
            self.lose_key(key, place);
        }
    }

    fn type_in_words(&self, layers: &[Layer<'d>]) -> Option<String> {
        layers.iter().find_map(|(layer, _)| {
            let several = ["anyOf", "oneOf"].into_iter().find(|key| alternatives(layer, key).len() > 1);
            let said = layer.get("type").map(types);
            match (several, said.as_deref()) {
                _ if layer.as_bool() == Some(false) => Some("a schema that nothing is of".to_owned()),
                _ if self.said.follow(layer).is_none() => Some("a reference that leads nowhere".to_owned()),
                (Some(key), _) if constants(layer).is_empty() => Some(format!("`{key}` of several")),
                (_, Some([one])) => Some(format!("`type: {one}`")),
                (_, Some(several @ [_, ..])) => Some(format!("`type: {}`", several.join(" or "))),
                _ if layer.get("properties").is_some() => Some("`properties`".to_owned()),
                _ if layer.get("items").is_some() => Some("`items`".to_owned()),
                _ => None,
            }
        })
    }

    fn types(&mut self, said: &Value, kept: &[Layer<'d>], place: &str) {
        let said = types(said);
        let is_kept = |ty: &&str| all(kept, "type").any(|kept| types(kept).contains(ty));
        for ty in said.iter().filter(|ty| !is_kept(ty)) {
            self.lose(Weight::Untyped, format!("`type: {ty}`"), place);
        }
    }

    fn alternatives(&mut self, said: &[Layer<'d>], key: &str, kept: &[Layer<'d>], place: &str) {
        let Some((layer, _)) = said.iter().find(|(_, at)| at == place) else { return };
        let options = alternatives(layer, key);
        if options.len() < 2 {
            return;
        }
        let values: Vec<Value> = constants(layer).iter().filter_map(|option| option.get("const")).cloned().collect();
        if values.is_empty() || !is_same_enum(&values, kept) {
            return self.lose(Weight::Untyped, format!("`{key}` of several"), place);
        }
        for (index, option) in options {
            let value = option.get("const");
            let described = all(kept, "x-values").flat_map(items_of).find(|kept| kept.get("value") == value);
            let meaning = described.and_then(|value| value.get("summary"));
            let at = format!("{place}/{key}/{index}");
            for (key, value) in entries_of(option).filter(|(key, _)| !["const", "type"].contains(key)) {
                self.value(key, value, meaning.filter(|_| ["description", "title"].contains(&key)), &at);
            }
        }
    }

    fn properties(&mut self, said: &'d Value, kept: &[Layer<'d>], place: &str) {
        for (name, property) in entries_of(said) {
            let at = format!("{place}/properties/{name}");
            let kept: Vec<_> = all(kept, "properties").filter_map(|properties| properties.get(name)).collect();
            if kept.is_empty() {
                self.lose(Weight::Fact, "a field that the catalogue does not list".to_owned(), &at);
                continue;
            }
            let kept: Vec<_> = kept.into_iter().flat_map(|kept| self.kept.layers(kept, "")).collect();
            self.schema(property, &kept, &at, ANY);
        }
    }

    /// The schemas of a list by its places.
    fn places(&mut self, key: &str, said: &'d Value, kept: &[Layer<'d>], place: &str) {
        for (index, said) in items_of(said).iter().enumerate() {
            let kept = ["prefixItems", "x-prefixItems"].iter().flat_map(|key| all(kept, key));
            let kept = kept.filter_map(|places| places.get(index)).flat_map(|kept| self.kept.layers(kept, ""));
            let kept: Vec<_> = kept.collect();
            self.schema(said, &kept, &format!("{place}/{key}/{index}"), ANY);
        }
    }

    /// Fields that are always there. The client reads most of them tolerantly anyway.
    fn required(&mut self, names: &'d Value, kept: &[Layer<'d>], place: &str) {
        for name in items_of(names).iter().map(text_of) {
            if all(kept, "properties").all(|properties| properties.get(&name).is_none()) {
                self.lose(Weight::Fact, format!("`required: {name}`"), place);
            }
        }
    }
}

/// Whether the exported list has schemas for its places.
fn has_places(kept: &[Layer<'_>]) -> bool {
    ["prefixItems", "x-prefixItems"].iter().any(|key| find(kept, key).is_some())
}

fn items_of(value: &Value) -> &[Value] {
    value.as_sequence().map_or(&[], Vec::as_slice)
}

/// Whether exactly these values are listed, without `null`, which the type has too.
fn is_same_enum(values: &[Value], kept: &[Layer<'_>]) -> bool {
    let listed = || all(kept, "enum").flat_map(items_of);
    let is_kept = |value: &Value| value.is_null() || listed().any(|kept| kept == value);
    values.iter().all(is_kept) && listed().all(|kept| values.contains(kept)) && listed().next().is_some()
}

/// How the values of a param are joined.
fn style(param: &[Layer<'_>]) -> (String, bool) {
    let is_in_path = find(param, "in") == Some(&"path".into());
    let style = find(param, "style").map_or_else(|| if is_in_path { "simple" } else { "form" }.to_owned(), text_of);
    let explode = find(param, "explode").and_then(Value::as_bool).unwrap_or(style == "form");
    (style, explode)
}
