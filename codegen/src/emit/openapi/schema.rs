//! Schemas: named types, records, and the series of each record.

use serde_yaml::Value;

use super::operation::written_value;
use super::{Description, described, markdown, unit};
use crate::duration;
use crate::emit::json_object::{Object, number};
use crate::model::{
    Body, Evidence, Field, NamedType, Range, Record, RecordLayout, RecordRef, TimeForm, TimeFormat, Type,
};
use crate::names::{self, Case};

impl Description<'_> {
    pub(super) fn schemas(&self) -> Object {
        let types = self.api.types.iter().map(|ty| (ty.ident.clone(), self.named_type(ty)));
        let shared = self.api.records.iter().filter(|record| self.is_there(record)).map(|record| {
            let name = RecordRef::shared(&record.ident);
            (self.names.record(&name).to_owned(), self.record(record))
        });
        let error = self.error_schema().map(|schema| (self.names.error.clone(), schema));
        let grouped = self.api.groups.iter().flat_map(|group| {
            // A record that is an entire body is described in its operation instead.
            let records = group.records.iter().filter(|record| record.form != RecordLayout::Value);
            records.map(|record| {
                let name = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
                (self.names.record(&name).to_owned(), self.record(record))
            })
        });
        types.chain(shared).chain(error).chain(grouped).chain(self.all_series()).collect()
    }

    /// Returns whether to emit a record: every client has `Metadata`, but not every service has metadata.
    fn is_there(&self, record: &Record) -> bool {
        let envelope = self.api.service.envelope.as_ref();
        record.ident != "Metadata" || envelope.is_some_and(|envelope| envelope.metadata.is_some())
    }

    fn named_type(&self, ty: &NamedType) -> Object {
        let values: Vec<_> = ty.values.iter().map(|value| value.value.as_str()).collect();
        let idents = ty.values.iter().map(|value| value.ident.as_str());
        let (kind, open, known) = if ty.open {
            let open = "Other values of this format can occur; the known ones are listed.";
            ("identifier", open, self.version.examples(values))
        } else {
            let open = "Values that are not listed can occur; keep them unchanged.";
            ("enum", open, Object::default().with_list("enum", values).with_list("x-enum-varnames", idents))
        };
        let schema = Object::default()
            .with("type", "string")
            .with("description", markdown([ty.summary.as_str(), open]))
            .and(known);
        let case = if ty.open { Case::Shouty } else { Case::Pascal };
        let values = ty.values.iter().map(|value| {
            Object::default()
                .with("value", value.value.as_str())
                .and(chosen_ident("ident", case, &value.ident, &value.value))
                .with_text("summary", &value.summary)
                .with_some("duration", value.seconds.map(duration::written))
                .with("evidence", value.evidence.word())
        });
        schema.with("x-kind", kind).with_list("x-values", values).with("x-evidence", ty.evidence.word())
    }

    fn record(&self, record: &Record) -> Object {
        if record.form == RecordLayout::Positional {
            return self.positional(record);
        }
        let required = record.fields.iter().filter(|field| !field.optional).map(|field| field.wire_name.as_str());
        Object::default()
            .with("type", "object")
            .with("description", markdown([record.summary.as_str()]))
            .with_list("required", required)
            .with("properties", self.properties(&record.fields))
            .with("x-evidence", record.evidence.word())
    }

    /// The schema of a positional record: a list with one schema per index.
    fn positional(&self, record: &Record) -> Object {
        let items = record
            .fields
            .iter()
            .map(|field| Value::from(Object::default().with("title", field.wire_name.as_str()).and(self.field(field))));
        Object::default()
            .with("type", "array")
            .with("description", markdown([record.summary.as_str()]))
            .and(self.version.tuple(items.collect()))
            .with("x-evidence", record.evidence.word())
    }

    pub(super) fn properties(&self, fields: &[Field]) -> Object {
        fields.iter().map(|field| (field.wire_name.clone(), self.field(field))).collect()
    }

    fn field(&self, field: &Field) -> Object {
        let schema = self.value(&field.ty);
        let schema = if field.optional { self.nullable(&field.ty, schema) } else { schema };
        let keywords = Object::default()
            .and(described(&field.summary, [unit(&field.unit).as_str()], &field.notes))
            .and(range(&field.ty, field.range, field.evidence))
            .and(self.field_example(field))
            .with("x-evidence", field.evidence.word());
        self.version.extended(schema, keywords)
    }

    fn field_example(&self, field: &Field) -> Object {
        let example = field.example.as_ref().map(|text| written_value(&field.ty, text));
        self.version.examples(example)
    }

    /// The schema of a type without annotations.
    pub(super) fn value(&self, ty: &Type) -> Object {
        let simple = |ty: &str, format: &str| Object::default().with("type", ty).with_text("format", format);
        match ty {
            Type::String => simple("string", ""),
            Type::Integer | Type::Timestamp(TimeForm::Counted(_)) => simple("integer", "int64"),
            Type::Timestamp(TimeForm::Written(TimeFormat::Iso8601)) => simple("string", "date-time"),
            Type::Timestamp(TimeForm::Written(TimeFormat::Date)) => simple("string", "date"),
            Type::Count => simple("integer", "uint64").with("minimum", 0),
            Type::Number => simple("number", "double"),
            Type::Boolean => simple("boolean", ""),
            Type::Any => Object::default(),
            Type::Named(name) => schema_ref(name),
            Type::Record(record) => schema_ref(self.names.record(record)),
            Type::List(item) => simple("array", "").with("items", self.value(item)),
            Type::Map(item) => simple("object", "").with("additionalProperties", self.value(item)),
            Type::Option(given) => self.nullable(given, self.value(given)),
        }
    }

    fn nullable(&self, ty: &Type, schema: Object) -> Object {
        self.version.nullable(schema, if matches!(ty, Type::Record(_)) { "object" } else { "string" })
    }

    /// The schemas of series, one per record.
    fn all_series(&self) -> Vec<(String, Object)> {
        let mut all: Vec<(String, Object)> = Vec::new();
        for endpoint in self.api.methods() {
            if let Body::Series { record, .. } = &endpoint.body {
                let name = self.names.series(record.as_ref());
                if all.iter().all(|(other, _)| other != name) {
                    all.push((name.to_owned(), self.series(record.as_ref())));
                }
            }
        }
        all
    }

    fn series(&self, record: Option<&RecordRef>) -> Object {
        let items = record.map_or_else(Object::default, |record| schema_ref(self.names.record(record)));
        let list = Object::default().with("type", "array").with("items", items);
        let description = match record {
            Some(_) => "Records in time order, and metadata of the service.",
            None => "Records whose fields are unknown, and metadata of the service.",
        };
        let Some(envelope) = &self.api.service.envelope else {
            return list.with("description", description);
        };
        let metadata = envelope.metadata.as_ref().map(|name| {
            let ty = Type::Record(RecordRef::shared("Metadata"));
            (name.clone(), self.nullable(&ty, self.value(&ty)))
        });
        let mut body = Object::default().with("type", "object").with("description", description);
        body = inserted(body, &envelope.data, list, true);
        if let Some((path, schema)) = metadata {
            body = inserted(body, &path, schema, false);
        }
        body.with("x-evidence", envelope.evidence.word())
    }
}

/// Adds a value to an object at a JSON path.
fn inserted(object: Object, path: &str, value: Object, is_required: bool) -> Object {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let properties = object.object("properties").unwrap_or_default();
    let value = match rest {
        Some(rest) => {
            let within = properties.object(key).unwrap_or_else(|| Object::default().with("type", "object"));
            inserted(within, rest, value, is_required)
        }
        None => value,
    };
    object.with_some("required", is_required.then(|| vec![key])).with("properties", properties.with(key, value))
}

pub(super) fn schema_ref(name: &str) -> Object {
    Object::default().with("$ref", format!("#/components/schemas/{name}"))
}

/// The range of a number, if it is enforced.
pub(super) fn range(ty: &Type, range: Range, evidence: Evidence) -> Object {
    let is_number = matches!(ty, Type::Integer | Type::Count | Type::Number | Type::Timestamp(_));
    if !is_number || !evidence.is_enforced() {
        return Object::default();
    }
    Object::default().with_some("minimum", range.min.map(number)).with_some("maximum", range.max.map(number))
}

/// The Rust name, if it differs from the one derived from the wire name.
fn chosen_ident(key: &str, case: Case, ident: &str, wire_name: &str) -> Object {
    let is_chosen = names::ident(wire_name, case).map_or(true, |derived| derived != ident);
    Object::default().with_some(key, is_chosen.then_some(ident))
}
