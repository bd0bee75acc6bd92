//! Converts a Swagger 2.0 description to the form of OpenAPI 3.0, as far as requests with `GET` need it.
//!
//! The conversion works on the tree, as the rest of the import does: what it does not know stays in place, and is reported
//! as not imported. A library with types for all parts would reject a description because of one odd part.

use serde_yaml::{Mapping, Value};

use super::document::{entries, items, text};

/// The keys of a param that describe its value, which are those of a schema in OpenAPI 3.
const OF_SCHEMA: &str = "type format items default enum minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern \
    minItems maxItems uniqueItems multipleOf";

/// The description in the form of OpenAPI 3.0.
pub(super) fn converted(mut root: Value) -> Value {
    move_references(&mut root);
    let Value::Mapping(old) = root else { return root };
    let old = Value::Mapping(old);
    let mut new = Mapping::new();
    new.insert("openapi".into(), "3.0.3".into());
    new.insert("servers".into(), Value::Sequence(servers(&old)));
    new.insert("components".into(), Value::Mapping(components(&old)));
    for (key, value) in old.as_mapping().into_iter().flatten() {
        let value = match key.as_str().unwrap_or_default() {
            "basePath"
            | "consumes"
            | "definitions"
            | "host"
            | "parameters"
            | "produces"
            | "responses"
            | "schemes"
            | "securityDefinitions"
            | "swagger" => continue,
            "paths" => paths(&old),
            _ => value.clone(),
        };
        new.insert(key.clone(), value);
    }
    Value::Mapping(new)
}

/// Replaces the paths of references, and the extension that marks a schema as nullable.
fn move_references(value: &mut Value) {
    const MOVED: [(&str, &str); 3] = [
        ("#/definitions/", "#/components/schemas/"),
        ("#/parameters/", "#/components/parameters/"),
        ("#/responses/", "#/components/responses/"),
    ];
    match value {
        Value::Sequence(items) => items.iter_mut().for_each(move_references),
        Value::Mapping(entries) => {
            if let Some(flag) = entries.remove("x-nullable") {
                entries.insert("nullable".into(), flag);
            }
            for (key, value) in entries.iter_mut() {
                if let (Some("$ref"), Value::String(reference)) = (key.as_str(), &mut *value) {
                    let moved =
                        MOVED.iter().find_map(|(old, new)| Some(format!("{new}{}", reference.strip_prefix(old)?)));
                    *reference = moved.unwrap_or_else(|| std::mem::take(reference));
                }
                move_references(value);
            }
        }
        _ => {}
    }
}

/// The server that `schemes`, `host` and `basePath` describe.
fn servers(root: &Value) -> Vec<Value> {
    let path = text(root, "basePath").unwrap_or_default();
    let url = match text(root, "host") {
        Some(host) => {
            let scheme = items(root, "schemes").first().and_then(Value::as_str).unwrap_or("https");
            format!("{scheme}://{host}{path}")
        }
        None if path.is_empty() => return Vec::new(),
        None => path.to_owned(),
    };
    vec![map([("url", url.into())])]
}

fn components(root: &Value) -> Mapping {
    let mut components = Mapping::new();
    let mut insert = |name: &str, part: Mapping| {
        if !part.is_empty() {
            components.insert(name.into(), Value::Mapping(part));
        }
    };
    let schemas = entries(root, "definitions").map(|(name, schema)| (name.into(), schema.clone()));
    insert("schemas", schemas.collect());
    let params = entries(root, "parameters").map(|(name, value)| (name.into(), param(value)));
    insert("parameters", params.collect());
    let kinds = media_types(root, &Value::Null);
    let responses = entries(root, "responses").map(|(name, value)| (name.into(), response(value, &kinds)));
    insert("responses", responses.collect());
    let security = entries(root, "securityDefinitions").map(|(name, value)| (name.into(), scheme(value)));
    insert("securitySchemes", security.collect());
    components
}

/// The paths, with their params and the operation `get` converted. The other operations are not read.
fn paths(root: &Value) -> Value {
    let mut paths = Mapping::new();
    for (path, item) in entries(root, "paths") {
        let mut new = item.clone();
        if let Some(new) = new.as_mapping_mut() {
            convert_params(new);
            if let Some(get) = new.get_mut("get").and_then(Value::as_mapping_mut) {
                let operation = item.get("get").unwrap_or(&Value::Null);
                convert_operation(get, &media_types(root, operation));
            }
        }
        paths.insert(path.into(), new);
    }
    Value::Mapping(paths)
}

fn convert_operation(operation: &mut Mapping, kinds: &[String]) {
    convert_params(operation);
    operation.remove("produces");
    operation.remove("consumes");
    // The user chooses the scheme with the base URL.
    operation.remove("schemes");
    for (_, value) in operation.get_mut("responses").and_then(Value::as_mapping_mut).into_iter().flatten() {
        *value = response(value, kinds);
    }
}

fn convert_params(owner: &mut Mapping) {
    for value in owner.get_mut("parameters").and_then(Value::as_sequence_mut).into_iter().flatten() {
        *value = param(value);
    }
}

/// The media types of the bodies of an operation: its own, or those of the description.
fn media_types(root: &Value, operation: &Value) -> Vec<String> {
    let own = operation.get("produces").or(root.get("produces")).and_then(Value::as_sequence);
    let kinds: Vec<_> = own.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    if kinds.is_empty() { vec!["application/json".to_owned()] } else { kinds }
}

/// Moves the keys of a value to its schema. A body has a schema already, and stays as it is, because it is not
/// imported.
fn param(old: &Value) -> Value {
    let Some(entries) = old.as_mapping().filter(|_| old.get("$ref").is_none() && old.get("schema").is_none()) else {
        return old.clone();
    };
    let mut new = Mapping::new();
    let mut schema = Mapping::new();
    for (key, value) in entries {
        let name = key.as_str().unwrap_or_default();
        if OF_SCHEMA.split_whitespace().any(|known| known == name) || name == "nullable" {
            schema.insert(key.clone(), value.clone());
        } else if name == "x-example" {
            new.insert("example".into(), value.clone());
        } else if name != "collectionFormat" {
            new.insert(key.clone(), value.clone());
        }
    }
    if text(old, "type") == Some("array") {
        let (style, explode) = match text(old, "collectionFormat").unwrap_or("csv") {
            "multi" => ("form", true),
            "ssv" => ("spaceDelimited", false),
            "pipes" => ("pipeDelimited", false),
            "tsv" => ("tabDelimited", false),
            _ if text(old, "in") == Some("path") => ("simple", false),
            _ => ("form", false),
        };
        new.insert("style".into(), style.into());
        new.insert("explode".into(), explode.into());
    }
    new.insert("schema".into(), Value::Mapping(schema));
    Value::Mapping(new)
}

/// Moves the schema of a response to its media types.
fn response(old: &Value, kinds: &[String]) -> Value {
    let Some(entries) = old.as_mapping() else { return old.clone() };
    let mut new = Mapping::new();
    for (key, value) in entries.iter().filter(|(key, _)| key.as_str() != Some("examples")) {
        if key.as_str() != Some("schema") {
            new.insert(key.clone(), value.clone());
            continue;
        }
        let content = kinds.iter().map(|kind| (kind.as_str().into(), map([("schema", value.clone())])));
        new.insert("content".into(), Value::Mapping(content.collect()));
    }
    Value::Mapping(new)
}

/// A security scheme: OAuth has its flow in a key of its own, and `basic` is an HTTP scheme.
fn scheme(old: &Value) -> Value {
    match text(old, "type") {
        Some("basic") => map([("type", "http".into()), ("scheme", "basic".into())]),
        Some("oauth2") => {
            let flow = match text(old, "flow").unwrap_or_default() {
                "application" => "clientCredentials",
                "accessCode" => "authorizationCode",
                other => other,
            };
            let mut facts = Mapping::new();
            for key in ["authorizationUrl", "scopes", "tokenUrl"] {
                facts.extend(old.get(key).map(|value| (Value::from(key), value.clone())));
            }
            let flows = map([(flow, Value::Mapping(facts))]);
            map([("type", "oauth2".into()), ("flows", flows)])
        }
        _ => old.clone(),
    }
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Mapping(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}
