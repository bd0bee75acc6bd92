//! Resolves the params of an endpoint: follows references, rejects duplicates, and checks the params in the path.

use std::sync::Arc;

use super::params::as_sent;
use super::records_of_file::RecordsOfFile;
use super::{Resolver, Unique};
use crate::diagnostic::Location;
use crate::model::{EndpointParam, Param, SharedParam, SharedUse};
use crate::names::{self, Case};
use crate::spanned::Text;
use crate::spec::{self, ParamEntry, ParamLocation};
use crate::url_path;

/// A param of an endpoint.
struct Candidate<'a> {
    param: &'a spec::Param,
    /// The location of the entry.
    at: &'a Location,
    is_of_set: bool,
    /// The resolved param; `None` if it is invalid.
    resolved: Option<EndpointParam>,
}

/// Applies the overrides of a `use` entry to a shared param. The example is kept, unless other values are known to
/// work.
fn overridden(param: Param, entry: &spec::Use) -> Param {
    let known = param.declared;
    let entry = entry.clone();
    let mut declared = spec::Param {
        default: entry.default.or(known.default),
        allowed_values: entry.allowed_values.unwrap_or(known.allowed_values),
        tested_values: entry.tested_values.unwrap_or(known.tested_values),
        rejected_values: entry.rejected_values.unwrap_or(known.rejected_values),
        notes: entry.notes.unwrap_or(known.notes),
        unknown: entry.unknown.unwrap_or(known.unknown),
        example: None,
        ..known
    };
    let known_values = declared.known_values();
    if known_values.is_empty() || known.example.as_ref().is_some_and(|example| known_values.contains(example)) {
        declared.example = known.example;
    }
    Param { declared, evidence: entry.evidence.unwrap_or(param.evidence), ..param }
}

impl<'a> Resolver<'a> {
    /// Resolves the params of an endpoint, including the params of param sets.
    pub(super) fn endpoint_params(
        &mut self,
        records: &RecordsOfFile<'a>,
        endpoint: &'a spec::Endpoint,
        entries: &'a [ParamEntry],
        shared: &[Option<SharedParam>],
    ) -> Vec<EndpointParam> {
        let mut candidates: Vec<Candidate<'a>> = Vec::new();
        for entry in entries {
            for new in self.entry(records, entry, endpoint.evidence, shared) {
                // An override replaces the param of a set in place, which keeps the order of the params.
                let replaced =
                    candidates.iter_mut().find(|known| known.is_of_set && std::ptr::eq(known.param, new.param));
                match (entry, replaced) {
                    (ParamEntry::Use(_), Some(replaced)) => *replaced = new,
                    _ => candidates.push(new),
                }
            }
        }
        self.check_names(&candidates);
        if let Some(path) = endpoint.path.known() {
            self.check_path_params(path, &candidates);
        }
        let mut params = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            match candidate.resolved {
                Some(param) => params.push(param),
                None => self.reported += 1,
            }
        }
        params
    }

    /// Resolves the params of one entry. An entry that names a param set has several params.
    fn entry(
        &mut self,
        records: &RecordsOfFile<'a>,
        entry: &'a ParamEntry,
        inherited: spec::Evidence,
        shared: &[Option<SharedParam>],
    ) -> Vec<Candidate<'a>> {
        match entry {
            ParamEntry::Own(param) => {
                let resolved = self.valid(|resolver| resolver.param(records, param, Some(inherited)));
                let resolved = resolved.map(|param| EndpointParam { param: Arc::new(param), shared: None });
                vec![Candidate { param, at: param.name.at(), is_of_set: false, resolved }]
            }
            ParamEntry::Use(entry) => {
                let Some(index) = self.shared_param(&entry.param) else { return Vec::new() };
                let used = self.as_defined(shared, index, entry.param.at());
                // An invalid shared param has already been reported.
                let resolved = used.resolved.and_then(|used| self.with_overrides(&used.param, entry, index));
                vec![Candidate { resolved, ..used }]
            }
            ParamEntry::Name(name) => self.named_entry(name, shared),
        }
    }

    /// A shared param without overrides.
    fn as_defined(&self, shared: &[Option<SharedParam>], index: usize, at: &'a Location) -> Candidate<'a> {
        let resolved = shared[index].as_ref().map(|shared| EndpointParam {
            param: Arc::clone(&shared.param),
            shared: Some(SharedUse { index, is_overridden: false }),
        });
        Candidate { param: &self.service.params[index], at, is_of_set: false, resolved }
    }

    fn with_overrides(&mut self, param: &Param, entry: &spec::Use, index: usize) -> Option<EndpointParam> {
        let inherited = param.evidence;
        let param = overridden(param.clone(), entry);
        self.valid(|resolver| resolver.check_overrides(&param, entry.default.as_ref()))?;
        self.evidence("the `use` entry", entry.evidence, inherited, entry.param.at());
        Some(EndpointParam { param: Arc::new(as_sent(param)), shared: Some(SharedUse { index, is_overridden: true }) })
    }

    /// The params of a param set, or the shared param, with a name.
    fn named_entry(&mut self, name: &'a Text, shared: &[Option<SharedParam>]) -> Vec<Candidate<'a>> {
        let service = self.service;
        if let Some(set) = self.param_sets.get(name.as_str()) {
            self.used.add("param set", None, name);
            let mut params = Vec::new();
            for id in &service.param_sets[*set].params {
                if let Some(index) = self.shared_params.get(id.as_str()) {
                    params.push(Candidate { is_of_set: true, ..self.as_defined(shared, *index, name.at()) });
                }
            }
            return params;
        }
        if let Some(index) = self.shared_params.get(name.as_str()) {
            self.used.add("shared param", None, name);
            return vec![self.as_defined(shared, *index, name.at())];
        }
        let mut known: Vec<&str> = service.param_sets.iter().map(|set| set.name.as_str()).collect();
        known.extend(service.param_ids());
        self.unknown_name("unknown-param", name, name.at(), "shared param or param set", known.into_iter());
        Vec::new()
    }

    /// Checks that no two params of an endpoint have the same name, and that no two setters have the same name.
    fn check_names(&mut self, candidates: &[Candidate<'a>]) {
        let mut names = Unique::default();
        let mut idents = Unique::default();
        for Candidate { param, at, .. } in candidates {
            if names.insert(&param.name, at).is_some() {
                self.error("duplicate-param/of-endpoint", at, &[&param.name]);
                continue;
            }
            let ident = names::chosen(param.rust_name.as_deref(), &param.name, Case::Snake);
            // If both setters of a param have the same name, the name is added only once, because `param_names` already
            // reports that error.
            let mut setters = Vec::new();
            setters.extend(ident.as_ref());
            if let Some(list) = &param.list_setter
                && ident.as_ref() != Some(&**list)
            {
                setters.push(&**list);
            }
            for ident in setters {
                idents.claim(&mut self.errors, "same-rust-name/param", ident, at, &[&param.name, ident]);
            }
        }
        for Candidate { param, at, .. } in candidates {
            for name in &param.also_named {
                if names.insert(name, at).is_some() {
                    self.error("also-named/param", name.at(), &[&param.name, name]);
                }
            }
        }
    }

    /// Checks that the path contains exactly the params with `in: path`.
    fn check_path_params(&mut self, path: &Text, candidates: &[Candidate<'a>]) {
        let in_path = url_path::params(path);
        let mut declared = Vec::new();
        for candidate in candidates {
            if candidate.param.location == ParamLocation::Path {
                declared.push(candidate.param.name.as_str());
            }
        }
        for name in &in_path {
            if !declared.contains(name) && !self.catalogue.dropped.contains(*name) {
                self.error("path-param/undeclared", path.at(), &[name]);
            }
        }
        for Candidate { param, at, .. } in candidates {
            if param.location == ParamLocation::Path && !in_path.contains(&param.name.as_str()) {
                self.error("path-param/unused", at, &[&param.name]);
            }
        }
    }
}
