//! Questions to the registry that several files ask.
//!
//! Answers are looked up at run time in what was emitted, so that nothing is listed twice.

use generated_client::GROUPS;
use generated_client::registry::{EndpointInfo, ValueInfo, ValueType};

/// Every endpoint that can be called.
pub(crate) fn endpoints() -> impl Iterator<Item = (&'static str, &'static EndpointInfo)> {
    let all = GROUPS.iter().flat_map(|group| group.endpoints);
    all.filter_map(|endpoint| Some((endpoint.path?, *endpoint)))
}

/// The endpoint with this path, as the catalogue writes it.
pub(crate) fn endpoint(path: &str) -> Option<&'static EndpointInfo> {
    endpoints().find(|(known, _)| *known == path).map(|(_, endpoint)| endpoint)
}

/// The known values of the params with this name.
pub(crate) fn values(param: &str) -> &'static [ValueInfo] {
    let named = endpoints().find_map(|(_, endpoint)| match endpoint.param(param)?.ty {
        ValueType::Named(named) => Some(named.values),
        _ => None,
    });
    named.unwrap_or_default()
}

/// The last segment of a path: what the endpoint calls itself on the wire.
pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit('/').find(|segment| !segment.is_empty() && !segment.starts_with('{')).unwrap_or(path)
}
