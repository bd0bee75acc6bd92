//! Rules about records and their fields.

use std::ops::ControlFlow;

use super::{Checker, Place, Records, Unique};
use crate::diagnostic::Diagnostic;
use crate::names::{self, Case, Scope};
use crate::spec::{self, Range};
use crate::type_expr::{BUILTINS, TypeExpr};

impl Checker {
    pub(super) fn records(&mut self, records: &Records<'_>, own: &[spec::Record], place: Place<'_>) {
        let mut seen = Unique::default();
        for (index, record) in own.iter().enumerate() {
            let place = place.item(index);
            self.type_name(place.at("name"), &record.name);
            if records.group.is_none() {
                self.root_type(place.at("name"), &record.name);
            } else {
                let message = format!("the record `{}` stands twice", record.name);
                self.unique(&mut seen, "duplicate-type", place.at("name"), &record.name, message);
                self.shadowing(records, &record.name, place.at("name"));
            }
            self.fields(records, &record.fields, place.at("fields"), None);
            if contains(records, record, &record.name, &mut Vec::new()) {
                let message = format!("the record `{}` contains itself", record.name);
                self.push(
                    "recursive-record",
                    place.at("name"),
                    message,
                    "write `any` for the field that closes the circle",
                );
            }
        }
    }

    /// A group's record may not hide a name of `service.yaml`.
    fn shadowing(&mut self, records: &Records<'_>, name: &str, place: Place<'_>) {
        let service = &records.service.spec;
        if service.types.iter().any(|ty| ty.name == name) || service.records.iter().any(|record| record.name == name) {
            let message = format!("`{name}` is a name of `service.yaml`");
            self.push("duplicate-type", place, message, "choose another");
        }
    }

    /// Fields that stand together in one record, behind its time if that is the envelope's.
    pub(super) fn fields(
        &mut self,
        records: &Records<'_>,
        fields: &[spec::Field],
        place: Place<'_>,
        time: Option<&spec::Field>,
    ) {
        let (mut names, mut idents) = (Unique::default(), Unique::default());
        let of_envelope = Place::root(records.service).at("envelope").at("time").at("name");
        if let Some(time) = time {
            let ident = names::chosen(time.ident.as_ref(), &time.name, Case::Snake);
            ident.map(|ident| idents.insert(&ident, of_envelope));
        }
        for (index, field) in fields.iter().enumerate() {
            let place = place.item(index);
            self.value_type(records, &field.ty, place.at("type"));
            self.range(records, &field.ty, field.range, place);
            self.unit(&field.ty, &field.unit, place);
            if time.is_some_and(|time| time.name == field.name) {
                let message = format!("the field `{}` comes with every series", field.name);
                let finding = Diagnostic::new("duplicate-field", place.at("name").location(), message);
                self.diagnostics.push(finding.earlier(of_envelope.location(), "said here").help("leave it out"));
                continue;
            }
            let message = format!("the field `{}` stands twice", field.name);
            if !self.unique(&mut names, "duplicate-field", place.at("name"), &field.name, message) {
                continue;
            }
            let ident = self.rust_name(place, "name", &field.name, field.ident.as_deref(), Case::Snake, Scope::Fields);
            if let Some(ident) = ident {
                let message = format!("`{}` becomes `{ident}`, which another field is", field.name);
                self.unique(&mut idents, "same-rust-name", place.at("name"), &ident, message);
            }
        }
    }

    /// A type expression whose names must exist.
    pub(super) fn value_type(&mut self, records: &Records<'_>, text: &str, place: Place<'_>) {
        let Some(expr) = TypeExpr::parse(text) else {
            self.push("type-syntax", place, format!("`{text}` is not a type"), "a list is written `list<number>`");
            return;
        };
        let TypeExpr::Name(name) = expr.innermost() else {
            return;
        };
        if records.named_type(name).is_none() && records.get(name).is_none() {
            let types = records.service.spec.types.iter().map(|ty| ty.name.as_str());
            let known = types.chain(records.all().map(|record| record.name.as_str()));
            let known = known.chain(BUILTINS.iter().map(|(name, _)| *name));
            self.unknown_name("unknown-type", place, "type", name, known);
        }
    }

    /// A range that is not empty, on a type that has an order.
    pub(super) fn range(&mut self, records: &Records<'_>, ty: &str, range: Option<Range>, place: Place<'_>) {
        let Some(Range { min, max }) = range else {
            return;
        };
        let place = place.at("range");
        match (min, max) {
            (None, None) => self.push("empty-range", place, "the range says nothing", "write `min`, `max` or both"),
            (Some(min), Some(max)) if min > max => {
                let message = format!("the range is the wrong way round: {min} is above {max}");
                self.push("range-order", place.at("min"), message, "swap `min` and `max`");
            }
            _ => {}
        }
        // What is no type at all is told of elsewhere.
        let is_other = |expr: &TypeExpr<'_>| match expr.innermost() {
            TypeExpr::Name(name) => records.named_type(name).is_some() || records.get(name).is_some(),
            _ => !expr.is_numeric(),
        };
        if TypeExpr::parse(ty).is_some_and(|expr| is_other(&expr)) {
            let message = format!("a range bounds numbers, and `{ty}` is none");
            self.push("range-type", place, message, "leave the range out");
        }
    }
}

/// Whether a record's fields lead to the record called `name`.
fn contains<'a>(records: &Records<'a>, record: &'a spec::Record, name: &str, visited: &mut Vec<&'a str>) -> bool {
    let result = record.fields.iter().try_for_each(|field| {
        let Some(TypeExpr::Name(inner)) = TypeExpr::parse(&field.ty).map(|expr| expr.innermost().clone()) else {
            return ControlFlow::Continue(());
        };
        if inner == name {
            return ControlFlow::Break(());
        }
        if visited.contains(&inner) {
            return ControlFlow::Continue(());
        }
        visited.push(inner);
        match records.get(inner) {
            Some(record) if contains(records, record, name, visited) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    result.is_break()
}
