//! Params as the catalogue writes them, once for all endpoints where operations refer to them.

use std::collections::BTreeSet;

use super::Builder;
use crate::import::facts::{or_unknown, some};
use crate::import::plan::{PlannedParam, Taken as Takes, Ty};
use crate::merge::Wished;
use crate::naming::{Taken, claim_id};
use crate::tree::Tree;

impl Builder<'_> {
    pub(super) fn shared_params(&mut self) -> Vec<Tree> {
        let takes = self.plan.endpoints.iter().flat_map(|endpoint| endpoint.params.iter().flatten());
        let needed: BTreeSet<usize> = takes
            .filter_map(|taken| match taken {
                Takes::Shared(index) => Some(*index),
                Takes::Own(_) => None,
            })
            .collect();
        let (mut ranked, mut taken) = (Vec::new(), Taken::default());
        let shared = std::mem::take(&mut self.plan.shared);
        for (index, param) in shared.iter().enumerate() {
            let id = if needed.contains(&index) {
                let id = claim_id(&mut taken, &param.id, &param.name);
                ranked.push((param.rank, self.param(param, Some(&id), &mut Taken::default(), "")));
                id
            } else {
                String::new()
            };
            self.shared.push(id);
        }
        self.plan.shared = shared;
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, tree)| tree).collect()
    }

    /// The params of one endpoint.
    pub(super) fn params(&mut self, params: &[Takes], inherited: &str) -> Vec<Tree> {
        let mut idents = Taken::default();
        for param in params {
            if let Takes::Shared(index) = param {
                self.setters.note(&self.plan.shared[*index].name, &mut idents);
            }
        }
        let trees = params.iter().map(|param| match param {
            Takes::Shared(index) => self.shared[*index].as_str().into(),
            Takes::Own(param) => self.param(param, None, &mut idents, inherited),
        });
        trees.collect()
    }

    fn param(&mut self, param: &PlannedParam, id: Option<&str>, idents: &mut Taken, inherited: &str) -> Tree {
        let said = &param.said;
        let evidence = said.evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let default = param.default.as_deref().map(|value| written(&param.ty, value));
        let ty = self.ty(&param.ty);
        let wished = Wished {
            name: &param.name,
            ty: &ty,
            ident: said.ident.clone(),
            several: param.several.clone(),
            in_path: param.in_path,
            required: param.required.as_deref(),
        };
        let (ident, list) = self.setters.choose(&wished, idents);
        Tree::map()
            .with_some("id", id.filter(|id| *id != param.name))
            .with("name", param.name.as_str())
            .with_some("ident", ident)
            .with("type", ty.as_str())
            .with_some("list", list)
            .with_some("in", param.in_path.then_some("path"))
            .with_some("required", param.required.clone())
            .with_some("default", default)
            .with_some("range", said.range())
            .with_some("served", some(param.served.iter().map(|value| written(&param.ty, value)).collect()))
            .with_some("unit", said.unit.clone())
            .with("summary", or_unknown(said.summary.clone()))
            .with_some("evidence", (id.is_some() || evidence != inherited).then_some(evidence))
            .with_some("notes", said.notes.clone())
    }
}

/// A value of a param as YAML writes it.
fn written(ty: &Ty, value: &str) -> Tree {
    match ty {
        Ty::Builtin("integer" | "count" | "number" | "timestamp") => Tree::Number(value.to_owned()),
        _ => Tree::Text(value.to_owned()),
    }
}
