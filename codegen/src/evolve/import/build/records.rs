//! Records and fields as the catalogue writes them.

use super::Builder;
use super::merge;
use super::params::written;
use crate::evolve::change::Refusal;
use crate::evolve::import::facts::or_unknown;
use crate::evolve::import::plan::{PlannedField, Ty};
use crate::evolve::naming::Taken;
use crate::evolve::tree::Tree;
use crate::names::{self, Case, Scope};

impl Builder<'_> {
    pub(super) fn record_trees(&self, group: Option<&str>) -> Vec<Tree> {
        let is_new = |index: &usize| matches!(self.met.wanted_records.get(index), Some(None));
        let is_here = |index: &usize| self.group_of(*index).as_deref() == group && is_new(index);
        let mut here: Vec<usize> = (0..self.records.len()).filter(is_here).collect();
        here.sort_by_key(|index| self.plan.records[*index].rank);
        let records = here.into_iter().filter_map(|index| {
            let record = &self.plan.records[index];
            let evidence = record.said.evidence.as_deref().unwrap_or(&self.import.evidence);
            let tree = Tree::map()
                .with("name", self.records[index].as_deref()?)
                .with("summary", or_unknown(record.said.summary.clone()))
                .with("evidence", evidence)
                .with("fields", self.fields(&record.fields, evidence, None));
            Some(tree)
        });
        records.collect()
    }

    /// Adds fields to those that are there already.
    pub(super) fn merge_records(&mut self) -> Result<(), Refusal> {
        for (record, at) in self.met.fields.clone() {
            merge::fields(self, record, &at)?;
        }
        Ok(())
    }

    /// Fields as the catalogue lists them.
    pub(super) fn fields(&self, fields: &[PlannedField], inherited: &str, skip: Option<&str>) -> Vec<Tree> {
        let mut taken = Taken::default();
        if let Some(skip) = skip {
            taken.note(names::ident(skip, Case::Snake).unwrap_or_default());
        }
        let listed = fields.iter().filter(|field| Some(field.name.as_str()) != skip);
        listed.map(|field| self.field(field, inherited, &mut taken)).collect()
    }

    pub(super) fn field(&self, field: &PlannedField, inherited: &str, taken: &mut Taken) -> Tree {
        let said = &field.said;
        let evidence = said.evidence.as_deref().unwrap_or(&self.import.evidence);
        Tree::map()
            .with("name", field.name.as_str())
            .with_some("ident", taken.chosen(&field.name, said.ident.as_deref(), Case::Snake, Scope::Fields))
            .with("type", self.ty(&field.ty))
            .with("summary", or_unknown(said.summary.clone()))
            .with_some("unit", said.unit.clone())
            .with_some("range", said.range())
            .with_some("example", said.example.as_ref().map(|value| written(&field.ty, value)))
            .with_some("optional", field.optional.then_some(true))
            .with_some("evidence", (evidence != inherited).then_some(evidence))
            .with_some("notes", said.notes.clone())
    }

    /// A type as the catalogue writes it.
    pub(super) fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Builtin(name) => (*name).to_owned(),
            Ty::Known(name) => name.clone(),
            Ty::Named(index) => self.types[*index].name.clone(),
            Ty::Record(index) => self.records[*index].clone().unwrap_or_else(|| "any".to_owned()),
            Ty::List(item) => format!("list<{}>", self.ty(item)),
        }
    }
}
