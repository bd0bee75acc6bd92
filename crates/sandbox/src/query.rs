//! Parses the params of a request, and checks them against the registry.
//!
//! Each value has to match the type and the range of its param. A strict sandbox also rejects params and values that,
//! according to public clients, the service rejects. Other modules interpret the values.

use runtime::Value;
use runtime::registry::{
    EndpointInfo, ListFormat, NextPage, ParamInfo, ParamLocation, ServiceInfo, TimeUnit, TypeInfo, ValueType,
};

use crate::json::text_of;
use crate::rejection::Rejection;

/// The query param in links to pages. Only the sandbox knows it.
pub(crate) const LINK_PARAM: &str = "sandbox-page";

/// How strictly requests are checked, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strictness {
    /// Checks types and ranges, and requires only params that are documented as required.
    Lenient,
    /// Checks every fact of the registry.
    #[default]
    Strict,
    /// Checks every fact of the registry, and rejects unknown values of open types.
    OnlyKnownValues,
}

/// The checked params of one request.
#[derive(Debug)]
pub(crate) struct Query {
    sent: Vec<SentParam>,
    endpoint: &'static EndpointInfo,
}

/// A param of the endpoint, with its values in the request.
#[derive(Debug)]
struct SentParam {
    param: &'static ParamInfo,
    values: Vec<String>,
}

type Checked = Result<(), Rejection>;

impl Query {
    /// Parses and checks the params in the path and in the query; the API key is not a param.
    pub(crate) fn read(
        service: &ServiceInfo,
        endpoint: &'static EndpointInfo,
        path: &[(&'static str, String)],
        query: &str,
        strictness: Strictness,
    ) -> Result<Self, Rejection> {
        let mut read = Self { sent: Vec::new(), endpoint };
        for (name, value) in path {
            read.add(name, value, ParamLocation::Path, strictness)?;
        }
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let is_key = service.api_key_query == Some(&*name);
            if !is_key && !is_position_in_link(endpoint, &name) {
                read.add(&name, &value, ParamLocation::Query, strictness)?;
            }
        }
        read.check_required(strictness)?;
        Ok(read)
    }

    fn add(&mut self, name: &str, value: &str, location: ParamLocation, strictness: Strictness) -> Checked {
        let is_strict = strictness >= Strictness::Strict;
        let Some(param) = self.endpoint.param(name).filter(|param| param.location == location) else {
            if is_strict && self.endpoint.param_lists.is_some() {
                return Err(Rejection::unprocessable("unknown_param", format!("the endpoint has no param `{name}`")));
            }
            return Ok(());
        };
        let before = self.sent.iter_mut().find(|sent| sent.param.wire_name == param.wire_name);
        if before.is_some() && param.list_as != ListFormat::Repeated {
            return Err(Rejection::param(format!("`{name}` is repeated")));
        }
        let values = values_in(param, value);
        let is_single = param.list_setter.is_none() || is_strict && param.single_value.is_some();
        if is_single && (values.len() > 1 || before.is_some()) {
            return Err(Rejection::param(format!("`{name}` has to be a single value, not \"{value}\"")));
        }
        for value in &values {
            check_type(param, value)?;
            if is_strict {
                check_reported(param, value, strictness)?;
            }
        }
        match before {
            Some(before) => before.values.extend(values),
            // A param whose value is an empty string counts as not sent.
            None if values.is_empty() => {}
            None => self.sent.push(SentParam { param, values }),
        }
        Ok(())
    }

    fn check_required(&self, strictness: Strictness) -> Checked {
        for param in self.params() {
            let Some(evidence) = param.required else { continue };
            let is_enforced = evidence.is_enforced() || strictness >= Strictness::Strict;
            if is_enforced && self.sent(param).is_none() {
                return Err(Rejection::unprocessable("missing_param", format!("`{}` is missing", param.wire_name)));
            }
        }
        Ok(())
    }

    fn sent(&self, param: &ParamInfo) -> Option<&SentParam> {
        self.sent.iter().find(|sent| sent.param.wire_name == param.wire_name)
    }

    /// The params of the endpoint, sent or not.
    pub(crate) fn params(&self) -> impl Iterator<Item = &'static ParamInfo> + use<> {
        self.endpoint.params()
    }

    /// All values of a param, or its default.
    pub(crate) fn all(&self, param: &ParamInfo) -> Vec<&str> {
        match (self.sent(param), param.default) {
            (Some(sent), _) => sent.values.iter().map(String::as_str).collect(),
            (None, Some(default)) if param.list_setter.is_some() => default.split(',').collect(),
            (None, default) => default.into_iter().collect(),
        }
    }

    /// The first value of a param, or its default.
    pub(crate) fn one(&self, param: &ParamInfo) -> Option<&str> {
        self.all(param).into_iter().next()
    }

    /// The first value of a param by its wire name, or its default.
    pub(crate) fn text(&self, wire_name: &str) -> Option<&str> {
        self.one(self.endpoint.param(wire_name)?)
    }

    /// The value of a param as an integer, limited to the range of `i64`; `None` if it is not an integer.
    pub(crate) fn number(&self, param: &ParamInfo) -> Option<i64> {
        integer(self.one(param)?)
    }

    /// The timestamp in a param, in Unix seconds.
    pub(crate) fn time(&self, param: &ParamInfo) -> Option<i64> {
        let ValueType::Timestamp(unit) = param.ty else { return None };
        Some(unit.read(self.one(param)?)?.unix_seconds())
    }

    /// The last of several timestamps in a param, in Unix seconds.
    pub(crate) fn last_time(&self, param: &ParamInfo) -> Option<i64> {
        let ValueType::Timestamp(unit) = param.ty else { return None };
        Some(unit.read(self.all(param).last()?)?.unix_seconds())
    }
}

/// `true` if a name in the query is the position in a link to a page.
fn is_position_in_link(endpoint: &EndpointInfo, name: &str) -> bool {
    let Some(pages) = endpoint.pages else { return false };
    matches!(pages.next, NextPage::Link { .. }) && name == LINK_PARAM
}

/// Splits a text into its values. Empty values are omitted if the param is a string, an open type or a list.
fn values_in(param: &ParamInfo, text: &str) -> Vec<String> {
    if param.list_as == ListFormat::Json
        && let Ok(Value::Array(items)) = text.parse()
    {
        return items.iter().map(text_of).collect();
    }
    let parts = match separator(param) {
        Some(separator) => text.split(separator).map(str::trim).collect(),
        None => vec![text],
    };
    let is_list = param.list_setter.is_some();
    let is_text = matches!(param.ty, ValueType::String | ValueType::Any)
        || matches!(param.ty, ValueType::Named(named) if named.open);
    let mut values = Vec::new();
    for part in parts {
        let is_omitted = part.is_empty() && (is_text || is_list);
        if !is_omitted {
            values.push(part.to_owned());
        }
    }
    values
}

/// The separator of the list format, or a comma, separates the values of lists and of closed types, which are types with
/// a fixed list of values.
fn separator(param: &ParamInfo) -> Option<char> {
    let is_list = param.list_setter.is_some();
    let is_closed = matches!(param.ty, ValueType::Named(named) if !named.open);
    if param.list_as == ListFormat::Json || !(is_list || is_closed) {
        return None;
    }
    param.separator()
}

/// Parses an integer, and limits it to the range of `i64`.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let extreme = if digits.len() == text.len() { i64::MAX } else { i64::MIN };
    if is_integer { Some(text.parse().unwrap_or(extreme)) } else { None }
}

fn check_type(param: &ParamInfo, value: &str) -> Checked {
    let name = param.wire_name;
    let (number, expected) = match param.ty {
        ValueType::Named(named) if !named.open => return one_of(name, value, known_values(named)),
        ValueType::Boolean => return one_of(name, value, ["true", "false"]),
        ValueType::Count => (count(value), "a count"),
        ValueType::Integer => (whole(value), "an integer"),
        ValueType::Timestamp(unit) => (unix_seconds(value, unit), "a timestamp"),
        ValueType::Number => (finite(value), "a number"),
        _ => return Ok(()),
    };
    let Some(number) = number else {
        return Err(Rejection::param(format!("`{name}` has to be {expected}, not \"{value}\"")));
    };
    if !param.range.contains(number) {
        let min = bound_text(param.range.min);
        let max = bound_text(param.range.max);
        return Err(Rejection::param(format!("`{name}` has to be from {min} to {max}, not \"{value}\"")));
    }
    Ok(())
}

fn whole(text: &str) -> Option<f64> {
    Some(real(text.parse().ok()?))
}

fn unix_seconds(text: &str, unit: TimeUnit) -> Option<f64> {
    Some(real(unit.read(text)?.unix_seconds()))
}

fn count(text: &str) -> Option<f64> {
    let count = integer(text)?;
    if count >= 0 { Some(real(count)) } else { None }
}

fn finite(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok()?;
    if number.is_finite() { Some(number) } else { None }
}

#[expect(clippy::cast_precision_loss, reason = "ranges are small enough to be exact")]
const fn real(number: i64) -> f64 {
    number as f64
}

fn bound_text(bound: Option<f64>) -> String {
    match bound {
        Some(bound) => bound.to_string(),
        None => "any".to_owned(),
    }
}

pub(crate) fn known_values(named: &TypeInfo) -> impl Iterator<Item = &'static str> {
    named.values.iter().map(|known| known.value)
}

/// Rejects values that the service rejects according to any source in the registry.
fn check_reported(param: &ParamInfo, value: &str, strictness: Strictness) -> Checked {
    let name = param.wire_name;
    if param.rejected_values.contains(&value) {
        return Err(Rejection::param(format!("the endpoint does not accept \"{value}\" as `{name}`")));
    }
    if !param.allowed_values.is_empty() {
        one_of(name, value, param.allowed_values.iter().copied())?;
    }
    match param.ty {
        ValueType::Named(named) if strictness == Strictness::OnlyKnownValues => {
            one_of(name, value, known_values(named))
        }
        ValueType::Timestamp(unit) => check_unit(name, value, unit),
        _ => Ok(()),
    }
}

fn one_of<'v>(name: &str, value: &str, known: impl IntoIterator<Item = &'v str>) -> Checked {
    let known: Vec<_> = known.into_iter().collect();
    if known.contains(&value) {
        return Ok(());
    }
    Err(Rejection::param(format!("`{name}` has to be one of `{}`, not \"{value}\"", known.join("`, `"))))
}

/// Rejects a time that is probably in another unit: read in the unit of the param, it would be after the year 5000 or,
/// for a param that is not in seconds, before March 1973.
fn check_unit(name: &str, value: &str, unit: TimeUnit) -> Checked {
    const BORDER: u64 = 100_000_000_000;
    let other = match integer(value).unwrap_or(0).unsigned_abs() {
        0 => return Ok(()),
        1..BORDER => TimeUnit::Seconds,
        count if count / 1000 < BORDER => TimeUnit::Milliseconds,
        count if count / 1_000_000 < BORDER => TimeUnit::Microseconds,
        _ => TimeUnit::Nanoseconds,
    };
    if unit.is_text() || unit == other {
        return Ok(());
    }
    let unit = unit.as_str();
    let other = other.as_str();
    Err(Rejection::param(format!("`{name}` is in {unit}, but \"{value}\" looks like {other}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_another_unit_is_rejected() {
        let units = [TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Microseconds, TimeUnit::Nanoseconds];
        for unit in units {
            for other in units {
                let value = crate::values::timestamp(1_700_000_000, other).to_string();
                assert_eq!(check_unit("from", &value, unit).is_ok(), unit == other, "{value} in {unit:?}");
            }
            assert!(check_unit("from", "0", unit).is_ok());
        }
        assert!(check_unit("from", "20231114", TimeUnit::Date).is_ok());
    }
}
