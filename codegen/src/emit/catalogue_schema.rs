//! Emits the JSON Schema of the catalogue from the declarations of the format. Editors use the schema to complete,
//! explain and check entries.
//!
//! The schema uses draft 7, because every editor with YAML support reads this draft. Draft 7 ignores keywords next to
//! `$ref`, so if a key has a description and a reference, the reference is inside an `allOf`.

use std::collections::BTreeMap;

use serde_yaml::Value;

use super::File;
use super::json_object::{Object, typed};
use super::render::MARKER;
use catalogue::INVISIBLE;
use catalogue::catalogue_format::{Condition, Form, Key, KeyRule, Map, Shape};
use catalogue::spec::{GROUP, SERVICE, all_maps};
use catalogue::type_expr::{BUILTINS, Builtin, MAX_LISTS};

/// Emits the schema file, which is written into the folder of the catalogue.
pub fn catalogue_schema() -> File {
    let mut definitions: BTreeMap<String, Object> = BTreeMap::new();
    for map in all_maps() {
        definitions.insert(name(map), definition(map));
    }
    let schema = Object::default()
        .with("$comment", format!("{MARKER} from the format of the catalogue. Do not edit."))
        .with("$schema", "http://json-schema.org/draft-07/schema#")
        .with("title", "A file of the catalogue")
        .with("if", is_service())
        .with("then", reference(&SERVICE))
        .with("else", reference(&GROUP))
        .with("definitions", definitions.into_iter().collect::<Object>());
    // Writing cannot fail, because all keys are strings.
    let text = serde_json::to_string_pretty(&Value::from(schema)).unwrap_or_default() + "\n";
    File::new("catalogue.schema.json", text)
}

/// The condition by which the schema recognizes `service.yaml`: the file has a key that `service.yaml` requires and a
/// group file cannot have. One such key is sufficient, because the file may be incomplete.
fn is_service() -> Object {
    let mut conditions = Vec::new();
    for key in SERVICE.keys {
        let is_shared = GROUP.keys.iter().any(|other| other.name == key.name);
        if key.required && !is_shared {
            conditions.push(required(&[key.name]));
        }
    }
    any_of(conditions)
}

/// The name of a map in the definitions: its description without the article.
fn name(map: &Map) -> String {
    let mut what = map.what;
    for article in ["a ", "an ", "the "] {
        what = what.strip_prefix(article).unwrap_or(what);
    }
    what.replace('`', "").replace(' ', "_")
}

fn reference(map: &Map) -> Object {
    Object::default().with("$ref", format!("#/definitions/{}", name(map)))
}

fn definition(map: &Map) -> Object {
    let mut properties = Object::default();
    let mut required = Vec::new();
    for key in map.keys {
        properties = properties.with(key.name, property(key));
        if key.required {
            required.push(key.name);
        }
    }
    typed("object")
        .with("properties", properties)
        .with_list("required", required)
        .with("additionalProperties", false)
        .with_list("allOf", map.rules.iter().map(rule))
}

fn property(key: &Key) -> Object {
    let mut description = key.about.trim().to_owned();
    if let Shape::Word(words) = &key.shape {
        for (word, meaning) in *words {
            description += &format!(" `{word}`: {}", meaning.trim());
        }
    }
    let about = Object::default().with("description", description);
    let schema = shape(&key.shape, &key.form);
    if schema.get("$ref").is_some() { about.with("allOf", vec![schema]) } else { about.and(schema) }
}

fn shape(shape: &Shape, form: &Form) -> Object {
    match (shape, form) {
        (Shape::Text, _) => text(form),
        (Shape::Whole, Form::Within(min, max, _)) => typed("integer").with("minimum", *min).with("maximum", *max),
        (Shape::Whole, _) => typed("integer").with("minimum", 0),
        (Shape::Number, _) => typed("number"),
        (Shape::Flag, _) => typed("boolean"),
        (Shape::Word(words), _) => Object::default().with_list("enum", words.iter().map(|(word, _)| *word)),
        (Shape::List(item), _) => typed("array").with("items", self::shape(item, form)),
        (Shape::Map(map), Form::With(key, _)) => {
            Object::default().with("allOf", vec![reference(map), required(&[key])])
        }
        (Shape::Map(map), _) => reference(map),
        (Shape::UseOr(entry, other), _) => {
            typed("object").with("if", required(&["use"])).with("then", reference(entry)).with("else", reference(other))
        }
        (Shape::Either(_), _) => any_of(shape.choices().into_iter().map(|shape| self::shape(shape, form))),
    }
}

/// The schema of a text, which is never blank and has no invisible characters.
fn text(form: &Form) -> Object {
    match form {
        // Prose may contain line breaks and tabs, but no other control characters.
        Form::Prose => some_text().with("pattern", visible("\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f")),
        Form::Scalar => any_of([line(), Object::default().with_list("type", ["number", "boolean"])]),
        Form::Type => type_expression(""),
        Form::TypeInMap => type_expression(r"\??"),
        Form::Path { .. } => some_text().with("pattern", "^/"),
        Form::Name(case) => some_text().with("pattern", case.pattern()),
        Form::Like(pattern, _) => some_text().with("pattern", *pattern),
        Form::Line | Form::Within(..) | Form::With(..) => line(),
    }
}

fn some_text() -> Object {
    typed("string").with("not", Object::default().with("pattern", r"^\s*$"))
}

fn line() -> Object {
    some_text().with("pattern", visible("\\u0000-\\u001f"))
}

/// The pattern of text without the given control characters and without other invisible characters.
fn visible(controls: &str) -> String {
    let mut excluded = format!("{controls}\\u007f-\\u009f");
    for (first, last) in INVISIBLE.iter().copied() {
        excluded += &escape(first);
        if first != last {
            excluded.push('-');
            excluded += &escape(last);
        }
    }
    format!("^[^{excluded}]*$")
}

fn escape(character: char) -> String {
    match u32::from(character) {
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\u{{{code:x}}}"),
    }
}

/// The schema of a type expression: the name of a built-in type, which editors can complete, or a text that matches the
/// pattern of type expressions. `end` is the pattern of what may follow.
fn type_expression(end: &str) -> Object {
    let builtins: Vec<_> = BUILTINS.into_iter().map(Builtin::name).collect();
    let name = format!("({}|[A-Z][A-Za-z0-9]*)", builtins.join("|"));
    // A regular expression cannot match brackets that are nested to any depth, so there is one alternative for each
    // depth up to `MAX_LISTS`.
    let mut alternatives = Vec::new();
    for depth in 0..=MAX_LISTS {
        alternatives.push(format!(r"((list|map)<\s*){{{depth}}}{name}(\??\s*>){{{depth}}}"));
    }
    let pattern = format!(r"^\s*({}){end}\s*$", alternatives.join("|"));
    any_of([Object::default().with_list("enum", builtins), typed("string").with("pattern", pattern)])
}

fn rule(rule: &KeyRule) -> Object {
    not(Object::default().with_list("allOf", rule.never.iter().map(condition)))
}

fn condition(condition: &Condition) -> Object {
    match condition {
        Condition::Has(key) => required(&[key]),
        Condition::HasAny(keys) => any_of(keys.iter().map(|key| required(&[key]))),
        Condition::HasNotOne(keys) => {
            not(Object::default().with_list("oneOf", keys.iter().map(|key| required(&[key]))))
        }
        Condition::Lacks(key) => not(required(&[key])),
        Condition::ListsNothing(key) => not(key_like(key, Object::default().with("minItems", 1))),
        Condition::Lists(key, item) => key_like(key, Object::default().with("contains", constant(item))),
        Condition::Is(key, expected) => key_like(key, constant(expected)),
        Condition::IsNot(key, other) => key_like(key, not(constant(other))),
    }
}

fn not(schema: Object) -> Object {
    Object::default().with("not", schema)
}

fn constant(word: &str) -> Object {
    Object::default().with("const", word)
}

/// An object with this key, whose value matches a schema.
fn key_like(key: &str, schema: Object) -> Object {
    required(&[key]).with("properties", Object::default().with(key, schema))
}

fn required(keys: &[&str]) -> Object {
    Object::default().with_list("required", keys.iter().copied())
}

fn any_of(choices: impl IntoIterator<Item = Object>) -> Object {
    Object::default().with_list("anyOf", choices)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two maps with the same name would have one definition, so one of them would be checked with the wrong keys.
    #[test]
    fn every_map_has_a_unique_name() {
        let maps = all_maps();
        let named: BTreeMap<_, _> = maps.iter().map(|map| (name(map), *map)).collect();
        for map in &maps {
            assert!(std::ptr::eq(*map, named[&name(map)]), "{}", map.what);
        }
        assert!(maps.len() > 20, "{:?}", named.keys());
    }
}
