//! The names of endpoints and params in the command line and in Python.

use std::collections::BTreeMap;

use catalogue::model::{Api, Endpoint, Group};
use wording::ParamNames;

/// The names of all params in the command line and in Python.
pub(super) fn param_names(api: &Api) -> ParamNames {
    let mut wire_names = Vec::new();
    let mut earlier = Vec::new();
    for param in api.methods().flat_map(Endpoint::known_params) {
        if param.declared.const_value.is_none() {
            wire_names.push(param.declared.name.as_str());
            earlier.extend(param.declared.also_named.iter().map(|name| name.as_str()));
        }
    }
    ParamNames::new(wire_names, earlier)
}

/// The texts that name endpoints in the command line and in Python.
pub(super) struct EndpointNames<'a> {
    /// The number of endpoints with each method name.
    uses: BTreeMap<&'a str, usize>,
}

impl<'a> EndpointNames<'a> {
    pub(super) fn of(api: &'a Api) -> Self {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for endpoint in api.methods() {
            *uses.entry(&endpoint.ident).or_default() += 1;
        }
        Self { uses }
    }

    /// The name of the method, if no other endpoint has it, or else the name with its group.
    pub(super) fn shortest(&self, group: &Group, endpoint: &Endpoint) -> String {
        if self.uses.get(endpoint.ident.as_str()) == Some(&1) {
            return endpoint.ident.clone();
        }
        with_group(group, endpoint)
    }

    /// All texts that name an endpoint, the shortest one first.
    pub(super) fn all(&self, group: &Group, endpoint: &Endpoint) -> Vec<String> {
        let mut names = vec![self.shortest(group, endpoint), with_group(group, endpoint)];
        names.dedup();
        names.extend(endpoint.path.clone());
        names
    }
}

fn with_group(group: &Group, endpoint: &Endpoint) -> String {
    format!("{}.{}", group.ident, endpoint.ident)
}
