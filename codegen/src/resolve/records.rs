//! Resolves records and their fields.

use super::cycles::Cycles;
use super::types::Records;
use super::{Resolved, Resolver, Unique, all, prose};
use crate::diagnostic::Diagnostic;
use crate::model::{Field, Range, Record, RecordLayout, Type};
use crate::names::{self, Case, Scope};
use crate::spanned::{Spanned, Text};
use crate::spec::{self, Evidence};

impl<'a> Resolver<'a> {
    /// Resolves the shared records. The first is `Metadata`, which every client has. `Metadata` has no fields if the
    /// service declares none.
    pub(super) fn shared_records(&mut self) -> Resolved<Vec<Record>> {
        let envelope = self.service.envelope.as_ref();
        let metadata = envelope.and_then(|envelope| Some((envelope.metadata.as_ref()?, envelope.evidence)));
        let none = Records::default();
        let fields = metadata.map(|(metadata, known)| self.fields(&none, &metadata.fields, known, None)).transpose();
        let records = self.records(&none, &self.service.records);
        let metadata = Record {
            ident: "Metadata".to_owned(),
            summary: "The metadata of a response.".to_owned(),
            evidence: metadata.map_or(Evidence::Documented, |(_, known)| known),
            fields: fields?.unwrap_or_default(),
            form: RecordLayout::Object,
        };
        Ok(std::iter::once(metadata).chain(records?).collect())
    }

    /// Resolves the named records of a file.
    pub(super) fn records(&mut self, scope: &Records<'a>, own: &'a [spec::Record]) -> Resolved<Vec<Record>> {
        let mut seen = Unique::default();
        let cycles = Cycles::of(own);
        all(own.iter().map(|record| {
            let name = &record.name;
            let ident = self.type_name(name);
            let unique = if scope.module.is_none() {
                self.root_type(name, name)
            } else {
                let message = format!("duplicate record `{name}`");
                let unique = self.unique(&mut seen, "duplicate-type", name, name.at(), message);
                unique.and(self.hides_none(name))
            };
            self.used.within = Some((scope.module, name.as_str()));
            let fields = self.fields(scope, &record.fields, record.evidence, None);
            self.used.within = None;
            if cycles.is_endless(name) {
                let message = format!("`{name}` contains itself without a list or a map in between");
                let help = "change the field that leads back to the record to a list, a map or `any`";
                return Err(self.error("recursive-record", name.at(), message, help));
            }
            unique?;
            let (ident, mut fields, summary) = (ident?, fields?, prose(&record.summary));
            for (field, declared) in fields.iter_mut().zip(&record.fields) {
                if cycles.is_recursive(name, &declared.ty)
                    && let Type::Record(item) = field.ty.innermost().clone()
                {
                    *field.ty.innermost_mut() = Type::Recursive(item);
                }
            }
            Ok(Record { ident, summary, evidence: record.evidence, fields, form: form(record.positional) })
        }))
    }

    /// Rejects a group's record that has the same name as a type or record of `service.yaml`.
    fn hides_none(&mut self, name: &Text) -> Resolved<()> {
        if self.types.contains(name.as_str()) || self.records.has(name) {
            let message = format!("`{name}` is already declared in `service.yaml`");
            return Err(self.error("duplicate-type", name.at(), message, "choose another name"));
        }
        Ok(())
    }

    /// Resolves the fields of one record. If the time field of the envelope is added to the record, `time` is that
    /// field, and no other field may have its name.
    pub(super) fn fields(
        &mut self,
        records: &Records<'a>,
        fields: &'a [spec::Field],
        inherited: Evidence,
        time: Option<&spec::Field>,
    ) -> Resolved<Vec<Field>> {
        let (mut names, mut idents) = (Unique::default(), Unique::default());
        if let Some(time) = time
            && let Some(ident) = names::chosen(time.rust_name.as_deref(), &time.name, Case::Snake)
        {
            idents.insert(&ident, time.name.at());
        }
        all(fields.iter().map(|field| {
            let (name, at) = (&field.name, field.name.at());
            let resolved = self.field(records, field, inherited);
            if let Some(time) = time.filter(|time| time.name == **name) {
                let error =
                    Diagnostic::new("duplicate-field", at, format!("every series already has the field `{name}`"));
                return Err(self.push(error.earlier(time.name.at(), "declared here").help("omit it")));
            }
            self.unique(&mut names, "duplicate-field", name, at, format!("duplicate field `{name}`"))?;
            let resolved = resolved?;
            let message = format!("the field `{name}` would become `{}`, like another field", resolved.ident);
            self.unique(&mut idents, "same-rust-name", &resolved.ident, at, message)?;
            Ok(resolved)
        }))
    }

    pub(super) fn field(
        &mut self,
        records: &Records<'a>,
        field: &'a spec::Field,
        inherited: Evidence,
    ) -> Resolved<Field> {
        let ty = self.type_in_unit(records, &field.ty, field.unit.as_ref(), field.format.as_ref());
        let range = self.range(&ty, &field.ty, field.range.as_ref());
        let ident = self.rust_name(&field.name, field.rust_name.as_ref(), Case::Snake, Scope::Fields);
        let known = self.evidence("the field", field.evidence, inherited, field.name.at());
        self.field_example(field, &ty)?;
        let quoted = field.quoted.as_deref() == Some(&true);
        if let (Some(key), Ok(ty)) = (&field.quoted, &ty)
            && quoted
            && !ty.can_be_quoted()
        {
            let message = format!("`quoted` requires a number or a timestamp without `format`, found `{}`", field.ty);
            return Err(self.error("quoted-type", key.at(), message, "omit `quoted`"));
        }
        Ok(Field {
            ident: ident?,
            wire_name: field.name.to_string(),
            ty: ty?,
            quoted,
            is_envelope_time: false,
            // A field that is not documented may be missing, even if the catalogue does not declare it as optional.
            optional: field.optional || known != Evidence::Documented,
            range: range?,
            example: field.example.as_deref().cloned(),
            unit: field.unit.as_deref().cloned().unwrap_or_default(),
            summary: prose(&field.summary),
            notes: prose(&field.notes),
            unknown: field.unknown.clone(),
            evidence: known,
        })
    }

    /// Checks that the example of a field has the field's type, if that is a built-in type.
    fn field_example(&mut self, field: &spec::Field, ty: &Resolved<Type>) -> Resolved<()> {
        let (Some(example), Ok(ty)) = (&field.example, ty) else { return Ok(()) };
        if ty.is_written(example) {
            return Ok(());
        }
        let message = format!("the example `{example}` is not of the type `{}`", field.ty);
        Err(self.error("example-type", example.at(), message, "write a value of this type"))
    }

    /// Checks that the minimum of a range is not above the maximum, and that the type is numeric.
    pub(super) fn range(
        &mut self,
        ty: &Resolved<Type>,
        written: &str,
        range: Option<&Spanned<spec::Range>>,
    ) -> Resolved<Range> {
        let Some(range) = range else { return Ok(Range::default()) };
        let bounds = Range { min: range.min.as_deref().copied(), max: range.max.as_deref().copied() };
        let mut result = Ok(bounds);
        if let (Some(min), Some(max)) = (&range.min, &range.max)
            && **min > **max
        {
            let message = format!("the range is reversed: {min} is above {max}");
            result = Err(self.error("range-order", min.at(), message, "swap `min` and `max`"));
        }
        if ty.as_ref().is_ok_and(|ty| !ty.is_numeric()) {
            let message = format!("a range needs a number type, found `{written}`");
            result = Err(self.error("range-type", range.at(), message, "omit the range"));
        }
        result
    }
}

/// Returns the layout of a record: a list if it is positional, otherwise an object.
pub(super) fn form(positional: bool) -> RecordLayout {
    if positional { RecordLayout::Positional } else { RecordLayout::Object }
}
