//! Resolves type expressions, and named types with their values and attributes.

use std::collections::HashMap;

use super::{Invalid, Resolved, Resolver, Unique, all, prose};
use crate::diagnostic::Location;
use crate::duration;
use crate::model::{NamedType, RecordRef, Type, Value};
use crate::names::{Case, Scope};
use crate::spanned::{Spanned, Text};
use crate::spec::{self, TypeKind};
use crate::suggest::did_you_mean;
use crate::time_unit::{TimeForm, TimeFormat, TimeUnit};
use crate::type_expr::{BUILTINS, Builtin, SYNTAX, TypeExpr};

/// The records of one file. Only entries of the same group can refer to the records of a group.
#[derive(Default)]
pub(super) struct Records<'a> {
    pub(super) module: Option<&'a str>,
    by_name: HashMap<&'a str, &'a spec::Record>,
    list: &'a [spec::Record],
}

impl<'a> Records<'a> {
    pub(super) fn of(module: Option<&'a str>, list: &'a [spec::Record]) -> Self {
        // In the map, a later record replaces an earlier record with the same name. The order is reversed, so that the
        // map contains the first one.
        let by_name = list.iter().rev().map(|record| (record.name.as_str(), record)).collect();
        Self { module, by_name, list }
    }

    /// Returns `true` if a record with this name exists.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.list.iter().map(|record| record.name.as_str())
    }
}

impl<'a> Resolver<'a> {
    /// Resolves a type expression and the names in it.
    pub(super) fn type_of(&mut self, records: &Records<'a>, text: &'a Text) -> Resolved<Type> {
        let Some(expr) = TypeExpr::parse(text) else {
            let message = format!("`{text}` is not a type");
            return Err(self.error("type-syntax", text.at(), message, SYNTAX));
        };
        if let TypeExpr::Option(_) = expr {
            let message = format!("`{text}` is nullable; only the values of a list or a map can have `?`");
            let help = format!("write `{}`, and `optional: true` on a field of this type", text.trim_end_matches('?'));
            return Err(self.error("type-optional", text.at(), message, help));
        }
        self.type_in(records, &expr, text)
    }

    /// Resolves the type of a value that may have a unit or a format. A timestamp accepts only units of time.
    pub(super) fn type_in_unit(
        &mut self,
        records: &Records<'a>,
        text: &'a Text,
        unit: Option<&Text>,
        format: Option<&Spanned<TimeFormat>>,
    ) -> Resolved<Type> {
        let ty = self.type_of(records, text)?;
        match (format, unit) {
            (Some(format), _) if ty.time_form().is_none() => {
                let message = format!("`format` requires the type `timestamp`, found `{text}`");
                let help = "change the type to `timestamp`, or omit `format`";
                return Err(self.error("time-format", format.at(), message, help));
            }
            (Some(format), _) => return Ok(ty.timed_in(TimeForm::Written(**format))),
            (None, _) => {}
        }
        let Some(unit) = unit.filter(|_| ty.time_form().is_some()) else { return Ok(ty) };
        let Some(known) = TimeUnit::of(unit) else {
            let units = ["seconds", "milliseconds", "microseconds", "nanoseconds"];
            let [first @ .., last] = units.map(|unit| format!("`{unit}`"));
            let message = format!("the unit of a timestamp must be {} or {last}, found `{unit}`", first.join(", "));
            let mut help = did_you_mean(unit, units.into_iter());
            if TimeFormat::of(unit).is_some() {
                help = format!("write `format: {unit}`");
            }
            if help.is_empty() {
                "use the type `integer`, which can have any unit".clone_into(&mut help);
            }
            return Err(self.error("time-unit", unit.at(), message, &help));
        };
        Ok(ty.timed_in(TimeForm::Counted(known)))
    }

    fn type_in(&mut self, records: &Records<'a>, expr: &TypeExpr<'a>, text: &Text) -> Resolved<Type> {
        Ok(match expr {
            TypeExpr::List(item) => Type::List(Box::new(self.type_in(records, item, text)?)),
            TypeExpr::Map(item) => Type::Map(Box::new(self.type_in(records, item, text)?)),
            TypeExpr::Option(given) if **given == TypeExpr::Builtin(Builtin::Any) => {
                let message = "`any` already includes null";
                return Err(self.error("type-optional", text.at(), message, "omit the `?`"));
            }
            TypeExpr::Option(given) => Type::Option(Box::new(self.type_in(records, given, text)?)),
            TypeExpr::Builtin(builtin) => Type::Builtin(*builtin).timed_in(self.service.time_form()),
            TypeExpr::Name(name) => {
                if let Some((reference, _)) = self.record(records, name) {
                    return Ok(Type::Record(reference));
                }
                if self.types.contains(name) {
                    self.used.types.insert(name);
                    return Ok(Type::Named((*name).to_owned()));
                }
                let types = self.service.types.iter().map(|ty| ty.name.as_str());
                let known = BUILTINS.into_iter().map(|builtin| -> &str { builtin.name() }).chain(types);
                let known = known.chain(records.names()).chain(self.service_records());
                return Err(self.unknown_record("unknown-type", name, text.at(), "type", known));
            }
        })
    }

    /// Looks up a record of the group, or of `service.yaml`, by its name, and marks the record as used.
    pub(super) fn record(&mut self, records: &Records<'a>, name: &str) -> Option<(RecordRef, &'a spec::Record)> {
        let own = records.by_name.get(name).map(|record| (records.module, *record));
        let (module, record) = own.or_else(|| Some((None, *self.records.by_name.get(name)?)))?;
        self.used.records.entry(self.used.within).or_default().push((module, &record.name));
        Some((RecordRef { module: module.map(str::to_owned), ident: name.to_owned() }, record))
    }

    /// Looks up a record to which a body refers; an unknown name is an error.
    pub(super) fn body_record(
        &mut self,
        records: &Records<'a>,
        name: &'a Text,
    ) -> Resolved<(RecordRef, &'a spec::Record)> {
        let found = self.record(records, name);
        let known = records.names().chain(self.service_records());
        found.ok_or_else(|| self.unknown_record("unknown-record", name, name.at(), "record", known))
    }

    /// Reports a reference to an unknown type or record. A record of another group gets a help of its own.
    fn unknown_record<'n>(
        &mut self,
        rule: &'static str,
        name: &str,
        at: &Location,
        what: &str,
        known: impl Iterator<Item = &'n str>,
    ) -> Invalid {
        let Some(group) = self.records_of_groups.get(name) else {
            return self.unknown_name(rule, name, at, what, known);
        };
        let message = format!("the {what} `{name}` belongs to the group `{group}`");
        self.error(rule, at, message, "move the record to `records` of `service.yaml`, which all groups can use")
    }

    fn service_records(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.service.records.iter().map(|record| record.name.as_str())
    }

    pub(super) fn named_type(&mut self, ty: &'a spec::Type) -> Resolved<NamedType> {
        let ident = self.type_name(&ty.name);
        let unique = self.root_type(&ty.name, &ty.name);
        let values = self.values(ty);
        let attributes = self.attributes(ty);
        unique?;
        Ok(NamedType {
            ident: ident?,
            summary: prose(&ty.summary),
            evidence: ty.evidence,
            open: ty.kind == TypeKind::Identifier,
            values: values?,
            attributes: attributes?,
        })
    }

    /// Adds a type name at the root of the crate, which contains the types and records of `service.yaml`. Reports a
    /// duplicate name.
    pub(super) fn root_type(&mut self, name: &str, at: &Text) -> Resolved<()> {
        // The names are moved out of `self`, because the call borrows `self` mutably.
        let mut seen = std::mem::take(&mut self.root_types);
        let unique = self.unique(&mut seen, "duplicate-type", name, at.at(), format!("duplicate type `{name}`"));
        self.root_types = seen;
        unique
    }

    fn values(&mut self, ty: &'a spec::Type) -> Resolved<Vec<Value>> {
        let (case, scope) = match ty.kind {
            TypeKind::Enum => (Case::Pascal, Scope::Variants),
            TypeKind::Identifier => (Case::Shouty, Scope::Constants),
        };
        let (mut values, mut idents) = (Unique::default(), Unique::default());
        all(ty.values.iter().map(|value| {
            let (text, at) = (&value.value, value.value.at());
            if values.insert(text, at).is_some() {
                let message = format!("duplicate value `{text}` in `{}`", ty.name);
                return Err(self.error("duplicate-value", at, message, "keep one of them"));
            }
            let ident = self.rust_name(text, value.rust_name.as_ref(), case, scope)?;
            let message = format!("`{text}` and another value of `{}` would both be named `{ident}`", ty.name);
            self.unique(&mut idents, "same-rust-name", &ident, at, message)?;
            if let Some(extra) = value.attributes.get(ty.attributes.len()) {
                let message = format!("the value has more attributes than `{}` declares: `{extra}`", ty.name);
                return Err(self.error(
                    "unknown-attribute",
                    extra.at(),
                    message,
                    "add the name of this attribute to `attributes` of the type",
                ));
            }
            Ok(Value {
                ident,
                value: text.to_string(),
                summary: prose(&value.summary),
                seconds: value.duration.as_deref().and_then(|text| duration::seconds(text)),
                attributes: value.attributes.iter().map(ToString::to_string).collect(),
                evidence: self.evidence("the value", value.evidence, ty.evidence, value.value.at()),
            })
        }))
    }

    /// Checks the names of attributes, which become methods.
    fn attributes(&mut self, ty: &'a spec::Type) -> Resolved<Vec<String>> {
        let mut seen = Unique::default();
        all(ty.attributes.iter().map(|name| {
            // Identifier types already have methods, which `Scope::Constants` lists.
            self.chosen_name("no-rust-name", name, Case::Snake)?;
            self.free_name(Scope::Constants, name, name, "choose another name")?;
            self.unique(&mut seen, "duplicate-name", name, name.at(), format!("duplicate attribute `{name}`"))?;
            Ok(name.to_string())
        }))
    }
}
