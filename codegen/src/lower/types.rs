//! Named types, and type expressions with their names followed.

use super::meaning;
use crate::duration;
use crate::model::{NamedType, RecordRef, Shapes, Suffix, Type, Value};
use crate::names::{self, Case};
use crate::spec;
use crate::time_unit::TimeUnit;
use crate::type_expr::{Builtin, TypeExpr};

/// Where names are looked up: a group's records, then the service's.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) service: &'a spec::Service,
    pub(super) group: Option<(&'a str, &'a spec::Group)>,
}

impl Scope<'_> {
    /// The type of a param or a field whose unit is this, in words.
    pub(super) fn type_of(self, text: &str, unit: &str) -> Type {
        let ty = TypeExpr::parse(text).map_or(Type::Any, |expr| self.lower(&expr));
        match TimeUnit::by_word(unit) {
            Some(unit) => ty.counted_in(unit),
            None => ty,
        }
    }

    fn lower(self, expr: &TypeExpr<'_>) -> Type {
        match expr {
            TypeExpr::List(item) => Type::List(Box::new(self.lower(item))),
            TypeExpr::Name(name) => self.record(name).map_or_else(|| Type::Named((*name).to_owned()), Type::Record),
            TypeExpr::Builtin(builtin) => match builtin {
                Builtin::String => Type::String,
                Builtin::Integer => Type::Integer,
                Builtin::Count => Type::Count,
                Builtin::Number => Type::Number,
                Builtin::Boolean => Type::Boolean,
                Builtin::Timestamp => Type::Timestamp(self.service.time.unit),
                Builtin::Any => Type::Any,
            },
        }
    }

    pub(super) fn record(self, name: &str) -> Option<RecordRef> {
        let has = |records: &[spec::Record]| records.iter().any(|record| record.name == name);
        let module = match self.group {
            Some((module, group)) if has(&group.records) => Some(module.to_owned()),
            _ if has(&self.service.records) => None,
            _ => return None,
        };
        Some(RecordRef { module, ident: name.to_owned() })
    }
}

pub(super) fn named_type(ty: &spec::Type) -> NamedType {
    let open = ty.kind == spec::TypeKind::Identifier;
    let case = if open { Case::Shouty } else { Case::Pascal };
    let values = ty.values.iter().map(|value| Value {
        ident: names::chosen(value.ident.as_ref(), &value.value, case).unwrap_or_default(),
        value: value.value.clone(),
        summary: meaning(&value.summary),
        seconds: value.duration.as_deref().and_then(duration::seconds),
        evidence: value.evidence.unwrap_or(ty.evidence),
    });
    NamedType {
        ident: ty.name.clone(),
        summary: meaning(&ty.summary),
        evidence: ty.evidence,
        open,
        values: values.collect(),
        shapes: ty.shapes.as_ref().map(|shapes| lower_shapes(shapes, ty.evidence)),
    }
}

fn lower_shapes(shapes: &spec::Shapes, inherited: spec::Evidence) -> Shapes {
    let suffixes = shapes.suffixes.iter().map(|suffix| Suffix {
        suffix: suffix.suffix.clone(),
        answer: suffix.answer.clone(),
        summary: meaning(&suffix.summary),
        evidence: suffix.evidence.unwrap_or(inherited),
    });
    Shapes {
        part: shapes.part.clone(),
        question: shapes.question.clone(),
        answers: names::ident(&shapes.question, Case::Pascal).unwrap_or_default(),
        suffixes: suffixes.collect(),
    }
}
