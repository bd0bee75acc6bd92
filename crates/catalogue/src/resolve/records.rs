//! Resolves records and their fields.

use super::cycles::Cycles;
use super::records_of_file::RecordsOfFile;
use super::{Resolver, Unique};
use crate::diagnostic::Diagnostic;
use crate::model::{Builtin, Field, FieldSource, Range, Record, RecordLayout, Type};
use crate::names::{self, Case, Scope};
use crate::spanned::{Spanned, Text, string_or_empty, strings};
use crate::spec::{self, Evidence};

impl<'a> Resolver<'a> {
    /// Resolves the shared records. The first is `Metadata`, which every client has. `Metadata` has no fields if the
    /// service declares none.
    pub(super) fn shared_records(&mut self) -> Vec<Record> {
        let none = RecordsOfFile::default();
        let envelope = self.service.envelope.as_ref();
        let mut metadata = Record {
            ident: "Metadata".to_owned(),
            summary: "The metadata of a response.".to_owned(),
            evidence: Evidence::Documented,
            fields: Vec::new(),
            layout: RecordLayout::Object,
            column_names: String::new(),
        };
        if let Some(envelope) = envelope
            && let Some(declared) = &envelope.metadata
        {
            metadata.evidence = envelope.evidence;
            metadata.fields = self.fields(&none, &declared.fields, envelope.evidence, None);
        }
        let mut records = vec![metadata];
        records.extend(self.records(&none, &self.service.records));
        records
    }

    /// Resolves the named records of a file.
    pub(super) fn records(&mut self, scope: &RecordsOfFile<'a>, own: &'a [spec::Record]) -> Vec<Record> {
        let mut seen = Unique::default();
        let cycles = Cycles::of(own);
        let mut records = Vec::new();
        for record in own {
            let name = &record.name;
            let ident = self.type_name(name);
            if scope.module.is_none() {
                self.claim_root_type(name);
            } else {
                seen.claim(&mut self.errors, "duplicate-type/record", name, name.at(), &[name]);
                self.check_hides_none(name);
            }
            self.used.within = Some(("record", scope.module, name.as_str()));
            let mut fields = self.fields(scope, &record.fields, record.evidence, None);
            self.used.within = None;
            if cycles.is_endless(name) {
                self.error("recursive-record", name.at(), &[name]);
            }
            for (field, declared) in fields.iter_mut().zip(&record.fields) {
                if cycles.is_recursive(name, &declared.ty)
                    && let Type::Record(item) = field.ty.innermost().clone()
                {
                    *field.ty.innermost_mut() = Type::Recursive(item);
                }
            }
            let summary = record.summary.clone();
            let layout = layout(record.positional, record.columns);
            self.check_has_names(layout, &record.fields);
            fields.extend(self.others(scope, record.others.as_ref(), &fields, record.evidence));
            let column_names = String::new();
            records.push(Record { ident, summary, evidence: record.evidence, fields, layout, column_names });
        }
        records
    }

    /// Rejects a group's record that has the same name as a type or record of `service.yaml`.
    fn check_hides_none(&mut self, name: &Text) {
        if self.types.contains_key(name.as_str()) || self.records.by_name.contains_key(name.as_str()) {
            self.error("duplicate-type/of-service", name.at(), &[name]);
        }
    }

    /// Resolves the fields of one record. If the time field of the envelope is added to the record, `time` is that
    /// field, and no other field may have its name.
    pub(super) fn fields(
        &mut self,
        records: &RecordsOfFile<'a>,
        fields: &'a [spec::Field],
        inherited: Evidence,
        time: Option<&spec::Field>,
    ) -> Vec<Field> {
        let mut names = Unique::default();
        let mut idents = Unique::default();
        if let Some(time) = time
            && let Some(ident) = names::chosen(time.rust_name.as_deref(), &time.name, Case::Snake)
        {
            idents.insert(&ident, time.name.at());
        }
        let mut resolved = Vec::with_capacity(fields.len());
        for declared in fields {
            let name = &declared.name;
            let at = name.at();
            let field = self.field(records, declared, inherited);
            if let Some(time) = time
                && time.name == **name
            {
                let error = Diagnostic::new("duplicate-field/time", at, &[name]);
                self.errors.push(error.earlier(time.name.at(), "declared here"));
            } else if names.claim(&mut self.errors, "duplicate-field", name, at, &[name]) && !field.ident.is_empty() {
                idents.claim(&mut self.errors, "same-rust-name/field", &field.ident, at, &[name, &field.ident]);
            }
            resolved.push(field);
        }
        self.check_other_names(names, fields);
        resolved
    }

    /// Checks that each other name of a field is neither another name nor the name of a field.
    fn check_other_names(&mut self, mut names: Unique, fields: &[spec::Field]) {
        for field in fields {
            for name in &field.also_named {
                names.claim(&mut self.errors, "duplicate-field", name, name.at(), &[name]);
            }
        }
    }

    /// Rejects other names of fields without a name on the wire.
    pub(super) fn check_has_names(&mut self, layout: RecordLayout, fields: &[spec::Field]) {
        if layout != RecordLayout::Positional {
            return;
        }
        for field in fields {
            if let Some(name) = field.also_named.first() {
                self.error("also-named/positional", name.at(), &[]);
            }
        }
    }

    pub(super) fn field(&mut self, records: &RecordsOfFile<'a>, field: &'a spec::Field, inherited: Evidence) -> Field {
        let ty = self.type_in_unit(records, &field.ty, field.unit.as_ref(), field.format.as_ref());
        let ty = match (ty, &field.zone) {
            (Some(ty), Some(zone)) => Some(self.in_zone(ty, zone)),
            (ty, _) => ty,
        };
        let range = self.range(ty.as_ref(), &field.ty, field.range.as_ref());
        let ident = self.rust_name(&field.name, field.rust_name.as_ref(), Case::Snake, Scope::Fields);
        let evidence = self.evidence("the field", field.evidence, inherited, field.name.at());
        let is_quoted = field.quoted.as_deref() == Some(&true);
        if let Some(ty) = &ty {
            self.check_values_of_field(field, ty);
        }
        // A field that is not documented may be missing, even if the catalogue does not declare it as optional.
        let optional = field.optional || !field.nulls.is_empty() || evidence != Evidence::Documented;
        let ty = ty.unwrap_or_default();
        Field {
            ident: ident.unwrap_or_default(),
            wire_name: field.name.to_string(),
            also_named: strings(&field.also_named),
            nulls: self.nulls(field, &ty, optional),
            ty,
            source: FieldSource::Record,
            quoted: is_quoted,
            is_envelope_time: false,
            optional,
            range,
            example: field.example.as_deref().cloned(),
            unit: string_or_empty(field.unit.as_ref()),
            summary: field.summary.clone(),
            notes: field.notes.clone(),
            unknown: field.unknown.clone(),
            evidence,
        }
    }

    /// Checks that the example of a field has its type, and that only values that can be in quotes are.
    fn check_values_of_field(&mut self, field: &spec::Field, ty: &Type) {
        if let Some(example) = &field.example
            && !ty.is_written(example)
        {
            self.error("value-type", example.at(), &[example, &field.ty]);
        }
        if let Some(quoted) = &field.quoted
            && **quoted
            && !ty.can_be_quoted()
        {
            self.error("quoted-type", quoted.at(), &[&field.ty]);
        }
    }

    /// The texts that stand for a missing value of a field: its own, or those of the service.
    fn nulls(&self, field: &spec::Field, ty: &Type, optional: bool) -> Vec<String> {
        let is_time = matches!(ty, Type::Builtin(Builtin::Timestamp(_)));
        let is_shared =
            field.nulls.is_empty() && optional && (is_time || ty.builtin().is_some_and(Builtin::has_digits));
        let nulls = if is_shared { &self.service.nulls } else { &field.nulls };
        strings(nulls)
    }

    /// Checks that the minimum of a range is not above the maximum, and that the type is numeric.
    pub(super) fn range(&mut self, ty: Option<&Type>, written: &str, range: Option<&Spanned<spec::Range>>) -> Range {
        let Some(range) = range else { return Range::default() };
        if let (Some(min), Some(max)) = (&range.min, &range.max)
            && **min > **max
        {
            self.error("range-order", min.at(), &[min, max]);
        }
        if let Some(ty) = ty
            && !ty.is_numeric()
        {
            self.error("range-type", range.at(), &[&written]);
        }
        Range { min: range.min.as_deref().copied(), max: range.max.as_deref().copied() }
    }
}

/// The layout of a record with these keys, at most one of which is `true`.
pub(super) fn layout(positional: bool, columns: bool) -> RecordLayout {
    match (positional, columns) {
        (true, _) => RecordLayout::Positional,
        (false, true) => RecordLayout::Columns,
        (false, false) => RecordLayout::Object,
    }
}
