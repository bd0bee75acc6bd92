//! Parses the params of a request, and checks them against the registry.
//!
//! Each value has to match the type and the range of its param. A strict sandbox also rejects params and values that,
//! according to public clients, the service rejects. Other modules interpret the values.

use runtime::registry::{
    EndpointInfo, ListFormat, NextPage, ParamInfo, ParamLocation, ServiceInfo, TimeUnit, ValueType,
};
use runtime::{Timestamp, Value};

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
    values: Vec<(&'static ParamInfo, Vec<String>)>,
    endpoint: &'static EndpointInfo,
}

type Outcome<T = ()> = Result<T, Rejection>;

impl Query {
    /// Parses and checks the params in the path and in the query; the API key is not a param.
    pub(crate) fn read<'p>(
        service: &ServiceInfo,
        endpoint: &'static EndpointInfo,
        path: impl IntoIterator<Item = (&'p str, &'p str)>,
        query: &str,
        strictness: Strictness,
    ) -> Outcome<Self> {
        let mut read = Self { values: Vec::new(), endpoint };
        for (name, value) in path {
            read.add(name, value, ParamLocation::Path, strictness)?;
        }
        let is_link = matches!(endpoint.pages.map(|pages| pages.next), Some(NextPage::Link { .. }));
        let is_param = |name: &str| service.api_key_query != Some(name) && !(is_link && name == LINK_PARAM);
        for (name, value) in form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| is_param(name)) {
            read.add(&name, &value, ParamLocation::Query, strictness)?;
        }
        read.complete(strictness)?;
        Ok(read)
    }

    fn add(&mut self, name: &str, value: &str, location: ParamLocation, strictness: Strictness) -> Outcome {
        let is_strict = strictness >= Strictness::Strict;
        let Some(param) = self.endpoint.param(name).filter(|param| param.location == location) else {
            let is_unknown = is_strict && self.endpoint.param_lists.is_some();
            let error = || Rejection::unprocessable("unknown_param", format!("the endpoint has no param `{name}`"));
            return if is_unknown { Err(error()) } else { Ok(()) };
        };
        let before = self.values.iter_mut().find(|(known, _)| known.wire_name == param.wire_name);
        if before.is_some() && param.list_as != ListFormat::Repeated {
            return Err(Rejection::param(format!("`{name}` is repeated")));
        }
        let parts = parts(param, value);
        let is_single = param.list_setter.is_none() || is_strict && param.single_value.is_some();
        if is_single && (parts.len() > 1 || before.is_some()) {
            return Err(Rejection::param(format!("`{name}` has to be a single value, not \"{value}\"")));
        }
        for part in &parts {
            check_type(param, part)?;
            if is_strict {
                check_reported(param, part, strictness)?;
            }
        }
        match before {
            Some((_, before)) => before.extend(parts),
            // A param whose value is an empty string counts as not sent.
            None if parts.is_empty() => {}
            None => self.values.push((param, parts)),
        }
        Ok(())
    }

    /// Returns an error if a required param is missing.
    fn complete(&self, strictness: Strictness) -> Outcome {
        let is_enforced = |known: runtime::registry::Evidence| known.is_enforced() || strictness >= Strictness::Strict;
        let is_there = |param: &ParamInfo| self.values.iter().any(|(known, _)| known.wire_name == param.wire_name);
        let mut needed = self.params().filter(|param| param.required.is_some_and(is_enforced));
        match needed.find(|param| !is_there(param)) {
            None => Ok(()),
            Some(param) => Err(Rejection::unprocessable("missing_param", format!("`{}` is missing", param.wire_name))),
        }
    }

    /// Returns the params of the endpoint.
    pub(crate) fn params(&self) -> impl Iterator<Item = &'static ParamInfo> + use<> {
        self.endpoint.params()
    }

    /// Returns all values of a param, or its default.
    pub(crate) fn all(&self, param: &ParamInfo) -> Vec<&str> {
        let sent = self.values.iter().find(|(known, _)| known.wire_name == param.wire_name);
        match (sent, param.default) {
            (Some((_, values)), _) => values.iter().map(String::as_str).collect(),
            (None, Some(default)) if param.list_setter.is_some() => default.split(',').collect(),
            (None, default) => default.into_iter().collect(),
        }
    }

    /// Returns the first value of a param, or its default.
    pub(crate) fn one(&self, param: &ParamInfo) -> Option<&str> {
        self.all(param).into_iter().next()
    }

    /// Returns the first value of a param by its wire name, or its default.
    pub(crate) fn text(&self, wire_name: &str) -> Option<&str> {
        self.one(self.endpoint.param(wire_name)?)
    }

    /// Returns the value of a param as an integer, limited to the range of `i64`; `None` if it is not an integer.
    pub(crate) fn number(&self, param: &ParamInfo) -> Option<i64> {
        self.one(param).and_then(integer)
    }

    /// Returns the timestamp in a param, in Unix seconds.
    pub(crate) fn time(&self, param: &ParamInfo) -> Option<i64> {
        let ValueType::Timestamp(unit) = param.ty else { return None };
        unit.read(self.one(param)?).map(Timestamp::unix_seconds)
    }
}

/// Splits a text into its values. Commas separate the values of lists and of closed types, which are types with a fixed
/// list of values. Empty values are omitted if the param is a string, an open type or a list.
fn parts(param: &ParamInfo, value: &str) -> Vec<String> {
    if param.list_as == ListFormat::Json
        && let Ok(Value::Array(items)) = value.parse()
    {
        let text = |item: Value| item.as_str().map_or_else(|| item.to_string(), ToOwned::to_owned);
        return items.into_iter().map(text).collect();
    }
    let is_closed = matches!(param.ty, ValueType::Named(named) if !named.open);
    let is_split = param.list_as == ListFormat::Commas && (is_closed || param.list_setter.is_some());
    let parts = if is_split { value.split(',').map(str::trim).collect() } else { vec![value] };
    let is_text = matches!(param.ty, ValueType::String | ValueType::Any)
        || matches!(param.ty, ValueType::Named(named) if named.open);
    let may_be_empty = is_text || param.list_setter.is_some();
    parts.into_iter().filter(|part| !(may_be_empty && part.is_empty())).map(ToOwned::to_owned).collect()
}

/// Parses an integer, and limits it to the range of `i64`.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let extreme = if digits.len() == text.len() { i64::MAX } else { i64::MIN };
    is_integer.then(|| text.parse().unwrap_or(extreme))
}

fn check_type(param: &ParamInfo, value: &str) -> Outcome {
    let name = param.wire_name;
    #[expect(clippy::cast_precision_loss, reason = "ranges are small enough to be exact")]
    let real = |number: i64| number as f64;
    let number = match param.ty {
        ValueType::Named(named) if !named.open => {
            return one_of(name, value, named.values.iter().map(|known| known.value));
        }
        ValueType::Boolean => return one_of(name, value, ["true", "false"]),
        ValueType::Count => integer(value).filter(|count| *count >= 0).map(real).ok_or("a count"),
        ValueType::Integer => value.parse().map(real).map_err(|_| "an integer"),
        ValueType::Timestamp(unit) => unit.read(value).map(|time| real(time.unix_seconds())).ok_or("a timestamp"),
        ValueType::Number => value.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or("a number"),
        _ => return Ok(()),
    };
    match number {
        Err(expected) => Err(Rejection::param(format!("`{name}` has to be {expected}, not \"{value}\""))),
        Ok(number) if !param.range.contains(number) => {
            let [min, max] = [param.range.min, param.range.max]
                .map(|bound| bound.map_or_else(|| "any".to_owned(), |bound| bound.to_string()));
            Err(Rejection::param(format!("`{name}` has to be from {min} to {max}, not \"{value}\"")))
        }
        Ok(_) => Ok(()),
    }
}

/// Rejects values that the service rejects according to any source in the registry.
fn check_reported(param: &ParamInfo, value: &str, strictness: Strictness) -> Outcome {
    let name = param.wire_name;
    if param.rejected_values.contains(&value) {
        return Err(Rejection::param(format!("the endpoint does not accept \"{value}\" as `{name}`")));
    }
    if !param.allowed_values.is_empty() {
        one_of(name, value, param.allowed_values.iter().copied())?;
    }
    match param.ty {
        ValueType::Named(named) if strictness == Strictness::OnlyKnownValues => {
            one_of(name, value, named.values.iter().map(|known| known.value))
        }
        ValueType::Timestamp(unit) => check_unit(name, value, unit),
        _ => Ok(()),
    }
}

fn one_of<'v>(name: &str, value: &str, known: impl IntoIterator<Item = &'v str>) -> Outcome {
    let known = known.into_iter().collect::<Vec<_>>();
    if known.contains(&value) {
        return Ok(());
    }
    Err(Rejection::param(format!("`{name}` has to be one of `{}`, not \"{value}\"", known.join("`, `"))))
}

/// Rejects a time that is probably in another unit: read in the unit of the param, it would be after the year 5000 or,
/// for a param that is not in seconds, before March 1973.
fn check_unit(name: &str, value: &str, unit: TimeUnit) -> Outcome {
    const BORDER: u64 = 100_000_000_000;
    let other = match integer(value).map_or(0, i64::unsigned_abs) {
        0 => return Ok(()),
        1..BORDER => TimeUnit::Seconds,
        count if count / 1000 < BORDER => TimeUnit::Milliseconds,
        count if count / 1_000_000 < BORDER => TimeUnit::Microseconds,
        _ => TimeUnit::Nanoseconds,
    };
    if unit.is_text() || unit == other {
        return Ok(());
    }
    let [unit, other] = [unit, other].map(TimeUnit::as_str);
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
