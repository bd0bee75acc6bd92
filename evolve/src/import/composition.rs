//! Schemas made of others: parts that all hold, and alternatives of which one does.
//!
//! Parts become one record with what stands beside them. An alternative that is the only one is a part as well, since
//! `null` as another says only that the value can be null. Of several, the catalogue has no word for which.

use std::collections::HashSet;

use serde_yaml::Value;

use super::Reader;
use super::document::{items, text};
use super::plan::Ty;
use super::schema::{DEPTH, KEYS, Valued, is_nullable};

/// What says something of the type itself, so that one that has none of these says only something about it.
const STRUCTURE: &str = "\
    $ref additionalProperties allOf anyOf enum format items oneOf properties required type x-kind";

/// What is not read where a type is that of its one part.
const OVERRULED: &[&str] = &["additionalProperties", "enum", "format", "items"];

/// What is read of a value that is an alternative to others.
const CONSTANT_KEYS: &str = "const description title type";

/// The values of an enum that is written as alternatives, each of them a constant with what it means.
pub(super) fn constants(schema: &Value) -> Vec<&Value> {
    let alternatives = ["oneOf", "anyOf"].into_iter().find(|key| items(schema, key).len() > 1);
    let options = alternatives.map(|key| items(schema, key)).unwrap_or_default();
    let values: Vec<&Value> = options.iter().filter(|option| text(option, "type") != Some("null")).collect();
    let are_constants = values.iter().all(|value| value.get("const").is_some_and(|value| !value.is_mapping()));
    if are_constants { values } else { Vec::new() }
}

/// A schema that is a part of another, with the place that it stands at.
pub(super) type Part<'d> = (&'d Value, String);

/// What a schema is made of.
pub(super) struct Composition<'d> {
    pub(super) parts: Vec<Part<'d>>,
    /// Parts that say nothing of the type.
    remarks: Vec<Part<'d>>,
    /// Which of `anyOf` and `oneOf` has several alternatives.
    alternatives: Option<&'static str>,
    /// All of those that are alternatives to others.
    options: Vec<Part<'d>>,
    /// Whether `null` is an alternative.
    nullable: bool,
}

impl<'d> Composition<'d> {
    /// What a schema is made of, each part with its own place.
    fn of(schema: &'d Value, place: &str) -> Self {
        let part = |key: &str, (index, part): (usize, &'d Value)| (part, format!("{place}/{key}/{index}"));
        let all = items(schema, "allOf").iter().enumerate().map(|one| part("allOf", one));
        let (mut parts, remarks): (Vec<_>, Vec<_>) =
            all.partition(|(part, _)| STRUCTURE.split(' ').any(|key| part.get(key).is_some()));
        let mut nullable = remarks.iter().any(|(remark, _)| is_nullable(remark));
        let (mut alternatives, mut options) = (None, Vec::new());
        for key in ["anyOf", "oneOf"] {
            let all = items(schema, key).iter().enumerate().map(|one| part(key, one));
            let (nulls, others): (Vec<_>, Vec<_>) = all.partition(|(part, _)| text(part, "type") == Some("null"));
            nullable |= !nulls.is_empty();
            if others.len() > 1 {
                alternatives = alternatives.or(Some(key));
                options.extend(others);
            } else {
                parts.extend(others);
            }
        }
        Self { parts, remarks, alternatives, options, nullable }
    }

    /// The part that decides alone what type a schema has.
    fn only_part(&self, schema: &Value) -> Option<&'d Value> {
        let is_alone = schema.get("properties").is_none() && schema.get("required").is_none();
        match self.parts.as_slice() {
            [(part, _)] if is_alone && self.alternatives.is_none() => Some(part),
            _ => None,
        }
    }
}

impl<'d> Reader<'d> {
    /// The type of a schema made of others; `None` if it is made of nothing but its own keys.
    pub(super) fn composed(&mut self, schema: &'d Value, name: &str, place: &str) -> Option<Valued> {
        let has = |key: &str| schema.get(key).is_some();
        let Composition { parts, alternatives, nullable, .. } = self.composition(schema, place);
        let nullable = nullable || is_nullable(schema);
        if !constants(schema).is_empty() && parts.is_empty() {
            return Some(Valued { nullable, ..self.plain(schema, name, place) });
        }
        if let Some(key) = alternatives {
            if parts.is_empty() && !has("properties") {
                self.notes.untyped(format!("`{key}` of several, which becomes `any`"), place);
                if has("required") {
                    self.notes.add(format!("`required` beside `{key}`"), place);
                }
                return Some(Valued { ty: Ty::Builtin("any"), nullable });
            }
            self.notes
                .missing(format!("`{key}` of several beside what holds anyway, which is all that is taken"), place);
        }
        let is_alone = !has("properties") && !has("required");
        match parts.as_slice() {
            [] if nullable && !is_nullable(schema) => Some(Valued { nullable, ..self.plain(schema, name, place) }),
            [] => None,
            [(part, at)] if is_alone => {
                for key in OVERRULED.iter().filter(|key| has(key)) {
                    self.notes.add(format!("`{key}` beside the one part of a schema"), place);
                }
                let value = self.value(part, name, at);
                Some(Valued { nullable: value.nullable || nullable, ..value })
            }
            _ => {
                let record = self.object(schema, name, place);
                Some(Valued { ty: record.map_or(Ty::Builtin("any"), Ty::Record), nullable })
            }
        }
    }

    /// What a schema is made of, with what its parts say only about the whole noted.
    pub(super) fn composition(&mut self, schema: &'d Value, place: &str) -> Composition<'d> {
        let composition = Composition::of(schema, place);
        for (remark, at) in &composition.remarks {
            self.sweep(remark, "nullable", at);
        }
        let are_constants = !constants(schema).is_empty();
        for (option, at) in &composition.options {
            if are_constants {
                self.sweep(option, CONSTANT_KEYS, at);
                if option.get("description").is_some() {
                    self.untold(option, "title", "a value that has a description", at);
                }
            } else {
                self.sweep_part(option, at);
            }
        }
        composition
    }

    /// A schema and what it stands for, nearest first: what it refers to, or the one part that it has.
    pub(super) fn layers(&self, schema: &'d Value) -> Vec<&'d Value> {
        let mut layers = vec![schema];
        while let Some(last) = layers.last().filter(|_| layers.len() < DEPTH) {
            let next = match self.document.follow(last) {
                Some((target, Some(_))) => Some(target),
                Some((_, None)) => Composition::of(last, "").only_part(last),
                None => None,
            };
            let Some(next) = next else { break };
            layers.push(next);
        }
        layers
    }

    /// Notes what nobody understands of a schema that is part of another, and what it is referred to as.
    pub(super) fn sweep_part(&mut self, part: &'d Value, place: &str) -> Option<Part<'d>> {
        let (target, reference) = self.document.follow(part)?;
        if reference.is_some() {
            self.sweep_reference(part, place);
        }
        let place = reference.unwrap_or(place);
        self.sweep(target, KEYS, place);
        Some((target, place.to_owned()))
    }

    /// The properties of an object and of all that it is made of, with their places; those that stand nearer win.
    pub(super) fn collect(&mut self, schema: &'d Value, place: &str, into: &mut Collected<'d>, depth: usize) {
        self.say_more(schema, place);
        let composition = self.composition(schema, place);
        if let Some(key) = composition.alternatives.filter(|_| depth > 0) {
            self.notes.missing(format!("`{key}` of several within a part of a schema"), place);
        }
        for (part, at) in composition.parts {
            match self.sweep_part(part, &at) {
                // Once more it adds nothing; and it may be a part of itself.
                Some((_, at)) if into.parts.contains(&at) => {}
                Some((part, at)) if depth < DEPTH => {
                    into.parts.insert(at.clone());
                    let is_object = ["properties", "required", "allOf", "anyOf", "oneOf", "additionalProperties"]
                        .iter()
                        .any(|key| part.get(key).is_some());
                    if !is_object && text(part, "type") != Some("object") {
                        self.notes.add("a part of a schema that is no object, beside others", &at);
                    }
                    self.untold(part, "description", "a part of a schema", &at);
                    if part.get("default").is_some() {
                        self.notes.add("`default` of a part of a schema", &at);
                    }
                    self.collect(part, &at, into, depth + 1);
                }
                _ => self.notes.missing("a part of a schema that leads nowhere", &at),
            }
        }
        into.required.extend(items(schema, "required").iter().filter_map(Value::as_str).map(str::to_owned));
        for (key, property) in super::document::entries(schema, "properties") {
            let at = format!("{place}/properties/{key}");
            match into.properties.iter_mut().find(|(known, ..)| known == key) {
                Some((_, known, known_at)) => {
                    if *known != property {
                        self.notes.add("a field that a part of a schema has otherwise", known_at);
                    }
                    (*known, *known_at) = (property, at);
                }
                None => into.properties.push((key.to_owned(), property, at)),
            }
        }
    }
}

/// What an object and its parts list.
#[derive(Default)]
pub(super) struct Collected<'d> {
    pub(super) properties: Vec<(String, &'d Value, String)>,
    pub(super) required: Vec<String>,
    /// The places of parts that have been looked at.
    parts: HashSet<String>,
}
