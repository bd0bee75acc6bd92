//! Emits the schemas: named types, records, and the series of each record.

use serde_yaml::Value;

use super::operation::written_value;
use super::{Description, described, source};
use crate::emit::docs;
use crate::emit::json_object::{Object, number, typed};
use crate::model::{
    Builtin, Evidence, Field, NamedType, Range, Record, RecordLayout, RecordRef, TimeForm, TimeFormat, Type,
};

impl Description<'_> {
    pub(super) fn schemas(&self) -> Object {
        let types = self.api.types.iter().map(|ty| (ty.ident.clone(), self.named_type(ty)));
        let shared = self.api.records.iter().filter(|record| self.is_there(record));
        let shared = shared.flat_map(|record| self.with_series(&RecordRef::shared(&record.ident), record));
        let error = self.error_schema().map(|schema| (self.names.error.clone(), schema));
        let grouped = self.api.groups.iter().flat_map(|group| {
            // If a body is a single value, the operation describes the value, so the record has no schema.
            let records = group.records.iter().filter(|record| record.form != RecordLayout::Value);
            records.flat_map(|record| {
                let module = Some(group.ident.clone());
                self.with_series(&RecordRef { module, ident: record.ident.clone() }, record)
            })
        });
        types.chain(shared).chain(error).chain(grouped).collect()
    }

    /// Returns the schema of a record and, if an endpoint returns a series of it, the schema of the series.
    fn with_series(&self, reference: &RecordRef, record: &Record) -> impl Iterator<Item = (String, Object)> + use<> {
        let schema = (self.names.record(reference).to_owned(), self.record(record));
        let series = self.names.series(reference).map(|name| (name.to_owned(), self.series(Some(reference), None)));
        std::iter::once(schema).chain(series)
    }

    /// Returns `true` if the description contains a record. Every client has the record `Metadata`, but the description
    /// contains it only if the service has metadata.
    fn is_there(&self, record: &Record) -> bool {
        let envelope = self.api.service.envelope.as_ref();
        record.ident != "Metadata" || envelope.is_some_and(|envelope| envelope.metadata.is_some())
    }

    /// Returns the schema of a named type. The schema allows any string, because the service may add values; the
    /// description lists the known values.
    fn named_type(&self, ty: &NamedType) -> Object {
        let values: Vec<_> = ty.values.iter().map(|value| value.value.clone()).collect();
        let known = format!("Known values: {}. Others can occur.", docs::codes(&values));
        let known = if values.is_empty() { String::new() } else { known };
        let facts = described(&ty.summary, [known, source(ty.evidence)], "");
        self.value(&Type::Builtin(Builtin::String)).and(facts).and(self.version.examples(values))
    }

    fn record(&self, record: &Record) -> Object {
        if record.form == RecordLayout::Positional {
            return self.positional(record);
        }
        let required = record.fields.iter().filter(|field| !field.optional).map(|field| field.wire_name.as_str());
        typed("object")
            .and(described(&record.summary, [source(record.evidence)], ""))
            .with_list("required", required)
            .with("properties", self.properties(&record.fields))
    }

    /// Returns the schema of a record that is sent as a list, with one schema for each index.
    fn positional(&self, record: &Record) -> Object {
        let items = record
            .fields
            .iter()
            .map(|field| Value::from(Object::default().with("title", field.wire_name.as_str()).and(self.field(field))));
        typed("array")
            .and(described(&record.summary, [source(record.evidence)], ""))
            .and(self.version.tuple(items.collect()))
    }

    pub(super) fn properties(&self, fields: &[Field]) -> Object {
        fields.iter().map(|field| (field.wire_name.clone(), self.field(field))).collect()
    }

    fn field(&self, field: &Field) -> Object {
        let schema = if field.quoted { self.quoted(&field.ty) } else { self.value(&field.ty) };
        let schema = if field.optional { self.nullable(&field.ty, schema) } else { schema };
        let facts = docs::stated(&docs::field_facts(field));
        let keywords = Object::default()
            .and(described(&field.summary, [facts, docs::unknown(&field.unknown)], &field.notes))
            .with("x-evidence", field.evidence.word())
            .and(if field.quoted { Object::default() } else { range(&field.ty, field.range, field.evidence) })
            .and(
                self.version.examples(
                    field
                        .example
                        .as_ref()
                        .map(|text| if field.quoted { text.as_str().into() } else { written_value(&field.ty, text) }),
                ),
            );
        self.version.extended(schema, keywords)
    }

    /// Returns the schema of a type, without description, range and examples.
    pub(super) fn value(&self, ty: &Type) -> Object {
        let simple = |ty: &str, format: &str| typed(ty).with_text("format", format);
        match ty {
            Type::Builtin(builtin) => match builtin {
                Builtin::String => simple("string", ""),
                Builtin::Integer | Builtin::Timestamp(TimeForm::Counted(_)) => simple("integer", "int64"),
                Builtin::Timestamp(TimeForm::Written(TimeFormat::Iso8601)) => simple("string", "date-time"),
                Builtin::Timestamp(TimeForm::Written(TimeFormat::Date)) => simple("string", "date"),
                Builtin::Count => simple("integer", "uint64").with("minimum", 0),
                Builtin::Number => simple("number", "double"),
                Builtin::Decimal => self.quoted(ty),
                Builtin::Boolean => simple("boolean", ""),
                Builtin::Any => Object::default(),
            },
            Type::Named(name) => schema_ref(name),
            Type::Record(record) | Type::Recursive(record) => schema_ref(self.names.record(record)),
            Type::List(item) => simple("array", "").with("items", self.value(item)),
            Type::Map(item) => simple("object", "").with("additionalProperties", self.value(item)),
            Type::Option(given) => self.nullable(given, self.value(given)),
        }
    }

    /// Returns the schema of a type whose numbers are in quotes.
    fn quoted(&self, ty: &Type) -> Object {
        match ty {
            Type::List(item) => typed("array").with("items", self.quoted(item)),
            Type::Map(item) => typed("object").with("additionalProperties", self.quoted(item)),
            Type::Option(given) => self.nullable(given, self.quoted(given)),
            Type::Builtin(Builtin::Number | Builtin::Decimal) => typed("string").with("format", "decimal"),
            Type::Builtin(Builtin::Integer | Builtin::Count | Builtin::Timestamp(_)) => {
                typed("string").with("format", "int64")
            }
            // `check` allows `quoted` only for numbers and timestamps.
            Type::Builtin(Builtin::String | Builtin::Boolean | Builtin::Any)
            | Type::Named(_)
            | Type::Record(_)
            | Type::Recursive(_) => self.value(ty),
        }
    }

    fn nullable(&self, ty: &Type, schema: Object) -> Object {
        self.version
            .nullable(schema, if matches!(ty, Type::Record(_) | Type::Recursive(_)) { "object" } else { "string" })
    }

    /// Returns the schema of a series; `data` is the path of the records, if it differs from that of the envelope.
    pub(super) fn series(&self, record: Option<&RecordRef>, data: Option<&str>) -> Object {
        let items = record.map_or_else(Object::default, |record| schema_ref(self.names.record(record)));
        let list = typed("array").with("items", items);
        let description = match record {
            Some(_) => "Records in time order, and metadata of the service.",
            None => "Records whose fields are unknown, and metadata of the service.",
        };
        let envelope = self.api.service.envelope.as_ref();
        let Some(data) = data.or(envelope.map(|envelope| envelope.data.as_str())).filter(|data| *data != ".") else {
            return list.with("description", description);
        };
        let sources = envelope.map(|envelope| source(envelope.evidence)).unwrap_or_default();
        let body = typed("object").and(described(description, [sources], ""));
        let body = self.inserted(body, data, list, true);
        let Some(metadata) = envelope.and_then(|envelope| envelope.metadata.as_ref()) else { return body };
        let ty = Type::Record(RecordRef::shared("Metadata"));
        self.inserted(body, &metadata.name, self.nullable(&ty, self.value(&ty)), false)
    }

    /// Adds the schema of a value to an object at a JSON path. If the path already has a different schema, the result
    /// allows any value at the path.
    pub(super) fn inserted(&self, object: Object, path: &str, value: Object, is_required: bool) -> Object {
        let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        if key == "*" {
            // Other members of the object have other types, so its values are not declared.
            return object;
        }
        let properties = object.object("properties").unwrap_or_default();
        let parent = || typed("object");
        let value = match (rest, properties.object(key)) {
            // The objects that contain a required value always exist. The objects that contain an optional value may be
            // missing, so they are nullable.
            (Some(rest), None) if is_required => self.inserted(parent(), rest, value, true),
            (Some(rest), None) => self.inserted(self.version.nullable(parent(), ""), rest, value, false),
            (Some(rest), Some(parent)) if parent.get("properties").is_some() => {
                self.inserted(parent, rest, value, is_required)
            }
            (None, None) => value,
            (None, Some(other)) if other == value => value,
            _ => Object::default(),
        };
        object.with_some("required", is_required.then(|| vec![key])).with("properties", properties.with(key, value))
    }
}

pub(super) fn schema_ref(name: &str) -> Object {
    Object::default().with("$ref", format!("#/components/schemas/{name}"))
}

/// Returns the keywords for the range of a number; none if the evidence is too weak to enforce the range.
pub(super) fn range(ty: &Type, range: Range, evidence: Evidence) -> Object {
    let is_number = ty.is_numeric() && ty.innermost() == ty;
    if !is_number || !evidence.is_enforced() {
        return Object::default();
    }
    Object::default().with_some("minimum", range.min.map(number)).with_some("maximum", range.max.map(number))
}
