//! New params of an endpoint: as an entry for a shared param, or with a setter name that does not change setters of
//! other endpoints.

use std::collections::BTreeSet;

use codegen::names::{self, Case};
use codegen::spec::PARAM;
use codegen::type_expr::TypeExpr;

use super::Merger;
use super::matching::User;
use super::places::{self, Entry, ParamAt, label};
use super::values::number;
use crate::keys::SERVICE;
use crate::naming::{NamesInUse, claim_id};
use crate::place::Place;
use crate::tree::Tree;

/// Keys of which a new entry says what its own param says, if the shared one says otherwise.
pub(super) const ANEW: [&str; 3] = ["served", "works", "refused"];

impl Merger<'_> {
    /// The params of a new endpoint, or the missing ones of a known endpoint; `idents` are its names so far.
    pub(super) fn new_params(
        &mut self,
        new: &Place,
        known: Option<&Place>,
        inherited: &str,
        mut idents: NamesInUse,
    ) -> Option<Vec<Tree>> {
        let params = places::params(&self.new.desk, new)?;
        let missing: Vec<ParamAt> = params.into_iter().filter(|taken| !self.matches.has(known, &taken.at)).collect();
        for taken in missing.iter().filter(|taken| taken.at.file == SERVICE) {
            self.setters.note(taken.at.tree(&self.new.desk).text("name").unwrap_or_default(), &mut idents);
        }
        let evidence = new.tree(&self.new.desk).text("evidence").unwrap_or_default().to_owned();
        let of = known.map_or_else(|| label(new.tree(&self.new.desk)), |known| label(known.tree(self.desk)));
        let trees = missing.iter().map(|taken| {
            let param = taken.at.tree(&self.new.desk).clone();
            self.note_other_type(&param, &of);
            if taken.at.file == SERVICE {
                return self.shared(&taken.at);
            }
            let evidence = param.text("evidence").unwrap_or(&evidence).to_owned();
            if let Some(there) = self.same_shared(&taken.at) {
                return self.entry_for(&there, &param, &evidence);
            }
            let mut tree = self.own_param(&taken.at, &param, &mut idents);
            tree.set(&PARAM, "evidence", (evidence != inherited).then_some(evidence));
            tree
        });
        Some(trees.collect())
    }

    /// Writes new shared params, in their own order.
    pub(super) fn write_shared(&mut self) {
        let mut wanted = BTreeSet::new();
        for (new, known) in self.matches.endpoints.clone() {
            for taken in places::params(&self.new.desk, &new).into_iter().flatten() {
                if taken.at.file == SERVICE && !self.matches.has(known.as_ref(), &taken.at) {
                    wanted.insert(taken.at);
                }
            }
        }
        for at in wanted {
            self.shared(&at);
        }
    }

    /// Matches known shared params for new endpoints.
    pub(super) fn match_shared(&mut self) {
        for (new, known) in self.matches.endpoints.clone() {
            for taken in places::params(&self.new.desk, &new).into_iter().flatten() {
                if self.matches.has(known.as_ref(), &taken.at) {
                    continue;
                }
                let (there, entry) = if taken.at.file == SERVICE {
                    (self.known_shared(&taken.at), Entry::Own)
                } else {
                    (self.same_shared(&taken.at), Entry::New)
                };
                if let Some(there) = there {
                    let label = label(new.tree(&self.new.desk));
                    let user = User { label, endpoint: None, entry, said: taken.at };
                    self.matches.user(&there, user);
                }
            }
        }
    }

    /// The known shared param with the name and type of a new one.
    fn known_shared(&self, new: &Place) -> Option<Place> {
        let param = new.tree(&self.new.desk);
        let ty = self.param_type(new, param);
        let all = Place::service().key("params").items(self.desk).into_iter().take(self.old_params);
        let known: Vec<_> = all
            .filter(|(_, known)| known.text("name") == param.text("name") && known.text("type") == Some(&ty))
            .collect();
        let constant = |param: &Tree| names::ident(places::id(param), Case::Shouty).unwrap_or_default();
        let same = known.iter().find(|(_, known)| constant(known) == constant(param));
        let one = same.or(if let [one] = known.as_slice() { Some(one) } else { None });
        one.map(|(at, _)| at.clone())
    }

    /// An entry for a shared param, with the facts in which the known one differs; a new one is written first.
    fn shared(&mut self, at: &Place) -> Tree {
        let param = at.tree(&self.new.desk).clone();
        if let Some(id) = self.new_shared.get(at) {
            return id.as_str().into();
        }
        if let Some(known) = self.known_shared(at) {
            let known = known.tree(self.desk);
            let required = param.text("required").filter(|_| known.get("required").is_none());
            return match required {
                Some(required) => Tree::map().with("use", places::id(known)).with("required", required),
                None => places::id(known).into(),
            };
        }
        let mut taken = NamesInUse::default();
        for known in ["params", "param_sets"].iter().flat_map(|list| self.desk.tree(SERVICE).entries(list)) {
            taken.note(names::ident(places::id(known), Case::Shouty).unwrap_or_default());
        }
        let name = param.text("name").unwrap_or_default();
        let id = claim_id(&mut taken, places::id(&param), name);
        let mut tree = self.own_param(at, &param, &mut NamesInUse::default());
        tree.set(&PARAM, "id", (id != name).then_some(id.as_str()));
        self.desk.extend(&Place::service().key("params"), vec![tree]);
        self.new_shared.insert(at.clone(), id.clone());
        id.into()
    }

    /// The only known shared param with the same facts as one of an endpoint's own.
    fn same_shared(&self, at: &Place) -> Option<Place> {
        let param = at.tree(&self.new.desk);
        let says_more = ["required", "in", "range"].iter().any(|key| param.get(key).is_some());
        let shared = Place::service().key("params").items(self.desk).into_iter().take(self.old_params);
        let same: Vec<_> = shared.filter(|(_, known)| known.text("name") == param.text("name")).collect();
        let [(there, known)] = same.as_slice() else { return None };
        let default = param.get("default").map(super::values::bare);
        let is_same = known.text("type") == Some(&self.param_type(at, param))
            && known.get("list").is_some() == param.get("list").is_some()
            && known.get("required").is_none()
            && (default.is_none() || default == known.get("default").map(super::values::bare));
        (is_same && !says_more).then(|| there.clone())
    }

    /// An entry for a known shared param, with what a new one says of its values, and of how it is known if that
    /// differs.
    fn entry_for(&self, there: &Place, param: &Tree, evidence: &str) -> Tree {
        let known = there.tree(self.desk);
        let is_told = self.is_told(evidence) && known.text("evidence") != Some(evidence);
        let plain = Tree::map().with("use", places::id(known));
        let mut anew = plain.clone().with_some("evidence", is_told.then_some(evidence));
        for key in ANEW {
            let is_other = |said: &&Tree| known.get(key).is_none_or(|known| !super::values::is_same(known, said));
            anew = anew.with_some(key, param.get(key).filter(is_other).cloned());
        }
        if anew == plain { places::id(known).into() } else { anew }
    }

    /// A param in the names of the known catalogue, with setter names that do not change setters of other endpoints.
    fn own_param(&mut self, at: &Place, param: &Tree, idents: &mut NamesInUse) -> Tree {
        let ty = self.param_type(at, param);
        let (ident, list) = self.setters.choose(param, &ty, idents);
        let mut tree = param.clone();
        tree.set(&PARAM, "ident", ident);
        tree.set(&PARAM, "list", list);
        // A count is never negative, so this bound is implied.
        let is_implied =
            ty == "count" && tree.get("range").and_then(|range| range.get("min")).and_then(number) == Some(0.0);
        tree.set(&PARAM, "type", Some(ty));
        if is_implied {
            let max = tree.get("range").and_then(|range| range.get("max")).cloned();
            tree.set(&PARAM, "range", max.map(|max| Tree::map().with("max", max)));
        }
        tree
    }

    /// The type of a new param. OpenAPI has no keyword for times, counts and identifiers: if the setter takes one of
    /// these on every known endpoint, a number or text of the same name is one too.
    pub(super) fn param_type(&self, at: &Place, param: &Tree) -> String {
        let said = param.text("type").unwrap_or_default();
        self.type_of_setter(param).unwrap_or_else(|| self.ty(said, &at.file))
    }

    fn type_of_setter(&self, param: &Tree) -> Option<String> {
        let (said, name) = (param.text("type")?, param.text("name")?);
        if self.new.is_ours {
            return None;
        }
        let known = self.setters.only_type(&names::ident(name, Case::Snake).ok()?, name)?;
        let range = param.get("range");
        let min = range.and_then(|range| range.get("min")).and_then(number);
        let is_count = min.is_none_or(|min| min >= 0.0)
            && param.get("default").is_none_or(|default| super::values::bare(default).parse::<u64>().is_ok());
        let is_identifier = || self.desk.named_type(known).is_some_and(|(_, ty)| ty.text("kind") == Some("identifier"));
        match (said, TypeExpr::parse(known)?) {
            ("integer", TypeExpr::Builtin(_)) if known == "count" && is_count => {}
            ("integer", TypeExpr::Builtin(_)) if known == "timestamp" && range.is_none() => {}
            ("string", TypeExpr::Name(_)) if is_identifier() => {}
            _ => return None,
        }
        Some(known.to_owned())
    }

    /// Notes a param whose type differs from the description's.
    fn note_other_type(&mut self, param: &Tree, of: &str) {
        let Some(ty) = self.type_of_setter(param) else { return };
        let [name, said] = ["name", "type"].map(|key| param.text(key).unwrap_or_default());
        let line = format!("`{name}` is {ty} as on other endpoints, {said} in the description");
        match self.retyped.iter_mut().find(|(known, ..)| *known == line) {
            Some((_, times, _)) => *times += 1,
            None => self.retyped.push((line, 1, of.to_owned())),
        }
    }
}
