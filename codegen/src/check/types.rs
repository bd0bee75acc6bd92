//! Rules about named types: their names, their values, how identifiers are built.

use super::{Checker, Place, Unique};
use crate::names::{self, Case, Scope};
use crate::spec::{self, TypeKind};

impl Checker {
    pub(super) fn types(&mut self, types: &[spec::Type], place: Place<'_>) {
        for (index, ty) in types.iter().enumerate() {
            let place = place.item(index);
            self.type_name(place.at("name"), &ty.name);
            self.root_type(place.at("name"), &ty.name);
            self.values(ty, place);
            if let Some(shapes) = &ty.shapes {
                self.shapes(ty, shapes, place.at("shapes"));
            }
        }
    }

    /// Types and records of `service.yaml` stand side by side at the root of the crate.
    pub(super) fn root_type(&mut self, place: Place<'_>, name: &str) {
        let mut seen = std::mem::take(&mut self.root_types);
        self.unique(&mut seen, "duplicate-type", place, name, format!("the type `{name}` stands twice"));
        self.root_types = seen;
    }

    fn values(&mut self, ty: &spec::Type, place: Place<'_>) {
        if ty.kind == TypeKind::Enum && ty.values.is_empty() {
            let message = format!("the enum `{}` has no values", ty.name);
            self.push("no-values", place.at("name"), message, "list its `values`, or make it `kind: identifier`");
        }
        let (case, scope) = match ty.kind {
            TypeKind::Enum => (Case::Pascal, Scope::Variants),
            TypeKind::Identifier => (Case::Shouty, Scope::Constants),
        };
        let (mut values, mut idents) = (Unique::default(), Unique::default());
        for (index, value) in ty.values.iter().enumerate() {
            let place = place.at("values").item(index);
            let text = &value.value;
            self.duration(value, place);
            if values.insert(text, place.at("value")).is_some() {
                let message = format!("the value `{text}` stands twice in `{}`", ty.name);
                self.push("duplicate-value", place.at("value"), message, "keep one of them");
                continue;
            }
            if text.contains(',') {
                let message = format!("the value `{text}` has a comma, which separates values on the wire");
                self.push("wrong-value", place.at("value"), message, "");
            }
            let ident = self.rust_name(place, "value", text, value.ident.as_deref(), case, scope);
            if let Some(ident) = ident {
                let message = format!("`{text}` becomes `{ident}`, which another value of `{}` is", ty.name);
                self.unique(&mut idents, "same-rust-name", place, &ident, message);
            }
        }
    }

    fn shapes(&mut self, ty: &spec::Type, shapes: &spec::Shapes, place: Place<'_>) {
        if ty.kind == TypeKind::Enum {
            self.push("shapes-of-enum", place, "an enum has no shapes", "make it `kind: identifier`");
        }
        for (key, name) in [("part", &shapes.part), ("question", &shapes.question)] {
            if !names::is_ident(name, Case::Snake) || names::is_taken(Scope::Constants, name) {
                let message = format!("`{name}` cannot be the name of a method");
                self.push("no-rust-name", place.at(key), message, "write it like `my_name`");
            }
        }
        if shapes.part == shapes.question {
            self.push("duplicate-name", place.at("question"), "part and question have one name", "");
        }
        if let Ok(answers) = names::ident(&shapes.question, Case::Pascal) {
            self.type_name(place.at("question"), &answers);
            self.root_type(place.at("question"), &answers);
        }
        if shapes.suffixes.iter().all(|suffix| suffix.answer.is_none()) {
            let message = format!("no suffix answers the question `{}`", shapes.question);
            self.push("no-answer", place.at("suffixes"), message, "give at least one an `answer`");
        }
        let mut seen = Unique::default();
        for (index, suffix) in shapes.suffixes.iter().enumerate() {
            let place = place.at("suffixes").item(index);
            let message = format!("the suffix `{}` stands twice", suffix.suffix);
            self.unique(&mut seen, "duplicate-value", place.at("suffix"), &suffix.suffix, message);
            if let Some(answer) = &suffix.answer
                && !names::is_ident(answer, Case::Pascal)
            {
                let message = format!("`{answer}` is not the name of a variant");
                self.push("no-rust-name", place.at("answer"), message, "write it like `MyAnswer`");
            }
        }
    }
}
