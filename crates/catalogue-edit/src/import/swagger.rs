//! Converts a Swagger 2.0 description to the form of OpenAPI 3.0, as far as requests with `GET` need it.
//!
//! The conversion works on the tree, as the rest of the import does: what it does not know stays in place, and is reported
//! as not imported. A library with types for all parts would reject a description because of one odd part.

use serde_yaml::{Mapping, Value};

use super::tree::{entries, items, text, text_or_empty};

/// The keys of a param that describe its value, which are those of a schema in OpenAPI 3.
const OF_SCHEMA: &[&str] = &[
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "type",
    "uniqueItems",
];

/// The keys of a description whose content is moved to other keys.
const MOVED: &[&str] = &[
    "basePath",
    "consumes",
    "definitions",
    "host",
    "parameters",
    "produces",
    "responses",
    "schemes",
    "securityDefinitions",
    "swagger",
];

/// The starts of references, before and after the conversion.
const REFERENCES: [(&str, &str); 3] = [
    ("#/definitions/", "#/components/schemas/"),
    ("#/parameters/", "#/components/parameters/"),
    ("#/responses/", "#/components/responses/"),
];

/// The description in the form of OpenAPI 3.0.
pub(super) fn converted(mut root: Value) -> Value {
    move_references(&mut root);
    let Value::Mapping(old) = &root else { return root };
    let mut new = Mapping::new();
    new.insert("openapi".into(), "3.0.3".into());
    new.insert("servers".into(), Value::Sequence(servers(&root)));
    new.insert("components".into(), Value::Mapping(components(&root)));
    for (key, value) in old {
        match key.as_str().unwrap_or_default() {
            "paths" => {
                new.insert(key.clone(), paths(&root));
            }
            moved if MOVED.contains(&moved) => {}
            _ => {
                new.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Mapping(new)
}

/// Replaces the paths of references, and the extension that marks a schema as nullable.
fn move_references(value: &mut Value) {
    match value {
        Value::Sequence(items) => {
            for item in items {
                move_references(item);
            }
        }
        Value::Mapping(entries) => {
            if let Some(flag) = entries.remove("x-nullable") {
                entries.insert("nullable".into(), flag);
            }
            for (key, value) in entries.iter_mut() {
                if let (Some("$ref"), Value::String(reference)) = (key.as_str(), &mut *value) {
                    move_reference(reference);
                }
                move_references(value);
            }
        }
        _ => {}
    }
}

fn move_reference(reference: &mut String) {
    for (old, new) in REFERENCES {
        if let Some(name) = reference.strip_prefix(old) {
            *reference = format!("{new}{name}");
            return;
        }
    }
}

/// The server that `schemes`, `host` and `basePath` describe.
fn servers(root: &Value) -> Vec<Value> {
    let path = text_or_empty(root, "basePath");
    let mut url = path.to_owned();
    if let Some(host) = text(root, "host") {
        let scheme = items(root, "schemes").first().and_then(Value::as_str).unwrap_or("https");
        url = format!("{scheme}://{host}{path}");
    }
    if url.is_empty() { Vec::new() } else { vec![map_of("url", url.into())] }
}

fn components(root: &Value) -> Mapping {
    let media_types = media_types(root, &Value::Null);
    let mut components = Mapping::new();
    insert_part(&mut components, "schemas", entries(root, "definitions"), Value::clone);
    insert_part(&mut components, "parameters", entries(root, "parameters"), param);
    insert_part(&mut components, "responses", entries(root, "responses"), |old| response(old, &media_types));
    insert_part(&mut components, "securitySchemes", entries(root, "securityDefinitions"), security_scheme);
    components
}

/// Converts the entries of a part of the components. An empty part is omitted.
fn insert_part(
    components: &mut Mapping,
    name: &str,
    entries: Vec<(&str, &Value)>,
    converted: impl Fn(&Value) -> Value,
) {
    let mut part = Mapping::new();
    for (name, value) in entries {
        part.insert(name.into(), converted(value));
    }
    if !part.is_empty() {
        components.insert(name.into(), Value::Mapping(part));
    }
}

/// The paths, with their params and the operation `get` converted. The other operations are not read.
fn paths(root: &Value) -> Value {
    let mut paths = Mapping::new();
    for (path, item) in entries(root, "paths") {
        let mut new = item.clone();
        if let Value::Mapping(new) = &mut new {
            convert_params(new);
            if let Some(Value::Mapping(get)) = new.get_mut("get") {
                let operation = item.get("get").unwrap_or(&Value::Null);
                convert_operation(get, &media_types(root, operation));
            }
        }
        paths.insert(path.into(), new);
    }
    Value::Mapping(paths)
}

fn convert_operation(operation: &mut Mapping, media_types: &[String]) {
    convert_params(operation);
    operation.remove("produces");
    operation.remove("consumes");
    // The user chooses the scheme with the base URL.
    operation.remove("schemes");
    if let Some(Value::Mapping(responses)) = operation.get_mut("responses") {
        for (_, value) in responses {
            *value = response(value, media_types);
        }
    }
}

fn convert_params(owner: &mut Mapping) {
    if let Some(Value::Sequence(params)) = owner.get_mut("parameters") {
        for value in params {
            *value = param(value);
        }
    }
}

/// The media types of the bodies of an operation: its own, or those of the description.
fn media_types(root: &Value, operation: &Value) -> Vec<String> {
    let owner = if operation.get("produces").is_some() { operation } else { root };
    let mut media_types = Vec::new();
    for media_type in items(owner, "produces") {
        media_types.extend(media_type.as_str().map(str::to_owned));
    }
    if media_types.is_empty() {
        media_types.push("application/json".to_owned());
    }
    media_types
}

/// Moves the keys of a value to its schema. A body has a schema already, and stays as it is, because it is not
/// imported.
fn param(old: &Value) -> Value {
    let Value::Mapping(entries) = old else { return old.clone() };
    if old.get("$ref").is_some() || old.get("schema").is_some() {
        return old.clone();
    }
    let mut new = Mapping::new();
    let mut schema = Mapping::new();
    for (key, value) in entries {
        match key.as_str().unwrap_or_default() {
            name if OF_SCHEMA.contains(&name) => {
                schema.insert(key.clone(), value.clone());
            }
            "x-example" => {
                new.insert("example".into(), value.clone());
            }
            "collectionFormat" => {}
            _ => {
                new.insert(key.clone(), value.clone());
            }
        }
    }
    if text(old, "type") == Some("array") {
        insert_style(&mut new, old);
    }
    new.insert("schema".into(), Value::Mapping(schema));
    Value::Mapping(new)
}

/// Adds the keys for how a list is sent.
fn insert_style(new: &mut Mapping, old: &Value) {
    let collection_format = text(old, "collectionFormat").unwrap_or("csv");
    let style = match collection_format {
        "multi" => "form",
        "ssv" => "spaceDelimited",
        "pipes" => "pipeDelimited",
        "tsv" => "tabDelimited",
        _ if text(old, "in") == Some("path") => "simple",
        _ => "form",
    };
    new.insert("style".into(), style.into());
    new.insert("explode".into(), (collection_format == "multi").into());
}

/// Moves the schema of a response to its media types.
fn response(old: &Value, media_types: &[String]) -> Value {
    let Value::Mapping(entries) = old else { return old.clone() };
    let mut new = Mapping::new();
    for (key, value) in entries {
        match key.as_str() {
            Some("examples") => {}
            Some("schema") => {
                let mut content = Mapping::new();
                for media_type in media_types {
                    content.insert(media_type.as_str().into(), map_of("schema", value.clone()));
                }
                new.insert("content".into(), Value::Mapping(content));
            }
            _ => {
                new.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Mapping(new)
}

/// A security scheme: OAuth has its flow in a key of its own, and `basic` is an HTTP scheme.
fn security_scheme(old: &Value) -> Value {
    match text(old, "type") {
        Some("basic") => {
            let mut scheme = Mapping::new();
            scheme.insert("type".into(), "http".into());
            scheme.insert("scheme".into(), "basic".into());
            Value::Mapping(scheme)
        }
        Some("oauth2") => oauth_scheme(old),
        _ => old.clone(),
    }
}

fn oauth_scheme(old: &Value) -> Value {
    let flow = match text_or_empty(old, "flow") {
        "application" => "clientCredentials",
        "accessCode" => "authorizationCode",
        other => other,
    };
    let mut facts = Mapping::new();
    for key in ["authorizationUrl", "scopes", "tokenUrl"] {
        if let Some(value) = old.get(key) {
            facts.insert(key.into(), value.clone());
        }
    }
    let mut scheme = Mapping::new();
    scheme.insert("type".into(), "oauth2".into());
    scheme.insert("flows".into(), map_of(flow, Value::Mapping(facts)));
    Value::Mapping(scheme)
}

/// A map with one entry.
fn map_of(key: &str, value: Value) -> Value {
    let mut map = Mapping::new();
    map.insert(key.into(), value);
    Value::Mapping(map)
}
