//! Emits the schemas: named types, records, and the series of each record.

use super::description::{Description, described};
use crate::emit::json_object::{Object, number, typed};
use crate::emit::markdown::{self};
use crate::emit::sentences::{self, source};
use serde_yaml::Value;

use catalogue::model::{
    Builtin, Evidence, Field, FieldSource, Group, NamedType, Range, Record, RecordLayout, RecordRef, TimeForm,
    TimeFormat, Type,
};
use catalogue::spec::Metadata;

impl Description<'_> {
    /// The name and the schema of each named type, shared record, error body and record of a group.
    pub(super) fn schemas(&self) -> impl Iterator<Item = (String, Object)> {
        let types = self.api.types.iter().map(|ty| (ty.ident.clone(), self.named_type(ty)));
        let error = self.error_schema().map(|schema| (self.names.error.clone(), schema));
        let groups = self.api.groups.iter();
        types.chain(self.shared_records()).chain(error).chain(groups.flat_map(|group| self.records_of(group)))
    }

    fn shared_records(&self) -> impl Iterator<Item = (String, Object)> {
        // Every client has the record `Metadata`, but only a service with metadata has its schema.
        let has_metadata = self.declared_metadata().is_some();
        let records = self.api.records.iter().filter(move |record| has_metadata || record.ident != "Metadata");
        records.flat_map(|record| self.with_series(&RecordRef::shared(&record.ident), record))
    }

    fn records_of(&self, group: &Group) -> impl Iterator<Item = (String, Object)> {
        // If a body is a single value, the operation describes the value, so the record has no schema.
        let records = group.records.iter().filter(|record| record.layout != RecordLayout::Value);
        records.flat_map(|record| {
            let reference = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
            self.with_series(&reference, record)
        })
    }

    fn declared_metadata(&self) -> Option<&Metadata> {
        self.api.service.declared.envelope.as_ref()?.metadata.as_ref()
    }

    /// The schema of a record and, if an endpoint returns a series of it, the schema of the series.
    fn with_series(&self, reference: &RecordRef, record: &Record) -> Vec<(String, Object)> {
        let mut schemas = vec![(self.names.record(reference).to_owned(), self.record(record))];
        if let Some(name) = self.names.series(reference) {
            schemas.push((name.to_owned(), self.series(Some(reference), None)));
        }
        schemas
    }

    /// The schema of a named type. It allows any string, because the service may add values; the description lists the
    /// known values.
    fn named_type(&self, ty: &NamedType) -> Object {
        let values: Vec<_> = ty.values.iter().map(|value| value.value.clone()).collect();
        let mut facts = Vec::new();
        if !values.is_empty() {
            facts.push(format!("Known values: {}. Others can occur.", markdown::codes(&values)));
        }
        facts.push(source(ty.evidence));
        self.value(&Type::Builtin(Builtin::String))
            .and(described(&ty.summary, facts, ""))
            .and(self.version.examples(values))
    }

    fn record(&self, record: &Record) -> Object {
        let description = described(&record.summary, [source(record.evidence)], "");
        match record.layout {
            RecordLayout::Positional => {
                let items = fields_on_the_wire(record).map(|field| self.titled_field(field).into()).collect();
                typed("array").and(description).and(self.version.tuple(items))
            }
            RecordLayout::Named => named_values(record),
            RecordLayout::Object | RecordLayout::Columns | RecordLayout::Value => {
                self.members(record, typed("object").and(description))
            }
        }
    }

    /// Adds the members of a record to its schema. In columns, each is a list.
    fn members(&self, record: &Record, object: Object) -> Object {
        let mut required = Vec::new();
        let mut properties = Object::default();
        for field in fields_on_the_wire(record) {
            let mut schema = self.field(field);
            if record.layout == RecordLayout::Columns {
                schema = typed("array").with("items", schema);
            }
            properties = properties.with(&field.wire_name, schema);
            if !field.optional {
                required.push(field.wire_name.as_str());
            }
        }
        object
            .with_list("required", required)
            .with("properties", properties)
            .with_some("additionalProperties", self.others(record))
    }

    /// The schema of the members that a record does not list, if the catalogue declares their type.
    fn others(&self, record: &Record) -> Option<Object> {
        let field = record.fields.iter().find(|field| field.source == FieldSource::Others)?;
        let Type::Map(of) = &field.ty else { return None };
        let schema = self.value(of);
        Some(if record.layout == RecordLayout::Columns { typed("array").with("items", schema) } else { schema })
    }

    fn titled_field(&self, field: &Field) -> Object {
        Object::default().with("title", field.wire_name.as_str()).and(self.field(field))
    }

    fn field(&self, field: &Field) -> Object {
        let mut schema = self.typed(&field.ty, field.quoted);
        if field.optional {
            schema = self.nullable(&field.ty, schema);
        }
        let facts = sentences::stated(&sentences::field_facts(field));
        let mut keywords = described(&field.summary, [facts, sentences::unknown(&field.unknown)], &field.notes)
            .with("x-evidence", field.evidence.word())
            .with_list("x-also-named", field.also_named.iter().map(String::as_str))
            .with_list("x-nulls", field.nulls.iter().map(String::as_str));
        // A value in quotes is text, which has no range.
        if !field.quoted {
            keywords = keywords.and(range(&field.ty, field.range, field.evidence));
        }
        if let Some(text) = &field.example {
            let example = if field.quoted { text.as_str().into() } else { written_value(&field.ty, text) };
            keywords = keywords.and(self.version.examples([example]));
        }
        self.version.extended(schema, keywords)
    }

    /// The schema of a type, without description, range and examples.
    pub(super) fn value(&self, ty: &Type) -> Object {
        self.typed(ty, false)
    }

    /// The schema of a type; if it is quoted, its numbers are in quotes.
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
        let referred = if matches!(ty, Type::Record(_) | Type::Recursive(_)) { "object" } else { "string" };
        self.version.nullable(schema, referred)
    }

    /// The schema of a series; `data` is the path of the records, if it differs from that of the envelope.
    pub(super) fn series(&self, record: Option<&RecordRef>, data: Option<&str>) -> Object {
        let description = match record {
            Some(_) => "Records in time order, and metadata of the service.",
            None => "Records whose fields are unknown, and metadata of the service.",
        };
        let list = self.list_of_records(record);
        let envelope = self.api.service.declared.envelope.as_ref();
        let data = match (data, envelope) {
            (Some(data), _) => data,
            (None, Some(envelope)) => envelope.data.as_str(),
            (None, None) => ".",
        };
        if data == "." {
            return self.version.extended(list, described(description, [], ""));
        }
        let source = match envelope {
            Some(envelope) => source(envelope.evidence),
            None => String::new(),
        };
        let body = typed("object").and(described(description, [source], ""));
        let body = self.inserted(body, data, list, true);
        let Some(metadata) = self.declared_metadata() else { return body };
        let ty = Type::Record(RecordRef::shared("Metadata"));
        self.inserted(body, &metadata.name, self.nullable(&ty, self.value(&ty)), false)
    }

    /// Records in columns are one object, other records a list.
    fn list_of_records(&self, record: Option<&RecordRef>) -> Object {
        let Some(reference) = record else { return typed("array").with("items", Object::default()) };
        let schema = schema_ref(self.names.record(reference));
        match self.api.record(reference) {
            Some(record) if record.layout == RecordLayout::Columns => schema,
            _ => typed("array").with("items", schema),
        }
    }

    /// Adds the schema of a value to an object at a JSON path. If the path already has a different schema, the result
    /// allows any value at the path.
    pub(super) fn inserted(&self, object: Object, path: &str, value: Object, is_required: bool) -> Object {
        let (key, rest) = match path.split_once('.') {
            Some((key, rest)) => (key, Some(rest)),
            None => (path, None),
        };
        if key == "*" {
            // Other members of the object have other types, so its values are not declared.
            return object;
        }
        let properties = object.object("properties").unwrap_or_default();
        let value = match (rest, properties.object(key)) {
            // The objects that contain a required value always exist. The objects that contain an optional value may be
            // missing, so they are nullable.
            (Some(rest), None) if is_required => self.inserted(typed("object"), rest, value, true),
            (Some(rest), None) => self.inserted(self.version.nullable(typed("object"), ""), rest, value, false),
            (Some(rest), Some(parent)) if parent.get("properties").is_some() => {
                self.inserted(parent, rest, value, is_required)
            }
            (None, None) => value,
            (None, Some(other)) if other == value => value,
            _ => Object::default(),
        };
        let object = if is_required { object.with("required", vec![key]) } else { object };
        object.with("properties", properties.with(key, value))
    }
}

/// The list of the values whose names are elsewhere in the response.
fn named_values(record: &Record) -> Object {
    let names: Vec<_> = fields_on_the_wire(record).map(|field| &field.wire_name).collect();
    let place = format!(
        "The names of the values, in their order, are at `{}`. Known names: {}. Others can occur.",
        record.column_names,
        markdown::codes(&names)
    );
    let description = described(&record.summary, [place, source(record.evidence)], "");
    typed("array").and(description).with("items", Object::default())
}

fn builtin(builtin: Builtin, is_quoted: bool) -> Object {
    let (ty, format) = match builtin {
        Builtin::Decimal => ("string", "decimal"),
        Builtin::String => ("string", ""),
        Builtin::Integer | Builtin::Timestamp(TimeForm::Counted(_)) => ("integer", "int64"),
        Builtin::Timestamp(TimeForm::Written(TimeFormat::Iso8601) | TimeForm::Local(_)) => ("string", "date-time"),
        Builtin::Timestamp(TimeForm::Written(TimeFormat::Date)) => ("string", "date"),
        Builtin::Timestamp(TimeForm::Written(format)) => ("string", format.word()),
        Builtin::Count => ("integer", "uint64"),
        Builtin::Number => ("number", "double"),
        Builtin::Boolean => ("boolean", ""),
        Builtin::Any => return Object::default(),
    };
    let mut schema = typed(if is_quoted { "string" } else { ty }).with_text("format", format);
    if let Builtin::Timestamp(TimeForm::Counted(unit)) = builtin {
        // `cargo xtask import` recognizes timestamps by their unit.
        schema = schema.with("x-unit", unit.word());
    }
    if let Some(zone) = builtin.time_form().and_then(TimeForm::zone) {
        schema = schema.with("x-zone", zone);
    }
    if builtin == Builtin::Count && !is_quoted {
        schema = schema.with("minimum", 0);
    }
    schema
}

/// The fields in a record on the wire. Labels and times of two fields are elsewhere.
fn fields_on_the_wire(record: &Record) -> impl Iterator<Item = &Field> {
    record.fields.iter().filter(|field| field.source == FieldSource::Record)
}

pub(super) fn schema_ref(name: &str) -> Object {
    Object::default().with("$ref", format!("#/components/schemas/{name}"))
}

/// The keywords for the range of a number; none if the evidence is too weak to enforce the range.
pub(super) fn range(ty: &Type, range: Range, evidence: Evidence) -> Object {
    let is_number = ty.is_numeric() && ty.innermost() == ty;
    if !is_number || !evidence.is_enforced() {
        return Object::default();
    }
    Object::default().with_some("minimum", range.min.map(number)).with_some("maximum", range.max.map(number))
}

/// Converts the text of a default or an example to a value of its type. A text that cannot be parsed stays a string.
pub(super) fn written_value(ty: &Type, text: &str) -> Value {
    parsed(ty, text).unwrap_or_else(|| text.into())
}

fn parsed(ty: &Type, text: &str) -> Option<Value> {
    match ty.builtin()? {
        Builtin::Integer | Builtin::Timestamp(TimeForm::Counted(_)) => Some(text.parse::<i64>().ok()?.into()),
        Builtin::Count => Some(text.parse::<u64>().ok()?.into()),
        Builtin::Number => Some(number(text.parse().ok()?)),
        Builtin::Boolean => Some(text.parse::<bool>().ok()?.into()),
        Builtin::String | Builtin::Decimal | Builtin::Timestamp(_) | Builtin::Any => None,
    }
}
