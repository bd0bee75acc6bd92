//! Lists the unknown facts, the most useful first. The usefulness is the number of endpoints that would benefit from
//! the fact, multiplied by a weight for the benefit.

use std::collections::BTreeMap;

use crate::model::{Api, Endpoint, Group};

/// An unknown fact, or several unknown facts of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnknownFact {
    /// The unknown fact, as text.
    pub(super) what: String,
    /// The number of endpoints that the fact would improve.
    pub(super) endpoints: usize,
    /// The number of endpoints, multiplied by the weight of the fact.
    gain: usize,
    /// A hint on how to find the fact, or the benefit of knowing it.
    pub(super) help: String,
}

/// The weight of a fact for one endpoint. A path has the highest weight, because the client has no method for an
/// endpoint without a path.
#[derive(Clone, Copy)]
enum Gain {
    Argument = 1,
    Speed = 2,
    Setters = 4,
    Record = 6,
    Method = 8,
}

/// All unknown facts, the most useful first. Equally useful facts are in the order of the catalogue.
pub(super) fn unknown_facts(api: &Api) -> Vec<UnknownFact> {
    let mut unknown = Vec::new();
    for group in &api.groups {
        unknown.extend([paths(group), records(group), params(group)].into_iter().flatten());
    }
    unknown.extend(limits(api));
    unknown.extend(required(api));
    unknown.sort_by_key(|unknown| std::cmp::Reverse(unknown.gain));
    unknown
}

/// The unknown paths of a group. The help lists known paths of the group as examples, because the unknown paths
/// are probably similar.
fn paths(group: &Group) -> Option<UnknownFact> {
    let unknown: Vec<_> = group.endpoints.iter().filter(|endpoint| endpoint.path.is_none()).collect();
    let siblings: Vec<_> = group.methods().filter_map(|endpoint| endpoint.path.as_deref()).take(3).collect();
    let siblings = siblings.join(", ");
    let known = if siblings.is_empty() { "no path of the group is known" } else { "known paths of the group: " };
    let help = format!("{}; {known}{siblings}", names(&unknown));
    some(Gain::Method, unknown.len(), format!("the path of {} in {}", count(&unknown), group.ident), help)
}

/// The unknown response fields in a group as one fact about the affected endpoints. One response per endpoint
/// is sufficient to find the fields of that endpoint.
fn records(group: &Group) -> Option<UnknownFact> {
    let untyped: Vec<_> = group.methods().filter(|endpoint| endpoint.body.record().is_none()).collect();
    let what = format!("the response fields of {} in {}", count(&untyped), group.ident);
    some(Gain::Record, untyped.len(), what, format!("one response of each endpoint is sufficient: {}", names(&untyped)))
}

fn params(group: &Group) -> Option<UnknownFact> {
    let unknown: Vec<_> = group.methods().filter(|endpoint| endpoint.params.is_none()).collect();
    some(Gain::Setters, unknown.len(), format!("the params of {} in {}", count(&unknown), group.ident), names(&unknown))
}

/// The rate limits with an unknown scope. The client enforces these limits for every request, so requests may
/// be slower than necessary.
fn limits(api: &Api) -> Option<UnknownFact> {
    let mut names = Vec::new();
    for limit in &api.service.declared.limits {
        if limit.scope.known().is_none() {
            names.push(format!("`{}`", limit.name));
        }
    }
    let endpoints = if names.is_empty() { 0 } else { api.methods().count() };
    let help = "while the scope is unknown, these limits apply to every request".to_owned();
    some(Gain::Speed, endpoints, format!("the scope of the limits {}", names.join(", ")), help)
}

/// The params that are required only according to public clients or the previous API version. If documentation
/// confirms that a param is required, it becomes an argument of the method.
fn required(api: &Api) -> Vec<UnknownFact> {
    let mut takers: BTreeMap<&str, usize> = BTreeMap::new();
    for param in api.methods().flat_map(Endpoint::known_params) {
        if param.declared.required.is_some() && !param.is_argument() {
            *takers.entry(&param.declared.name).or_default() += 1;
        }
    }
    let mut unknown = Vec::new();
    for (name, endpoints) in takers {
        let help = "if documentation confirms that it is required, it becomes an argument of the method".to_owned();
        unknown.extend(some(Gain::Argument, endpoints, format!("whether `{name}` is required"), help));
    }
    unknown
}

fn some(gain: Gain, endpoints: usize, what: String, help: String) -> Option<UnknownFact> {
    if endpoints == 0 {
        return None;
    }
    Some(UnknownFact { what, endpoints, gain: endpoints * gain as usize, help })
}

/// The names of at most four endpoints, and the number of further endpoints.
fn names(endpoints: &[&Endpoint]) -> String {
    let mut names: Vec<_> = endpoints.iter().take(4).map(|endpoint| endpoint.declared.name.to_string()).collect();
    if endpoints.len() > names.len() {
        names.push(format!("{} more", endpoints.len() - names.len()));
    }
    names.join(", ")
}

fn count(endpoints: &[&Endpoint]) -> String {
    format!("{} endpoint{}", endpoints.len(), if endpoints.len() == 1 { "" } else { "s" })
}
