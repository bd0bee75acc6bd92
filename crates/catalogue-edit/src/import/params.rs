//! Reads the lists of params of operations.

use catalogue::spec::{Param, ParamEntry, ParamLocation};
use catalogue::url_path;
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::document::Resolved;
use super::omissions::Weight;
use super::tree::text_or_empty;
use crate::draft::path_param;

/// The params that an operation lists.
#[derive(Debug)]
struct ListedParams {
    params: Vec<Param>,
    /// `true` if all references could be resolved.
    is_complete: bool,
}

impl<'d> DescriptionReader<'d> {
    /// The params of an endpoint; `None` if the list may be incomplete (`is_unknown`) and the path has no params. Params
    /// that are missing in the list although they are in the path are added, and params whose key `in` contradicts the
    /// path are omitted.
    pub(super) fn params(
        &mut self,
        path: &str,
        listed: &[&'d Value],
        is_unknown: bool,
        pointer: &str,
    ) -> Option<Vec<ParamEntry>> {
        let listed = self.listed_params(listed, pointer);
        let in_path = url_path::params(path);
        if in_path.is_empty() && (is_unknown || !listed.is_complete) {
            for param in listed.params {
                self.omit_param(&param, "the other params are unknown", pointer);
            }
            return None;
        }
        let mut params = Vec::new();
        for param in listed.params {
            let is_declared_in_path = param.location == ParamLocation::Path;
            if is_declared_in_path == in_path.contains(&param.name.as_str()) {
                params.push(param);
            } else {
                self.omit_param(&param, "its location (`in`) contradicts the path", pointer);
            }
        }
        for name in in_path {
            if params.iter().all(|param| param.name.as_str() != name) {
                params.push(path_param(name));
            }
        }
        Some(params.into_iter().map(param_entry).collect())
    }

    fn omit_param(&mut self, param: &Param, why: &str, pointer: &str) {
        self.omissions.add(Weight::Missing, format!("the param `{}`, because {why}", param.name), pointer);
    }

    fn listed_params(&mut self, listed: &[&'d Value], pointer: &str) -> ListedParams {
        let mut found = ListedParams { params: Vec::new(), is_complete: true };
        for (index, param) in listed.iter().enumerate() {
            let Some(resolved) = self.resolve(param, &format!("{pointer}/parameters/{index}")) else {
                found.is_complete = false;
                continue;
            };
            let name = text_or_empty(resolved.value, "name");
            let pointer = format!("{pointer}/parameters/{name}");
            if let Some(properties) = self.deep_params(resolved.value, &pointer) {
                found.params.extend(properties);
            } else if let Some(param) = self.own_or_shared_param(resolved, &pointer) {
                self.add_param(&mut found.params, param, &pointer);
            }
        }
        found
    }

    /// Adds a param. A param of the operation replaces the same param of the path item.
    fn add_param(&mut self, params: &mut Vec<Param>, param: Param, pointer: &str) {
        match params.iter_mut().find(|known| known.name == param.name) {
            Some(known) if known.location == param.location => *known = param,
            Some(_) => {
                let why = "a param with the same name as a param in another part of the URL";
                self.omissions.add(Weight::Missing, why, pointer);
            }
            None => params.push(param),
        }
    }

    fn own_or_shared_param(&mut self, param: Resolved<'d>, pointer: &str) -> Option<Param> {
        if let Some(reference) = param.reference
            && let Some(id) = reference.strip_prefix("#/components/parameters/")
        {
            return self.shared_param(id, param.value);
        }
        self.param(param.value, None, pointer)
    }

    /// A shared param. A param that is not in the draft yet is read first.
    fn shared_param(&mut self, id: &str, param: &'d Value) -> Option<Param> {
        if let Some(known) = self.draft.content.service.params.iter().find(|known| known.id().as_str() == id) {
            return Some(known.clone());
        }
        let param = self.param(param, Some(id), &format!("#/components/parameters/{id}"))?;
        self.draft.content.service.params.push(param.clone());
        Some(param)
    }
}

fn param_entry(param: Param) -> ParamEntry {
    match param.id {
        Some(id) => ParamEntry::Name(id),
        None => ParamEntry::Own(Box::new(param)),
    }
}
