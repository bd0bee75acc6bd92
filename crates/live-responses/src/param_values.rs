//! Values of params for a request that a service should accept.

use runtime::registry::{EndpointInfo, ParamInfo, ParamLocation, ValueType};

/// The values to send: those that are given, and a known value of each required param. If there is none, the error is the
/// name of the param.
pub(crate) fn values_for(
    endpoint: &'static EndpointInfo,
    given: &[(String, String)],
) -> Result<Vec<(String, String)>, &'static str> {
    let mut values = Vec::new();
    for param in endpoint.params() {
        if param.const_value.is_some() {
            continue;
        }
        if let Some((_, value)) = given.iter().find(|(name, _)| is_named(endpoint, param, name)) {
            values.push((param.wire_name.to_owned(), value.clone()));
            continue;
        }
        // A param that is only reported as required is probably required.
        let is_required = param.location == ParamLocation::Path || param.required.is_some();
        if is_required {
            let value = known_value(param).ok_or(param.wire_name)?;
            values.push((param.wire_name.to_owned(), value.to_owned()));
        }
    }
    if endpoint.param_lists.is_none() {
        // The params of the endpoint are unknown, so it can have any of them.
        values.extend(given.iter().cloned());
    }
    Ok(values)
}

/// Whether this is the name of the param, or an earlier name.
fn is_named(endpoint: &EndpointInfo, param: &ParamInfo, name: &str) -> bool {
    match endpoint.param(name) {
        Some(named) => named.wire_name == param.wire_name,
        None => false,
    }
}

/// A value that worked or is an example, the default, or the first value of the type.
fn known_value(param: &'static ParamInfo) -> Option<&'static str> {
    let known = [param.example, param.tested_values.first().copied(), param.allowed_values.first().copied()];
    if let Some(value) = known.into_iter().flatten().next().or(param.default) {
        return Some(value);
    }
    match param.ty {
        ValueType::Named(ty) => Some(ty.values.first()?.value),
        ValueType::Boolean => Some("true"),
        _ => None,
    }
}
