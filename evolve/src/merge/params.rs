//! Merges the params of endpoints: references to shared params, and definitions of other params.

use std::collections::{BTreeSet, HashSet};

use codegen::names::{self, Case};
use codegen::spec::PARAM;
use codegen::type_expr::{Builtin, TypeExpr};

use super::name_index::id;
use super::values::{is_identifier, is_within, value_texts};
use super::{Gap, Merger};
use crate::format_keys::SERVICE;
use crate::rust_names::{NamesInUse, claim_id};
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

impl Merger<'_> {
    /// Returns the types of an endpoint's params, except params for which the catalogue has a shared param.
    pub(super) fn types_of_params(&self, new: &YamlPath) -> Vec<String> {
        let all = self.source.params_of(new, &self.draft.editor).unwrap_or_default();
        let own = all.iter().filter(|at| self.shared_like(at).is_none());
        own.filter_map(|at| at.tree(&self.draft.editor).text("type").map(str::to_owned)).collect()
    }

    /// Returns the name of the catalogue's shared param with the same wire name, if there is exactly one such param and
    /// that param accepts the same values.
    fn shared_like(&self, at: &YamlPath) -> Option<String> {
        let new = at.tree(&self.draft.editor);
        let [known] = self.known.params_sent_as(new.text("name")?) else { return None };
        let known = known.tree(self.editor);
        let [known_type, new_type] = [known, new].map(|param| param.text("type").unwrap_or_default());
        let new = &without_implied_minimum(new, known_type);
        let differs = |key: &str| new.get(key).is_some_and(|value| known.get(key) != Some(value));
        let fits = known.get("list_setter").is_some() == new.get("list_setter").is_some()
            && known.get("list_as") == new.get("list_as")
            && !["required", "in", "range", "default"].iter().any(|key| differs(key))
            && self.accepts(known_type, new_type);
        fits.then(|| id(known).to_owned())
    }

    /// Returns `true` if a param of a known type accepts the values of a drafted type.
    fn accepts(&self, known: &str, drafted: &str) -> bool {
        let named = |name: &str| self.known.ty(name).map(|at| at.tree(self.editor));
        match (TypeExpr::parse(known), TypeExpr::parse(drafted)) {
            (Some(TypeExpr::Builtin(known)), Some(TypeExpr::Builtin(drafted))) => {
                let is_number = matches!(known, Builtin::Count | Builtin::Timestamp);
                known == drafted || is_number && drafted == Builtin::Integer
            }
            (Some(TypeExpr::Name(known)), Some(TypeExpr::Builtin(Builtin::String))) => {
                named(known).is_some_and(is_identifier)
            }
            (Some(TypeExpr::Name(known)), Some(TypeExpr::Name(drafted))) => {
                let new = self.source.ty(drafted).map(|at| value_texts(at.tree(&self.draft.editor)));
                let known: HashSet<&str> = named(known).map(value_texts).into_iter().flatten().collect();
                new.is_some_and(|new| !new.is_empty() && new.iter().all(|value| known.contains(value)))
            }
            _ => false,
        }
    }

    /// Writes the shared params that new or completed endpoints need and the catalogue does not have, in the order of
    /// the draft.
    pub(super) fn write_shared_params(&mut self, gaps: &[Gap]) {
        let of_gap = |gap: &Gap| self.source.params_of(&gap.new, &self.draft.editor).unwrap_or_default();
        let needed = gaps.iter().filter(|gap| gap.params).flat_map(of_gap);
        let needed: BTreeSet<YamlPath> = needed.filter(|at| at.file == SERVICE).collect();
        let mut constants = NamesInUse::default();
        for known in ["params", "param_sets"].iter().flat_map(|list| self.editor.tree(SERVICE).entries(list)) {
            constants.note(names::ident(id(known), Case::Shouty).unwrap_or_default());
        }
        for at in needed {
            let id = self.shared_like(&at).unwrap_or_else(|| self.new_shared_param(&at, &mut constants));
            self.names.params.insert(at, id);
        }
    }

    fn new_shared_param(&mut self, at: &YamlPath, constants: &mut NamesInUse) -> String {
        let param = at.tree(&self.draft.editor);
        let name = param.text("name").unwrap_or_default();
        let called = claim_id(constants, id(param), name);
        let mut tree = self.with_setters(param, &mut NamesInUse::default());
        tree.set(&PARAM, "id", (called != name).then_some(called.as_str()));
        self.editor.extend(&YamlPath::service().key("params"), vec![tree]);
        called
    }

    /// Returns the params of a new path that are missing in the known list of params.
    pub(super) fn new_params_in_path(&self, known: &YamlPath, new: &YamlPath) -> Vec<Tree> {
        let listed = self.known.params_of(known, self.editor).unwrap_or_default();
        let names: Vec<_> = listed.iter().map(|at| at.tree(self.editor).get("name")).collect();
        let all = self.source.params_of(new, &self.draft.editor).unwrap_or_default();
        let all = all.iter().map(|at| at.tree(&self.draft.editor));
        let is_new = |param: &&Tree| param.text("in") == Some("path") && !names.contains(&param.get("name"));
        all.filter(is_new).cloned().collect()
    }

    /// Returns the entries for an endpoint's params, with the names of the catalogue.
    pub(super) fn params(&mut self, new: &YamlPath, inherited: &str) -> Vec<Tree> {
        let draft = &self.draft.editor;
        let all = self.source.params_of(new, draft).unwrap_or_default();
        let mut idents = NamesInUse::default();
        for shared in all.iter().filter(|at| at.file == SERVICE) {
            self.setters.note(shared.tree(draft).text("name").unwrap_or_default(), &mut idents);
        }
        let mut entries = Vec::new();
        for at in &all {
            if let Some(id) = self.names.params.get(at).cloned().or_else(|| self.shared_like(at)) {
                entries.push(id.into());
                continue;
            }
            let param = at.tree(draft);
            let evidence = param.text("evidence").or(new.tree(draft).text("evidence")).unwrap_or_default();
            let mut tree = self.with_setters(param, &mut idents);
            tree.set(&PARAM, "evidence", (evidence != inherited).then_some(evidence));
            entries.push(tree);
        }
        // A name that the draft does not define refers to a shared param, or to a param set, of the catalogue.
        let names = new.tree(draft).entries("params").iter().filter(|entry| entry.as_text().is_some());
        let known = names.filter(|entry| entry.as_text().is_some_and(|id| self.source.shared(id).is_empty()));
        entries.extend(known.cloned());
        entries
    }

    /// Returns a definition with unique setter names and with the types of the catalogue.
    fn with_setters(&mut self, param: &Tree, idents: &mut NamesInUse) -> Tree {
        let drafted = param.text("type").unwrap_or_default();
        let ty = match self.setters.only_type(param).filter(|known| self.accepts(known, drafted)) {
            // A setter that other endpoints use keeps its type.
            Some(known) if known != drafted => known.to_owned(),
            _ => self.ty(drafted),
        };
        let mut tree = without_implied_minimum(param, &ty);
        let [ident, list] = self.setters.choose(param, &ty, idents);
        tree.set(&PARAM, "rust_name", ident);
        tree.set(&PARAM, "list_setter", list);
        tree.set(&PARAM, "type", Some(ty));
        tree
    }
}

/// Returns a param of the type `ty`. If the type is `count`, a minimum of at most 0 is removed, because a `count` is
/// never negative.
fn without_implied_minimum(param: &Tree, ty: &str) -> Tree {
    let mut param = param.clone();
    if let Some(range) = param.get_mut("range").filter(|range| ty == "count" && is_within(range, 0.0)) {
        range.remove("min");
        if *range == Tree::map() {
            param.remove("range");
        }
    }
    param
}
