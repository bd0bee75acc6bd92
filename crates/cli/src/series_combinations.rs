//! The series that a command requests: every endpoint with every combination of the values on the command line.
//!
//! Each value, and each combination, is checked before a request is sent.

use std::collections::BTreeSet;

use clap::Args;
use runtime::Timestamp;
use runtime::registry::{Evidence, ParamInfo, ParamLocation};
use wording::enumerated;

use crate::connection::Connection;
use crate::endpoint_names::{self, Endpoint, history, name};
use crate::failure::{Failure, Result};
use crate::find_endpoint::find_or_path;
use crate::log::Log;
use crate::notation::{self, assigned, chosen, command};
use crate::param_options::{Params, endpoint_candidates, endpoints_help, is_set_by_history, option, range_params};
use crate::param_values::{ParamValue, is_upper, read};
use crate::program::service;
use crate::requested_series::{RequestedSeries, note_oldest};
use crate::time_arg;

/// Returns every endpoint with every combination of values, in the given order. A missing required param is an error.
pub(crate) fn combine(endpoints: &[Endpoint], params: &Params, log: Log) -> Result<Vec<RequestedSeries>> {
    let all = combine_given(endpoints, params, log)?;
    check_missing_params(endpoints, params, log)?;
    Ok(all)
}

/// Returns every endpoint with every combination of values, in the given order. Params may be missing.
pub(crate) fn combine_given(endpoints: &[Endpoint], params: &Params, log: Log) -> Result<Vec<RequestedSeries>> {
    every_param_is_accepted(endpoints, params)?;
    no_value_is_given_twice(params)?;
    let mut names = BTreeSet::new();
    for endpoint in endpoints {
        let name = name(endpoint);
        if !names.insert(name.clone()) {
            return Err(Failure::usage(format!("`{name}` is listed twice")));
        }
    }
    let mut all = Vec::new();
    for endpoint in endpoints {
        all.append(&mut combine_values(endpoint, params, log)?);
    }
    for series in &all {
        check_range(series)?;
        if log == Log::Verbose {
            log.remark(&described(series));
        }
    }
    Ok(all)
}

/// An endpoint with every combination of the values of its params.
fn combine_values(endpoint: Endpoint, params: &Params, log: Log) -> Result<Vec<RequestedSeries>> {
    let mut combined = vec![RequestedSeries::new(endpoint)];
    for (param, values) in &params.known {
        if accepts(endpoint, param) {
            let values = param_values(endpoint, param, values, params, log)?;
            combined = times(&combined, param, &values);
        }
    }
    for (param, values) in &params.passed_on {
        let values: Vec<_> = values.iter().map(|value| ParamValue::Text(vec![value.clone()])).collect();
        combined = times(&combined, param, &values);
    }
    Ok(combined)
}

/// Parses the values of a param. A value that is listed twice is an error.
fn param_values(
    endpoint: Endpoint,
    param: &str,
    values: &[String],
    params: &Params,
    log: Log,
) -> Result<Vec<ParamValue>> {
    let info = endpoint.param(param);
    let mut parsed = Vec::new();
    let mut seen = BTreeSet::new();
    for value in values {
        let value = match info {
            Some(info) => read(endpoint, info, value, params, log)?,
            None => ParamValue::Text(vec![value.clone()]),
        };
        let shown = if info.is_some_and(is_upper) { value.shown().to_uppercase() } else { value.shown() };
        if !seen.insert(shown.clone()) {
            return Err(Failure::usage(format!("`{shown}` is listed twice for `{param}`")));
        }
        parsed.push(value);
    }
    Ok(parsed)
}

/// Formats the endpoint and the params of a series. A param that is not in the catalogue may be secret, and is omitted.
fn described(series: &RequestedSeries) -> String {
    let mut text = format!("series {}", name(series.endpoint));
    for (name, value) in &series.values {
        if series.endpoint.param(name).is_some() {
            text.push_str(&format!(" {name}={}", value.shown()));
        }
    }
    text
}

/// A copy of every series for each of these values.
fn times(series: &[RequestedSeries], name: &str, values: &[ParamValue]) -> Vec<RequestedSeries> {
    let mut all = Vec::with_capacity(series.len() * values.len());
    for one in series {
        for value in values {
            let mut copy = one.clone();
            copy.values.push((name.to_owned(), value.clone()));
            all.push(copy);
        }
    }
    all
}

/// `true` if an endpoint accepts a param. A path that is not in the catalogue accepts every param.
fn accepts(endpoint: Endpoint, param: &str) -> bool {
    endpoint_names::is_path(endpoint) || endpoint.param(param).is_some()
}

/// Rejects a param that none of the endpoints accepts. A param that some endpoints accept is set on those endpoints.
fn every_param_is_accepted(endpoints: &[Endpoint], params: &Params) -> Result<()> {
    for (param, _) in &params.known {
        if !endpoints.iter().any(|endpoint| accepts(endpoint, param)) {
            return Err(not_accepted(endpoints, param, params));
        }
    }
    Ok(())
}

/// Rejects a param that is set by its option and by `--param`, because one of both values would be ignored, and a value
/// that `--param` lists twice.
fn no_value_is_given_twice(params: &Params) -> Result<()> {
    for (param, values) in &params.passed_on {
        if params.known.iter().any(|(known, _)| known == param) {
            let option = params.written(param);
            let failure =
                Failure::usage(format!("`{param}` is set by `{option}` and by `{}`", notation::option("param")));
            return Err(failure.help(format!(
                "give all values with `{}`, or all with `{option}`",
                assigned("param", &format!("{param}="))
            )));
        }
        let mut seen = BTreeSet::new();
        for value in values {
            if !seen.insert(value) {
                return Err(Failure::usage(format!("`{value}` is listed twice for `{param}`")));
            }
        }
    }
    Ok(())
}

/// Creates the error for a param that none of the endpoints accepts, with the params that they accept.
fn not_accepted(endpoints: &[Endpoint], param: &str, params: &Params) -> Failure {
    let mut names = Vec::new();
    let mut options = Vec::new();
    for endpoint in endpoints {
        names.push(name(endpoint));
        for info in endpoint.params() {
            let option = option(endpoint, info.wire_name);
            if !options.contains(&option) {
                options.push(option);
            }
        }
    }
    let accepted = if options.is_empty() { "no params".to_owned() } else { options.join(", ") };
    Failure::usage(format!("`{}` is not a param of {}", params.written(param), enumerated(&names, "or")))
        .help(format!("accepted: {accepted}"))
        .help_if(params.unchecked(param, "VALUE"))
}

/// Rejects a missing param that is required, except those that a history sets, and warns about missing params that are
/// probably required: the service decides whether to reject such a request.
fn check_missing_params(endpoints: &[Endpoint], params: &Params, log: Log) -> Result<()> {
    for endpoint in endpoints {
        for info in endpoint.params() {
            if info.const_value.is_none() && !params.has(info.wire_name) {
                check_missing_param(endpoint, info, params, log)?;
            }
        }
    }
    Ok(())
}

fn check_missing_param(endpoint: Endpoint, info: &ParamInfo, params: &Params, log: Log) -> Result<()> {
    let name = name(endpoint);
    let option = params.written(info.wire_name);
    let is_enforced = info.required.map(Evidence::is_enforced);
    let is_required = info.location == ParamLocation::Path || is_enforced == Some(true);
    if is_required && !is_set_by_history(endpoint, info.wire_name) {
        let failure = Failure::usage(format!("missing required param `{}` of {name}", info.wire_name));
        if params.are_keys {
            return Err(failure);
        }
        return Err(failure.help(format!("set it with `{option}`")));
    }
    if is_enforced == Some(false) {
        log.warning(&format!("`{option}` is probably required by {name} but was not given"));
    }
    Ok(())
}

/// Rejects a range that ends before its start, because the service would return no records and no error.
fn check_range(series: &RequestedSeries) -> Result<()> {
    let Some(info) = history(series.endpoint).or(service().history.as_ref()) else { return Ok(()) };
    let Some(ParamValue::Times(from)) = series.value(info.from) else { return Ok(()) };
    let Some(ParamValue::Times(to)) = series.value(info.to) else { return Ok(()) };
    if let (Some(from), Some(to)) = (from.first(), to.last())
        && to < from
    {
        let from = time_arg::shown(*from);
        let to = time_arg::shown(*to);
        return Err(Failure::usage(format!("`{}` is before `{}`", assigned("to", &to), assigned("from", &from))));
    }
    Ok(())
}

/// Returns every endpoint with every combination of values, if all of them have a history, which sets the range.
pub(crate) fn of_histories(endpoints: &[String], params: &Params, log: Log) -> Result<Vec<RequestedSeries>> {
    if let Some(name) = service().history.iter().flat_map(range_params).find(|name| params.has(name)) {
        let message = format!("the command sets `{name}` for every page");
        return Err(Failure::usage(message).help(format!(
            "use `{}` and `{}`",
            notation::option("from"),
            notation::option("to")
        )));
    }
    let mut found = Vec::with_capacity(endpoints.len());
    for name in endpoints {
        found.push(must_have_history(name)?);
    }
    combine(&found, params, log)
}

/// Finds an endpoint by name or path. Returns an error if it has no history.
pub(crate) fn must_have_history(written: &str) -> Result<Endpoint> {
    let endpoint = find_or_path(written)?;
    if history(endpoint).is_some() {
        return Ok(endpoint);
    }
    let failure = Failure::usage(format!("{} has no known history", name(endpoint)));
    let list = command("list --history", "endpoints(history=True)", "");
    let listed = format!("`{list}` lists the endpoints with a history");
    // The list of an assistant does not show it.
    Err(failure.help(chosen(&listed, &listed, "`describe_endpoint` shows whether an endpoint has a history")))
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
    /// The series whose histories the command fetches from this time on.
    pub(crate) fn histories(&self, from: Timestamp, log: Log) -> Result<Vec<RequestedSeries>> {
        let series = of_histories(&self.endpoints, &self.params, log)?;
        note_oldest(&series, from, log);
        Ok(series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requested_series::labels;
    use test_endpoints::{Metric, metric, object, other_metric, values};

    fn check(targets: &[&str], known: &[(&str, &[&str])], passed_on: &[(&str, &[&str])]) -> Vec<String> {
        let endpoints: Result<Vec<_>> = targets.iter().map(|name| find_or_path(name)).collect();
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let params = Params {
            known: known.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
            passed_on: passed_on.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
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
        assert_eq!(check(&["/new"], &[two], &[("a", &["1,2"])]), *keys);
    }

    /// No value that was given is ignored.
    #[test]
    fn each_value_that_is_passed_on_is_a_series() {
        let Metric { name, key, keys, key_option, .. } = metric();
        assert_eq!(check(&[name], &[], &[(key.wire_name, keys)]), *keys);
        let both = check(&[name], &[(key.wire_name, &keys[..1])], &[(key.wire_name, &keys[1..])]);
        let expected = format!("`{}` is set by `{key_option}` and by `--param`", key.wire_name);
        assert!(both[0].starts_with(&expected), "{both:?}");
        let twice = check(&[name], &[], &[(key.wire_name, &[keys[0], keys[0]])]);
        assert_eq!(twice, [format!("`{}` is listed twice for `{}`", keys[0], key.wire_name)]);
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
