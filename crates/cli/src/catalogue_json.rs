//! Endpoints and series as JSON, for programs. Each fact has its evidence.

use runtime::registry::{EndpointInfo, Evidence, FieldInfo, ParamInfo, StatusInfo, ValueInfo, ValueType};
use serde_json::{Map, Value, json};

use crate::endpoint_names;
use crate::offered_param::required;
use crate::param_options::option;
use crate::program::service;
use crate::record_columns::{record, time_field};
use crate::requested_series::RequestedSeries;

/// An endpoint with the facts that a list shows.
pub(crate) fn summary(endpoint: &EndpointInfo) -> Value {
    let mut required_params = Vec::new();
    for info in endpoint.params() {
        if required(info).is_some() {
            required_params.push(info.wire_name);
        }
    }
    json!({
        "name": endpoint_names::name(endpoint), "endpoint": endpoint.to_string(), "group": endpoint.group,
        "title": endpoint.name, "summary": endpoint.summary, "path": endpoint.path,
        "evidence": endpoint.evidence.as_str(), "history": endpoint_names::history(endpoint).is_some(),
        "deprecated": endpoint.deprecated, "required": required_params,
    })
}

/// An endpoint with all facts; `params` and `fields` are null if they are unknown.
pub(crate) fn details(endpoint: &'static EndpointInfo) -> Value {
    let mut all = summary(endpoint);
    all["base_url_variable"] = base_url_variable(endpoint).into();
    all["aliases"] = endpoint.aliases.into();
    all["notes"] = endpoint.notes.into();
    all["undocumented"] = endpoint.unknown.into();
    all["weight"] = endpoint.weight.into();
    all["time_field"] = time_field(endpoint).into();
    all["params"] = params(endpoint);
    all["fields"] = fields(endpoint);
    all["errors"] = service().errors.iter().map(status).collect();
    all
}

/// The environment variable with the base URL of an endpoint.
fn base_url_variable(endpoint: &EndpointInfo) -> String {
    match service().base_url_of(endpoint) {
        Some(base_url) => base_url.variable(service()),
        None => format!("{}_BASE_URL", service().env_prefix),
    }
}

/// The params; null if they are unknown.
fn params(endpoint: &EndpointInfo) -> Value {
    if endpoint.param_lists.is_none() {
        return Value::Null;
    }
    endpoint.params().map(|info| param(endpoint, info)).collect()
}

/// The fields of a record; null if they are unknown.
fn fields(endpoint: &EndpointInfo) -> Value {
    match record(endpoint) {
        Some(record) => record.fields.iter().map(field).collect(),
        None => Value::Null,
    }
}

/// The endpoint and the params of a series.
pub(crate) fn series(series: &RequestedSeries) -> Map<String, Value> {
    let mut params = Map::new();
    for (name, value) in &series.values {
        let texts = value.texts();
        let value: Value = if let [one] = texts.as_slice() { one.as_str().into() } else { texts.into() };
        params.insert(name.clone(), value);
    }
    let endpoint = endpoint_names::full_name(series.endpoint);
    Map::from_iter([("endpoint".to_owned(), endpoint.into()), ("params".to_owned(), params.into())])
}

fn param(endpoint: &EndpointInfo, info: &ParamInfo) -> Value {
    json!({
        "name": info.wire_name, "option": option(endpoint, info.wire_name), "type": type_name(info.ty),
        "values": values(info.ty), "value": info.const_value, "required": required(info).map(Evidence::as_str),
        "default": info.default, "example": info.example, "range": [info.range.min, info.range.max], "unit": info.unit,
        "allowed_values": info.allowed_values, "rejected_values": info.rejected_values,
        "several_values": info.list_setter.is_some(), "summary": info.summary, "notes": info.notes,
        "undocumented": info.unknown, "evidence": info.evidence.as_str(),
    })
}

fn field(info: &FieldInfo) -> Value {
    json!({
        "name": info.wire_name, "type": type_name(info.ty), "values": values(info.ty), "optional": info.optional,
        "range": [info.range.min, info.range.max], "unit": info.unit, "summary": info.summary, "notes": info.notes,
        "undocumented": info.unknown, "evidence": info.evidence.as_str(),
    })
}

fn status(info: &StatusInfo) -> Value {
    json!({ "status": info.status, "label": info.label, "summary": info.summary, "advice": info.advice, "rate_limited": info.rate_limited })
}

fn values(ty: ValueType) -> Vec<Value> {
    let ValueType::Named(ty) = ty else { return Vec::new() };
    ty.values.iter().map(value).collect()
}

fn value(info: &ValueInfo) -> Value {
    json!({ "value": info.value, "summary": info.summary, "evidence": info.evidence.as_str() })
}

fn type_name(ty: ValueType) -> String {
    match ty {
        ValueType::String | ValueType::Named(_) => "string".to_owned(),
        ValueType::Integer => "integer".to_owned(),
        ValueType::Count => "count".to_owned(),
        ValueType::Number => "number".to_owned(),
        ValueType::Boolean => "boolean".to_owned(),
        ValueType::Timestamp(_) => "timestamp".to_owned(),
        ValueType::Record(_) | ValueType::Recursive(_) => "record".to_owned(),
        ValueType::List(of) => format!("list<{}>", type_name(*of)),
        ValueType::Map(of) => format!("map<{}>", type_name(*of)),
        ValueType::Option(of) => format!("{}?", type_name(*of)),
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_undocumented_fact_is_named() {
        for (_, endpoint) in endpoint_names::all() {
            let details = details(endpoint);
            assert_eq!(details["undocumented"], json!(endpoint.unknown), "{endpoint}");
            for (index, info) in endpoint.params().enumerate() {
                assert_eq!(details["params"][index]["undocumented"], json!(info.unknown), "{endpoint}");
            }
            for (index, info) in record(endpoint).into_iter().flat_map(|record| record.fields).enumerate() {
                assert_eq!(details["fields"][index]["undocumented"], json!(info.unknown), "{endpoint}");
            }
        }
    }
}
