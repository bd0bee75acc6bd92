//! The params of a request: its query, read by the registry.
//!
//! Every value of a known param is checked against its type and its range; a param that the endpoint does not take is
//! ignored, and so is an empty text. Reported facts are enforced only if that is chosen. What the values mean is
//! decided by their users.

use generated_client::registry::{EndpointInfo, ListStyle, ParamInfo, ParamLocation, ValueType};
use generated_client::{Timestamp, Value};

use crate::calendar;
use crate::known;
use crate::number::real;
use crate::refusal::Refusal;

/// Which facts a request has to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Documented ones.
    Documented,
    /// Reported ones, too.
    Reported,
}

/// The checked params of one request.
#[derive(Debug)]
pub(crate) struct Asked {
    values: Vec<(&'static ParamInfo, Vec<String>)>,
    endpoint: &'static EndpointInfo,
}

impl Asked {
    /// Reads a query, or says which param is wrong.
    pub(crate) fn read(endpoint: &'static EndpointInfo, query: &str, strictness: Strictness) -> Result<Self, Refusal> {
        let mut values: Vec<(&'static ParamInfo, Vec<String>)> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let Some(param) = endpoint.param(&name).filter(|param| param.location == ParamLocation::Query) else {
                if strictness == Strictness::Reported && endpoint.params.is_some() {
                    return Err(Refusal::unprocessable("unknown_param", format!("the endpoint takes no `{name}`")));
                }
                continue;
            };
            let known = values.iter_mut().find(|(known, _)| known.wire_name == param.wire_name);
            if known.is_some() && param.list_as != ListStyle::Repeated {
                return Err(Refusal::param(format!("`{name}` is given twice")));
            }
            let parts = parts(param, &value);
            let is_single = param.list.is_none() || (strictness == Strictness::Reported && param.single.is_some());
            if is_single && (parts.len() > 1 || known.is_some()) {
                return Err(Refusal::param(format!("`{name}` takes one value: \"{value}\"")));
            }
            for part in &parts {
                check(param, part)?;
                if strictness == Strictness::Reported {
                    served(param, part)?;
                }
            }
            match known {
                Some((_, known)) => known.extend(parts),
                None if parts.is_empty() => {}
                None => values.push((param, parts)),
            }
        }
        let asked = Self { values, endpoint };
        asked.complete(strictness)?;
        Ok(asked)
    }

    /// Fails if a required param is missing.
    fn complete(&self, strictness: Strictness) -> Result<(), Refusal> {
        let needed = |param: &ParamInfo| match param.required {
            None => false,
            Some(known) => known.is_enforced() || strictness == Strictness::Reported,
        };
        let given = |param: &ParamInfo| self.values.iter().any(|(known, _)| known.wire_name == param.wire_name);
        let mut params = self.endpoint.params.unwrap_or_default().iter();
        match params.find(|param| param.location == ParamLocation::Query && needed(param) && !given(param)) {
            None => Ok(()),
            Some(param) => Err(Refusal::unprocessable("missing_param", format!("`{}` is missing", param.wire_name))),
        }
    }

    /// All values of a param; its default if it is left out, none if it has no default.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let given = self.values.iter().find(|(param, _)| param.wire_name == name);
        match given {
            Some((_, values)) => values.iter().map(String::as_str).collect(),
            None => match self.endpoint.param(name) {
                Some(ParamInfo { default: Some(default), list: Some(_), .. }) => default.split(',').collect(),
                param => param.and_then(|param| param.default).into_iter().collect(),
            },
        }
    }

    /// The one value of a param, or its default.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).into_iter().next()
    }

    /// The one value of a param that is a number; one that is too large becomes the largest `i64`.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.one(name).and_then(whole)
    }

    /// The values of all params with a closed list of values, given or by default.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.params().filter(|param| known::closed(param).is_some()).flat_map(|param| self.all(param.wire_name))
    }

    /// The first of these words that a param with a closed list has as its value.
    pub(crate) fn word<'w>(&self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().find(|word| self.words().any(|said| said == **word)).copied()
    }

    /// The lengths of time among the params, in their order.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = Option<i64>> {
        let params = self.params().filter(|param| known::is_length(param));
        params.map(|param| self.one(param.wire_name).and_then(calendar::length))
    }

    /// The moment that a param names, in Unix seconds.
    pub(crate) fn moment(&self, param: &ParamInfo) -> Option<i64> {
        let ValueType::Timestamp(unit) = param.ty else { return None };
        unit.read(self.one(param.wire_name)?).map(Timestamp::unix_seconds)
    }

    /// The params in the query that the endpoint takes.
    pub(crate) fn params(&self) -> impl Iterator<Item = &'static ParamInfo> {
        let all = self.endpoint.params.unwrap_or_default().iter();
        all.filter(|param| param.location == ParamLocation::Query)
    }
}

/// The values of a text: one that is not of a closed list may hold commas, and an empty one is none where several are
/// taken.
fn parts(param: &ParamInfo, value: &str) -> Vec<String> {
    if param.list_as == ListStyle::Json
        && let Ok(Value::Array(items)) = value.parse()
    {
        let text = |item: Value| item.as_str().map_or_else(|| item.to_string(), ToOwned::to_owned);
        return items.into_iter().map(text).collect();
    }
    if param.list_as != ListStyle::Commas {
        return vec![value.to_owned()];
    }
    let closed = matches!(param.ty, ValueType::Named(named) if !named.open);
    let parts = if closed || param.list.is_some() { value.split(',').map(str::trim).collect() } else { vec![value] };
    // An empty number, or word of a closed list, is left for `check` to refuse.
    let text = matches!(param.ty, ValueType::String | ValueType::Any)
        || matches!(param.ty, ValueType::Named(named) if named.open);
    let nothing = text || param.list.is_some();
    parts.into_iter().filter(|part| !(nothing && part.is_empty())).map(ToOwned::to_owned).collect()
}

/// A whole number; one outside of the range of `i64` becomes its nearest end.
fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let extreme = if digits.len() == text.len() { i64::MAX } else { i64::MIN };
    is_whole.then(|| text.parse().unwrap_or(extreme))
}

fn check(param: &ParamInfo, value: &str) -> Result<(), Refusal> {
    let name = param.wire_name;
    let number = match param.ty {
        ValueType::Named(named) if !named.open && named.values.iter().all(|known| known.value != value) => {
            let known = named.values.iter().map(|known| known.value).collect::<Vec<_>>().join("`, `");
            return Err(Refusal::param(format!("`{name}` is none of `{known}`: \"{value}\"")));
        }
        ValueType::Boolean if !["true", "false"].contains(&value) => {
            return Err(Refusal::param(format!("`{name}` is neither `true` nor `false`: \"{value}\"")));
        }
        ValueType::Count => whole(value).filter(|count| *count >= 0).map(real).ok_or("count"),
        ValueType::Integer => value.parse::<i64>().map(real).map_err(|_| "whole number"),
        ValueType::Timestamp(unit) => unit.read(value).map(|time| real(time.unix_seconds())).ok_or("point in time"),
        ValueType::Number => value.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or("number"),
        _ => return Ok(()),
    };
    match number {
        Err(what) => Err(Refusal::param(format!("`{name}` is no {what}: \"{value}\""))),
        Ok(number) if !param.range.contains(number) => {
            let [min, max] = [param.range.min, param.range.max]
                .map(|bound| bound.map_or_else(|| "any".to_owned(), |bound| bound.to_string()));
            Err(Refusal::param(format!("`{name}` is not from {min} to {max}: \"{value}\"")))
        }
        Ok(_) => Ok(()),
    }
}

/// Refuses values that are reported to be refused, and values outside of those that are reported to be served.
fn served(param: &ParamInfo, value: &str) -> Result<(), Refusal> {
    if param.refused.contains(&value) {
        return Err(Refusal::param(format!("`{}` is refused here: \"{value}\"", param.wire_name)));
    }
    if param.served.is_empty() || param.served.contains(&value) {
        return Ok(());
    }
    let message = format!("`{}` is none of `{}`: \"{value}\"", param.wire_name, param.served.join("`, `"));
    Err(Refusal::param(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str, strictness: Strictness) -> Result<(), String> {
        let endpoint = known::endpoint("/volumeRatio").unwrap();
        Asked::read(endpoint, query, strictness).map(|_| ()).map_err(|refusal| format!("{refusal:?}"))
    }

    fn check(query: &str) -> Result<(), String> {
        read(query, Strictness::Documented)
    }

    #[test]
    fn what_is_reported_is_asked_for_where_wanted() {
        let table = [
            ("coin=BTC&timeframe=1h", Ok(())),
            ("coin=BTC&timeframe=1h&limit=1000&exchange=okx_perp_coin,binance_spot", Ok(())),
            ("coin=BTC&timeframe=1h&limit=0005", Err("`limit` is none of `5`, `10`, `20`, `50`, `100`, `500`, `1000`")),
            ("coin=BTC&timeframe=1h&limit=7", Err("`limit` is none of")),
            ("coin=BTC", Err("`timeframe` is missing")),
            ("timeframe=1h&coin=", Err("`coin` is missing")),
            ("coin=BTC&timeframe=1h&lookback=1", Err("the endpoint takes no `lookback`")),
        ];
        for (query, expected) in table {
            let outcome = read(query, Strictness::Reported);
            match expected {
                Ok(()) => assert_eq!(outcome, Ok(()), "{query}"),
                Err(words) => assert!(outcome.clone().unwrap_err().contains(words), "{query}: {outcome:?}"),
            }
        }
    }

    #[test]
    fn what_is_accepted() {
        for query in [
            "",
            "coin=BTC&exchange=a_spot,b_spot&timeframe=1h&limit=10&startTime=0&endTime=-5&sort=desc",
            "bucket=1,7&marketTypes=spot&advanceFilter=a,b",
            "bucket=&coin=a,b&limit=99999999999999999999",
            "nobodyKnowsThis=1&coin=&exchange=",
        ] {
            assert_eq!(check(query), Ok(()), "{query}");
        }
    }

    #[test]
    fn what_is_refused() {
        let table = [
            ("timeframe=2h", "`timeframe` is none of `1m`, `5m`, `15m`, `1h`, `4h`, `1d`"),
            ("timeframe=", "`timeframe` is none of"),
            ("sort=up", "`sort` is none of `asc`, `desc`"),
            ("bucket=1,8", "`bucket` is none of"),
            ("marketTypes=all,spot", "`marketTypes` takes one value"),
            ("limit=-1", "`limit` is no count"),
            ("limit=ten", "`limit` is no count"),
            ("limit=", "`limit` is no count"),
            ("startTime=9223372036854775808", "`startTime` is no point in time"),
            ("startTime=1.5", "`startTime` is no point in time"),
            ("coin=BTC&coin=ETH", "`coin` is given twice"),
        ];
        for (query, expected) in table {
            let message = check(query).unwrap_err();
            assert!(message.contains(expected), "{query}: {message}");
        }
    }
}
