//! Params as the catalogue writes them, once for all endpoints where operations refer to them.

use std::collections::BTreeSet;

use super::records::range;
use super::{Builder, Slot, merge};
use crate::evolve::import::facts::{or_unknown, some};
use crate::evolve::import::plan::{PlannedParam, Several, Taken as Takes, Ty};
use crate::evolve::naming::{Taken, entries};
use crate::evolve::tree::Tree;
use crate::names::{self, Case};

impl Builder<'_> {
    pub(super) fn shared_params(&mut self, slots: &[Slot]) -> Vec<Tree> {
        let needed = self.needed(slots);
        let service = self.desk.service_tree();
        let (mut trees, mut ranks) = (Vec::new(), Vec::new());
        for (index, param) in std::mem::take(&mut self.plan.shared).into_iter().enumerate() {
            let id = |tree: &Tree| ["id", "name"].iter().find_map(|key| tree.get(key)?.as_text()).map(str::to_owned);
            let known = entries(&service, "params").iter().filter(|tree| {
                tree.get("name").and_then(Tree::as_text) == Some(&param.name)
                    && tree.get("type").and_then(Tree::as_text) == Some(&self.ty(&param.ty))
            });
            let known: Vec<String> = known.filter_map(id).collect();
            let constant = |id: &str| names::ident(id, Case::Shouty).unwrap_or_default();
            let same = known.iter().find(|known| constant(known) == constant(&param.id));
            if !needed.contains(&index) {
                self.shared.push(String::new());
            } else if let (Some(one), _) | (None, [one]) = (same, known.as_slice()) {
                self.shared.push(one.clone());
            } else {
                let mut own = Taken::default();
                let taken: Vec<String> =
                    entries(&service, "params").iter().filter_map(id).chain(trees.iter().filter_map(id)).collect();
                for id in &taken {
                    own.note(constant(id));
                }
                let is_free = |id: &str| !constant(id).is_empty() && !own.has(&constant(id));
                // The component's own name, unless it is the wire name written otherwise.
                let is_derived = constant(&param.id) == constant(&param.name);
                let wanted = if is_derived { [&param.name, &param.id] } else { [&param.id, &param.name] };
                let mut numbered = (2..).map(|number| format!("{}_{number}", param.id));
                let chosen =
                    wanted.into_iter().find(|id| is_free(id)).cloned().or_else(|| numbered.find(|id| is_free(id)));
                let chosen = chosen.unwrap_or_default();
                let tree = self.param(&param, Some(&chosen), &mut Taken::default(), "");
                trees.push(tree);
                ranks.push(param.rank);
                self.shared.push(chosen);
            }
            self.plan.shared.push(param);
        }
        let mut ranked: Vec<_> = ranks.into_iter().zip(trees).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, tree)| tree).collect()
    }

    /// Shared params that an endpoint takes and does not have yet, by index.
    fn needed(&self, slots: &[Slot]) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        for (endpoint, slot) in self.plan.endpoints.iter().zip(slots) {
            let known = match slot {
                Slot::Known(module, index) => merge::wire_names(self.desk, module, *index).unwrap_or_default(),
                Slot::New(_) => Vec::new(),
            };
            for param in endpoint.params.iter().flatten() {
                if let Takes::Shared(index) = param
                    && !known.contains(&self.plan.shared[*index].name)
                {
                    needed.insert(*index);
                }
            }
        }
        needed
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
            Takes::Own(param) => match self.same_shared(param) {
                Some(id) => id.into(),
                None => self.param(param, None, &mut idents, inherited),
            },
        });
        trees.collect()
    }

    /// The one shared param of the catalogue that says the same.
    fn same_shared(&self, param: &PlannedParam) -> Option<String> {
        let said = &param.said;
        let says_more = param.required.is_some() || param.in_path || said.min.is_some() || said.max.is_some();
        let shared = &self.desk.checked.service.params;
        let same: Vec<_> = shared.iter().filter(|known| known.name == param.name).collect();
        let [known] = same.as_slice() else { return None };
        let is_same = known.ty == self.ty(&param.ty)
            && known.list.is_some() == (param.several != Several::No)
            && (param.default.is_none() || param.default == known.default);
        (is_same && !says_more).then(|| known.id().to_owned())
    }

    fn param(&mut self, param: &PlannedParam, id: Option<&str>, idents: &mut Taken, inherited: &str) -> Tree {
        let said = &param.said;
        let evidence = said.evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let default = param.default.as_deref().map(|value| written(&param.ty, value));
        let (ident, list) = self.setters.choose(param, idents);
        Tree::map()
            .with_some("id", id.filter(|id| *id != param.name))
            .with("name", param.name.as_str())
            .with_some("ident", ident)
            .with("type", self.ty(&param.ty))
            .with_some("list", list)
            .with_some("in", param.in_path.then_some("path"))
            .with_some("required", param.required.clone())
            .with_some("default", default)
            .with_some("range", range(said))
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
