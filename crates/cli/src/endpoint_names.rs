//! The endpoints of the catalogue, and their names.
//!
//! An endpoint has a name in the client, in the API and in the docs, and a path.

use std::sync::LazyLock;

use runtime::registry::{EndpointInfo, GroupInfo, HistoryInfo};

use crate::program::{program, service};

/// An endpoint of the catalogue.
pub(crate) type Endpoint = &'static EndpointInfo;

/// Every endpoint with its group, including those that are known by name only.
pub(crate) fn all() -> impl Iterator<Item = (&'static GroupInfo, Endpoint)> {
    let groups = program().registry.groups.iter();
    groups.flat_map(|group| group.endpoints.iter().map(move |endpoint| (*group, *endpoint)))
}

pub(crate) fn with_path() -> impl Iterator<Item = Endpoint> {
    all().map(|(_, endpoint)| endpoint).filter(|endpoint| endpoint.path.is_some())
}

/// The params of an endpoint's history; `None` if it has none.
pub(crate) fn history(endpoint: &EndpointInfo) -> Option<&'static HistoryInfo> {
    endpoint.history(service())
}

/// The histories of these endpoints, and that of the service.
pub(crate) fn histories(endpoints: &[Endpoint]) -> Vec<&'static HistoryInfo> {
    let mut all = Vec::new();
    for endpoint in endpoints {
        all.extend(history(endpoint));
    }
    all.extend(&service().history);
    all
}

#[cfg(test)]
pub(crate) fn with_history() -> impl Iterator<Item = Endpoint> {
    with_path().filter(|endpoint| history(endpoint).is_some())
}

/// The shortest unambiguous name of this endpoint.
pub(crate) fn name(endpoint: &EndpointInfo) -> String {
    match called(endpoint.ident).as_slice() {
        [one] if is_same(one, endpoint) => endpoint.ident.to_owned(),
        _ => full_name(endpoint),
    }
}

/// The name of this endpoint in files and JSON: its group and its method.
pub(crate) fn full_name(endpoint: &EndpointInfo) -> String {
    if is_path(endpoint) { endpoint.ident.to_owned() } else { endpoint.to_string() }
}

/// Whether the time of a record is the end of its interval; otherwise, it is the start.
pub(crate) fn time_is_end(endpoint: &EndpointInfo) -> bool {
    history(endpoint).is_some_and(|info| info.time_is_end)
}

pub(crate) fn is_same(one: &EndpointInfo, other: &EndpointInfo) -> bool {
    (one.group, one.ident) == (other.group, other.ident)
}

/// `true` if an endpoint is only a path, which is not in the catalogue.
pub(crate) fn is_path(endpoint: &EndpointInfo) -> bool {
    endpoint.group.is_empty()
}

/// The endpoints with this name or path. If several endpoints share a name and only one of them has a path, returns
/// only that endpoint.
pub(crate) fn called(written: &str) -> Vec<Endpoint> {
    if let Some(endpoint) = with_path().find(|endpoint| endpoint.path == Some(written)) {
        return vec![endpoint];
    }
    let key = wording::normalized(written);
    let mut found = Vec::new();
    for (endpoint, names) in NAMES.iter() {
        if names.contains(&key) {
            found.push(*endpoint);
        }
    }
    let mut with_path = found.clone();
    with_path.retain(|endpoint| endpoint.path.is_some());
    if with_path.len() == 1 { with_path } else { found }
}

/// Every endpoint with its names, normalized by [`wording::normalized`]. The names are normalized only once, because
/// every displayed name is compared with all names.
static NAMES: LazyLock<Vec<(Endpoint, Vec<String>)>> = LazyLock::new(|| {
    let mut all_names = Vec::new();
    for (_, endpoint) in all() {
        let full_name = endpoint.to_string();
        let mut names = vec![endpoint.ident, endpoint.name, &full_name];
        names.extend(endpoint.path);
        names.extend(endpoint.aliases);
        names.retain(|name| !name.is_empty());
        all_names.push((endpoint, names.into_iter().map(wording::normalized).collect()));
    }
    all_names
});
