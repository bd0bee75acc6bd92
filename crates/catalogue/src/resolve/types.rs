//! Resolves type expressions, and named types with their values and attributes.

use std::collections::HashSet;

use super::records_of_file::RecordsOfFile;
use super::{AcceptedValues, Resolver, Unique};
use crate::catalogue_reader::{Read, expected};
use crate::diagnostic::{Diagnostic, Location};
use crate::duration;
use crate::model::{NamedType, RecordRef, Type, Value};
use crate::names::{Case, Scope};
use crate::spanned::{Spanned, Text, strings};
use crate::spec::{self, TypeKind};
use crate::time_unit::{TimeForm, TimeFormat, TimeUnit};
use crate::type_expr::{BUILTINS, Builtin, TypeExpr};

impl<'a> Resolver<'a> {
    /// Resolves a type expression and the names in it.
    pub(super) fn type_of(&mut self, records: &RecordsOfFile<'a>, text: &'a Text) -> Option<Type> {
        let Some(expr) = TypeExpr::parse(text) else {
            self.error("type-syntax", text.at(), &[text]);
            return None;
        };
        if let TypeExpr::Option(_) = expr {
            self.error("type-optional/outside", text.at(), &[text, &text.trim_end_matches('?')]);
            return None;
        }
        self.type_in(records, &expr, text)
    }

    /// Resolves the type of a value that may have a unit or a format. A timestamp accepts only units of time.
    pub(super) fn type_in_unit(
        &mut self,
        records: &RecordsOfFile<'a>,
        text: &'a Text,
        unit: Option<&Text>,
        format: Option<&Spanned<TimeFormat>>,
    ) -> Option<Type> {
        let ty = self.type_of(records, text)?;
        let is_time = ty.time_form().is_some();
        match (format, unit) {
            (Some(format), _) if is_time => Some(ty.timed_in(TimeForm::Written(**format))),
            (Some(format), _) => {
                self.error("time-format/type", format.at(), &[text]);
                Some(ty)
            }
            (None, Some(unit)) if is_time => match self.time_unit(unit) {
                Some(unit) => Some(ty.timed_in(TimeForm::Counted(unit))),
                None => Some(ty),
            },
            (None, _) => Some(ty),
        }
    }

    fn time_unit(&mut self, unit: &Text) -> Option<TimeUnit> {
        let known = TimeUnit::of(unit);
        if known.is_none() {
            let rule = if TimeFormat::of(unit).is_some() { "time-unit/format" } else { "time-unit/other" };
            let error = Diagnostic::new(rule, unit.at(), &[&expected(&TimeUnit::SHAPE), unit]);
            let known_units = TimeUnit::ALL.iter().map(|unit| unit.word());
            self.errors.push(error.suggest(wording::did_you_mean(unit, known_units)));
        }
        known
    }

    pub(super) fn type_in(&mut self, records: &RecordsOfFile<'a>, expr: &TypeExpr<'a>, text: &Text) -> Option<Type> {
        Some(match expr {
            TypeExpr::List(item) => Type::List(Box::new(self.type_in(records, item, text)?)),
            TypeExpr::Map(item) => Type::Map(Box::new(self.type_in(records, item, text)?)),
            TypeExpr::Option(given) if **given == TypeExpr::Builtin(Builtin::Any) => {
                self.error("type-optional/any", text.at(), &[]);
                return None;
            }
            TypeExpr::Option(given) => Type::Option(Box::new(self.type_in(records, given, text)?)),
            TypeExpr::Builtin(builtin) => Type::Builtin(*builtin).timed_in(self.service.time_form()),
            TypeExpr::Name(name) => {
                if let Some((reference, record)) = self.record(records, name) {
                    if record.columns {
                        self.error("columns-record", text.at(), &[name]);
                    }
                    return Some(Type::Record(reference));
                }
                if self.types.contains_key(name) {
                    self.used.add("type", None, name);
                    return Some(Type::Named((*name).to_owned()));
                }
                let mut known: Vec<&str> = BUILTINS.into_iter().map(Builtin::name).collect();
                known.extend(self.service.types.iter().map(|ty| ty.name.as_str()));
                known.extend(self.record_names(records));
                let rules = ["unknown-type", "unknown-type/elsewhere"];
                self.unknown_record(rules, name, text.at(), "type", known.into_iter());
                return None;
            }
        })
    }

    /// The values of a named type; `None` for any other type, and for a type that accepts other values too.
    pub(super) fn all_values(&self, ty: &Type) -> Option<&HashSet<&'a str>> {
        let Type::Named(name) = ty else { return None };
        match self.types.get(name.as_str())? {
            AcceptedValues::Listed(values) => Some(values),
            AcceptedValues::Any => None,
        }
    }

    /// The names of the records to which an entry of this file can refer.
    pub(super) fn record_names(&self, records: &RecordsOfFile<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
        records.list.iter().chain(&self.service.records).map(|record| record.name.as_str())
    }

    /// Looks up a record of the group, or of `service.yaml`, by its name, and marks the record as used.
    pub(super) fn record(&mut self, records: &RecordsOfFile<'a>, name: &str) -> Option<(RecordRef, &'a spec::Record)> {
        let (module, record) = match records.by_name.get(name) {
            Some(own) => (records.module, *own),
            None => (None, *self.records.by_name.get(name)?),
        };
        self.used.add("record", module, &record.name);
        Some((RecordRef { module: module.map(str::to_owned), ident: name.to_owned() }, record))
    }

    /// Reports a reference to an unknown type or record. A record of another group gets a help of its own.
    pub(super) fn unknown_record<'n>(
        &mut self,
        [rule, elsewhere]: [&'static str; 2],
        name: &str,
        at: &Location,
        what: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        let Some(group) = self.records_of_groups.get(name) else {
            return self.unknown_name(rule, name, at, what, known);
        };
        self.errors.push(Diagnostic::new(elsewhere, at, &[&what, &name, group]));
    }

    pub(super) fn named_type(&mut self, ty: &'a spec::Type) -> NamedType {
        self.claim_root_type(&ty.name);
        NamedType {
            ident: self.type_name(&ty.name),
            summary: ty.summary.clone(),
            evidence: ty.evidence,
            open: ty.kind == TypeKind::Identifier,
            values: self.values(ty),
            attributes: self.attributes(ty),
        }
    }

    fn values(&mut self, ty: &'a spec::Type) -> Vec<Value> {
        let (case, scope) = match ty.kind {
            TypeKind::Enum => (Case::Pascal, Scope::Variants),
            TypeKind::Identifier => (Case::Shouty, Scope::Constants),
        };
        let mut values = Unique::default();
        let mut idents = Unique::default();
        let mut resolved = Vec::new();
        for value in &ty.values {
            let text = &value.value;
            let at = text.at();
            let is_new = values.claim(&mut self.errors, "duplicate-value", text, at, &[text, &ty.name]);
            let ident = self.rust_name(text, value.rust_name.as_ref(), case, scope);
            if is_new && let Some(ident) = &ident {
                idents.claim(&mut self.errors, "same-rust-name/value", ident, at, &[text, &ty.name, ident]);
            }
            if let Some(extra) = value.attributes.get(ty.attributes.len()) {
                self.error("unknown-attribute", extra.at(), &[&ty.name, extra]);
            }
            resolved.push(Value {
                ident: ident.unwrap_or_default(),
                value: text.to_string(),
                summary: value.summary.clone(),
                step: value.duration.as_deref().and_then(|text| duration::step(text)),
                attributes: strings(&value.attributes),
                evidence: self.evidence("the value", value.evidence, ty.evidence, at),
            });
        }
        resolved
    }

    /// Checks the names of attributes, which become methods.
    fn attributes(&mut self, ty: &'a spec::Type) -> Vec<String> {
        let mut seen = Unique::default();
        for name in &ty.attributes {
            // Identifier types already have methods, which `Scope::Constants` lists.
            if let Some(chosen) = self.chosen_name("no-rust-name/chosen", name, Case::Snake)
                && self.free_name("taken-name", Scope::Constants, chosen, name.at()).is_some()
            {
                seen.claim(&mut self.errors, "duplicate-name/attribute", name, name.at(), &[name]);
            }
        }
        strings(&ty.attributes)
    }
}
