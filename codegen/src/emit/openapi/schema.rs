//! Emits the schemas: named types, records, and the series of each record.

use super::description::{Description, described};
use crate::emit::docs::{self, source};
use crate::emit::json_object::{Object, number, typed};
use serde_yaml::Value;

use catalogue::model::{
    Builtin, Evidence, Field, FieldSource, NamedType, Range, Record, RecordLayout, RecordRef, TimeForm, TimeFormat,
    Type,
};

impl Description<'_> {
    pub(super) fn schemas(&self) -> Object {
        let types = self.api.types.iter().map(|ty| (ty.ident.clone(), self.named_type(ty)));
        // Every client has the record `Metadata`, but only a service with metadata has its schema.
        let has_metadata = self.api.service.envelope.as_ref().is_some_and(|envelope| envelope.metadata.is_some());
        let shared = self.api.records.iter().filter(|record| has_metadata || record.ident != "Metadata");
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
        let description = described(&record.summary, [source(record.evidence)], "");
        // Labels and times of two fields are not in the record on the wire.
        let own: Vec<_> = record.fields.iter().filter(|field| field.source == FieldSource::Record).collect();
        if record.form == RecordLayout::Positional {
            let titled =
                |field: &Field| Object::default().with("title", field.wire_name.as_str()).and(self.field(field));
            let items = own.iter().map(|field| titled(field).into());
            return typed("array").and(description).and(self.version.tuple(items.collect()));
        }
        let is_columns = record.form == RecordLayout::Columns;
        let column = |field: &Field| {
            if is_columns { typed("array").with("items", self.field(field)) } else { self.field(field) }
        };
        let required = own.iter().filter(|field| !field.optional).map(|field| field.wire_name.as_str());
        let properties: Object = own.iter().map(|field| (field.wire_name.as_str(), column(field))).collect();
        typed("object").and(description).with_list("required", required).with("properties", properties)
    }

    fn field(&self, field: &Field) -> Object {
        let nulls = (!field.nulls.is_empty()).then(|| field.nulls.clone());
        let schema = self.typed(&field.ty, field.quoted);
        let schema = if field.optional { self.nullable(&field.ty, schema) } else { schema };
        let facts = docs::stated(&docs::field_facts(field));
        // A value in quotes is text, which has no range.
        let range = Some(range(&field.ty, field.range, field.evidence)).filter(|_| !field.quoted).unwrap_or_default();
        let written = |text: &String| if field.quoted { text.as_str().into() } else { written_value(&field.ty, text) };
        let keywords = described(&field.summary, [facts, docs::unknown(&field.unknown)], &field.notes)
            .with("x-evidence", field.evidence.word())
            .with_some("x-nulls", nulls)
            .and(range)
            .and(self.version.examples(field.example.as_ref().map(written)));
        self.version.extended(schema, keywords)
    }

    /// Returns the schema of a type, without description, range and examples.
    pub(super) fn value(&self, ty: &Type) -> Object {
        self.typed(ty, false)
    }

    /// Returns the schema of a type; if it is quoted, its numbers are in quotes.
    fn typed(&self, ty: &Type, is_quoted: bool) -> Object {
        match ty {
            Type::Builtin(builtin) => self::builtin(*builtin, is_quoted),
            Type::Named(name) => schema_ref(name),
            Type::Record(record) | Type::Recursive(record) => schema_ref(self.names.record(record)),
            Type::List(item) => typed("array").with("items", self.typed(item, is_quoted)),
            Type::Map(item) => typed("object").with("additionalProperties", self.typed(item, is_quoted)),
            Type::Option(given) => self.nullable(given, self.typed(given, is_quoted)),
        }
    }

    fn nullable(&self, ty: &Type, schema: Object) -> Object {
        self.version
            .nullable(schema, if matches!(ty, Type::Record(_) | Type::Recursive(_)) { "object" } else { "string" })
    }

    /// Returns the schema of a series; `data` is the path of the records, if it differs from that of the envelope.
    pub(super) fn series(&self, record: Option<&RecordRef>, data: Option<&str>) -> Object {
        let items = record.map_or_else(Object::default, |record| schema_ref(self.names.record(record)));
        let layout = record.and_then(|record| self.api.record(record)).map(|record| record.form);
        let list = if layout == Some(RecordLayout::Columns) { items } else { typed("array").with("items", items) };
        let description = match record {
            Some(_) => "Records in time order, and metadata of the service.",
            None => "Records whose fields are unknown, and metadata of the service.",
        };
        let envelope = self.api.service.envelope.as_ref();
        let Some(data) = data.or(envelope.map(|envelope| envelope.data.as_str())).filter(|data| *data != ".") else {
            return self.version.extended(list, described(description, [], ""));
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

fn builtin(builtin: Builtin, is_quoted: bool) -> Object {
    let (ty, format) = match builtin {
        Builtin::Decimal => ("string", "decimal"),
        Builtin::String => ("string", ""),
        Builtin::Integer | Builtin::Timestamp(TimeForm::Counted(_)) => ("integer", "int64"),
        Builtin::Timestamp(TimeForm::Written(TimeFormat::Iso8601)) => ("string", "date-time"),
        Builtin::Timestamp(TimeForm::Written(TimeFormat::Date)) => ("string", "date"),
        Builtin::Timestamp(TimeForm::Written(format)) => ("string", format.word()),
        Builtin::Count => ("integer", "uint64"),
        Builtin::Number => ("number", "double"),
        Builtin::Boolean => ("boolean", ""),
        Builtin::Any => return Object::default(),
    };
    // `cargo xtask import` recognizes timestamps by their unit.
    let unit = if let Builtin::Timestamp(TimeForm::Counted(unit)) = builtin { unit.word() } else { "" };
    let ty = if is_quoted { "string" } else { ty };
    let minimum = (builtin == Builtin::Count && !is_quoted).then_some(0);
    typed(ty).with_text("format", format).with_text("x-unit", unit).with_some("minimum", minimum)
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

/// Converts the text of a default or an example to a value of its type. A text that cannot be parsed stays a string.
pub(super) fn written_value(ty: &Type, text: &str) -> Value {
    let parsed = ty.builtin().and_then(|builtin| match builtin {
        Builtin::Integer | Builtin::Timestamp(TimeForm::Counted(_)) => text.parse::<i64>().ok().map(Value::from),
        Builtin::Count => text.parse::<u64>().ok().map(Value::from),
        Builtin::Number => text.parse().ok().map(number),
        Builtin::Boolean => text.parse::<bool>().ok().map(Value::from),
        Builtin::String | Builtin::Decimal | Builtin::Timestamp(TimeForm::Written(_)) | Builtin::Any => None,
    });
    parsed.unwrap_or_else(|| text.into())
}
