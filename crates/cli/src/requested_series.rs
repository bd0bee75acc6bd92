//! The series to request: every endpoint with every combination of the values on the command line.
//!
//! Each series gets a label that distinguishes it from the others. Nothing is sent here.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Args;
use runtime::history::{History, Plan};
use runtime::registry::{Evidence, ParamInfo, ParamLocation};
use runtime::{AnyClient as Client, Dynamic, Request, Timestamp};

use crate::connection::Connection;
use crate::endpoint_names::{self, Endpoint, history, is_same, name};
use crate::fact_sentences::enumerated;
use crate::failure::{Failure, Result};
use crate::find_endpoint::find_or_path;
use crate::log::Log;
use crate::param_options::{Params, endpoint_candidates, endpoints_help, kebab, option, range_params};
use crate::param_values::{ParamValue, is_upper, read};
use crate::program::{program, service};
use crate::time_arg;

/// One endpoint with one value for each param.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) endpoint: Endpoint,
    /// The name of each param in the API, and its value.
    pub(crate) values: Vec<(String, ParamValue)>,
}

impl Series {
    pub(crate) fn value(&self, wire_name: &str) -> Option<&ParamValue> {
        self.values.iter().find(|(name, _)| name == wire_name).map(|(_, value)| value)
    }

    /// Returns the params that distinguish the series from others, with their values as files have them. The params of
    /// a range and of a page do not.
    pub(crate) fn identity(&self) -> Vec<(String, Option<String>)> {
        let history = history(self.endpoint).or(service().history.as_ref());
        let range: Vec<_> = history.into_iter().flat_map(range_params).collect();
        let own = self.values.iter().filter(|(name, _)| !range.contains(&name.as_str()));
        let text = |value: &ParamValue| match value {
            ParamValue::Text(values) => values.join(","),
            ParamValue::Time(time) => time.to_string(),
        };
        own.map(|(name, value)| (name.clone(), Some(text(value)))).collect()
    }
}

impl PartialEq for Series {
    fn eq(&self, other: &Self) -> bool {
        is_same(self.endpoint, other.endpoint) && self.values == other.values
    }
}

/// Returns every endpoint with every combination of values, in the given order. A missing required param is an error.
pub(crate) fn combine(endpoints: &[Endpoint], params: &Params, log: Log) -> Result<Vec<Series>> {
    let all = combine_given(endpoints, params, log)?;
    check_missing_params(endpoints, params, log)?;
    Ok(all)
}

/// Returns every endpoint with every combination of values, in the given order. Params may be missing.
pub(crate) fn combine_given(endpoints: &[Endpoint], params: &Params, log: Log) -> Result<Vec<Series>> {
    every_param_is_accepted(endpoints, params)?;
    let names: Vec<_> = endpoints.iter().map(|endpoint| name(endpoint)).collect();
    if let Some(twice) = repeated(&names) {
        return Err(Failure::usage(format!("`{twice}` is listed twice")));
    }
    let mut all = Vec::new();
    for endpoint in endpoints {
        let mut of_endpoint = vec![Series { endpoint, values: Vec::new() }];
        for (param, values) in &params.known {
            let read = |value: &String| match endpoint.param(param) {
                Some(info) => read(endpoint, info, value, params, log),
                None => Ok(ParamValue::Text(vec![value.clone()])),
            };
            if accepts(endpoint, param) {
                let given = values.iter().map(read).collect::<Result<Vec<_>>>()?;
                let ignores_case = endpoint.param(param).is_some_and(is_upper);
                let shown =
                    |value: &ParamValue| if ignores_case { value.shown().to_uppercase() } else { value.shown() };
                if let Some(twice) = repeated(&given.iter().map(shown).collect::<Vec<_>>()) {
                    return Err(Failure::usage(format!("`{twice}` is listed twice for `{param}`")));
                }
                of_endpoint = times(&of_endpoint, param, &given);
            }
        }
        for (param, value) in &params.passed_on {
            of_endpoint = times(&of_endpoint, param, &[ParamValue::Text(vec![value.clone()])]);
        }
        all.append(&mut of_endpoint);
    }
    all.iter().try_for_each(ends_after_its_start)?;
    all.iter().filter(|_| log == Log::Verbose).for_each(|one| log.remark(&described(one)));
    Ok(all)
}

/// Returns the endpoint and the params of a series. A param that is not in the catalogue may be secret, and is omitted.
fn described(one: &Series) -> String {
    let known = one.values.iter().filter(|(name, _)| one.endpoint.param(name).is_some());
    let params = known.map(|(name, value)| format!(" {name}={}", value.shown()));
    format!("series {}{}", name(one.endpoint), params.collect::<String>())
}

/// Returns the first item that equals an earlier one.
fn repeated<T: PartialEq>(all: &[T]) -> Option<&T> {
    all.iter().enumerate().find(|(index, item)| all[..*index].contains(item)).map(|(_, item)| item)
}

/// Returns a copy of every series for each of these values.
fn times(series: &[Series], name: &str, values: &[ParamValue]) -> Vec<Series> {
    let with = |one: &Series, value: &ParamValue| {
        let mut one = one.clone();
        // A later value replaces an earlier value, so `--param` overrides the option of the same param.
        one.values.retain(|(other, _)| other != name);
        one.values.push((name.to_owned(), value.clone()));
        one
    };
    series.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect()
}

/// Returns whether an endpoint accepts a param. A path that is not in the catalogue accepts every param.
fn accepts(endpoint: Endpoint, param: &str) -> bool {
    endpoint_names::is_path(endpoint) || endpoint.param(param).is_some()
}

/// Rejects a param that none of the endpoints accepts. A param that some endpoints accept is set on those endpoints.
fn every_param_is_accepted(endpoints: &[Endpoint], params: &Params) -> Result<()> {
    let is_accepted = |param: &str| endpoints.iter().any(|endpoint| accepts(endpoint, param));
    let Some((param, _)) = params.known.iter().find(|(param, _)| !is_accepted(param)) else { return Ok(()) };
    let options = |endpoint: &Endpoint| {
        let endpoint = *endpoint;
        endpoint.params().map(move |info| option(endpoint, info.wire_name))
    };
    let mut known: Vec<_> = endpoints.iter().flat_map(options).collect();
    known.dedup();
    let accepted = if known.is_empty() { "no params".to_owned() } else { known.join(", ") };
    let names: Vec<_> = endpoints.iter().map(|endpoint| name(endpoint)).collect();
    Err(Failure::usage(format!("`--{}` is not a param of {}", kebab(param), enumerated(&names, "or")))
        .help(format!("accepted: {accepted}"))
        .help_if(params.unchecked(param, "VALUE")))
}

/// Rejects a missing param that is required, except those that a history sets, and warns about missing params that are
/// probably required: the service decides whether to reject such a request.
fn check_missing_params(endpoints: &[Endpoint], params: &Params, log: Log) -> Result<()> {
    for endpoint in endpoints {
        let is_set = |param: &str| history(endpoint).is_some_and(|info| range_params(info).any(|own| own == param));
        let is_missing = |info: &&ParamInfo| info.const_value.is_none() && !params.has(info.wire_name);
        for info in endpoint.params().filter(is_missing) {
            let (name, written) = (name(endpoint), params.written(info.wire_name));
            let is_enforced = info.required.map(Evidence::is_enforced);
            if (info.location == ParamLocation::Path || is_enforced == Some(true)) && !is_set(info.wire_name) {
                let failure = Failure::usage(format!("missing required param `{}` of {name}", info.wire_name));
                return Err(failure.help_if((!params.are_keys).then(|| format!("set it with `{written}`"))));
            }
            if is_enforced == Some(false) {
                log.warning(&format!("`{written}` is probably required by {name} but was not given"));
            }
        }
    }
    Ok(())
}

/// Rejects a range that ends before its start, because the service would return no records and no error.
fn ends_after_its_start(series: &Series) -> Result<()> {
    let Some(info) = history(series.endpoint).or(service().history.as_ref()) else { return Ok(()) };
    match (series.value(info.from), series.value(info.to)) {
        (Some(ParamValue::Time(from)), Some(ParamValue::Time(to))) if to < from => {
            let [from, to] = [from, to].map(|time| time_arg::shown(*time));
            Err(Failure::usage(format!("`--to {to}` is before `--from {from}`")))
        }
        _ => Ok(()),
    }
}

/// Returns a short label for each series, with the values in which the series differ.
pub(crate) fn labels(series: &[Series]) -> Vec<String> {
    let names = differing(series);
    let several = series.iter().any(|one| !is_same(one.endpoint, series[0].endpoint));
    let label = |one: &Series| {
        let mut words: Vec<String> = Vec::new();
        if several || names.is_empty() {
            words.push(name(one.endpoint));
        }
        words.extend(names.iter().filter_map(|name| one.value(name)).map(ParamValue::shown));
        words.join(" ")
    };
    series.iter().map(label).collect()
}

/// Returns the names of the params whose values differ among the series. The order is that of the values in a series.
pub(crate) fn differing(series: &[Series]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let differs = |(name, value): &&(String, ParamValue)| {
        series.iter().any(|one| one.value(name).is_some_and(|other| other != value)) && seen.insert(name.clone())
    };
    series.iter().flat_map(|one| &one.values).filter(differs).map(|(name, _)| name.clone()).collect()
}

/// Returns every endpoint with every combination of values, if all of them have a history, which sets the range.
pub(crate) fn of_histories(endpoints: &[String], params: &Params, log: Log) -> Result<Vec<Series>> {
    if let Some(name) = service().history.iter().flat_map(range_params).find(|name| params.has(name)) {
        let message = format!("the command sets `{name}` for every page");
        return Err(Failure::usage(message).help("use `--from` and `--to`"));
    }
    let endpoints = endpoints.iter().map(|name| must_have_history(name)).collect::<Result<Vec<_>>>()?;
    combine(&endpoints, params, log)
}

/// Finds an endpoint by name or path. Returns an error if it has no history.
pub(crate) fn must_have_history(written: &str) -> Result<Endpoint> {
    let endpoint = find_or_path(written)?;
    if history(endpoint).is_some() {
        return Ok(endpoint);
    }
    let failure = Failure::usage(format!("{} has no known history", name(endpoint)));
    Err(failure.help(format!("`{} list --history` lists the endpoints with a history", program().name)))
}

/// Notes the endpoints that have no records as old as the start of a range.
pub(crate) fn note_oldest(series: &[Series], from: Timestamp, log: Log) {
    for of_endpoint in series.chunk_by(|one, other| is_same(one.endpoint, other.endpoint)) {
        let endpoint = of_endpoint[0].endpoint;
        let oldest = history(endpoint).and_then(|info| info.oldest);
        if let Some(begin) = oldest.map(|oldest| Timestamp::now() - oldest).filter(|begin| from < *begin) {
            let begin = begin.floor(Duration::from_secs(60));
            log.remark(&format!("{}: the service has no records before {}", name(endpoint), time_arg::shown(begin)));
        }
    }
}

/// Endpoints with the values of their params, and the service. A command has this after its own options, which would
/// otherwise be listed under the heading of the connection.
#[derive(Args, Debug)]
pub(crate) struct Requested {
    #[arg(help = endpoints_help("list"), required = true, value_name = "ENDPOINT", add = endpoint_candidates())]
    pub(crate) endpoints: Vec<String>,
    #[command(flatten)]
    pub(crate) params: Params,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

impl Requested {
    /// Returns the series whose histories the command fetches from this time on.
    pub(crate) fn histories(&self, from: Timestamp, log: Log) -> Result<Vec<Series>> {
        let series = of_histories(&self.endpoints, &self.params, log)?;
        note_oldest(&series, from, log);
        Ok(series)
    }
}

/// Builds the request of a series.
pub(crate) fn request(client: &Client, series: &Series) -> Request<Dynamic> {
    let mut request = client.endpoint(series.endpoint);
    for (name, value) in &series.values {
        request = match value {
            ParamValue::Text(values) if values.len() == 1 => request.query(name, &values[0]),
            ParamValue::Text(values) => request.query_list(name, values),
            ParamValue::Time(time) => request.query(name, *time),
        };
    }
    request
}

/// Returns the plan of a history without a range, which has the interval between records and the size of a page.
pub(crate) fn plan(request: &Request<Dynamic>) -> Result<Plan> {
    let epoch = Timestamp::from_unix_seconds(0);
    Ok(History::new(request.clone(), epoch..epoch).plan()?)
}

/// Converts the series to the type of the crate `dataset`.
pub(crate) fn stored(client: &Client, series: &[Series]) -> Result<Vec<dataset::SeriesRequest>> {
    let requests = series.iter().map(|one| request(client, one));
    Ok(requests.map(dataset::SeriesRequest::new).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Metric, metric, object, other_metric, values};

    fn check(targets: &[&str], known: &[(&str, &[&str])], passed_on: &[(&str, &str)]) -> Vec<String> {
        let endpoints: Result<Vec<_>> = targets.iter().map(|name| find_or_path(name)).collect();
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let params = Params {
            known: known.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
            passed_on: passed_on.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            are_keys: false,
        };
        let combined = endpoints.and_then(|endpoints| combine(&endpoints, &params, Log::Nothing));
        combined.map_or_else(|failure| vec![failure.to_string()], |series| labels(&series))
    }

    #[test]
    fn every_combination_is_one_series() {
        let (Metric { name, key, keys, history, .. }, other) = (metric(), other_metric().name);
        let two: (&str, &[&str]) = (key.wire_name, keys);
        assert_eq!(check(&[name], &[two], &[]), *keys);
        assert_eq!(check(&[name], &[(key.wire_name, &keys[..1])], &[]), [*name]);
        let four = check(&[name, other], &[two, (history.step, &[metric().step(3600)])], &[]);
        let labels = [name, other].map(|name| keys.map(|key| format!("{name} {key}")));
        assert_eq!(four, labels.concat());
        let known: Vec<_> = values(metric().open_param()).take(3).collect();
        let several = [known[0].to_owned(), known[1..].join("+")];
        let both = check(&[name], &[(metric().open_param().wire_name, &[&*several[0], &*several[1]])], &[]);
        assert_eq!(both, several);
        assert_eq!(check(&["/new"], &[two], &[("a", "1,2")]), *keys);
    }

    #[test]
    fn invalid_values_name_the_expected_ones() {
        let (Metric { name, key, keys, history, .. }, object) = (metric(), object().ident);
        let begins = |messages: &[String], begin: &str| assert!(messages[0].starts_with(begin), "{messages:?}");
        let (step, typo) = (history.step, format!("{}r", metric().step(3600)));
        let interval = check(&[name], &[(step, &[&*typo])], &[]);
        begins(&interval, &format!("invalid `{step}` `{typo}` for {name} (expected "));
        assert!(interval[0].ends_with(&format!("`--param {step}={typo}` sends it anyway")), "{interval:?}");
        let foreign = check(&[object], &[(key.wire_name, &keys[..1])], &[]);
        begins(&foreign, &format!("`{}` is not a param of {object}\n  help: accepted: ", metric().key_option));
        let words = check(&[name], &[(key.wire_name, &[&*keys.join(" ")])], &[]);
        begins(&words, &format!("invalid `{}` `{}` for {name} (expected no spaces)", key.wire_name, keys.join(" ")));
        assert!(words[0].contains(&format!("`{} {}`", metric().key_option, keys.join(","))), "{words:?}");
        // A param that only some of the endpoints accept is set on those endpoints.
        assert_eq!(check(&[object, name], &[(key.wire_name, &keys[..1])], &[]), [object, name]);
    }
}
