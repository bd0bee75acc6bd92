//! The entries of types, records and fields. Each type and each record has one entry, to which all its fields refer.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::leaked::{leak, list, optional_text, text, texts};
use crate::model::{self, Api, Builtin, Field, NamedType, RecordRef, Type, Value};
use runtime::registry::{
    Evidence, FieldInfo, FieldSource, Range, RecordInfo, RecordLayout, RecursiveRecord, TypeInfo, ValueInfo, ValueType,
};

/// The metadata of a service without metadata.
pub(super) static NO_METADATA: RecordInfo = RecordInfo::new("Metadata", &[]);

/// The entry of a recursive record, which is set after all other records are built.
type RecursiveEntry = OnceLock<&'static RecordInfo>;

/// The types and records that are already built.
pub(super) struct TypeEntries<'a> {
    api: &'a Api,
    types: HashMap<&'a str, &'static TypeInfo>,
    records: HashMap<RecordRef, &'static RecordInfo>,
    recursive: HashMap<RecordRef, &'static RecursiveEntry>,
    /// The recursive records whose entries are not set yet.
    unset: Vec<RecordRef>,
}

impl<'a> TypeEntries<'a> {
    pub(super) fn new(api: &'a Api) -> Self {
        Self { api, types: HashMap::new(), records: HashMap::new(), recursive: HashMap::new(), unset: Vec::new() }
    }

    pub(super) fn record(&mut self, reference: &RecordRef) -> Option<&'static RecordInfo> {
        if let Some(built) = self.records.get(reference) {
            return Some(built);
        }
        let record = self.api.record(reference)?;
        let fields = list(&record.fields, |field| self.field(field));
        let mut info = RecordInfo::new(text(&record.ident), fields);
        info.summary = text(&record.summary);
        info.layout = match record.layout {
            model::RecordLayout::Object => RecordLayout::Object,
            model::RecordLayout::Positional => RecordLayout::Positional,
            model::RecordLayout::Columns => RecordLayout::Columns,
            model::RecordLayout::Named => RecordLayout::Named(text(&record.column_names)),
            model::RecordLayout::Value => RecordLayout::Value,
        };
        let info = leak(info);
        self.records.insert(reference.clone(), info);
        Some(info)
    }

    pub(super) fn field(&mut self, field: &'a Field) -> FieldInfo {
        let ty = self.value_type(&field.ty);
        let mut info = FieldInfo::new(text(&field.ident), text(&field.wire_name), ty, evidence(field.evidence));
        info.source = match &field.source {
            model::FieldSource::Record => FieldSource::Record,
            model::FieldSource::Group(path) => FieldSource::Group(text(path)),
            model::FieldSource::Period(year, period) => FieldSource::Period(text(year), text(period)),
            model::FieldSource::Others => FieldSource::Others,
        };
        info.also_named = texts(&field.also_named);
        info.nulls = texts(&field.nulls);
        info.optional = field.optional;
        info.quoted = field.quoted;
        info.range = range(field.range);
        info.example = optional_text(field.example.as_deref());
        info.unit = text(&field.unit);
        info.summary = text(&field.summary);
        info.notes = text(&field.notes);
        info.unknown = list(&field.unknown, |fact| text(fact.text()));
        info
    }

    /// A type that the catalogue does not have cannot occur in a checked model; its values are read as JSON or text.
    pub(super) fn value_type(&mut self, ty: &'a Type) -> ValueType {
        match ty {
            Type::Builtin(builtin) => builtin_type(*builtin),
            Type::Named(name) => self.named_type(name).map_or(ValueType::String, ValueType::Named),
            Type::Record(record) => self.record(record).map_or(ValueType::Any, ValueType::Record),
            Type::Recursive(record) => ValueType::Recursive(self.recursive_record(record)),
            Type::List(item) => ValueType::List(leak(self.value_type(item))),
            Type::Map(item) => ValueType::Map(leak(self.value_type(item))),
            Type::Option(item) => ValueType::Option(leak(self.value_type(item))),
        }
    }

    pub(super) fn named_type(&mut self, name: &str) -> Option<&'static TypeInfo> {
        if let Some(built) = self.types.get(name) {
            return Some(built);
        }
        let ty = self.api.types.iter().find(|ty| ty.ident == name)?;
        let info = leak(type_info(ty));
        self.types.insert(&ty.ident, info);
        Some(info)
    }

    fn recursive_record(&mut self, record: &RecordRef) -> RecursiveRecord {
        let entry: &'static RecursiveEntry = match self.recursive.get(record) {
            Some(known) => known,
            None => self.new_recursive_record(record),
        };
        RecursiveRecord::new(leak(move || entry.get().copied().unwrap_or(&NO_METADATA)))
    }

    fn new_recursive_record(&mut self, record: &RecordRef) -> &'static RecursiveEntry {
        let entry = leak(RecursiveEntry::new());
        self.recursive.insert(record.clone(), entry);
        self.unset.push(record.clone());
        entry
    }

    /// Builds the recursive records, and the recursive records in them.
    pub(super) fn set_recursive_records(&mut self) {
        while let Some(record) = self.unset.pop() {
            if let (Some(info), Some(entry)) = (self.record(&record), self.recursive.get(&record)) {
                entry.get_or_init(|| info);
            }
        }
    }
}

fn builtin_type(builtin: Builtin) -> ValueType {
    match builtin {
        Builtin::String => ValueType::String,
        Builtin::Integer => ValueType::Integer,
        Builtin::Count => ValueType::Count,
        Builtin::Number => ValueType::Number,
        Builtin::Decimal => ValueType::Decimal,
        Builtin::Boolean => ValueType::Boolean,
        Builtin::Timestamp(form) => ValueType::Timestamp(form.in_registry()),
        Builtin::Any => ValueType::Any,
    }
}

fn type_info(ty: &NamedType) -> TypeInfo {
    let mut info = TypeInfo::new(text(&ty.ident), list(&ty.values, value_info));
    info.summary = text(&ty.summary);
    info.open = ty.open;
    info.attributes = texts(&ty.attributes);
    info
}

fn value_info(value: &Value) -> ValueInfo {
    let mut info = ValueInfo::new(text(&value.value), text(&value.summary), evidence(value.evidence));
    info.step = value.step;
    info.attributes = texts(&value.attributes);
    info
}

pub(super) const fn range(range: model::Range) -> Range {
    Range { min: range.min, max: range.max }
}

pub(super) const fn evidence(evidence: model::Evidence) -> Evidence {
    match evidence {
        model::Evidence::Documented => Evidence::Documented,
        model::Evidence::Published => Evidence::Published,
        model::Evidence::Reported => Evidence::Reported,
        model::Evidence::PreviousVersion => Evidence::PreviousVersion,
    }
}
