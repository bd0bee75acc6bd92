//! Params as the catalogue writes them, once for all endpoints where operations refer to them.

use std::collections::BTreeSet;

use super::known::{Entry, ParamAt};
use super::meetings::User;
use super::{Builder, Slot, label};
use crate::evolve::import::facts::{or_unknown, some};
use crate::evolve::import::plan::{PlannedParam, Several, Taken as Takes, Ty};
use crate::evolve::naming::{Taken, entries};
use crate::evolve::tree::Tree;
use crate::names::{self, Case};
use crate::spec::{self, Evidence};

impl Builder<'_> {
    /// Which shared params of the catalogue those of the description are, and what is said of them on new endpoints.
    pub(super) fn meet_shared(&mut self, slots: &[Slot]) {
        let met = self.plan.shared.iter().map(|param| self.known_shared(param)).collect();
        self.met_shared = met;
        for (endpoint, slot) in self.plan.endpoints.iter().zip(slots) {
            for param in endpoint.params.iter().flatten() {
                let Takes::Shared(index) = param else { continue };
                let Some(id) = &self.met_shared[*index] else { continue };
                let said = &self.plan.shared[*index];
                let is_there = self.met.has(slot, &said.name);
                let place = self.desk.checked.service.params.iter().position(|param| param.id() == id);
                if let Some(place) = place.filter(|_| !is_there) {
                    let label = label(endpoint);
                    let user = User { label, endpoint: None, entry: Entry::Plain, said: said.clone() };
                    self.met.user(ParamAt::Shared(place), user);
                }
            }
        }
    }

    /// The shared param of the catalogue that has the name and type of one of the description.
    fn known_shared(&self, param: &PlannedParam) -> Option<String> {
        let all = self.desk.checked.service.params.iter();
        let known: Vec<&spec::Param> =
            all.filter(|known| known.name == param.name && known.ty == self.ty(&param.ty)).collect();
        let constant = |id: &str| names::ident(id, Case::Shouty).unwrap_or_default();
        let same = known.iter().find(|known| constant(known.id()) == constant(&param.id));
        let one = same.copied().or(if let [one] = known.as_slice() { Some(*one) } else { None });
        one.map(|one| one.id().to_string())
    }

    pub(super) fn shared_params(&mut self, slots: &[Slot]) -> Vec<Tree> {
        let needed = self.needed(slots);
        let service = self.desk.service_tree();
        let (mut trees, mut ranks) = (Vec::new(), Vec::new());
        for (index, param) in std::mem::take(&mut self.plan.shared).into_iter().enumerate() {
            let id = |tree: &Tree| ["id", "name"].iter().find_map(|key| tree.get(key)?.as_text()).map(str::to_owned);
            let constant = |id: &str| names::ident(id, Case::Shouty).unwrap_or_default();
            if !needed.contains(&index) {
                self.shared.push(String::new());
            } else if let Some(one) = &self.met_shared[index] {
                self.shared.push(one.clone());
            } else {
                let mut own = Taken::default();
                let there = [entries(&service, "params"), entries(&service, "param_sets")].concat();
                let taken: Vec<String> = there.iter().filter_map(id).chain(trees.iter().filter_map(id)).collect();
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
            for param in endpoint.params.iter().flatten() {
                if let Takes::Shared(index) = param
                    && !self.met.has(slot, &self.plan.shared[*index].name)
                {
                    needed.insert(*index);
                }
            }
        }
        needed
    }

    /// The params of one endpoint.
    ///
    /// `idents` are the names on it so far.
    pub(super) fn params(&mut self, params: &[Takes], inherited: &str, mut idents: Taken) -> Vec<Tree> {
        for param in params {
            if let Takes::Shared(index) = param {
                self.setters.note(&self.plan.shared[*index].name, &mut idents);
            }
        }
        let trees = params.iter().map(|param| match param {
            Takes::Shared(index) => self.entry(*index),
            Takes::Own(param) => match self.same_shared(param) {
                Some(entry) => entry,
                None => self.param(param, None, &mut idents, inherited),
            },
        });
        trees.collect()
    }

    /// An entry for a shared param, which says what a known one does not.
    fn entry(&self, index: usize) -> Tree {
        let id = self.shared[index].as_str();
        let known = self.met_shared[index].as_ref();
        let known = known.and_then(|id| self.desk.checked.service.params.iter().find(|param| param.id() == id));
        match (&self.plan.shared[index].required, known) {
            (Some(required), Some(known)) if known.required.is_none() => {
                Tree::map().with("use", id).with("required", required.as_str())
            }
            _ => id.into(),
        }
    }

    /// An entry for the one shared param of the catalogue that says the same, and how it is known if that differs.
    fn same_shared(&self, param: &PlannedParam) -> Option<Tree> {
        let said = &param.said;
        let says_more = param.required.is_some() || param.in_path || said.min.is_some() || said.max.is_some();
        let shared = &self.desk.checked.service.params;
        let same: Vec<_> = shared.iter().filter(|known| known.name == param.name).collect();
        let [known] = same.as_slice() else { return None };
        let is_same = known.ty == self.ty(&param.ty)
            && known.list.is_some() == (param.several != Several::No)
            && known.required.is_none()
            && (param.default.is_none() || param.default.as_ref() == known.default.as_deref());
        let here = known.evidence.map(Evidence::word);
        let evidence = said.evidence.as_deref().filter(|said| here != Some(*said));
        (is_same && !says_more).then(|| match evidence {
            Some(evidence) => Tree::map().with("use", known.id().as_str()).with("evidence", evidence),
            None => known.id().as_str().into(),
        })
    }

    fn param(&mut self, param: &PlannedParam, id: Option<&str>, idents: &mut Taken, inherited: &str) -> Tree {
        let said = &param.said;
        let evidence = said.evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let default = param.default.as_deref().map(|value| written(&param.ty, value));
        let ty = self.ty(&param.ty);
        let (ident, list) = self.setters.choose(param, &ty, idents);
        let values = |values: &[String]| some(values.iter().map(|value| written(&param.ty, value)).collect());
        Tree::map()
            .with_some("id", id.filter(|id| *id != param.name))
            .with("name", param.name.as_str())
            .with_some("ident", ident)
            .with("type", ty)
            .with_some("list", list)
            .with_some("in", param.in_path.then_some("path"))
            .with_some("required", param.required.clone())
            .with_some("default", default)
            .with_some("range", said.range())
            .with_some("served", values(&param.served))
            .with_some("works", values(&param.works))
            .with_some("refused", values(&param.refused))
            .with_some("example", said.example.as_ref().map(|value| written(&param.ty, value)))
            .with_some("single", param.single.clone())
            .with_some("unit", said.unit.clone())
            .with("summary", or_unknown(said.summary.clone()))
            .with_some("evidence", (id.is_some() || evidence != inherited).then_some(evidence))
            .with_some("notes", said.notes.clone())
    }
}

/// A value of a param as YAML writes it.
pub(super) fn written(ty: &Ty, value: &str) -> Tree {
    match ty {
        Ty::Builtin("integer" | "count" | "number" | "timestamp") => Tree::Number(value.to_owned()),
        _ => Tree::Text(value.to_owned()),
    }
}
