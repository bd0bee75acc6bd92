//! The facts of the catalogue, read from its OpenAPI description, with references followed.

use std::path::Path;

use codegen::{OpenApiFormat, OpenApiVersion, openapi};
use serde_json::Value;

use super::Facts;

pub(super) fn read(spec: &Path) -> Result<Facts, String> {
    let api = codegen::read(spec).map_err(|findings| findings.to_string())?;
    let text = openapi(&api, OpenApiVersion::V3_0, OpenApiFormat::Json);
    let root = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut reader = Reader { root: &root, facts: Facts::new() };
    reader.all();
    Ok(reader.facts)
}

struct Reader<'d> {
    root: &'d Value,
    facts: Facts,
}

impl<'d> Reader<'d> {
    fn all(&mut self) {
        for (path, item) in entries(&self.root["paths"]) {
            let operation = &item["get"];
            self.endpoint(path, operation);
            self.say(format!("{path} | name"), text(&operation["summary"]));
            self.say(format!("{path} | path"), text(&operation["x-evidence"]));
            for param in items(&operation["parameters"]) {
                self.param(path, self.follow(param));
            }
            if let Some(record) = self.record(operation) {
                for (name, field) in entries(&record["properties"]) {
                    self.field(path, name, field);
                }
            }
        }
        for endpoint in items(&self.root["x-known-by-name"]) {
            self.endpoint(text(&endpoint["summary"]), endpoint);
        }
        for ty in ["Exchange", "Coin"] {
            for value in items(&self.root["components"]["schemas"][ty]["x-values"]) {
                self.say(format!("{ty} | value {}", text(&value["value"])), "is");
            }
        }
        for (_, param) in entries(&self.root["components"]["parameters"]) {
            let at = format!("shared {}", text(&param["name"]));
            let values = self.values(&param["schema"]);
            self.said(format!("{at} | values"), values);
            self.said(format!("{at} | default"), scalar(&param["schema"]["default"]));
            self.said(format!("{at} | served"), scalar(&param["x-served"]));
        }
    }

    fn say(&mut self, at: String, says: impl Into<String>) {
        self.facts.insert(at, says.into());
    }

    /// Adds a fact that has a value.
    fn said(&mut self, at: String, says: String) {
        if !says.is_empty() {
            self.say(at, says);
        }
    }

    fn endpoint(&mut self, at: &str, endpoint: &Value) {
        self.say(format!("{at} | endpoint"), "is");
        let tag = text(&endpoint["tags"][0]);
        let titled = items(&self.root["tags"]).find(|known| known["name"] == tag);
        self.say(format!("{at} | group"), titled.map_or("", |tag| text(&tag["x-displayName"])));
    }

    fn param(&mut self, endpoint: &str, param: &Value) {
        let at = format!("{endpoint} | param {}", text(&param["name"]));
        let schema = &param["schema"];
        self.say(at.clone(), "is");
        self.say(format!("{at} | evidence"), text(&param["x-evidence"]));
        self.said(format!("{at} | required"), scalar(&param["x-required"]));
        self.said(format!("{at} | default"), scalar(&schema["default"]));
        self.said(format!("{at} | type"), self.ty(if param["x-list"].is_string() { &schema["items"] } else { schema }));
        let values = self.values(schema);
        self.said(format!("{at} | enum"), values);
    }

    fn field(&mut self, endpoint: &str, name: &str, field: &Value) {
        let at = format!("{endpoint} | field {name}");
        self.say(at.clone(), "is");
        self.say(format!("{at} | evidence"), text(&field["x-evidence"]));
        self.said(format!("{at} | type"), self.ty(field));
        self.said(format!("{at} | example"), scalar(&field["example"]));
    }

    /// The values of a closed list.
    fn values(&self, schema: &Value) -> String {
        let schema = if schema["items"].is_object() { &schema["items"] } else { schema };
        let named = self.named(schema);
        if named["x-kind"] == "enum" {
            items(&named["x-values"]).map(|value| text(&value["value"])).collect::<Vec<_>>().join(", ")
        } else {
            String::new()
        }
    }

    /// The JSON type of a value; a named type is text.
    fn ty(&self, schema: &Value) -> String {
        text(&self.named(schema)["type"]).to_owned()
    }

    /// A schema, with its reference followed.
    fn named(&self, schema: &'d Value) -> &'d Value {
        let part = schema["allOf"].get(0).or(schema["anyOf"].get(0)).unwrap_or(schema);
        self.follow(part)
    }

    fn follow(&self, value: &'d Value) -> &'d Value {
        let pointer = text(&value["$ref"]).trim_start_matches('#');
        if pointer.is_empty() { value } else { self.root.pointer(pointer).unwrap_or(value) }
    }

    /// The record of an endpoint's body.
    fn record(&self, operation: &'d Value) -> Option<&'d Value> {
        let body = self.follow(&operation["responses"]["200"]["content"]["application/json"]["schema"]);
        let data = body["properties"].get("data")?;
        Some(self.follow(&data["items"])).filter(|record| record["properties"].is_object())
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Array(items) => items.iter().map(scalar).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}
