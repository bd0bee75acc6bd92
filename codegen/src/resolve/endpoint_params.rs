//! Resolves the params of an endpoint: follows references, rejects duplicates, and checks the params in the path.

use super::params::{example, texts};
use super::types::Records;
use super::{Invalid, Resolved, Resolver, Unique, all, prose};
use crate::diagnostic::Location;
use crate::model::{EndpointParam, Param, SharedParam};
use crate::names::{self, Case};
use crate::spanned::Text;
use crate::spec::{self, ParamEntry, ParamLocation};
use crate::url_path;

/// A param of an endpoint: its definition, the location of the entry, and the resolved param.
type Candidate<'a> = (&'a spec::Param, &'a Location, Resolved<EndpointParam>);

/// Applies the overrides of a `use` entry to a shared param.
fn overridden(used: EndpointParam, entry: &spec::Use) -> EndpointParam {
    let EndpointParam { param, shared } = used;
    let ty = param.ty.clone();
    let replaced =
        |values: &Option<Vec<Text>>, shared: Vec<String>| values.as_deref().map_or(shared, |values| texts(&ty, values));
    let (allowed, tested) =
        (replaced(&entry.allowed_values, param.allowed_values), replaced(&entry.tested_values, param.tested_values));
    let param = Param {
        example: example(None, param.example.as_ref(), &allowed, &tested),
        evidence: entry.evidence.unwrap_or(param.evidence),
        default: entry.default.as_deref().cloned().or(param.default),
        allowed_values: allowed,
        tested_values: tested,
        rejected_values: replaced(&entry.rejected_values, param.rejected_values),
        notes: entry.notes.as_deref().map_or(param.notes, prose),
        unknown: entry.unknown.clone().unwrap_or(param.unknown),
        ..param
    };
    // `true` means that the endpoint overrides facts, so the shared constant alone is not sufficient.
    EndpointParam { param, shared: shared.map(|(index, _)| (index, true)) }
}

impl<'a> Resolver<'a> {
    /// Resolves the params of an endpoint, including the params of param sets.
    pub(super) fn endpoint_params(
        &mut self,
        records: &Records<'a>,
        endpoint: &'a spec::Endpoint,
        entries: &'a [ParamEntry],
        shared: &[Resolved<SharedParam>],
    ) -> Resolved<Vec<EndpointParam>> {
        let mut candidates: Vec<Candidate<'a>> = Vec::new();
        let mut unknown = Ok(());
        // The params that a param set added and no entry has overridden so far, with their indices in `candidates`.
        let mut from_sets: Vec<(usize, &spec::Param)> = Vec::new();
        for entry in entries {
            match self.entry(records, entry, endpoint.evidence, shared) {
                Ok(mut params) => {
                    if let (ParamEntry::Use(_), [(param, ..)]) = (entry, params.as_slice())
                        && let Some(position) = from_sets.iter().position(|(_, other)| std::ptr::eq(*other, *param))
                    {
                        // An override replaces the param of the set in place, which keeps the order of the params.
                        let (index, _) = from_sets.swap_remove(position);
                        candidates[index] = params.remove(0);
                    }
                    if matches!(entry, ParamEntry::Name(name) if self.sets.contains_key(name.as_str())) {
                        from_sets.extend(
                            params.iter().enumerate().map(|(index, (param, ..))| (candidates.len() + index, *param)),
                        );
                    }
                    candidates.extend(params);
                }
                Err(invalid) => unknown = Err(invalid),
            }
        }
        let distinct = self.distinct(&candidates);
        let in_path = endpoint.path.known().map_or(Ok(()), |path| self.fills(path, &candidates));
        let params = all(candidates.into_iter().map(|(.., param)| param));
        unknown.and(distinct).and(in_path).and(params)
    }

    /// Resolves the params of one entry. An entry that names a param set has several params.
    fn entry(
        &mut self,
        records: &Records<'a>,
        entry: &'a ParamEntry,
        inherited: spec::Evidence,
        shared: &[Resolved<SharedParam>],
    ) -> Resolved<Vec<Candidate<'a>>> {
        let service = self.service;
        let as_defined = |index: usize, at: &'a Location| -> Candidate<'a> {
            let param = shared[index].as_ref().map_err(|invalid| *invalid);
            let param = param.map(|shared| EndpointParam { param: shared.param.clone(), shared: Some((index, false)) });
            (&service.params[index], at, param)
        };
        Ok(match entry {
            ParamEntry::Own(param) => {
                let resolved = self.param(records, param, Some(inherited));
                let resolved = resolved.map(|param| EndpointParam { param, shared: None });
                vec![(param, param.name.at(), resolved)]
            }
            ParamEntry::Use(entry) => {
                let (param, at, used) = as_defined(self.shared_param(&entry.param)?, entry.param.at());
                // An invalid shared param has already been reported.
                let used = used.and_then(|used| {
                    self.used_values(param, entry)?;
                    self.evidence("the `use` entry", entry.evidence, used.param.evidence, entry.param.at());
                    Ok(overridden(used, entry))
                });
                vec![(param, at, used)]
            }
            ParamEntry::Name(name) => match (self.sets.get(name.as_str()), self.shared.get(name.as_str())) {
                (Some(set), _) => {
                    self.used.sets.insert(*set);
                    let known = service.param_sets[*set].params.iter().filter_map(|id| self.shared.get(id.as_str()));
                    known.map(|index| as_defined(*index, name.at())).collect()
                }
                (None, Some(index)) => {
                    self.used.params.insert(*index);
                    vec![as_defined(*index, name.at())]
                }
                (None, None) => {
                    let sets = service.param_sets.iter().map(|set| set.name.as_str());
                    let known = sets.chain(service.params.iter().map(|param| param.id().as_str()));
                    let what = "shared param or param set";
                    return Err(self.unknown_name("unknown-param", name, name.at(), what, known));
                }
            },
        })
    }

    /// Checks that no two params of an endpoint have the same name, and that no two setters have the same name.
    fn distinct(&mut self, candidates: &[Candidate<'a>]) -> Resolved<()> {
        let (mut names, mut idents) = (Unique::default(), Unique::default());
        let distinct = candidates.iter().map(|(param, at, _)| {
            if names.insert(&param.name, at).is_some() {
                let message = format!("duplicate param `{}` of the endpoint", param.name);
                return Err(self.error("duplicate-param", at, message, "keep one; a param set adds all its params"));
            }
            let ident = names::chosen(param.rust_name.as_deref(), &param.name, Case::Snake);
            // If both setters of a param have the same name, the name is added only once, because `param_names` already
            // reports that error.
            let list = param.list_setter.as_deref().filter(|list| Some(*list) != ident.as_ref()).cloned();
            let setters = ident.into_iter().chain(list);
            all(setters.map(|ident| {
                let message =
                    format!("the param `{}` would become `{ident}`, but another param has this name", param.name);
                self.unique(&mut idents, "same-rust-name", &ident, at, message)
            }))
            .map(drop)
        });
        all(distinct).map(drop)
    }

    /// Checks that the path contains exactly the params with `in: path`.
    fn fills(&mut self, path: &Text, candidates: &[Candidate<'a>]) -> Resolved<()> {
        let in_path = url_path::params(path);
        let is_declared = |name: &str| {
            candidates.iter().any(|(param, ..)| param.location == ParamLocation::Path && param.name.as_str() == name)
        };
        let declared = all(in_path.iter().filter(|name| !is_declared(name)).map(|name| {
            if self.cut.contains(*name) {
                return Err(Invalid(()));
            }
            let message = format!("the path has a param `{name}` that is not declared");
            let help = format!("add it under `params` with `name: {name}` and `in: path`");
            Err::<(), _>(self.error("path-param", path.at(), message, help))
        }));
        let params = candidates.iter().filter(|(param, ..)| param.location == ParamLocation::Path);
        let filled = all(params.filter(|(param, ..)| !in_path.contains(&param.name.as_str())).map(|(param, at, _)| {
            let name = &param.name;
            let message = format!("the param `{name}` is `in: path`, but the path has no `{{{name}}}`");
            Err::<(), _>(self.error("path-param", at, message, "add it to the path, or omit `in`"))
        }));
        declared.and(filled).map(drop)
    }
}
