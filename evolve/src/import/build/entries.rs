//! Types, records, fields and params as the catalogue writes them.

use codegen::model::ListStyle;

use super::Builder;
use crate::import::plan::{PlannedField, PlannedParam, Ty};
use crate::import::service::{or_unknown, some};
use crate::merge::Several;
use crate::tree::Tree;

/// What a type is called until it gets its name.
pub(super) fn type_name(index: usize) -> String {
    format!("type {index}")
}

/// The same of a record.
pub(super) fn record_name(index: usize) -> String {
    format!("record {index}")
}

/// A value of a type.
fn written(ty: &Ty, value: &str) -> Tree {
    match ty {
        Ty::Builtin("integer" | "count" | "number" | "timestamp") if value.parse::<f64>().is_ok() => {
            Tree::Number(value.to_owned())
        }
        _ => Tree::Text(value.to_owned()),
    }
}

impl Builder<'_> {
    pub(super) fn named_type(&self, index: usize) -> Tree {
        let ty = &self.plan.types[index];
        let evidence = ty.said.evidence.as_deref().unwrap_or(&self.import.evidence);
        let values = ty.values.iter().map(|value| {
            let said = &value.said;
            Tree::map()
                .with("value", value.value.as_str())
                .with_some("ident", said.ident.clone())
                .with_some("summary", Some(said.summary.clone()).filter(|summary| !summary.is_empty()))
                .with_some("duration", said.duration.clone())
                .with_some("evidence", said.evidence.clone().filter(|own| own != evidence))
        });
        Tree::map()
            .with("name", type_name(index))
            .with("kind", if ty.is_open { "identifier" } else { "enum" })
            .with("summary", or_unknown(ty.said.summary.clone()))
            .with("evidence", evidence)
            .with_some("shapes", ty.shapes.as_ref().map(Tree::of_value))
            .with_some("values", some(values.collect()))
    }

    pub(super) fn record(&self, index: usize) -> Tree {
        let record = &self.plan.records[index];
        let evidence = record.said.evidence.as_deref().unwrap_or(&self.import.evidence);
        Tree::map()
            .with("name", record_name(index))
            .with("summary", or_unknown(record.said.summary.clone()))
            .with("evidence", evidence)
            .with_some("positional", record.positional.then_some(true))
            .with("fields", self.fields(&record.fields, evidence, None))
    }

    /// Fields as the catalogue lists them.
    pub(super) fn fields(&self, fields: &[PlannedField], inherited: &str, skip: Option<&str>) -> Vec<Tree> {
        let listed = fields.iter().filter(|field| Some(field.name.as_str()) != skip);
        let fields = listed.map(|PlannedField { name, ty, optional, said }| {
            let evidence = said.evidence.as_deref().unwrap_or(&self.import.evidence);
            Tree::map()
                .with("name", name.as_str())
                .with_some("ident", said.ident.clone())
                .with("type", self.ty(ty))
                .with("summary", or_unknown(said.summary.clone()))
                .with_some("unit", said.unit.clone())
                .with_some("format", said.format.clone())
                .with_some("range", said.range())
                .with_some("example", said.example.as_ref().map(|example| written(ty, example)))
                .with_some("optional", optional.then_some(true))
                .with_some("evidence", (evidence != inherited).then_some(evidence))
                .with_some("notes", said.notes.clone())
        });
        fields.collect()
    }

    /// A param; one that several may share has an id.
    pub(super) fn param(&self, param: &PlannedParam, inherited: &str) -> Tree {
        let said = &param.said;
        let evidence = said.evidence.as_deref().unwrap_or(&self.import.evidence);
        let list = match &param.several {
            Several::No => None,
            Several::Yes => Some(Tree::Flag(true)),
            Several::By(name) => Some(name.as_str().into()),
        };
        let one = |value: &String| written(&param.ty, value);
        let several = |values: &[String]| some(values.iter().map(one).collect());
        Tree::map()
            .with_some("id", (!param.id.is_empty()).then_some(param.id.as_str()))
            .with("name", param.name.as_str())
            .with_some("ident", said.ident.clone())
            .with("type", self.ty(&param.ty))
            .with_some("list", list)
            .with_some("list_as", param.list_as.map(ListStyle::word))
            .with_some("fixed", param.fixed.as_ref().map(one))
            .with_some("in", param.in_path.then_some("path"))
            .with_some("required", param.required.clone())
            .with_some("default", param.default.as_ref().map(one))
            .with_some("range", said.range())
            .with_some("served", several(&param.served))
            .with_some("works", several(&param.works))
            .with_some("refused", several(&param.refused))
            .with_some("example", said.example.as_ref().map(one))
            .with_some("single", param.single.clone())
            .with_some("unit", said.unit.clone())
            .with_some("format", said.format.clone())
            .with("summary", or_unknown(said.summary.clone()))
            .with_some("evidence", (evidence != inherited).then_some(evidence))
            .with_some("notes", said.notes.clone())
    }

    /// A type as the catalogue writes it.
    pub(super) fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Builtin(name) => (*name).to_owned(),
            Ty::Named(index) => type_name(*index),
            Ty::Record(index) if self.inline.contains(index) => "any".to_owned(),
            Ty::Record(index) => record_name(*index),
            Ty::List(item) => format!("list<{}>", self.ty(item)),
            Ty::Map(item) => format!("map<{}>", self.ty(item)),
            Ty::Option(given) => match self.ty(given) {
                any if any == "any" => any,
                given => format!("{given}?"),
            },
        }
    }
}
