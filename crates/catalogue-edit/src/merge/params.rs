//! Merges the params of endpoints: references to shared params, and definitions of other params.

use catalogue::names::{self, Case};
use catalogue::spec::{Endpoint, Evidence, Param, ParamEntry, ParamLocation, Range, Value};
use catalogue::type_expr::{Builtin, TypeExpr};

use super::{Gap, Merger};
use crate::content::is_within;
use crate::rust_names::{NamesInUse, claim_id, is_identifier};

impl Merger<'_> {
    /// The types of an endpoint's params, except params for which the catalogue has a shared param.
    pub(super) fn types_of_params(&self, new: &Endpoint) -> Vec<String> {
        let all = self.draft.content.params_of(new).unwrap_or_default();
        all.iter().filter(|param| self.shared_like(param).is_none()).map(|param| param.ty.to_string()).collect()
    }

    /// The id of the catalogue's shared param with the same wire name, if there is exactly one such param and that
    /// param accepts the same values.
    fn shared_like(&self, new: &Param) -> Option<String> {
        let constant = |param: &Param| names::ident(param.id(), Case::Shouty).ok();
        let same: Vec<&Param> = self.known.service.params.iter().filter(|known| known.name == new.name).collect();
        let known = match same.as_slice() {
            [one] => one,
            several => several.iter().find(|known| constant(known) == constant(new))?,
        };
        let range = explicit_range(new, &known.ty);
        let fits = known.list_setter.is_some() == new.list_setter.is_some()
            && known.list_as == new.list_as
            && known.location == new.location
            && (new.required.is_none() || known.required == new.required)
            && (range.is_none() || known.range.as_deref() == range.as_ref())
            && (new.default.is_none() || known.default == new.default)
            && self.accepts(&known.ty, &new.ty);
        fits.then(|| known.id().to_string())
    }

    /// `true` if a param of a known type accepts the values of a drafted type.
    fn accepts(&self, known: &str, drafted: &str) -> bool {
        match (TypeExpr::parse(known), TypeExpr::parse(drafted)) {
            (Some(TypeExpr::Builtin(known)), Some(TypeExpr::Builtin(drafted))) => {
                // OpenAPI has no type for counts and numeric timestamps.
                let is_whole = known == Builtin::Count || known.time_form().is_some();
                known == drafted || is_whole && drafted == Builtin::Integer
            }
            (Some(TypeExpr::Name(known)), Some(TypeExpr::Builtin(Builtin::String))) => {
                self.known.ty(known).is_some_and(is_identifier)
            }
            (Some(TypeExpr::Name(known)), Some(TypeExpr::Name(drafted))) => {
                let (Some(known), new) = (self.known.ty(known), self.draft.content.ty(drafted)) else { return false };
                let is_known = |value: &Value| known.values.iter().any(|known| known.value == value.value);
                new.map_or(*known.name == drafted, |new| !new.values.is_empty() && new.values.iter().all(is_known))
            }
            _ => false,
        }
    }

    /// Writes the shared params that new or completed endpoints need and the catalogue does not have, in the order of
    /// the draft.
    pub(super) fn write_shared_params(&mut self, gaps: &[Gap<'_>]) {
        let entries = gaps.iter().filter(|gap| gap.params).filter_map(|gap| gap.new.params.known()).flatten();
        let needed: Vec<&str> = entries.filter_map(name_of).collect();
        let mut constants = NamesInUse::default();
        let sets = self.known.service.param_sets.iter().map(|set| &set.name);
        for known in self.known.service.params.iter().map(Param::id).chain(sets) {
            constants.note(names::ident(known, Case::Shouty).unwrap_or_default());
        }
        for param in &self.draft.content.service.params {
            let id = param.id().as_str();
            if needed.contains(&id) {
                let known = self.shared_like(param);
                let called = known.unwrap_or_else(|| self.new_shared_param(param, &mut constants));
                self.params.insert(id.to_owned(), called);
            }
        }
    }

    fn new_shared_param(&mut self, param: &Param, constants: &mut NamesInUse) -> String {
        let called = claim_id(constants, param.id(), &param.name);
        let mut new = self.with_setters(param, &mut NamesInUse::default());
        new.id = (called != *param.name).then(|| called.as_str().into());
        self.editor.service.params.push(new);
        called
    }

    /// The params of a new path that are missing in the known list of params.
    pub(super) fn new_params_in_path(&self, known: &Endpoint, new: &Endpoint) -> Vec<ParamEntry> {
        let listed = self.known.params_of(known).unwrap_or_default();
        let is_new = |param: &Param| {
            param.location == ParamLocation::Path && listed.iter().all(|listed| listed.name != param.name)
        };
        let all = self.draft.content.params_of(new).unwrap_or_default().into_iter();
        all.filter(is_new).map(|param| ParamEntry::Own(Box::new(param))).collect()
    }

    /// The entries for an endpoint's params, with the names of the catalogue.
    pub(super) fn params(&mut self, new: &Endpoint, inherited: Evidence) -> Vec<ParamEntry> {
        let drafted = new.params.known().map_or(&[][..], Vec::as_slice);
        let mut idents = NamesInUse::default();
        let references = drafted.iter().filter(|entry| name_of(entry).is_some());
        for shared in references.flat_map(|entry| self.draft.content.defined(entry)) {
            self.setters.note(&shared.name, &mut idents);
        }
        let (mut entries, mut others) = (Vec::new(), Vec::new());
        for entry in drafted {
            match entry {
                ParamEntry::Own(param) => entries.push(if let Some(id) = self.shared_like(param) {
                    ParamEntry::Name(id.into())
                } else {
                    let evidence = param.evidence.unwrap_or(new.evidence);
                    let mut param = self.with_setters(param, &mut idents);
                    param.evidence = Some(evidence).filter(|evidence| *evidence != inherited);
                    ParamEntry::Own(Box::new(param))
                }),
                entry => match name_of(entry).and_then(|name| self.params.get(name)) {
                    Some(id) => entries.push(ParamEntry::Name(id.as_str().into())),
                    // A name that the draft does not define refers to a shared param, or to a param set, of the
                    // catalogue.
                    None => others.push(entry.clone()),
                },
            }
        }
        entries.extend(others);
        entries
    }

    /// A definition with unique setter names and with the types of the catalogue.
    fn with_setters(&mut self, param: &Param, idents: &mut NamesInUse) -> Param {
        let ty = match self.setters.only_type(param).filter(|known| self.accepts(known, &param.ty)) {
            // A setter that other endpoints use keeps its type.
            Some(known) if known != param.ty.as_str() => known.to_owned(),
            _ => self.ty(&param.ty),
        };
        let range = explicit_range(param, &ty).map(Into::into);
        let [rust_name, list_setter] = self.setters.choose(param, &ty, idents).map(|name| name.map(Into::into));
        Param { rust_name, list_setter, ty: ty.into(), range, ..param.clone() }
    }
}

/// The name to which an entry refers; `None` for a param of one endpoint.
fn name_of(entry: &ParamEntry) -> Option<&str> {
    match entry {
        ParamEntry::Name(name) => Some(name),
        ParamEntry::Use(entry) => Some(&entry.param),
        ParamEntry::Own(_) => None,
    }
}

/// The range of a param of the type `ty`. If the type is `count`, a minimum of at most 0 is omitted, because a `count`
/// is never negative.
fn explicit_range(param: &Param, ty: &str) -> Option<Range> {
    let mut range = param.range.as_deref()?.clone();
    if ty == "count" && is_within(&range, 0.0) {
        range.min = None;
    }
    (range != Range::default()).then_some(range)
}
