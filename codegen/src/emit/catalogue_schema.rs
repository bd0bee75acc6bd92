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
use catalogue::catalogue_format::{Condition, Form, Key, Map, Rule, Shape};
use catalogue::spec::{GROUP, SERVICE, all_maps};
use catalogue::type_expr::{BUILTINS, Builtin, MAX_LISTS};

/// Emits the schema file, which is written into the folder of the catalogue.
pub fn catalogue_schema() -> File {
    let definitions: BTreeMap<_, _> = all_maps().into_iter().map(|map| (name(map), definition(map))).collect();
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
    File { path: "catalogue.schema.json".to_owned(), text }
}

/// Returns the condition by which the schema recognizes `service.yaml`: the file has a key that `service.yaml` requires
/// and a group file cannot have. One such key is sufficient, because the file may be incomplete.
fn is_service() -> Object {
    let own = SERVICE.keys.iter().filter(|key| key.required && GROUP.keys.iter().all(|other| other.name != key.name));
    any_of(own.map(|key| required(&[key.name])))
}

/// Returns the name of a map in the definitions: its description without the article.
fn name(map: &Map) -> String {
    let what = ["a ", "an ", "the "].iter().find_map(|article| map.what.strip_prefix(article)).unwrap_or(map.what);
    what.replace('`', "").replace(' ', "_")
}

fn reference(map: &Map) -> Object {
    Object::default().with("$ref", format!("#/definitions/{}", name(map)))
}

fn definition(map: &Map) -> Object {
    let names = map.keys.iter().filter(|key| key.required).map(|key| key.name);
    let definition = typed("object")
        .with("properties", map.keys.iter().map(|key| (key.name, property(key))).collect::<Object>())
        .with_list("required", names)
        .with("additionalProperties", false);
    definition.with_list("allOf", map.rules.iter().map(rule))
}

fn property(key: &Key) -> Object {
    let mut description = key.about.trim().to_owned();
    if let Shape::Word(words) = &key.shape {
        description.extend(words.iter().map(|(word, means)| format!(" `{word}`: {}", means.trim())));
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

/// Returns the schema of a text that is not blank and has no invisible characters.
fn text(form: &Form) -> Object {
    let text = || typed("string").with("not", Object::default().with("pattern", r"^\s*$"));
    let line = || text().with("pattern", visible("\\u0000-\\u001f"));
    match form {
        // Prose may contain line breaks and tabs, but no other control characters.
        Form::Prose => text().with("pattern", visible("\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f")),
        Form::Scalar => any_of([line(), Object::default().with_list("type", ["number", "boolean"])]),
        Form::Type => type_expression(),
        Form::Path { .. } => text().with("pattern", "^/"),
        Form::Name(case) => text().with("pattern", case.pattern()),
        Form::Like(pattern, _) => text().with("pattern", *pattern),
        Form::Line | Form::Within(..) | Form::With(..) => line(),
    }
}

/// Returns a pattern for text without the given control characters and without other invisible characters.
fn visible(controls: &str) -> String {
    let escape = |character: char| match u32::from(character) {
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\u{{{code:x}}}"),
    };
    let ranges = INVISIBLE.iter().map(|(first, last)| {
        if first == last { escape(*first) } else { format!("{}-{}", escape(*first), escape(*last)) }
    });
    format!("^[^{controls}\\u007f-\\u009f{}]*$", ranges.collect::<String>())
}

/// Returns the schema of a type expression: the name of a built-in type, which editors can complete, or a text that
/// matches the pattern of type expressions.
fn type_expression() -> Object {
    let builtins: Vec<_> = BUILTINS.into_iter().map(Builtin::name).collect();
    let name = format!("({}|[A-Z][A-Za-z0-9]*)", builtins.join("|"));
    // A regular expression cannot match brackets that are nested to any depth, so there is one alternative for each
    // depth up to `MAX_LISTS`.
    let nested = (0..=MAX_LISTS).map(|depth| format!(r"((list|map)<\s*){{{depth}}}{name}(\??\s*>){{{depth}}}"));
    let form = format!(r"^\s*({})\s*$", nested.collect::<Vec<_>>().join("|"));
    any_of([Object::default().with_list("enum", builtins), typed("string").with("pattern", form)])
}

fn rule(rule: &Rule) -> Object {
    let not = |schema: Object| Object::default().with("not", schema);
    let word = |word: &'static str| Object::default().with("const", word);
    let value = |key: &str, schema: Object| required(&[key]).with("properties", Object::default().with(key, schema));
    let conditions = rule.never.iter().map(|condition| match condition {
        Condition::Has(key) => required(&[key]),
        Condition::HasAny(keys) => any_of(keys.iter().map(|key| required(&[key]))),
        Condition::HasNotOne(keys) => {
            not(Object::default().with_list("oneOf", keys.iter().map(|key| required(&[key]))))
        }
        Condition::Lacks(key) => not(required(&[key])),
        Condition::ListsNothing(key) => not(value(key, Object::default().with("minItems", 1))),
        Condition::Lists(key, item) => value(key, Object::default().with("contains", word(item))),
        Condition::Is(key, expected) => value(key, word(expected)),
        Condition::IsNot(key, other) => value(key, not(word(other))),
    });
    not(Object::default().with_list("allOf", conditions))
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
