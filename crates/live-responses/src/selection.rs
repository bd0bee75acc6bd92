//! The endpoints to request, and a check of the params that a user passes for them.

use std::collections::BTreeSet;

use runtime::registry::{BodyInfo, EndpointInfo, Registry};

/// The endpoints that a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every endpoint with a path.
    All,
    /// Every endpoint with a path whose fields are unknown.
    Untyped,
    /// The endpoint with this path, name, or group and method.
    One(String),
}

impl Selection {
    /// Returns the selected endpoints; the error says why there is none.
    pub fn endpoints(&self, registry: &Registry) -> Result<Vec<&'static EndpointInfo>, String> {
        let mut endpoints: Vec<_> = match self {
            Self::All => registry.endpoints().collect(),
            Self::Untyped => registry.endpoints().filter(|endpoint| is_untyped(endpoint)).collect(),
            Self::One(wanted) => return Ok(vec![named(registry, wanted)?]),
        };
        endpoints.retain(|endpoint| endpoint.path.is_some());
        Ok(endpoints)
    }
}

fn is_untyped(endpoint: &EndpointInfo) -> bool {
    matches!(endpoint.body, BodyInfo::Unknown | BodyInfo::Series { record: None, .. })
}

fn named(registry: &Registry, wanted: &str) -> Result<&'static EndpointInfo, String> {
    let found: Vec<_> = registry.endpoints().filter(|endpoint| is_named(endpoint, wanted)).collect();
    match found.as_slice() {
        [] => Err(format!("the catalogue has no endpoint `{wanted}`")),
        [one] if one.path.is_none() => {
            let EndpointInfo { group, name, .. } = one;
            Err(format!("`{wanted}` has no path; `cargo xtask add PATH --group {group} --name \"{name}\"` adds one"))
        }
        [one] => Ok(one),
        several => {
            let labels: Vec<_> = several.iter().map(|endpoint| format!("`{endpoint}`")).collect();
            Err(format!("`{wanted}` is ambiguous: {}", labels.join(" or ")))
        }
    }
}

fn is_named(endpoint: &EndpointInfo, wanted: &str) -> bool {
    let names = [endpoint.name, endpoint.ident];
    endpoint.path == Some(wanted) || names.contains(&wanted) || endpoint.to_string() == wanted
}

/// Rejects a param that none of the endpoints has. A misspelt param would otherwise be omitted from every request without
/// an error.
pub fn check_params(endpoints: &[&'static EndpointInfo], params: &[(String, String)]) -> Result<(), String> {
    if endpoints.iter().any(|endpoint| endpoint.param_lists.is_none()) {
        return Ok(());
    }
    for (name, _) in params {
        if !endpoints.iter().any(|endpoint| endpoint.param(name).is_some()) {
            let help = known_params(endpoints);
            return Err(format!("`{name}` is not a param of the requested endpoints; {help}"));
        }
    }
    Ok(())
}

fn known_params(endpoints: &[&'static EndpointInfo]) -> String {
    let mut known = BTreeSet::new();
    for endpoint in endpoints {
        for param in endpoint.params() {
            known.insert(format!("`{}`", param.wire_name));
        }
    }
    if known.is_empty() {
        return "the catalogue lists no params".to_owned();
    }
    let known: Vec<_> = known.into_iter().collect();
    format!("known params: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, ParamInfo, ValueType};

    use super::*;

    const fn endpoint(ident: &'static str, params: Option<&'static [&'static [ParamInfo]]>) -> EndpointInfo {
        EndpointInfo::of("books", ident).path(Some("/books")).param_lists(params)
    }

    const fn param(name: &'static str) -> ParamInfo {
        ParamInfo::new(name, name, ValueType::String, Evidence::Documented)
    }

    static ALL: [EndpointInfo; 3] = [
        endpoint("limits", Some(&[&[param("limits")], &[param("coin")]])),
        endpoint("none", Some(&[])),
        endpoint("unknown", None),
    ];

    #[test]
    fn param_that_no_endpoint_has_is_rejected() {
        let [limits, none, unknown] = &ALL;
        let rejected = "`limit` is not a param of the requested endpoints; ";
        let table = [
            (vec![limits], "limit", Err(format!("{rejected}known params: `coin`, `limits`"))),
            (vec![none], "limit", Err(format!("{rejected}the catalogue lists no params"))),
            // The params of an endpoint are unknown, so it can have any param.
            (vec![limits, unknown], "limit", Ok(())),
            (vec![none, limits], "coin", Ok(())),
        ];
        for (endpoints, name, expected) in table {
            assert_eq!(check_params(&endpoints, &[(name.to_owned(), "5".to_owned())]), expected);
        }
    }
}
