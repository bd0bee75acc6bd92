//! Schemas become types. What a schema says and a type cannot is noted.

use codegen::type_expr::MAX_LISTS;
use serde_yaml::Value;

use super::Reader;
use super::composition::constants;
use super::document::{items, text};
use super::plan::Ty;

/// What is said of schemas that is understood; anything else is noted.
pub(super) const KEYS: &str = "\
    $ref additionalProperties allOf anyOf default description enum example examples format items maximum minimum \
    nullable oneOf prefixItems properties required type x-body x-enum-varnames x-evidence x-group x-ident x-kind x-name \
    x-notes x-optional x-prefixItems x-range x-shapes x-type x-unit x-values";

/// What is read beside a reference.
const BESIDE_REFERENCES: &str = "\
    $ref default description example examples maximum minimum nullable x-evidence x-ident x-name x-notes x-optional x-range \
    x-type x-unit";

/// Formats that are a type of the catalogue.
const FORMATS: &[&str] = &["int32", "int64", "uint32", "uint64", "float", "double", ""];

/// Nothing readable is nested nearly as deep.
pub(super) const DEPTH: usize = 32;

/// A type, and whether `null` can stand for it.
pub(super) struct Valued {
    pub(super) ty: Ty,
    pub(super) nullable: bool,
}

fn any() -> Valued {
    Valued { ty: Ty::Builtin("any"), nullable: false }
}

impl<'d> Reader<'d> {
    /// The type of a schema that stands at a place; `name` is what an unnamed one would be called.
    pub(super) fn value(&mut self, schema: &'d Value, name: &str, place: &str) -> Valued {
        let own = schema;
        let Some((schema, reference)) = self.document.follow(own) else {
            self.notes.untyped("a reference that leads nowhere in the description, which becomes `any`", place);
            return any();
        };
        if reference.is_some() {
            self.sweep_reference(own, place);
        }
        if schema.as_bool() == Some(false) {
            self.notes.untyped("a schema that nothing is of, which becomes `any`", place);
        }
        // Beside a reference it counts for nothing in 3.0, but everybody means it.
        let nullable = reference.is_some() && is_nullable(own);
        let name = reference.and_then(|reference| reference.rsplit('/').next()).unwrap_or(name);
        let place = reference.unwrap_or(place);
        if place.matches('/').count() > DEPTH {
            self.notes.untyped("a schema nested too deep, which becomes `any`", place);
            return any();
        }
        self.sweep(schema, KEYS, place);
        if self.nesting > DEPTH {
            self.notes.untyped("a schema that is made of itself, which becomes `any`", place);
            return any();
        }
        self.nesting += 1;
        let value = self.composed(schema, name, place).unwrap_or_else(|| self.plain(schema, name, place));
        self.nesting -= 1;
        Valued { nullable: value.nullable || nullable, ..value }
    }

    /// Notes what stands beside a reference and is not read there.
    pub(super) fn sweep_reference(&mut self, schema: &'d Value, place: &str) {
        self.sweep(schema, BESIDE_REFERENCES, place);
    }

    pub(super) fn plain(&mut self, schema: &'d Value, name: &str, place: &str) -> Valued {
        let nullable = is_nullable(schema);
        let format = text(schema, "format").unwrap_or_default();
        let kind = self.type_of(schema, place);
        let is_written = kind == "string" && written_format(format).is_some();
        if !FORMATS.contains(&format) && !is_written {
            self.notes.add(format!("`format: {format}`"), place);
        }
        for (key, of) in [("items", "array"), ("properties", "object"), ("additionalProperties", "object")] {
            if schema.get(key).is_some() && !matches!(kind, "" | "array" | "object") {
                self.notes.add(format!("`{key}` of what is no {of}"), place);
            }
        }
        let ty = match kind {
            "string" if is_written => Ty::Builtin("timestamp"),
            "string" => self.text_type(schema, name, place),
            "integer" if ["uint32", "uint64"].contains(&format) => Ty::Builtin("count"),
            "integer" => Ty::Builtin("integer"),
            "number" => Ty::Builtin("number"),
            "boolean" => Ty::Builtin("boolean"),
            "array" => self.list(schema, name, place),
            "object" => match self.map(schema, name, place) {
                Some(map) if map.depth() <= MAX_LISTS => map,
                Some(_) => self.too_deep(place),
                None => self.object(schema, name, place).map_or(Ty::Builtin("any"), Ty::Record),
            },
            "" => Ty::Builtin("any"),
            other => {
                self.notes.untyped(format!("`type: {other}`, which becomes `any`"), place);
                Ty::Builtin("any")
            }
        };
        let ty = if is_moment(schema) { ty.of_moments() } else { ty };
        let is_enum = schema.get("enum").is_some() || !constants(schema).is_empty();
        if is_enum && !matches!(ty, Ty::Builtin("string") | Ty::Named(_)) {
            self.notes.add("an `enum` of other values than text", place);
        }
        Valued { ty, nullable }
    }

    /// The one type of a schema beside `null`, guessed from other keys where it is left out.
    pub(super) fn type_of(&mut self, schema: &'d Value, place: &str) -> &'d str {
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Sequence(several)) if several.len() > 1 => {
                several.iter().filter_map(Value::as_str).filter(|ty| *ty != "null").collect()
            }
            Some(Value::Sequence(one)) => one.iter().filter_map(Value::as_str).collect(),
            _ if schema.get("properties").is_some() || schema.get("allOf").is_some() => vec!["object"],
            _ if schema.get("items").is_some() => vec!["array"],
            _ => {
                let constants = constants(schema).into_iter().filter_map(|value| value.get("const"));
                let values: Vec<_> = items(schema, "enum").iter().chain(schema.get("const")).chain(constants).collect();
                match values.as_slice() {
                    [] => vec![],
                    values if values.iter().any(|value| value.is_string()) => vec!["string"],
                    values if values.iter().all(|value| value.is_i64()) => vec!["integer"],
                    _ => vec![],
                }
            }
        };
        match types.as_slice() {
            [one] => one,
            [] => "",
            _ => {
                self.notes.untyped("several `type`s, which become `any`", place);
                ""
            }
        }
    }

    /// The value that stands for one that is not there, where the schema or what it stands for says it.
    pub(super) fn default_of(&self, schema: &'d Value) -> Option<&'d Value> {
        self.layers(schema).into_iter().find_map(|layer| layer.get("default"))
    }

    fn too_deep(&mut self, place: &str) -> Ty {
        self.notes.untyped("lists and maps nested too deep, which become `any`", place);
        Ty::Builtin("any")
    }

    /// What the moments of a schema are written as, if they are text and that is not how the service writes them all.
    pub(super) fn moment_format(&self, schema: &'d Value) -> Option<&'static str> {
        let usual = self.document.root().get("x-time").and_then(|time| text(time, "format"));
        let mut schema = schema;
        for _ in 0..DEPTH {
            let layers = self.layers(schema);
            if let Some(format) = layers.iter().find_map(|layer| text(layer, "format")) {
                return written_format(format).filter(|format| Some(*format) != usual);
            }
            schema = layers.iter().find_map(|layer| layer.get("items").or(layer.get("additionalProperties")))?;
        }
        None
    }

    fn list(&mut self, schema: &'d Value, name: &str, place: &str) -> Ty {
        if let Some(record) = self.positional(schema, name, place) {
            return Ty::Record(record);
        }
        let Some(item) = schema.get("items") else { return Ty::List(Box::new(Ty::Builtin("any"))) };
        let single = crate::naming::singular(name);
        if item.is_bool() || item.is_sequence() {
            self.notes.add("items of a list that are no schema", place);
        }
        let value = self.value(item, &single, &format!("{place}/items"));
        if !matches!(value.ty, Ty::Record(_) | Ty::Named(_)) {
            for layer in self.layers(item) {
                self.untold(layer, "description", "the items of a list", place);
            }
        }
        if self.default_of(item).is_some() {
            self.notes.add("`default` of the items of a list", place);
        }
        let list = Ty::List(Box::new(value.ty.nullable(value.nullable)));
        if list.depth() > MAX_LISTS { self.too_deep(place) } else { list }
    }
}

/// The catalogue's word for a format of moments.
fn written_format(format: &str) -> Option<&'static str> {
    match format {
        "date-time" => Some("iso8601"),
        "date" => Some("date"),
        _ => None,
    }
}

/// Whether a number is a moment: OpenAPI has no word for it.
pub(super) fn is_moment(schema: &Value) -> bool {
    text(schema, "x-type") == Some("timestamp")
}

/// Whether a schema has a name of its own.
pub(super) fn is_component(place: &str) -> bool {
    place.starts_with("#/components/schemas/") && place.matches('/').count() == 3
}

/// What a place stands in: the component, or the path of the operation.
pub(super) fn owner(place: &str) -> String {
    match place.strip_prefix("#/components/") {
        Some(rest) => rest.split('/').nth(1).unwrap_or_default().to_owned(),
        None => place.trim_start_matches('`').split('`').next().unwrap_or_default().to_owned(),
    }
}

pub(super) fn is_nullable(schema: &Value) -> bool {
    let in_types = items(schema, "type").iter().any(|ty| ty.as_str() == Some("null"));
    in_types || schema.get("nullable").and_then(Value::as_bool) == Some(true)
}
