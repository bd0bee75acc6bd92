//! Converts schemas to types of the catalogue, as far as possible.

use catalogue::duration;
use catalogue::model::TimeFormat;
use catalogue::names::{self, Case};
use catalogue::spec::{Type, TypeKind, Value as TypeValue};
use serde_yaml::{Mapping, Value};

use super::Reader;
use super::composed_schemas::constants;
use super::document::{items, text, text_of};
use super::omissions::{SCHEMA, Weight};
use crate::draft::{ANY, Draft, TIMESTAMP, WantedName};
use crate::rust_names::{is_value, values_of};
use crate::unix_time::is_unix_time;

/// The maximum nesting depth, far above the depth of any readable schema.
pub(super) const DEPTH: usize = 32;

impl<'d> Reader<'d> {
    /// Returns the type of the schema at a path. An unnamed record or enum gets `name`.
    pub(super) fn value(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let Some((schema, reference)) = self.resolve(schema, pointer) else { return ANY.to_owned() };
        let name = reference.and_then(|reference| reference.rsplit('/').next()).unwrap_or(name);
        let pointer = reference.unwrap_or(pointer);
        if self.nesting > DEPTH {
            self.omissions.add(Weight::Untyped, "a schema that becomes `any`, because it contains itself", pointer);
            return ANY.to_owned();
        }
        self.omissions.unread(schema, SCHEMA, pointer);
        self.nesting += 1;
        let ty = self.composed(schema, name, pointer);
        self.nesting -= 1;
        let is_empty = schema.as_mapping().is_none_or(Mapping::is_empty);
        if ty == ANY && !is_empty && !self.omissions.is_explained(pointer) {
            self.omissions.add(Weight::Untyped, "a schema that becomes `any`", pointer);
        }
        ty
    }

    pub(super) fn plain(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let format = text(schema, "format").unwrap_or_default();
        if matches!(type_of(schema), "integer" | "number" | "boolean") && schema.get("enum").is_some() {
            self.omissions.add(Weight::Fact, "`enum` with values that are not strings", pointer);
        }
        if schema.get("const").is_some() {
            self.omissions.add(Weight::Fact, "a constant value", pointer);
        }
        match type_of(schema) {
            "integer" | "string" if self.is_timestamp(schema, name) => TIMESTAMP.to_owned(),
            "string" => match number_in_quotes(format) {
                Some(number) => number.to_owned(),
                None => self.text_type(schema, name, pointer),
            },
            "integer" => integer_type(schema, format).to_owned(),
            "number" => number_type(schema, format).to_owned(),
            "boolean" => "boolean".to_owned(),
            "array" => self.list(schema, name, pointer),
            "object" => self.object(schema, name, pointer),
            _ => ANY.to_owned(),
        }
    }

    /// Returns `true` if values are timestamps: they are declared as such, or are integers that are the time of every
    /// record, or are named like a time and have a timestamp as example.
    pub(super) fn is_timestamp(&self, schema: &Value, name: &str) -> bool {
        let format = text(schema, "format").unwrap_or_default();
        if self.document.unit_of(schema).is_some() {
            return true;
        }
        // The type decides before the format: an integer with the format `date` is a number such as 20240131.
        if type_of(schema) != "integer" {
            return written_format(format).is_some();
        }
        let example = schema.get("example").or(schema.get("examples").and_then(|all| all.get(0)));
        // The format `date-time` of an integer shows that it is a time, as its name does otherwise.
        let name_of_example = if format == "date-time" { "time" } else { name };
        self.known.service.envelope_time().is_some_and(|time| *time.name == name)
            || ["unixtime", "unix-time"].contains(&format)
            || example.is_some_and(|example| is_time_example(example, name_of_example))
    }

    /// Returns the type of a schema for strings: `string` or a named type.
    fn text_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let mut values: Vec<TypeValue> = Vec::new();
        // `null` does not become a value of the enum, because `type` already declares that the schema is nullable.
        for value in items(schema, "enum").iter().chain(constants(schema)).filter(|value| !value.is_null()) {
            let written = text_of(value.get("const").unwrap_or(value));
            if !is_value(&written) {
                self.omissions.add(Weight::Fact, "an `enum` value that has several lines or a comma", pointer);
            } else if !values.iter().any(|known| *known.value == written) {
                let summary = self.summary(value, &["description", "title"]);
                values.push(TypeValue { value: written.into(), summary, ..TypeValue::default() });
            }
        }
        let is_component = is_component(pointer);
        if values.len() == 1 && !is_component {
            self.omissions.add(Weight::Fact, "an `enum` with one value", pointer);
            values.clear();
        }
        let kind = if values.is_empty() { TypeKind::Identifier } else { TypeKind::Enum };
        if values.is_empty() && is_component {
            // Our own export states a type as a string with examples, because a service may add values.
            let examples = items(schema, "examples").iter().map(text_of).filter(|text| is_value(text));
            values.extend(values_of(examples));
            let ident = names::ident(name, Case::Pascal).unwrap_or_default();
            if values.is_empty() && self.known.ty(&ident).is_some() {
                return ident;
            }
        }
        if values.is_empty() {
            return "string".to_owned();
        }
        self.named_type(schema, name, pointer, Type { kind, values, ..Type::default() })
    }

    fn named_type(&mut self, schema: &'d Value, name: &str, pointer: &str, mut new: Type) -> String {
        let texts = |ty: &Type| ty.values.iter().map(|value| value.value.to_string()).collect::<Vec<_>>();
        // Inline enums with the same values share one type.
        let Draft { content, names, .. } = &self.draft;
        let is_it = |known: &&Type| {
            let has_name = || names.get(known.name.as_str()).is_some_and(|wanted| wanted.name == name);
            texts(known) == texts(&new) && (!is_component(pointer) || has_name())
        };
        if let Some(known) = content.service.types.iter().find(is_it) {
            return known.name.to_string();
        }
        if new.values.iter().all(|value| duration::step(&value.value).is_some()) {
            for value in &mut new.values {
                value.duration = Some(value.value.clone());
            }
        }
        let (summary, evidence) = (self.summary(schema, &["description"]), self.options.evidence);
        self.draft.add_type(Type { summary, evidence, ..new }, wanted_name(name, pointer))
    }
}

/// Returns `true` if an example is a timestamp in seconds of a field or param that is named like a time.
pub(super) fn is_time_example(example: &Value, name: &str) -> bool {
    example.is_i64() && example.as_f64().is_some_and(|number| is_unix_time(name, number))
}

/// Above this number, `integer` cannot represent an integer. Descriptions round its maximum to it.
const BEYOND_INTEGER: f64 = 9_223_372_036_854_775_808.0;
/// Above this number, `count` cannot represent an integer. Descriptions round it to 18446744073709552000.
const BEYOND_COUNT: f64 = 18_446_744_073_709_551_616.0;

/// Returns the type of integers with a `format` and limits.
fn integer_type(schema: &Value, format: &str) -> &'static str {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let max = limit("maximum").or(limit("exclusiveMaximum")).unwrap_or_default();
    let min = limit("minimum").or(limit("exclusiveMinimum")).unwrap_or_default();
    let is_beyond = max > BEYOND_COUNT || min < -BEYOND_INTEGER || min < 0.0 && max > BEYOND_INTEGER;
    match format {
        "bigint" | "decimal" | "int128" | "int256" | "uint128" | "uint256" => "decimal",
        _ if is_beyond => "decimal",
        "uint16" | "uint32" | "uint64" | "uint8" => "count",
        _ if max > BEYOND_INTEGER => "count",
        _ => "integer",
    }
}

/// Returns the type of numbers with a `format`, which may declare that they have no fraction or keep all digits.
fn number_type(schema: &Value, format: &str) -> &'static str {
    match format {
        "bigdecimal" | "big-decimal" | "decimal" | "decimal128" => "decimal",
        "bigint" | "int16" | "int32" | "int64" | "int8" | "integer" | "uint16" | "uint32" | "uint64" | "uint8" => {
            integer_type(schema, format)
        }
        _ => "number",
    }
}

/// Returns `true` if a type cannot represent numbers beyond a limit, so that the limit is no further fact.
pub(super) fn beyond_type(ty: &str, limit: f64) -> bool {
    match ty {
        "count" => limit >= BEYOND_COUNT,
        "integer" => limit.abs() >= BEYOND_INTEGER,
        _ => false,
    }
}

/// Returns the type of the numbers that strings of a `format` contain.
fn number_in_quotes(format: &str) -> Option<&'static str> {
    Some(match format {
        "bigdecimal" | "big-decimal" | "bigint" | "decimal" | "decimal128" | "int128" | "int256" | "uint128"
        | "uint256" => "decimal",
        "double" | "float" => "number",
        "int32" | "int64" => "integer",
        "uint32" | "uint64" => "count",
        _ => return None,
    })
}

/// Returns the format of timestamps that a `format` declares.
pub(super) fn written_format(format: &str) -> Option<TimeFormat> {
    match format {
        "date-time" => Some(TimeFormat::Iso8601),
        "date" => Some(TimeFormat::Date),
        _ => None,
    }
}

/// Returns the only type of a schema, apart from `null`. If `type` is missing, the type is guessed from other keys. The
/// result is empty if the type is unknown.
pub(super) fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(one)) => return one,
        Some(Value::Sequence(several)) => {
            let mut others = several.iter().filter_map(Value::as_str).filter(|ty| several.len() < 2 || *ty != "null");
            return others.next().filter(|_| others.next().is_none()).unwrap_or_default();
        }
        _ => {}
    }
    let has = |key: &str| schema.get(key).is_some();
    let constants = constants(schema).into_iter().filter_map(|value| value.get("const"));
    let values: Vec<_> = items(schema, "enum").iter().chain(schema.get("const")).chain(constants).collect();
    match values.as_slice() {
        _ if has("properties") || has("allOf") => "object",
        _ if has("items") || has("prefixItems") => "array",
        [] => "",
        values if values.iter().any(|value| value.is_string()) => "string",
        values if values.iter().all(|value| value.is_i64()) => "integer",
        _ => "",
    }
}

/// Returns `true` if a schema is a component.
pub(super) fn is_component(pointer: &str) -> bool {
    pointer.starts_with("#/components/schemas/") && pointer.matches('/').count() == 3
}

/// Returns the name that a type or record should get: its own, or that after the component or path that contains it.
pub(super) fn wanted_name(name: &str, pointer: &str) -> WantedName {
    let component = pointer.strip_prefix("#/components/").and_then(|rest| rest.split('/').nth(1));
    let owner = component.unwrap_or_else(|| pointer.trim_start_matches('`').split('`').next().unwrap_or_default());
    WantedName { name: name.to_owned(), owner: owner.to_owned(), ..WantedName::default() }
}

/// Returns `true` if a schema itself allows `null`. In OpenAPI 3.0, `nullable` next to a reference has no effect, but
/// authors who write it mean that the value is nullable.
pub(super) fn is_nullable(schema: &Value) -> bool {
    let is_null = |schema: &Value| text(schema, "type") == Some("null");
    items(schema, "type").iter().any(|ty| ty.as_str() == Some("null"))
        || ["anyOf", "oneOf"].iter().any(|key| items(schema, key).iter().any(is_null))
        || schema.get("nullable").and_then(Value::as_bool) == Some(true)
}
