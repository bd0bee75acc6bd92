//! Merges the params of endpoints: references to shared params, and definitions of other params.

use catalogue::names::{self, Case};
use catalogue::spec::{Endpoint, Evidence, Param, ParamEntry, ParamLocation, Range, Type, Use};
use catalogue::type_expr::{Builtin, TypeExpr};

use super::{DraftedEndpoint, Merger, NewParams, own_evidence};
use crate::content::is_within;
use crate::enum_values::is_identifier;
use crate::names_in_use::NamesInUse;
use crate::rust_names::claim_id;

impl Merger<'_> {
    /// The types of an endpoint's params, except params for which the catalogue has a shared param.
    pub(super) fn types_of_params(&self, new: &Endpoint) -> Vec<String> {
        let mut types = Vec::new();
        for param in self.draft.content.params_of(new).unwrap_or_default() {
            if self.shared_like(&param).is_none() {
                types.push(param.ty.to_string());
            }
        }
        types
    }

    /// The id of the catalogue's shared param with the same wire name, if there is exactly one such param and that
    /// param accepts the same values.
    fn shared_like(&self, new: &Param) -> Option<String> {
        let mut same = Vec::new();
        for known in &self.known.service.params {
            if known.name == new.name {
                same.push(known);
            }
        }
        let known = match same.as_slice() {
            [one] => *one,
            several => several.iter().find(|known| constant_of(known) == constant_of(new))?,
        };
        if self.accepts_param(known, new) { Some(known.id().to_string()) } else { None }
    }

    /// `true` if a known param accepts the values of a drafted param, and nothing that the draft says contradicts it.
    fn accepts_param(&self, known: &Param, new: &Param) -> bool {
        let range = explicit_range(new, &known.ty);
        known.list_setter.is_some() == new.list_setter.is_some()
            && known.list_as == new.list_as
            && known.location == new.location
            && (new.required.is_none() || known.required == new.required)
            && (range.is_none() || known.range.as_deref() == range.as_ref())
            && (new.default.is_none() || known.default == new.default)
            && self.accepts(&known.ty, &new.ty)
    }

    /// `true` if a param of a known type accepts the values of a drafted type.
    fn accepts(&self, known: &str, drafted: &str) -> bool {
        let (Some(known), Some(drafted)) = (TypeExpr::parse(known), TypeExpr::parse(drafted)) else { return false };
        match (known, drafted) {
            (TypeExpr::Builtin(known), TypeExpr::Builtin(drafted)) => {
                // OpenAPI has no type for counts and numeric timestamps.
                let is_whole = known == Builtin::Count || known.time_form().is_some();
                known == drafted || is_whole && drafted == Builtin::Integer
            }
            (TypeExpr::Name(known), TypeExpr::Builtin(Builtin::String)) => {
                self.known.ty(known).is_some_and(is_identifier)
            }
            (TypeExpr::Name(known), TypeExpr::Name(drafted)) => match self.known.ty(known) {
                Some(known) => self.has_values_of(known, drafted),
                None => false,
            },
            _ => false,
        }
    }

    /// `true` if a known type lists all values of a drafted type. A type that the draft does not define is a type of
    /// the catalogue.
    fn has_values_of(&self, known: &Type, drafted: &str) -> bool {
        let Some(new) = self.draft.content.ty(drafted) else { return *known.name == drafted };
        for value in &new.values {
            if known.values.iter().all(|known| known.value != value.value) {
                return false;
            }
        }
        !new.values.is_empty()
    }

    /// Writes the shared params that new or completed endpoints need and the catalogue does not have, in the order of
    /// the draft.
    pub(super) fn write_shared_params(&mut self, endpoints: &[DraftedEndpoint<'_>]) {
        let needed = names_of_shared_params(endpoints);
        let mut constants = self.constants();
        let draft = self.draft;
        for param in &draft.content.service.params {
            let id = param.id().as_str();
            if needed.contains(&id) {
                let known_id = match self.shared_like(param) {
                    Some(known) => known,
                    None => self.new_shared_param(param, &mut constants),
                };
                self.params.insert(id.to_owned(), known_id);
            }
        }
    }

    /// The names of the constants for the shared params and param sets of the catalogue.
    fn constants(&self) -> NamesInUse {
        let mut constants = NamesInUse::default();
        for param in &self.known.service.params {
            constants.note(constant_of(param).unwrap_or_default());
        }
        for set in &self.known.service.param_sets {
            constants.note(names::ident(&set.name, Case::Shouty).unwrap_or_default());
        }
        constants
    }

    fn new_shared_param(&mut self, param: &Param, constants: &mut NamesInUse) -> String {
        let id = claim_id(constants, param.id(), &param.name);
        let mut new = self.with_setters(param, &mut NamesInUse::default());
        new.id = if id == *param.name { None } else { Some(id.as_str().into()) };
        self.editor.content.service.params.push(new);
        id
    }

    /// The params of a new path that are missing in the known list of params.
    pub(super) fn new_params_in_path(&self, known: &Endpoint, new: &Endpoint) -> Vec<ParamEntry> {
        let listed = self.known.params_of(known).unwrap_or_default();
        let mut entries = Vec::new();
        for param in self.draft.content.params_of(new).unwrap_or_default() {
            let is_new = listed.iter().all(|listed| listed.name != param.name);
            if param.location == ParamLocation::Path && is_new {
                entries.push(ParamEntry::Own(Box::new(param)));
            }
        }
        entries
    }

    /// The entries for an endpoint's params, with the names of the catalogue.
    pub(super) fn params(&mut self, new: &Endpoint, inherited: Evidence) -> Vec<ParamEntry> {
        let Some(drafted) = new.params.known() else { return Vec::new() };
        let mut idents = self.setters_of_shared_params(drafted);
        let mut entries = Vec::new();
        // References to params that the draft does not define are the last entries.
        let mut undefined = Vec::new();
        for entry in drafted {
            match entry {
                ParamEntry::Own(param) => entries.push(self.entry_of_own(param, new, inherited, &mut idents)),
                ParamEntry::Name(name) | ParamEntry::Use(Use { param: name, .. }) => {
                    match self.params.get(name.as_str()) {
                        Some(id) => entries.push(ParamEntry::Name(id.as_str().into())),
                        None => undefined.push(entry.clone()),
                    }
                }
            }
        }
        entries.extend(undefined);
        entries
    }

    /// The names of the setters for the shared params to which entries refer.
    fn setters_of_shared_params(&self, entries: &[ParamEntry]) -> NamesInUse {
        let mut idents = NamesInUse::default();
        for entry in entries {
            if name_of(entry).is_some() {
                for param in self.draft.content.defined(entry) {
                    self.setters.note(&param.name, &mut idents);
                }
            }
        }
        idents
    }

    /// The entry for a param that only one endpoint of the draft has.
    fn entry_of_own(
        &mut self,
        param: &Param,
        new: &Endpoint,
        inherited: Evidence,
        idents: &mut NamesInUse,
    ) -> ParamEntry {
        if let Some(id) = self.shared_like(param) {
            return ParamEntry::Name(id.into());
        }
        let mut own = self.with_setters(param, idents);
        own.evidence = own_evidence(param.evidence.unwrap_or(new.evidence), inherited);
        ParamEntry::Own(Box::new(own))
    }

    /// A definition with unique setter names and with the types of the catalogue.
    fn with_setters(&mut self, param: &Param, idents: &mut NamesInUse) -> Param {
        let ty = match self.setters.only_type(param) {
            // A setter that other endpoints use keeps its type.
            Some(known) if self.accepts(known, &param.ty) && known != param.ty.as_str() => known.to_owned(),
            _ => self.ty(&param.ty),
        };
        let range = explicit_range(param, &ty);
        let names = self.setters.choose(param, &ty, idents);
        Param {
            rust_name: names.rust_name.map(Into::into),
            list_setter: names.list_setter.map(Into::into),
            ty: ty.into(),
            range: range.map(Into::into),
            ..param.clone()
        }
    }
}

/// The shared params to which the new params of endpoints refer.
fn names_of_shared_params<'a>(endpoints: &'a [DraftedEndpoint<'_>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for drafted in endpoints {
        if drafted.new_params == NewParams::All
            && let Some(entries) = drafted.new.params.known()
        {
            names.extend(entries.iter().filter_map(name_of));
        }
    }
    names
}

/// The name to which an entry refers; `None` for a param of one endpoint.
fn name_of(entry: &ParamEntry) -> Option<&str> {
    match entry {
        ParamEntry::Name(name) => Some(name),
        ParamEntry::Use(entry) => Some(&entry.param),
        ParamEntry::Own(_) => None,
    }
}

/// The name of the constant for a shared param.
fn constant_of(param: &Param) -> Option<String> {
    names::ident(param.id(), Case::Shouty).ok()
}

/// The range of a param of the type `ty`. If the type is `count`, a minimum of at most 0 is omitted, because a `count`
/// is never negative.
fn explicit_range(param: &Param, ty: &str) -> Option<Range> {
    let mut range = param.range.as_deref()?.clone();
    if ty == "count" && is_within(&range, 0.0) {
        range.min = None;
    }
    if range == Range::default() { None } else { Some(range) }
}
